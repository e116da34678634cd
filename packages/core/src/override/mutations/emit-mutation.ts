import type { Change } from "../../records/records.ts";
import { liveSystems, type MutationError, type MutationRecord } from "../records/live-system-record.ts";

/** Emits a mutation's progress. */
export async function emitMutation(
  change: Pick<Change, "emit" | "get">,
  { id, liveSystemId, kind, released, held, error }: MutationRecord,
  what: "started" | "succeeded" | "failed",
): Promise<void> {
  const system = await change.get(liveSystems, [liveSystemId]);
  if (system === null) return;
  const counts = what === "started" ? {} : { released: [...released], held: [...held] };
  const data = { mutationId: id, kind, ...counts, ...(error && toldOf(error)) };
  const about = { kind: "liveSystem", id: liveSystemId, environment: system.environmentId } as const;
  change.emit({ type: `livesystem.mutation.${what}`, subject: liveSystemId, about, data });
}

function toldOf({ detail: _, providerMessage: __, ...told }: MutationError) {
  return told;
}
