import { useContext } from "preact/hooks";
import { present, tickMs } from "../app/clock.ts";
import { shortPath } from "../board/override-lanes.ts";
import { ComponentLink } from "../parts/component-link.tsx";
import { Instant } from "../parts/instant.tsx";
import { Remedy } from "../parts/remedy.tsx";
import { texts } from "../texts.ts";
import type { ConsoleComponent, HandBackPlan } from "./keep-changes.ts";
import { MayEdit } from "./may-edit.ts";

const words = texts.component;

/** What keeps a component from matching its declaration: failed writes in the cloud's words, and what must come first. */
export function Trouble({
  component,
  plan,
}: {
  readonly component: ConsoleComponent;
  readonly plan: Pick<HandBackPlan, "keepPatch">;
}) {
  const { failing, nextTryAt, health, conditions, override } = component;
  const { blockedBy, message, reason } = conditions.inSync;
  const isStuck = health === "Uncorrectable";
  const mayKeep = useContext(MayEdit) && override !== null && !("heldBy" in override) && plan.keepPatch.length > 0;
  if (failing === null && blockedBy === undefined && !isStuck && nextTryAt === null) return null;
  return (
    <section class="notice failed trouble" aria-label={words.trouble}>
      {failing !== null && (
        <>
          <p>
            <strong>{words.failing(failing.attempts)}</strong> {failing.attempts > 1 && words.firstFailed}{" "}
            <Instant at={failing.since} />. {failing.detail}
          </p>
          {failing.providerMessage !== undefined && (
            <p>
              {words.cloudRefuses} <code>{failing.providerCode}</code> <q>{failing.providerMessage}</q>
            </p>
          )}
        </>
      )}
      {isStuck && (
        <p>
          <strong>{words.stuck[stuckAs(component)]}</strong> {message}
        </p>
      )}
      {isStuck && <Remedy code={failing?.code ?? reason} />}
      {isStuck && mayKeep && <p>{words.keepDoes}</p>}
      {blockedBy !== undefined && (
        <p>
          {words.blockedBy} <ComponentLink id={blockedBy}>{shortPath(blockedBy)}</ComponentLink>. {message}
        </p>
      )}
      {nextTryAt !== null && (
        <p>
          {failing === null && !isStuck && blockedBy === undefined && `${message} `}
          {words.nextTry}: {Date.parse(nextTryAt) <= present.value + tickMs ? words.due : <Instant at={nextTryAt} />}
        </p>
      )}
    </section>
  );
}

function stuckAs({ override, conditions }: ConsoleComponent): keyof typeof words.stuck {
  if (override !== null) return "overridden";
  return conditions.exists.value === false ? "new" : "created";
}
