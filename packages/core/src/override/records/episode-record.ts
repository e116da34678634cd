import type { OverrideEpisode } from "../../contract/schemas/override-schemas.ts";
import { type JsonObject, mapOwn } from "../../json-pointer.ts";
import { collection } from "../../records/collection.ts";
import type { Change, Stored } from "../../records/records.ts";
import { pathKey } from "../declarations/definition.ts";
import type { Sides } from "../protocol/adoption-plan.ts";
import type { EpisodeOutcome } from "../protocol/lifecycle-row.ts";
import { type ComponentRecord, idOf } from "./component-record.ts";

/** One override, from take-over to its end: a line of the ledger. */
export interface EpisodeRecord {
  readonly id: string;
  readonly liveSystemId: string;
  readonly path: string;
  readonly startedAt: string;
  readonly endedAt: string | null;
  readonly outcome: EpisodeOutcome | null;
  readonly start: Sides;
  readonly end: Sides | null;
  readonly reason: string | null;
  readonly ticket: string | null;
  readonly claimedBy: string | null;
  /** The fingerprint of the last plan shown. Stored here, so that reading a plan doesn't change the component. */
  readonly servedPlan: string | null;
}

export const episodes = collection<EpisodeRecord>()("override-episode", {
  key: ({ liveSystemId, path, id }) => [liveSystemId, pathKey(path), id],
  indexes: { started: ({ liveSystemId, path, startedAt }) => [[liveSystemId, pathKey(path), startedAt]] },
});

/** A new episode; `null` for a component that isn't overridden. */
export function newEpisode({ liveSystemId, path, override }: ComponentRecord, start: Sides): EpisodeRecord | null {
  if (override === null) return null;
  const { episodeId: id, since: startedAt, reason, ticket, claimedBy } = override;
  const { declared, actual, hashes, differing } = start;
  const open = { endedAt: null, outcome: null, end: null, reason, ticket, claimedBy, servedPlan: null };
  return { id, liveSystemId, path, startedAt, start: { declared, actual, hashes, differing }, ...open };
}

/** The open episode of a component, if it is overridden. */
export async function currentEpisode(
  change: Change,
  { liveSystemId, path, override }: Pick<ComponentRecord, "liveSystemId" | "path" | "override">,
): Promise<Stored<EpisodeRecord> | null> {
  return override && change.get(episodes, [liveSystemId, pathKey(path), override.episodeId]);
}

/** Records how an episode ended. `before` is the component while it was overridden. */
export async function closeEpisode(
  change: Change,
  before: ComponentRecord,
  { at, outcome, end }: { readonly at: string; readonly outcome: EpisodeOutcome; readonly end: Sides | null },
): Promise<void> {
  const known = await currentEpisode(change, before);
  if (known !== null) change.put(episodes, { ...known, endedAt: at, outcome, end });
}

/** The declared and actual state at the last direct read, when no further read follows: what doesn't drift is as declared. */
export function lastSides(
  { observed, conditions }: ComponentRecord,
  { parameters }: { readonly parameters: JsonObject },
): Sides {
  const { drift, hashes, changes } = observed;
  const sideOf = (side: "declared" | "actual") =>
    mapOwn(parameters, (value, name) => (drift[name] === undefined ? value : drift[name][side]));
  const actual = conditions.exists.value === false ? {} : sideOf("actual");
  return { declared: sideOf("declared"), actual, hashes, differing: changes.map(({ pointer }) => pointer) };
}

/** An episode as the API shows it. */
export function toEpisode(record: Stored<EpisodeRecord>): OverrideEpisode {
  const { id, startedAt, endedAt, outcome, start, end, reason, ticket, claimedBy } = record;
  const sides = ({ declared, actual }: Sides): { declared: JsonObject; actual: JsonObject } => ({ declared, actual });
  const shown = { id, componentId: idOf(record), startedAt, endedAt, outcome };
  return {
    ...shown,
    start: sides(start),
    end: end && sides(end),
    reason,
    ticket,
    claimedBy,
  };
}
