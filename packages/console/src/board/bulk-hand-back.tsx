import type { Api } from "@liveplane/client";
import { tagLine } from "@liveplane/client/tag-lines";
import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { useLoaded } from "../app/loaded.ts";
import { useWorkplace } from "../app/workplace.ts";
import type { HandBackPlan } from "../component/keep-changes.ts";
import { Reverts } from "../component/reverts.tsx";
import { useAction } from "../parts/action.tsx";
import { ComponentLink } from "../parts/component-link.tsx";
import { CopyLine } from "../parts/copy-line.tsx";
import { FailureNotice } from "../parts/notice.tsx";
import { Waiting } from "../parts/waiting.tsx";
import { texts } from "../texts.ts";
import type { BoardOverride } from "./override-lanes.ts";

const words = texts.board.bulk;
/** How many plans are read, and how many components changed or checked, at a time. */
const atOnce = 8;

interface Planned {
  readonly component: BoardOverride["component"];
  readonly plan: HandBackPlan;
}

interface BulkHandBackProps {
  readonly chosen: readonly BoardOverride[];
  readonly onLeave: () => void;
}

/** Hands several components back, by one plan for all of them: it is read as they are chosen, and fixed once it has begun. */
export function BulkHandBack({ chosen, onLeave }: BulkHandBackProps) {
  const { api } = useWorkplace();
  const begun = useSignal<readonly Planned[] | null>(null);
  const known = useRef(new Map<string, Planned>());
  const { loaded } = useLoaded({
    key: chosen.map(keyOf).join(" "),
    load: () => plansOf(api, chosen, known.current),
  });
  const { value, error } = loaded.value;
  const planned = begun.value ?? value;
  if (chosen.length === 0 && begun.value === null) return null;
  return (
    <section class="sheet bulk" aria-labelledby="bulk">
      <h2 id="bulk">{words.title(planned?.length ?? chosen.length)}</h2>
      <FailureNotice error={error} />
      {planned === null && error === null && <Waiting />}
      {planned !== null && (
        <Plan
          planned={planned}
          remaining={begun.value === null ? null : chosen.length}
          onBegin={() => (begun.value = planned)}
          onLeave={() => {
            begun.value = null;
            onLeave();
          }}
        />
      )}
    </section>
  );
}

interface PlanProps {
  readonly planned: readonly Planned[];
  /** How many are still overridden; `null`: it hasn't begun. */
  readonly remaining: number | null;
  readonly onBegin: () => void;
  readonly onLeave: () => void;
}

/** What handing back would revert, and how to do it. The status shows how many are done. */
function Plan({ planned, remaining, onBegin, onLeave }: PlanProps) {
  const { api, clouds, tell } = useWorkplace();
  const { isBusy, failure, run } = useAction();
  const isBegun = remaining !== null;
  const possible = planned.filter(({ plan }) => plan.possible).map(({ component }) => component);
  const hand = clouds.kind === "simulated" ? clouds.hand : null;
  const check = () =>
    inLots(possible, ({ livesystemId: id, id: componentId }) => api.liveSystems.components.check({ id, componentId }));
  const handBack = async () => {
    onBegin();
    if (hand !== null) await inLots(possible, hand.handBack);
    await check();
    tell(words.handedBack(possible.length));
  };
  return (
    <>
      <p role="status">
        {isBegun ? words.done(planned.length - remaining, planned.length) : words.reverts(countOf(planned))}
      </p>
      <ul class="plans">
        {planned.map(({ component, plan }) => (
          <PlanOfOne key={component.id} component={component} plan={plan} />
        ))}
      </ul>
      {clouds.kind === "real" && !isBegun && <Lines components={possible} />}
      <FailureNotice error={failure.value} />
      <div class="buttons">
        {hand !== null && remaining !== 0 && (
          <button type="button" aria-disabled={isBusy.value} onClick={() => void run(handBack)}>
            {words.setTags(possible.length)}
          </button>
        )}
        {clouds.kind === "real" && remaining !== 0 && (
          <button
            type="button"
            aria-disabled={isBusy.value}
            onClick={() => {
              onBegin();
              void run(check);
            }}
          >
            {words.check}
          </button>
        )}
        <button type="button" class="quiet" onClick={onLeave}>
          {isBegun ? words.close : texts.component.leaveIt}
        </button>
      </div>
    </>
  );
}

function PlanOfOne({ component, plan }: Planned) {
  const { names } = useWorkplace();
  return (
    <li>
      <ComponentLink id={component.id}>{names.ofComponent(component.id)}</ComponentLink>
      {plan.possible ? (
        <Reverts component={component} plan={plan} />
      ) : (
        <p class="late">{texts.component.impossible(plan.reason ?? "")}</p>
      )}
    </li>
  );
}

/** The commands for a real cloud; what no command can change is named. */
function Lines({ components }: { readonly components: readonly BoardOverride["component"][] }) {
  const lines = components.map((component) => ({ component, line: tagLine(component, "hand-back") }));
  const ready = lines.flatMap(({ line }) => (line === null ? [] : [line]));
  return (
    <>
      <p>{texts.component.tagsFor["hand-back"]}</p>
      {ready.length > 0 && <CopyLine line={ready.join("\n")} />}
      {lines
        .filter(({ line }) => line === null)
        .map(({ component }) => (
          <p key={component.id}>{texts.component.noLine(component.type)}</p>
        ))}
    </>
  );
}

/** A plan is read again only if its component has changed. */
function plansOf(api: Api, chosen: readonly BoardOverride[], known: Map<string, Planned>): Promise<Planned[]> {
  return inLots(chosen, async (listed) => {
    const { component } = listed;
    const at = { id: component.livesystemId, componentId: component.id };
    const found = known.get(keyOf(listed)) ?? {
      component,
      plan: await api.liveSystems.components.adoptionPlan(at),
    };
    known.set(keyOf(listed), found);
    return found;
  });
}

const keyOf = ({ component }: BoardOverride) => `${component.id}@${component.version}`;

/** Works on a few at a time; the results are in order. */
async function inLots<Item, Result>(items: readonly Item[], work: (item: Item) => Promise<Result>): Promise<Result[]> {
  const results: Result[] = [];
  for (let at = 0; at < items.length; at += atOnce) {
    results.push(...(await Promise.all(items.slice(at, at + atOnce).map(work))));
  }
  return results;
}

/** How many places all plans revert together. */
function countOf(planned: readonly Planned[]): number {
  return planned.reduce((count, { plan }) => count + plan.changes.length, 0);
}
