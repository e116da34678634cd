import { encodeKey } from "../../ports/key.ts";
import type { Check, Json, Key } from "../../ports/store.ts";
import { broken } from "./store-expectations.ts";

/** A call between two ticks of the test's own counter. */
interface Span {
  readonly begin: number;
  readonly end: number;
}

/** The state of a key: a value with its commit's version, or nothing. */
export type State = { readonly version: number; readonly value: Json } | null;

/** A successful commit. */
export interface CommitMade extends Span {
  readonly version: number;
  readonly checks: readonly Check[];
  /** The state of each written key afterwards, by encoded key. */
  readonly writes: ReadonlyMap<string, State>;
}

/** A commit that lost a race. */
export interface CommitRefused extends Span {
  readonly checks: readonly Check[];
}

/** What one read saw, by encoded key, absence included. */
export interface Seen extends Span {
  readonly states: ReadonlyMap<string, State>;
}

/** All answers that a program's clients got. */
export interface History {
  readonly made: readonly CommitMade[];
  readonly refused: readonly CommitRefused[];
  readonly seen: readonly Seen[];
}

/** The states of one key in order: before all commits, then after each that wrote it. */
type Life = readonly { readonly by: CommitMade | null; readonly state: State }[];

/**
 * Requires an order of the commits that explains every answer: each check held in version order, each refusal had a reason, and each read
 * saw one instant that includes everything answered before it began and nothing begun after it ended.
 */
export function holdHistory({ made, refused, seen }: History): void {
  const ordered = [...made].sort((a, b) => a.version - b.version);
  for (const [at, { version }] of ordered.entries())
    if (ordered[at + 1]?.version === version) throw broken("every commit to have a version of its own", version);
  const lives = livesOf(ordered);
  for (const commit of ordered) holdMade(commit, ordered, lives);
  for (const refusal of refused) holdRefused(refusal, lives);
  for (const read of seen) holdSeen(read, ordered, lives);
}

/** The final state after all commits, by encoded key. */
export function finalStates(made: readonly CommitMade[]): ReadonlyMap<string, State> {
  const ordered = [...made].sort((a, b) => a.version - b.version);
  return new Map(ordered.flatMap(({ writes }) => [...writes]));
}

function livesOf(ordered: readonly CommitMade[]): ReadonlyMap<string, Life> {
  const lives = new Map<string, { by: CommitMade | null; state: State }[]>();
  for (const by of ordered) {
    for (const [key, state] of by.writes) {
      const life = lives.get(key) ?? [{ by: null, state: null }];
      life.push({ by, state });
      lives.set(key, life);
    }
  }
  return lives;
}

const unwritten: Life = [{ by: null, state: null }];

function holdMade(commit: CommitMade, ordered: readonly CommitMade[], lives: ReadonlyMap<string, Life>): void {
  for (const earlier of ordered)
    if (earlier.end < commit.begin && earlier.version > commit.version)
      throw broken(`a version above ${earlier.version}, which was answered before`, commit.version);
  for (const check of commit.checks) {
    const before = lifeOf(lives, check.key).filter(({ by }) => by === null || by.version < commit.version);
    const there = before.at(-1)?.state?.version ?? null;
    if (there !== check.version)
      throw broken(`the check of commit ${commit.version} on version ${check.version} to hold`, there);
  }
}

function holdRefused({ begin, end, checks }: CommitRefused, lives: ReadonlyMap<string, Life>): void {
  const mayFail = checks.some(({ key, version }) => {
    const life = lifeOf(lives, key);
    return life.some(({ by, state }, at) => {
      const isGone = (life[at + 1]?.by?.end ?? Number.POSITIVE_INFINITY) < begin;
      return !isGone && (by?.begin ?? 0) < end && (state?.version ?? null) !== version;
    });
  });
  if (!mayFail) throw broken("a refused commit to have had a check that failed", checks);
}

/**
 * Finds the earliest instant that the read can have seen. It grows until it is complete: a commit implies those answered before it began,
 * earlier writers of its keys, and those that it checked.
 */
function holdSeen(
  { begin, end, states }: Seen,
  ordered: readonly CommitMade[],
  lives: ReadonlyMap<string, Life>,
): void {
  const included = new Set(ordered.filter((commit) => commit.end < begin));
  for (let before = -1; before !== included.size; ) {
    before = included.size;
    for (const [key, state] of states) {
      const life = lives.get(key) ?? unwritten;
      const least = life.findLastIndex(({ by }) => by === null || included.has(by));
      const at = life.findIndex((moment, place) => place >= least && sameState(moment.state, state));
      if (at === -1) throw broken(`a read of ${JSON.stringify(key)} to be of one instant`, state);
      for (const { by } of life.slice(0, at + 1)) if (by !== null) included.add(by);
    }
    for (const commit of included) bringAlong(commit, included, ordered, lives);
  }
  for (const commit of included)
    if (commit.begin > end) throw broken("a read to see nothing that began after it", commit.version);
}

function bringAlong(
  commit: CommitMade,
  included: Set<CommitMade>,
  ordered: readonly CommitMade[],
  lives: ReadonlyMap<string, Life>,
): void {
  for (const other of ordered) if (other.end < commit.begin) included.add(other);
  for (const key of [...commit.writes.keys(), ...commit.checks.map(({ key }) => encodeKey(key))])
    for (const { by } of lives.get(key) ?? unwritten) if (by !== null && by.version < commit.version) included.add(by);
}

function lifeOf(lives: ReadonlyMap<string, Life>, key: Key): Life {
  return lives.get(encodeKey(key)) ?? unwritten;
}

function sameState(a: State, b: State): boolean {
  return a?.version === b?.version && JSON.stringify(a?.value) === JSON.stringify(b?.value);
}
