import { compareEncoded, encodeKey } from "../ports/key.ts";
import type { Json, Key, Store } from "../ports/store.ts";
import { mulberry32 } from "./fake-runtime.ts";
import { broken, type StoreLaw, same } from "./store-expectations.ts";

interface ModelEntry {
  readonly key: Key;
  readonly value: Json;
  readonly version: number;
}

const names = ["a", "ab", "b", "\u0000", "é"];
const clients = 4;
const stepsEach = 6;

/** Random programs of several clients at once must leave the store, and answer, as some order of their commits would. */
export function storeModelLaw({
  programs = 200,
  seed = Date.now(),
}: {
  readonly programs?: number;
  readonly seed?: number;
}): StoreLaw {
  return {
    title: `agrees with a simple model over ${programs} random programs of ${clients} clients`,
    async holds(store) {
      for (let program = 0; program < programs; program++) {
        try {
          await runProgram(store, mulberry32(seed + program), ["program", String(program)]);
        } catch (error) {
          throw broken(`program ${program} of seed ${seed} to agree`, error instanceof Error ? error.message : error);
        }
      }
    },
  };
}

interface Done {
  readonly version: number;
  readonly checks: readonly { readonly key: Key; readonly version: number | null }[];
  readonly sets: readonly { readonly key: Key; readonly value: Json }[];
  readonly deletes: readonly Key[];
}

async function runProgram(store: Store, random: () => number, root: Key): Promise<void> {
  const done: Done[] = [];
  await Promise.all(Array.from({ length: clients }, () => runClient(store, random, root, done)));
  const model = replay(done);
  same(
    (await store.list({ prefix: root })).map(({ key, value, version }) => ({ key, value, version })),
    [...model.values()].sort((a, b) => compareEncoded(encodeKey(a.key), encodeKey(b.key))),
    "the state that the commits give in version order",
  );
}

async function runClient(store: Store, random: () => number, root: Key, done: Done[]): Promise<void> {
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
  const key = (): Key => [...root, pick(names), ...(random() < 0.3 ? [pick(names)] : [])];
  for (let step = 0; step < stepsEach; step++) {
    const [read, written, other] = [key(), key(), key()];
    const [entry] = await store.get([read]);
    const checks = random() < 0.7 ? [{ key: read, version: entry?.version ?? null }] : [];
    const deletes = random() < 0.3 && encodeKey(other) !== encodeKey(written) ? [other] : [];
    const sets = [{ key: written, value: Math.floor(random() * 1000) }];
    const version = await store.commit({ checks, sets, deletes });
    if (version !== null) done.push({ version, checks, sets, deletes });
    if (version === null && checks.length === 0) throw broken("a commit without checks to be made", null);
  }
}

/** Makes the commits again in the order of their versions: every check must hold then as it held in the store. */
function replay(done: readonly Done[]): Map<string, ModelEntry> {
  const model = new Map<string, ModelEntry>();
  for (const { version, checks, sets, deletes } of [...done].sort((a, b) => a.version - b.version)) {
    for (const check of checks) {
      const there = model.get(encodeKey(check.key))?.version ?? null;
      if (there !== check.version)
        throw broken(`the check on version ${check.version} to hold in version order`, there);
    }
    for (const key of deletes) model.delete(encodeKey(key));
    for (const { key, value } of sets) model.set(encodeKey(key), { key, value, version });
  }
  return model;
}
