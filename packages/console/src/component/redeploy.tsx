import { LiveplaneError, waitForMutation } from "@liveplane/client";
import { useWorkplace } from "../app/workplace.ts";
import { AskedButton } from "../parts/action.tsx";
import { texts } from "../texts.ts";
import type { ConsoleComponent } from "./keep-changes.ts";

const words = texts.component;

/** Deploys the live system as declared: the only way to create a missing resource again. */
export function Redeploy({
  component,
  onDone,
}: {
  readonly component: ConsoleComponent;
  readonly onDone: () => Promise<void>;
}) {
  const { api } = useWorkplace();
  const { livesystemId: id } = component;
  return (
    <section aria-labelledby="redeploy">
      <h2 id="redeploy">{words.redeployTitle}</h2>
      <p>{words.redeployHelp}</p>
      <AskedButton
        label={words.redeploy}
        kind="calm"
        ask={words.redeployAsk}
        act={async () => {
          const { definition, version } = await api.liveSystems.get({ id });
          const begun = await api.liveSystems.deploy({ id }, definition, { ifMatch: version });
          const { error } = await waitForMutation(api, begun, { intervalMs: 500 });
          await onDone();
          if (error !== null) throw new LiveplaneError("ProviderError", error.detail);
        }}
      />
    </section>
  );
}
