import { useContext, useEffect, useRef } from "preact/hooks";
import { Instant } from "../parts/instant.tsx";
import { Mark, type MarkKind } from "../parts/mark.tsx";
import { FailureNotice } from "../parts/notice.tsx";
import { texts } from "../texts.ts";
import type { ConsoleComponent } from "./keep-changes.ts";
import { MayEdit } from "./may-edit.ts";
import type { AgentWatch, FoundByLook } from "./watch.ts";

const words = texts.component;

/** What the agent reports about itself: whether it has let go, and when it last wrote. */
export function Acknowledgement({
  component,
  watch,
}: {
  readonly component: ConsoleComponent;
  readonly watch: AgentWatch;
}) {
  const { found, awaited, isSeen, end, error } = watch.state.value;
  // What was stored since may have come with a write.
  const isCurrent = found?.component.version === component.version;
  const acknowledgement = found !== null && isCurrent ? found.acknowledgement : null;
  const isOverridden = component.override !== null;
  const mayEdit = useContext(MayEdit);
  const status = useRef<HTMLDivElement>(null);
  const done = isOverridden ? words.doneTaken : words.doneGiven;
  const isRequested = component.status === "ReconcileRequested";
  const isStuck = isRequested && component.health === "Uncorrectable";
  // What was pressed is gone by now: the new status gets the focus.
  useEffect(() => {
    if (end !== null) status.current?.focus();
  }, [end]);
  // Only a check tells what the agent is doing, and only whoever may edit can ask for one. What was never created isn't written to.
  const isNew = component.conditions.exists.value === false && component.health !== "Missing";
  if (acknowledgement === null && (!mayEdit || isNew)) return null;
  return (
    <section class="acknowledgement" aria-label={words.agent}>
      <div role="status" tabIndex={-1} ref={status}>
        {acknowledgement === null && <p>{words.notAsked}</p>}
        {acknowledgement !== null && <Said component={component} acknowledgement={acknowledgement} />}
        {awaited !== null && !isStuck && (
          <p class="watching">{isSeen ? words.watchingSeen : words.watching[awaited]}</p>
        )}
        {end === "done" && !isRequested && <p class="done">{done}</p>}
        {isStuck && <p class="late">{words.stuckGiven}</p>}
      </div>
      <FailureNotice error={error} />
      {mayEdit && (
        <p>
          <button type="button" class="quiet" onClick={() => (awaited === null ? void watch.look() : watch.stop())}>
            {awaited === null ? words.look : words.stop}
          </button>
        </p>
      )}
    </section>
  );
}

interface SaidProps {
  readonly component: ConsoleComponent;
  readonly acknowledgement: FoundByLook["acknowledgement"];
}

/** Whether the agent has let go, and when it last wrote. */
function Said({ component, acknowledgement: { writesInFlight, lastWriteAt, observedAt } }: SaidProps) {
  const isQuiet = writesInFlight === 0;
  const hasLetGo = component.override !== null && isQuiet && component.status !== "ReconcileRequested";
  return (
    <p class="said">
      <Mark kind={isQuiet ? quietMark(component) : "open"} />
      <span>
        <strong>{hasLetGo ? words.letGo : words.inFlight(writesInFlight)}</strong>{" "}
        {lastWriteAt === null ? (
          words.neverWrote
        ) : (
          <>
            {words.lastWrite} <Instant at={lastWriteAt} />.
          </>
        )}{" "}
        <LastLook asked={observedAt} own={component.lookedAt} />
      </span>
    </p>
  );
}

/** The later of the check that was asked for and the agent's own: it goes on checking. */
function LastLook({ asked, own }: { readonly asked: string | null; readonly own: string | null }) {
  const at = [asked, own]
    .filter((one) => one !== null)
    .toSorted()
    .at(-1);
  if (at === undefined) return null;
  return (
    <span class="small">
      {words.looked} <Instant at={at} />.
    </span>
  );
}

/** No write in flight isn't good news while writes fail. */
function quietMark({ failing }: ConsoleComponent): MarkKind {
  return failing === null ? "yes" : "no";
}
