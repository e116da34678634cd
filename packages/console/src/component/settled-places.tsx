import { useContext } from "preact/hooks";
import { useWorkplace } from "../app/workplace.ts";
import { useAction } from "../parts/action.tsx";
import { FailureNotice } from "../parts/notice.tsx";
import { Value } from "../parts/value.tsx";
import { texts } from "../texts.ts";
import type { ConsoleComponent, HandBackPlan } from "./keep-changes.ts";
import { MayEdit } from "./may-edit.ts";

const words = texts.component;

/** Reasons why the agent has stopped writing a place that still differs. */
const givenUp: readonly string[] = ["Ineffective", "Unproven"];

interface SettledPlacesProps {
  readonly component: ConsoleComponent;
  readonly plan: HandBackPlan;
  readonly onDecided: () => Promise<void>;
}

/** The cloud's forms of declared values: those waiting for acceptance, and the known ones. */
export function SettledPlaces({ component, plan, onDecided }: SettledPlacesProps) {
  const { api } = useWorkplace();
  const action = useAction();
  const { livesystemId: id, id: componentId, fingerprint, settled, conditions } = component;
  const mayEdit = useContext(MayEdit);
  const open = givenUp.includes(conditions.inSync.reason) && fingerprint !== null ? plan.changes : [];
  if (open.length === 0 && settled.length === 0) return null;
  const places = { id, componentId };
  const { acceptSettled, forgetSettled } = api.liveSystems.components;
  const decide = async (work: () => Promise<unknown>) => {
    await action.run(work);
    await onDecided();
  };
  return (
    <section aria-labelledby="settled">
      <h2 id="settled">{words.settledTitle}</h2>
      <ul class="changes">
        {open.map(({ pointer, declared, actual }) => (
          <li key={pointer}>
            <code>{pointer}</code> {words.shows} <Value value={actual} /> {words.showsFor} <Value value={declared} />{" "}
            {mayEdit && (
              <button
                type="button"
                class="quiet"
                onClick={() =>
                  void decide(() => acceptSettled(places, { pointers: [pointer], fingerprint: fingerprint ?? "" }))
                }
              >
                {words.thatsRight}
              </button>
            )}
          </li>
        ))}
        {settled.map(({ pointer, form, by }) => (
          <li key={pointer}>
            <code>{pointer}</code> {words.shows} <Value value={form} /> <span class="small">{words.settledBy[by]}</span>{" "}
            {mayEdit && (
              <button
                type="button"
                class="plain"
                onClick={() => void decide(() => forgetSettled(places, { pointers: [pointer] }))}
              >
                {words.keepTrying}
              </button>
            )}
          </li>
        ))}
      </ul>
      <FailureNotice error={action.failure.value} />
    </section>
  );
}
