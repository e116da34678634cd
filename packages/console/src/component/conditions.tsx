import { Instant } from "../parts/instant.tsx";
import { Mark, markOf } from "../parts/mark.tsx";
import { texts } from "../texts.ts";
import type { ConsoleComponent } from "./keep-changes.ts";

const words = texts.component;

/** What is known of a component, with the cloud's own words where it refused something. */
export function ConditionList({ conditions }: Pick<ConsoleComponent, "conditions">) {
  return (
    <ul class="conditions">
      {(["readable", "exists", "inSync"] as const).map((name) => {
        const { value, reason, message, observedAt, providerCode, providerMessage } = conditions[name];
        return (
          <li key={name}>
            <Mark kind={markOf(value)} />
            <span>
              <strong>{words.conditions[name][String(value) as "true" | "false" | "null"]}</strong>{" "}
              <span class="small">
                {reason}
                {observedAt !== null && (
                  <>
                    , {words.seen} <Instant at={observedAt} />
                  </>
                )}
              </span>
              {message !== "" && <span class="block">{message}</span>}
              {providerMessage !== undefined && (
                <q class="block cloud">
                  {providerCode !== undefined && <code>{providerCode}</code>} {providerMessage}
                </q>
              )}
            </span>
          </li>
        );
      })}
    </ul>
  );
}
