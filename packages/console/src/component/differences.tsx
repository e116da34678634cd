import { Value } from "../parts/value.tsx";
import { texts } from "../texts.ts";
import type { ConsoleComponent, HandBackPlan } from "./keep-changes.ts";

const words = texts.component;

/** The differences in three columns, each with its cause. */
export function DifferenceTable({
  plan,
  isOverridden,
}: {
  readonly plan: HandBackPlan;
  readonly isOverridden: boolean;
}) {
  if (plan.changes.length === 0) return <p>{words.noDifference}</p>;
  return (
    <div class="wide">
      <table class="differences">
        <caption class="small">{words.differencesHelp}</caption>
        <thead>
          <tr>
            <th scope="col">{words.parameter}</th>
            {isOverridden && <th scope="col">{words.declaredThen}</th>}
            <th scope="col">{words.declaredNow}</th>
            <th scope="col">{words.inCloud}</th>
            <th scope="col">{words.cause}</th>
          </tr>
        </thead>
        <tbody>
          {plan.changes.map(({ pointer, declaredAtOverride, declared, actual, cause, unwritable }) => (
            <tr key={pointer}>
              <th scope="row">
                <code>{pointer.slice(1)}</code>
              </th>
              {isOverridden && (
                <td data-column={words.declaredThen} class={cause === "cloud" ? "same" : "moved"}>
                  <Value value={declaredAtOverride} />
                </td>
              )}
              <td data-column={words.declaredNow} class={cause === "cloud" ? "same" : "moved"}>
                <Value value={declared} />
              </td>
              <td data-column={words.inCloud} class={cause === "declaration" ? "same" : "moved"}>
                <Value value={actual} />
              </td>
              <td data-column={words.cause}>
                {words.causes[cause]}
                {unwritable !== null && <span class="block small">{unwritable.message}</span>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Values that the cloud never shows, so nobody can compare them. */
export function NeverShown({ unobservable }: Pick<ConsoleComponent, "unobservable">) {
  if (unobservable.length === 0) return null;
  return (
    <details>
      <summary>{words.unobservable(unobservable.length)}</summary>
      <p class="small">{words.unobservableHelp}</p>
      <ul>
        {unobservable.map((pointer) => (
          <li key={pointer}>
            <code>{pointer.slice(1)}</code>
          </li>
        ))}
      </ul>
    </details>
  );
}

/** Places that the component asked to ignore. */
export function Ignored({ ignored }: Pick<ConsoleComponent, "ignored">) {
  const rows = Object.entries(ignored);
  if (rows.length === 0) return null;
  return (
    <details>
      <summary>{words.ignored(rows.length)}</summary>
      <dl class="facts">
        {rows.map(([pointer, { declared, actual }]) => (
          <div key={pointer}>
            <dt>
              <code>{pointer.slice(1)}</code>
            </dt>
            <dd>
              <Value value={declared} /> <span class="small">{words.inCloud}</span> <Value value={actual} />
            </dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
