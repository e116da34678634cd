import { Value } from "../parts/value.tsx";
import { texts } from "../texts.ts";
import { type ValueMark, valueRows } from "./declared-values.ts";
import type { ConsoleComponent, HandBackPlan } from "./keep-changes.ts";

const words = texts.component;
/** So many are shown at once, where nothing differs. */
const fewRows = 20;

interface ValuesTableProps {
  readonly component: ConsoleComponent;
  readonly plan: HandBackPlan;
}

/**
 * Every declared value next to the actual one, with what is settled, ignored or never shown. Differences have a table of their own. Nothing
 * is shown of a resource that doesn't exist, or of which nothing is known.
 */
export function ValuesTable({ component, plan }: ValuesTableProps) {
  const rows = valueRows(component, plan);
  const { exists, inSync } = component.conditions;
  if (rows.length === 0 || exists.value !== true || inSync.value === null) return null;
  return (
    <section aria-label={words.values(rows.length)}>
      <details open={plan.changes.length === 0 && rows.length <= fewRows}>
        <summary>{words.values(rows.length)}</summary>
        <div class="wide">
          <table class="differences">
            <thead>
              <tr>
                <th scope="col">{words.parameter}</th>
                <th scope="col">{words.declaredNow}</th>
                <th scope="col">{words.inCloud}</th>
                <th scope="col">{words.mark}</th>
              </tr>
            </thead>
            <tbody>
              {rows.map(({ place, declared, actual, mark }) => (
                <tr key={place}>
                  <th scope="row">
                    <code>{place}</code>
                  </th>
                  <td data-column={words.declaredNow} class="same">
                    <Value value={declared} />
                  </td>
                  <td data-column={words.inCloud} class={mark === "differs" ? "moved" : "same"}>
                    <Actual mark={mark} value={actual} />
                  </td>
                  <td data-column={words.mark} class="small">
                    {words.marks[mark]}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </section>
  );
}

/** The value in the cloud. What a reference stands for may not be among the outputs, or is a secret. */
function Actual({ mark, value }: { readonly mark: ValueMark; readonly value: unknown }) {
  if (mark === "hidden") return <span class="small">{words.neverShown}</span>;
  if (mark === "same" && value === undefined) return <span class="small">{words.referredValue}</span>;
  return <Value value={value} />;
}
