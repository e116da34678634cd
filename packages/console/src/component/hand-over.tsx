import { type HandOver, tagLine } from "@liveplane/client/tag-lines";
import { useSignal } from "@preact/signals";
import { useContext } from "preact/hooks";
import { useWorkplace } from "../app/workplace.ts";
import { CopyLine } from "../parts/copy-line.tsx";
import { FailureNotice } from "../parts/notice.tsx";
import { texts } from "../texts.ts";
import { cloudPage } from "./cloud-page.ts";
import type { ConsoleComponent } from "./keep-changes.ts";
import { MayEdit } from "./may-edit.ts";
import type { AgentWatch } from "./watch.ts";

const words = texts.component;

interface HandOverProps {
  readonly component: ConsoleComponent;
  readonly what: HandOver;
  /** What the button says that changes the tags; `null`: they are as they should be. */
  readonly label: string | null;
  /** Whether something else is to be done first. @default false */
  readonly isQuiet?: boolean;
  readonly watch: AgentWatch;
}

/** How to take over a resource or hand it back: by a command or the cloud's console, watched from here. */
export function HandOverSteps(props: HandOverProps) {
  const { component, what, label, watch } = props;
  const { clouds } = useWorkplace();
  const mayEdit = useContext(MayEdit);
  if (component.resourceId === null) return <p>{words.noResource}</p>;
  return (
    <div class="hand-over">
      {label !== null && clouds.kind === "real" && <RealSteps component={component} what={what} />}
      {label !== null && clouds.kind === "simulated" && <SimulatedStep {...props} />}
      {mayEdit && (
        <p>
          <button
            type="button"
            class="quiet"
            disabled={watch.state.value.awaited !== null}
            onClick={() => watch.begin(what)}
          >
            {words.watch}
          </button>
        </p>
      )}
    </div>
  );
}

/** How to withdraw a hand-back that was requested. Only simulated clouds have a button for it. */
export function WithdrawStep({ component, watch }: Pick<HandOverProps, "component" | "watch">) {
  const { clouds } = useWorkplace();
  const mayEdit = useContext(MayEdit);
  if (clouds.kind !== "simulated" || !mayEdit) return null;
  return (
    <>
      <p>{words.withdraw}</p>
      <SimulatedStep component={component} what="take-over" label={words.act["take-over"]} isQuiet watch={watch} />
    </>
  );
}

function RealSteps({ component, what }: Pick<HandOverProps, "component" | "what">) {
  const line = tagLine(component, what);
  const page = tagPage(component);
  return (
    <>
      <p>{words.tagsFor[what]}</p>
      {line === null ? <p>{words.noLine(component.type)}</p> : <CopyLine line={line} />}
      {page !== null && (
        <p>
          <a href={page} target="_blank" rel="noreferrer">
            {words.tagPage}
          </a>
        </p>
      )}
    </>
  );
}

/** The page of the resource's tags; `null` if the cloud's console documents none. */
function tagPage(component: ConsoleComponent): string | null {
  return component.provider === "provider-a" && component.resourceId !== null ? `${cloudPage(component)}/tags` : null;
}

function SimulatedStep({ component, what, label, isQuiet = false, watch }: HandOverProps) {
  const { clouds, door } = useWorkplace();
  const mayEdit = useContext(MayEdit);
  const failure = useSignal<unknown>(null);
  const isBusy = useSignal(false);
  const hand = clouds.kind === "simulated" && (mayEdit || door !== null) ? clouds.hand : null;
  if (hand === null) return <p>{words.othersHand}</p>;

  async function act(): Promise<void> {
    if (isBusy.value) return;
    isBusy.value = true;
    failure.value = null;
    try {
      await (what === "take-over" ? hand?.takeOver(component) : hand?.handBack(component));
      watch.begin(what);
    } catch (error) {
      failure.value = error;
    }
    isBusy.value = false;
  }

  return (
    <>
      <p>
        {words.simulated[what]}
        {component.provider === "provider-b" && what === "take-over" && ` ${words.labelled}`}
      </p>
      <p>
        <button type="button" class={isQuiet ? "quiet" : ""} aria-disabled={isBusy.value} onClick={() => void act()}>
          {label}
        </button>
      </p>
      <FailureNotice error={failure.value} />
    </>
  );
}
