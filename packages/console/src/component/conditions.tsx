import { Instant } from "../parts/instant.tsx";
import { Mark, markOf } from "../parts/mark.tsx";
import { texts } from "../texts.ts";
import type { ConsoleComponent } from "./keep-changes.ts";

const words = texts.component;

/** What is known about a component, with the cloud's own words for a refusal. */
export function ConditionList({ component }: { readonly component: ConsoleComponent }) {
  const { conditions, lookedAt } = component;
  // What doesn't exist can't be in sync either, for the same reason.
  const isSaid = (name: string) => name === "inSync" && conditions.inSync.message === conditions.exists.message;
  return (
    <>
      <p class="small">
        {lookedAt === null ? (
          words.neverLooked
        ) : (
          <>
            {words.lastLook} <Instant at={lookedAt} />.
          </>
        )}
      </p>
      <ul class="conditions">
        {(["readable", "exists", "inSync"] as const).map((name) => {
          const { value, reason, message, changedAt, providerCode, providerMessage } = conditions[name];
          return (
            <li key={name}>
              <Mark kind={markOf(value)} />
              <span>
                <strong>{words.conditions[name][String(value) as "true" | "false" | "null"]}</strong>{" "}
                <span class="small">
                  {reason}
                  {changedAt !== null && (
                    <>
                      , {words.unchangedSince} <Instant at={changedAt} />
                    </>
                  )}
                </span>
                {message !== "" && !isSaid(name) && <span class="block">{message}</span>}
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
    </>
  );
}
