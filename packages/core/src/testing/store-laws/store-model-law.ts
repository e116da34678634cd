import { LiveplaneError } from "../../errors.ts";
import { compareEncoded, encodeKey, encodePrefix } from "../../ports/key.ts";
import { appendedKey } from "../../ports/prepare.ts";
import type { Entry, Json, Key, Range, Store } from "../../ports/store.ts";
import { committed, type StoreLaw, same, storeHolds } from "./store-expectations.ts";
import {
  type CommitMade,
  type CommitRefused,
  finalStates,
  type History,
  holdHistory,
  type Seen,
  type State,
} from "./store-history.ts";

/** One step of a client. Keys are relative to the program's own prefix. */
type Step =
  | { readonly what: "get"; readonly keys: readonly Key[] }
  | { readonly what: "list"; readonly prefix: Key; readonly limit: number; readonly reverse: boolean }
  | {
      readonly what: "commit";
      /** Each is checked at the version that the client last saw, or as absent. */
      readonly checks: readonly Key[];
      readonly sets: readonly { readonly key: Key; readonly value: Json }[];
      readonly deletes: readonly Key[];
      readonly appends: readonly Json[];
    };

const log = "log";

/** Random programs of several concurrent clients must get answers, and leave a store, that some order of their commits explains. */
export function storeModelLaw({
  programs = 200,
  seed,
}: {
  readonly programs?: number;
  readonly seed?: number;
}): StoreLaw {
  return {
    title: `agrees with a simple model over ${programs} random programs of clients at once`,
    async holds(store) {
      const fc = await loadFastCheck();
      let program = 0;
      const agrees = fc.asyncProperty(clientsOf(fc), (clients) =>
        runProgram(store, clients, ["program", `${program++}`]),
      );
      await fc.assert(agrees, { numRuns: programs, ...(seed !== undefined && { seed }) });
    },
  };
}

type FastCheck = typeof import("fast-check");

async function loadFastCheck(): Promise<FastCheck> {
  try {
    return await import("fast-check");
  } catch (cause) {
    throw new LiveplaneError(
      "ConfigurationInvalid",
      "The model test needs the package fast-check: npm install --save-dev fast-check@4",
      { cause },
    );
  }
}

function clientsOf(fc: FastCheck) {
  const name = fc.constantFrom("a", "ab", "\u0000");
  const key = fc.array(name, { minLength: 1, maxLength: 2 });
  const value: import("fast-check").Arbitrary<Json> = fc.oneof(fc.nat(9), fc.constant("\u0000 ü"), fc.constant(null));
  const few = { maxLength: 3 };
  const commit = fc.record({
    what: fc.constant("commit" as const),
    checks: fc.array(key, few),
    sets: fc.uniqueArray(fc.record({ key, value }), { ...few, selector: (set) => encodeKey(set.key) }),
    deletes: fc.uniqueArray(key, { ...few, selector: encodeKey }),
    appends: fc.array(value, few),
  });
  const get = fc.record({ what: fc.constant("get" as const), keys: fc.array(key, { minLength: 1, maxLength: 4 }) });
  const list = fc.record({
    what: fc.constant("list" as const),
    prefix: fc.oneof(fc.constant([]), fc.constant([log]), fc.tuple(name)),
    limit: fc.constantFrom(1, 3, 1000),
    reverse: fc.boolean(),
  });
  const step: import("fast-check").Arbitrary<Step> = fc.oneof({ arbitrary: commit, weight: 3 }, get, list);
  return fc.array(fc.array(step, { minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 4 });
}

async function runProgram(store: Store, clients: readonly (readonly Step[])[], root: Key): Promise<void> {
  const told = { made: [] as CommitMade[], refused: [] as CommitRefused[], gets: [] as Seen[], lists: [] as Listing[] };
  let ticks = 0;
  const tick = () => ++ticks;
  await Promise.all(clients.map((steps) => runClient({ store, root, told, tick }, steps)));
  const final = { range: { prefix: root }, begin: tick(), entries: await store.list({ prefix: root }), end: tick() };
  const universe = new Set(told.made.flatMap(({ writes }) => [...writes.keys()]));
  const seen = [...told.gets, ...[...told.lists, final].map((listing) => seenIn(listing, universe))];
  const history: History = { made: told.made, refused: told.refused, seen };
  holdHistory(history);
  const left = [...finalStates(told.made)].filter(([, state]) => state !== null).map(([key]) => key);
  same(
    final.entries.map(({ key }) => encodeKey(key)),
    left.sort(compareEncoded),
    "the keys that the commits leave",
  );
  await committed(store.commit({ deletes: final.entries.map(({ key }) => key) }));
}

interface Listing {
  readonly range: Range;
  readonly entries: readonly Entry[];
  readonly begin: number;
  readonly end: number;
}

interface Client {
  readonly store: Store;
  readonly root: Key;
  readonly told: { made: CommitMade[]; refused: CommitRefused[]; gets: Seen[]; lists: Listing[] };
  readonly tick: () => number;
}

async function runClient(client: Client, steps: readonly Step[]): Promise<void> {
  const known = new Map<string, number>();
  for (const step of steps) {
    if (step.what === "get") await takeGet(client, step.keys, known);
    else if (step.what === "list") await takeList(client, step, known);
    else await takeCommit(client, step, known);
  }
}

async function takeGet({ store, root, told, tick }: Client, keys: readonly Key[], known: Known): Promise<void> {
  const asked = keys.map((key) => [...root, ...key]);
  const begin = tick();
  const entries = await store.get(asked);
  const states = new Map(asked.map((key, at): [string, State] => [encodeKey(key), entries[at] ?? null]));
  told.gets.push({ begin, end: tick(), states });
  for (const [key, state] of states) remember(known, key, state);
}

async function takeList(
  { store, root, told, tick }: Client,
  { prefix, limit, reverse }: Extract<Step, { what: "list" }>,
  known: Known,
): Promise<void> {
  const range = { prefix: [...root, ...prefix], limit, reverse };
  const begin = tick();
  const entries = await store.list(range);
  told.lists.push({ range, entries, begin, end: tick() });
  for (const entry of entries) remember(known, encodeKey(entry.key), entry);
}

async function takeCommit(
  { store, root, told, tick }: Client,
  step: Extract<Step, { what: "commit" }>,
  known: Known,
): Promise<void> {
  const under = (key: Key): Key => [...root, ...key];
  const sets = step.sets.map(({ key, value }) => ({ key: under(key), value }));
  const set = new Set(sets.map(({ key }) => encodeKey(key)));
  const deletes = step.deletes.map(under).filter((key) => !set.has(encodeKey(key)));
  const checks = step.checks.map(under).map((key) => ({ key, version: known.get(encodeKey(key)) ?? null }));
  const appends = step.appends.map((value) => ({ prefix: under([log]), value }));
  const begin = tick();
  const version = await store.commit({ checks, sets, deletes, appends });
  const span = { begin, end: tick(), checks };
  if (version === null) {
    told.refused.push(span);
    return;
  }
  const writes = new Map<string, State>([
    ...sets.map(({ key, value }) => [encodeKey(key), { value, version }] as const),
    ...deletes.map((key) => [encodeKey(key), null] as const),
    ...appends.map(({ prefix, value }, at) => {
      return [encodeKey([...prefix, ...appendedKey(version, at)]), { value, version }] as const;
    }),
  ]);
  told.made.push({ ...span, version, writes });
  for (const [key, state] of writes) remember(known, key, state);
}

/** The versions that a client last saw, by encoded key. */
type Known = Map<string, number>;

function remember(known: Known, key: string, state: State): void {
  if (state === null) known.delete(key);
  else known.set(key, state.version);
}

/** What a list says about every key ever written in its range; a full one says nothing about keys after its end. */
function seenIn({ range, entries, begin, end }: Listing, universe: ReadonlySet<string>): Seen {
  const { prefix, limit = 1000, reverse = false } = range;
  const sign = reverse ? -1 : 1;
  const keys = entries.map(({ key }) => encodeKey(key));
  for (const [at, key] of keys.slice(1).entries())
    storeHolds(compareEncoded(key, keys[at] ?? "") * sign > 0, "a list in order", entries);
  const start = encodePrefix(prefix);
  const last = entries.length === limit ? keys.at(-1) : undefined;
  const told = [...universe].filter((key) => key.startsWith(start) && key !== start);
  const covered = told.filter((key) => last === undefined || compareEncoded(key, last) * sign <= 0);
  const states = new Map<string, State>(covered.map((key) => [key, null]));
  for (const [at, entry] of entries.entries()) {
    storeHolds(keys[at]?.startsWith(start) === true && keys[at] !== start, "entries of the prefix alone", entry.key);
    states.set(keys[at] ?? "", entry);
  }
  return { begin, end, states };
}
