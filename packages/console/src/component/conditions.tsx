import { Instant } from "../parts/instant.tsx";
import { Mark, markOf } from "../parts/mark.tsx";
import { texts } from "../texts.ts";
import type { ConsoleComponent } from "./keep-changes.ts";

const words = texts.component;
/** Reasons that only repeat what is shown. */
const plain: readonly string[] = ["Read", "Exists", "InSync", "Drift", "Missing"];
/** Their messages repeat it, too. */
const plainMessages: readonly string[] = ["Drift", "Missing"];

type ConditionName = keyof ConsoleComponent["conditions"];

/** What is known about a component, with the cloud's own words for a refusal. */
export function ConditionList({ component }: { readonly component: ConsoleComponent }) {
  const { conditions, lookedAt } = component;
  // What doesn't exist or can't be read can't be in sync either, for the same reason.
  const isSaid = (name: ConditionName) =>
    plainMessages.includes(conditions[name].reason) ||
    (name === "inSync" &&
      [conditions.exists, conditions.readable].some((one) => one.message === conditions.inSync.message));
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
          const { value, reason, message, changedAt, observedAt, providerCode, providerMessage } = conditions[name];
          // While reads fail, only what was there before is known.
          if (name === "exists" && conditions.readable.value === false && value !== null && observedAt !== null)
            return (
              <li key={name}>
                <Mark kind="unknown" />
                <span>
                  <strong>{words.lastRead[`${value}`]}</strong> <Instant at={observedAt} />
                </span>
              </li>
            );
          return (
            <li key={name}>
              <Mark kind={markOf(value)} />
              <span>
                <strong>{words.conditions[name][String(value) as "true" | "false" | "null"]}</strong>{" "}
                <span class="small">
                  {!plain.includes(reason) && reason}
                  {changedAt !== null && (
                    <>
                      {plain.includes(reason) ? "" : ", "}
                      {words.unchangedSince} <Instant at={changedAt} />
                    </>
                  )}
                </span>
                {message !== "" && !isSaid(name) && (
                  <span class="block">
                    {message} {name === "readable" && value === false && words.readsAgain}
                  </span>
                )}
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
