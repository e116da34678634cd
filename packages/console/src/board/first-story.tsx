import type { Api } from "@liveplane/client";
import { linkTo } from "../app/address.ts";
import { useLoaded } from "../app/loaded.ts";
import { type CloudHand, useWorkplace } from "../app/workplace.ts";
import type { ConsoleComponent } from "../component/keep-changes.ts";
import { mayEdit } from "../component/may-edit.ts";
import { useAction } from "../parts/action.tsx";
import { FailureNotice } from "../parts/notice.tsx";
import { texts } from "../texts.ts";

const words = texts.board.story;

/** Offers an empty board's reader to take over the demo's component, where they may touch the simulated cloud. */
export function FirstStory() {
  const { clouds, address } = useWorkplace();
  const hand = clouds.kind === "simulated" ? clouds.hand : null;
  return hand === null || address === null ? null : <Offer hand={hand} go={address.go} />;
}

function Offer({ hand, go }: { readonly hand: CloudHand; readonly go: (href: string) => void }) {
  const { api } = useWorkplace();
  const { isBusy, failure, run } = useAction();
  const { loaded } = useLoaded({
    key: "demo",
    load: (signal) => demoComponent(api, signal),
    isTouchedBy: ({ type }) => type.startsWith("livesystem.") || type === "component.override.ended",
  });
  const component = loaded.value.value;
  if (component === null) return null;
  const begin = async () => {
    await hand.takeOver(component);
    go(linkTo("component", component.id.split("/"), { watch: "take-over" }));
  };
  return (
    <>
      <p>{words.help}</p>
      <button type="button" aria-disabled={isBusy.value} onClick={() => void run(begin)}>
        {words.begin}
      </button>
      <FailureNotice error={failure.value} />
    </>
  );
}

/**
 * The component `web` of a live system `demo` that the signed-in person may edit; `null`: it isn't there, has no resource, or was taken over
 * before.
 */
async function demoComponent(api: Api, signal: AbortSignal) {
  for (const { id, name } of (await api.liveSystems.list({ limit: 20, signal })).items) {
    if (name !== "demo" || !(await mayEdit(api, id, signal))) continue;
    for (const component of (await api.liveSystems.components.list({ id }, { limit: 20, signal })).items)
      if (component.id === `${id}/web` && component.resourceId !== null)
        return (await wasTakenOver(api, component, signal)) ? null : component;
  }
  return null;
}

async function wasTakenOver(api: Api, { livesystemId: id, id: componentId }: HandedBefore, signal: AbortSignal) {
  const { items } = await api.liveSystems.components.overrides({ id, componentId }, { limit: 1, signal });
  return items.length > 0;
}

type HandedBefore = Pick<ConsoleComponent, "id" | "livesystemId">;
