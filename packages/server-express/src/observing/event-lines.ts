import type { Liveplane } from "@liveplane/core";
import type { Logger as Pino } from "pino";

/** The events that operators want in the log: who has what, what was restored, what went wrong. */
const lines: Readonly<Record<string, string>> = {
  "component.override.started": "A person took over a component.",
  "component.override.awaiting": "An override is waiting for a tag or a redeploy.",
  "component.override.overdue": "An override is overdue.",
  "component.override.ended": "An override ended.",
  "component.reconcile.requested": "A hand-back was requested.",
  "component.reconcile.completed": "A component was handed back.",
  "component.reconcile.failed": "A hand-back failed.",
  "component.reconcile.withdrawn": "A hand-back was withdrawn.",
  "component.corrected": "A component was corrected to match its declaration.",
  "component.correction_failed": "A component couldn't be corrected.",
  "component.race_detected": "A write coincided with a person's change.",
  "component.failed": "A cloud reports that a component failed.",
  "component.missing": "A component's resource is missing in its cloud.",
  "livesystem.mutation.failed": "A mutation failed.",
  "environment.initialization.failed": "An initialization failed.",
};

/** The members of an event's data that are logged: words of the protocol, never values from a cloud or a declaration. */
const told = ["from", "status", "outcome", "code", "effect", "livesystemId", "mutationId", "provider"];

type Heard = Parameters<Parameters<Liveplane["on"]>[1]>[0];

/**
 * Logs a line for each event that an operator wants to see. With several processes, each event is logged by the one that sequences it.
 * Returns a function that stops it.
 */
export function logEvents(liveplane: Pick<Liveplane, "on">, log: Pino): () => void {
  return liveplane.on("*", (event) => {
    const line = lines[event.type];
    if (line !== undefined) log.info(fieldsOf(event), line);
  });
}

function fieldsOf({ type, subject, sequence, actor, requestid, data }: Heard) {
  const words = told.flatMap((name) => (typeof data[name] === "string" ? [[name, data[name]]] : []));
  return { event: type, subject, sequence, actor, requestId: requestid, ...Object.fromEntries(words) };
}
