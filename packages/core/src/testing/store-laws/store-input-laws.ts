import type { Commit, Json, Key, Range, Store } from "../../ports/store.ts";
import { committed, rejects, type StoreLaw, same, storeHolds } from "./store-expectations.ts";

/** Invalid keys that plain JavaScript can pass. */
const badKeys: readonly unknown[] = [
  [],
  undefined,
  null,
  "text",
  1,
  {},
  new Map(),
  [1],
  ["a", null],
  ["a", undefined],
  ["a", ["b"]],
  new Array(1),
  [{ toString: () => "a" }],
  ["\ud800"],
  ["a", "\udc00b"],
];

/** Values that would be read back differently or not at all. Created each time, because some contain themselves. */
function badValues(): readonly unknown[] {
  const cycle: Record<string, unknown> = {};
  cycle.self = [cycle];
  const throws = Object.defineProperty({}, "member", {
    enumerable: true,
    get: () => {
      throw new RangeError("a getter's own failure");
    },
  });
  return [
    undefined,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    1n,
    Symbol("s"),
    () => 1,
    new Date(0),
    new Map(),
    new Uint8Array(1),
    Promise.resolve(1),
    { toJSON: () => 1 },
    { member: undefined },
    { deep: [{ member: Number.NaN }] },
    [1, undefined],
    new Array(1),
    cycle,
    throws,
    nested(100_000),
  ];
}

function nested(depth: number): Json {
  let value: Json = 1;
  for (let at = 0; at < depth; at++) value = at % 2 === 0 ? [value] : { inner: value };
  return value;
}

const good = { key: ["good"], value: 1 };
/** Invalid members of a commit. */
const badCommits: readonly unknown[] = [
  undefined,
  null,
  1,
  { sets: good },
  { sets: [good, null] },
  { sets: [good], deletes: "good" },
  { sets: [good], deletes: null },
  { sets: [good], checks: {} },
  { sets: [good], checks: [{ key: ["a"] }] },
  { sets: [good], checks: [{ key: ["a"], version: "1" }] },
  { sets: [good], checks: [{ key: ["a"], version: Number.NaN }] },
  { sets: [good], checks: [{ key: ["a"], version: 0.5 }] },
  { sets: [good], appends: [1] },
  { sets: [{ ...good, expiresAt: "soon" }] },
  { sets: [{ ...good, expiresAt: null }] },
  { sets: [{ ...good, expiresAt: Number.NaN }] },
  { sets: [{ ...good, expiresAt: 1e300 }] },
  { sets: [{ ...good, expiresAt: new Date(0) }] },
];

const badRanges: readonly unknown[] = [
  undefined,
  null,
  "a",
  {},
  { prefix: [], limit: Number.NaN },
  { prefix: [], limit: -1 },
  { prefix: [], limit: 0.5 },
  { prefix: [], limit: Number.POSITIVE_INFINITY },
  { prefix: [], limit: "1" },
  { prefix: [], limit: 1n },
  { prefix: [], limit: null },
  { prefix: [], reverse: "no" },
];

const commitOf = (store: Store, commit: unknown) => store.commit(commit as Commit);
const nothing = async (store: Store) => same(await store.list({ prefix: [] }), [], "nothing written");

/** How a store handles arbitrary input from plain JavaScript. */
export const storeInputLaws: readonly StoreLaw[] = [
  {
    title: "refuses to write under what is no key, with all of the commit",
    async holds(store) {
      for (const key of badKeys) {
        await rejects(() => commitOf(store, { sets: [good, { key, value: 1 }] }), "ValidationFailed");
        await rejects(() => commitOf(store, { sets: [good], deletes: [key] }), "ValidationFailed");
        await rejects(() => commitOf(store, { sets: [good], checks: [{ key, version: null }] }), "ValidationFailed");
        // Appending directly under the root is fine.
        if (!Array.isArray(key) || key.length > 0)
          await rejects(
            () => commitOf(store, { sets: [good], appends: [{ prefix: key, value: 1 }] }),
            "ValidationFailed",
          );
      }
      await nothing(store);
    },
  },
  {
    title: "refuses to read what is no key",
    async holds(store) {
      for (const key of badKeys) {
        await rejects(() => store.get([["a"], key as Key]), "ValidationFailed");
        await rejects(
          () => store.list({ prefix: [], ...({ after: key ?? null } as { after: Key }) }),
          "ValidationFailed",
        );
        await rejects(
          () => store.list({ prefix: [], ...({ until: key ?? null } as { until: Key }) }),
          "ValidationFailed",
        );
        if (!Array.isArray(key) || key.length > 0)
          await rejects(() => store.list({ prefix: key as Key }), "ValidationFailed");
      }
      for (const keys of [undefined, null, "a", { 0: ["a"] }, new Array(1)])
        await rejects(() => store.get(keys as unknown as Key[]), "ValidationFailed");
    },
  },
  {
    title: "refuses a range that is none",
    async holds(store) {
      for (const range of badRanges) await rejects(() => store.list(range as Range), "ValidationFailed");
    },
  },
  {
    title: "refuses values that JSON can't carry as they are, with all of the commit",
    async holds(store) {
      for (const value of badValues()) {
        await rejects(() => commitOf(store, { sets: [good, { key: ["a"], value }] }), "ValidationFailed");
        await rejects(() => commitOf(store, { sets: [good], appends: [{ prefix: ["a"], value }] }), "ValidationFailed");
      }
      await nothing(store);
    },
  },
  {
    title: "refuses a commit that is none, with all that is good in it",
    async holds(store) {
      for (const commit of badCommits) await rejects(() => commitOf(store, commit), "ValidationFailed");
      await nothing(store);
    },
  },
  {
    title: "writes keys of up to 2,560 bytes, refuses longer ones, and finds nothing under them",
    async holds(store) {
      // Three bytes each, in an incompressible order, plus one that fills up the part.
      const long = Array.from({ length: 853 }, (_, at) => String.fromCharCode(0x4e00 + ((at * 7919) % 20_000))).join(
        "",
      );
      const [fits, longer] = [[long], [`${long}a`]];
      await committed(store.commit({ sets: [{ key: fits, value: 1 }] }));
      same(
        (await store.get([fits, longer])).map((entry) => entry?.value ?? null),
        [1, null],
        "the one that fits",
      );
      await rejects(() => store.commit({ sets: [good, { key: longer, value: 1 }] }), "ValidationFailed");
      await rejects(() => store.commit({ sets: [good], appends: [{ prefix: fits, value: 1 }] }), "ValidationFailed");
      same(await store.list({ prefix: longer }), [], "nothing under it");
      same((await store.list({ prefix: [] })).length, 1, "one entry");
      await committed(store.commit({ checks: [{ key: longer, version: null }], deletes: [longer, fits] }));
      await nothing(store);
    },
  },
  {
    title: "keeps names that mean something elsewhere, half characters in values, and values of 10 MB",
    async holds(store) {
      const names = [
        "__proto__",
        "constructor",
        "toString",
        "",
        "%",
        "_",
        "'",
        '"',
        "\\",
        "$1",
        "\u0000\u0001",
        "NULL",
        " ",
      ];
      const value: Json = JSON.parse(`{"__proto__": {"toJSON": 1}, "constructor": [], "": "\\ud800 \\u0000"}`);
      const sets = [
        ...names.map((name) => ({ key: ["n", name], value: { [name]: name, value } })),
        { key: ["long"], value: "é".repeat(5_000_000) },
        { key: ["deep"], value: nested(500) },
      ];
      await committed(store.commit({ sets }));
      const found = await store.get(sets.map(({ key }) => key));
      for (const [at, { key, value: wanted }] of sets.entries())
        storeHolds(
          found[at]?.value === wanted || JSON.stringify(found[at]?.value) === JSON.stringify(wanted),
          `the value under ${key.join("/")}`,
          "another",
        );
      same((await store.list({ prefix: ["n"] })).length, names.length, "as many names");
    },
  },
];
