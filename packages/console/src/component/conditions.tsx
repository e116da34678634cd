import { exactTime, lasted, present } from "../app/clock.ts";
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
        {(["readable", "exists", "inSync"] as const).map((name) => (
          <li key={name}>
            <OneCondition conditions={conditions} name={name} />
          </li>
        ))}
      </ul>
    </>
  );
}

interface OneConditionProps extends Pick<ConsoleComponent, "conditions"> {
  readonly name: ConditionName;
}

function OneCondition({ conditions, name }: OneConditionProps) {
  const { value, reason, message, changedAt, observedAt, providerCode, providerMessage } = conditions[name];
  // While reads fail, only what was there before is known.
  if (name === "exists" && conditions.readable.value === false && value !== null && observedAt !== null)
    return (
      <>
        <Mark kind="unknown" />
        <span>
          <strong>{words.lastRead[`${value}`]}</strong> <Instant at={observedAt} />
        </span>
      </>
    );
  // What doesn't exist can't differ.
  const isThere = name !== "inSync" || value !== false || conditions.exists.value !== false;
  return (
    <>
      <Mark kind={markOf(value)} />
      <span>
        <strong>{isThere ? words.conditions[name][String(value) as "true" | "false" | "null"] : words.notThere}</strong>{" "}
        <span class="small">
          {!plain.includes(reason) && reason}
          {changedAt !== null && (
            <>
              {plain.includes(reason) ? "" : ", "}
              <time dateTime={changedAt} title={exactTime(Date.parse(changedAt))}>
                {words.unchangedFor(lasted(Date.parse(changedAt), present.value))}
              </time>
            </>
          )}
        </span>
        {message !== "" && !isSaid(conditions, name) && (
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
    </>
  );
}

/** Whether its message is said otherwise. What doesn't exist or can't be read can't be in sync either, for the same reason. */
function isSaid(conditions: ConsoleComponent["conditions"], name: ConditionName): boolean {
  const { readable, exists, inSync } = conditions;
  const { reason, message } = conditions[name];
  // A second sentence says more, such as that a lone reconcile tag has no effect.
  if (plainMessages.includes(reason) && !message.includes(". ")) return true;
  return name === "inSync" && [readable.message, exists.message].includes(inSync.message);
}
