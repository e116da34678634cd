import { collection } from "../../records/collection.ts";
import type { Change, Stored } from "../../records/records.ts";
import type { Settings } from "../../settings.ts";
import { pathKey } from "../declarations/definition.ts";
import { type EpisodeRecord, episodes } from "./episode-record.ts";

/** How much of a component's past the ledger keeps. */
export type EpisodeLimits = Pick<Settings, "keptEpisodes" | "episodeSeconds">;

/** The number of a component's episodes. A record of its own, because a commit doesn't check lists, and a list would read them all. */
interface EpisodeCount {
  readonly liveSystemId: string;
  readonly path: string;
  readonly count: number;
}

export const episodeCounts = collection<EpisodeCount>()("episode-count", {
  key: ({ liveSystemId, path }) => [liveSystemId, pathKey(path)],
});

const atOnce = 10;

/** Writes a new episode and drops the oldest ones while there are too many, a bounded number at once. */
export async function addEpisode(
  change: Change,
  episode: EpisodeRecord,
  { keptEpisodes }: Pick<EpisodeLimits, "keptEpisodes">,
): Promise<void> {
  const { liveSystemId, path } = episode;
  const key = [liveSystemId, pathKey(path)];
  const count = (await countOf(change, key)) + 1;
  change.put(episodes, episode);
  change.put(episodeCounts, { liveSystemId, path, count });
  if (count <= keptEpisodes) return;
  const oldest = await change.list(episodes, { index: "started", prefix: key, limit: atOnce });
  const ended = oldest.map(({ record }) => record).filter(({ endedAt }) => endedAt !== null);
  await dropEpisodes(change, ended.slice(0, count - Math.max(1, keptEpisodes)));
}

/** Moves the ledger with its components. Everything is removed before it is written, because two may swap paths. */
export async function moveEpisodes(change: Change, moves: readonly LedgerMove[]): Promise<void> {
  const gone: EpisodeRecord[] = [];
  const came: EpisodeRecord[] = [];
  const counts = new Map<string, EpisodeCount>();
  for (const { liveSystemId, from, to } of moves) {
    const own = await episodesOf(change, [liveSystemId, pathKey(from)]);
    gone.push(...own);
    came.push(...own.map((episode) => ({ ...episode, path: to })));
    const isFreed = moves.some((other) => pathKey(other.from) === pathKey(to));
    const there = isFreed ? 0 : await countOf(change, [liveSystemId, pathKey(to)]);
    counts.set(pathKey(to), { liveSystemId, path: to, count: own.length + there });
    await change.get(episodeCounts, [liveSystemId, pathKey(from)]);
  }
  for (const episode of gone) change.delete(episodes, episodes.key(episode));
  for (const { liveSystemId, from } of moves) change.delete(episodeCounts, [liveSystemId, pathKey(from)]);
  for (const episode of came) change.put(episodes, episode);
  for (const counted of counts.values()) if (counted.count > 0) change.put(episodeCounts, counted);
}

/** The move of a component's ledger to another path. */
export interface LedgerMove {
  readonly liveSystemId: string;
  readonly from: string;
  readonly to: string;
}

export async function dropEpisodes(change: Change, found: readonly EpisodeRecord[]): Promise<void> {
  const known = await change.getMany(episodes, found.map(episodes.key));
  for (const episode of known) {
    if (episode === null || episode.endedAt === null) continue;
    change.delete(episodes, episodes.key(episode));
    const counted = await change.get(episodeCounts, episodeCounts.key({ ...episode, count: 0 }));
    if (counted === null) continue;
    if (counted.count > 1) change.put(episodeCounts, { ...counted, count: counted.count - 1 });
    else change.delete(episodeCounts, episodeCounts.key(counted));
  }
}

/** The position of a walk through the ledger: the nth newest episode of a component. */
export interface LedgerPlace {
  readonly liveSystemId: string;
  readonly path: string;
  readonly rank: number;
}

/**
 * The episodes that are too many or too old. They come newest first, component by component. Open episodes and the newest of a living
 * component stay.
 */
export function outdated(
  listed: readonly EpisodeRecord[],
  { place, keptEpisodes, before, isGone }: Outdating,
): { readonly drop: readonly EpisodeRecord[]; readonly place: LedgerPlace | null } {
  const drop: EpisodeRecord[] = [];
  let at = place;
  for (const episode of listed) {
    const { liveSystemId, path, endedAt } = episode;
    const isSame = at !== null && at.liveSystemId === liveSystemId && pathKey(at.path) === pathKey(path);
    at = { liveSystemId, path, rank: isSame && at !== null ? at.rank + 1 : 1 };
    if (endedAt === null) continue;
    const isKept = at.rank === 1 && !isGone(episode);
    if (!isKept && (at.rank > keptEpisodes || endedAt < before)) drop.push(episode);
  }
  return { drop, place: at };
}

interface Outdating {
  readonly place: LedgerPlace | null;
  readonly keptEpisodes: number;
  /** Earlier ends are too old. */
  readonly before: string;
  readonly isGone: (episode: EpisodeRecord) => boolean;
}

async function episodesOf(change: Change, key: readonly string[]): Promise<Stored<EpisodeRecord>[]> {
  const found: Stored<EpisodeRecord>[] = [];
  for (let after: readonly string[] | undefined, more = true; more; ) {
    const listed = await change.list(episodes, { prefix: key, limit: movedAtOnce, ...(after && { after }) });
    const own = await change.getMany(
      episodes,
      listed.map(({ position }) => position),
    );
    found.push(...own.filter((episode) => episode !== null));
    after = listed.at(-1)?.position;
    more = listed.length === movedAtOnce;
  }
  return found;
}

const movedAtOnce = 100;

async function countOf(change: Change, key: readonly string[]): Promise<number> {
  return (await change.get(episodeCounts, key))?.count ?? 0;
}
