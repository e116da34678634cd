import { Value } from "../parts/value.tsx";
import { texts } from "../texts.ts";
import type { ConsoleComponent } from "./keep-changes.ts";

/** What the resource gives to others: its outputs by name. */
export function Outputs({ component: { outputFields } }: { readonly component: ConsoleComponent }) {
  const { drift: _, ...outputs } = outputFields;
  const rows = Object.entries(outputs);
  if (rows.length === 0) return null;
  return (
    <details>
      <summary>{texts.component.outputs(rows.length)}</summary>
      <dl class="outputs">
        {rows.map(([name, value]) => (
          <div key={name}>
            <dt>
              <code>{name}</code>
            </dt>
            <dd>
              <Value value={value} />
            </dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
