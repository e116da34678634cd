import type { Json, Store } from "../../ports/store.ts";
import { committed, keysOf, put, type StoreLaw, same, storeHolds } from "./store-expectations.ts";

/** What reads guarantee. */
export const storeReadLaws: readonly StoreLaw[] = [
  {
    title: "answers null for what is absent, in the order asked for",
    async holds(store) {
      await put(store, ["b"]);
      const answers = await store.get([["a"], ["b"], ["c"], ["b"]]);
      same(
        answers.map((entry) => entry?.value ?? null),
        [null, "b", null, "b"],
        "values",
      );
      same(await store.get([]), [], "nothing for nothing");
    },
  },
  {
    title: "orders keys part by part by their bytes",
    async holds(store) {
      const keys = [
        ["k"],
        ["k", ""],
        ["k", "\u0000"],
        ["k", "\u0001"],
        ["k", "A"],
        ["k", "a"],
        ["k", "a", "b"],
        ["k", "a\u0000"],
        ["k", "ab"],
        ["k", "é"],
        ["k", "\uffff"],
        ["k", "\u{10000}"],
      ];
      await put(store, ...[...keys].reverse());
      same(keysOf(await store.list({ prefix: [] })), keys, "keys in order");
      same(keysOf(await store.list({ prefix: [], reverse: true })), [...keys].reverse(), "keys in reverse");
    },
  },
  {
    title: "lists strict extensions of a prefix and nothing beside them",
    async holds(store) {
      await put(store, ["a"], ["a", "b"], ["a", "b", "c"], ["ab"], ["a\u0000b"], ["b"]);
      same(
        keysOf(await store.list({ prefix: ["a"] })),
        [
          ["a", "b"],
          ["a", "b", "c"],
        ],
        "extensions of a",
      );
      same(keysOf(await store.list({ prefix: ["a", "b"] })), [["a", "b", "c"]], "extensions of a/b");
      same(keysOf(await store.list({ prefix: ["c"] })), [], "nothing");
    },
  },
  {
    title: "bounds a list by after, until and limit in both directions",
    async holds(store) {
      const names = ["a", "b", "c", "d", "e"];
      await put(store, ...names.map((name) => ["p", name]));
      const read = async (range: Omit<Parameters<Store["list"]>[0], "prefix">) =>
        (await store.list({ prefix: ["p"], ...range })).map(({ key }) => key[1]);
      same(await read({ after: ["p", "b"] }), ["c", "d", "e"], "behind b");
      same(await read({ after: ["p", "bb"], limit: 2 }), ["c", "d"], "behind what isn't there");
      same(await read({ until: ["p", "c"] }), ["a", "b"], "until c");
      same(await read({ after: ["p", "a"], until: ["p", "e"] }), ["b", "c", "d"], "between");
      same(await read({ reverse: true, limit: 2 }), ["e", "d"], "the last two");
      same(await read({ reverse: true, after: ["p", "d"] }), ["c", "b", "a"], "before d");
      same(await read({ reverse: true, after: ["p", "d"], until: ["p", "a"] }), ["c", "b"], "between, in reverse");
    },
  },
  {
    title: "reads many keys, and lists, at one instant while others write",
    async holds(store) {
      const names = ["a", "b", "c", "d"];
      const write = (round: number) =>
        committed(store.commit({ sets: names.map((name) => ({ key: ["p", name], value: round })) }));
      const writeOn = async () => {
        for (let round = 1; round <= 30; round++) await write(round);
      };
      const readOn = async () => {
        for (let round = 0; round < 30; round++) {
          const got = await store.get(names.map((name) => ["p", name]));
          same(new Set(got.map((entry) => entry?.version)).size, 1, "one version among keys written together");
          const listed = await store.list({ prefix: ["p"], reverse: round % 2 === 0 });
          same(new Set(listed.map(({ version }) => version)).size, 1, "one version in the list");
        }
      };
      await write(0);
      await Promise.all([writeOn(), readOn()]);
    },
  },
  {
    title: "pages over what stays while others write and delete around it",
    async holds(store) {
      const stays = Array.from({ length: 30 }, (_, at) => ["p", String(at * 2).padStart(3, "0")]);
      await put(store, ...stays);
      for (const reverse of [false, true]) {
        const seen: string[] = [];
        let after: readonly string[] | undefined;
        for (let page = 0; page < 100; page++) {
          const found = await store.list({ prefix: ["p"], limit: 4, reverse, ...(after && { after }) });
          seen.push(...found.map(({ key }) => key[1] ?? ""));
          await put(store, ["p", String(page * 14 + 1).padStart(3, "0")]);
          await committed(store.commit({ deletes: [["p", String(page * 14 + 1).padStart(3, "0")]] }));
          if (found.length < 4) break;
          after = found.at(-1)?.key;
        }
        const wanted = stays.map(([, name]) => name);
        same(
          seen.filter((name) => wanted.includes(name)),
          reverse ? wanted.reverse() : wanted,
          "everything that stayed, once",
        );
      }
    },
  },
  {
    title: "keeps values as they were written",
    async holds(store) {
      const values: Json[] = [
        null,
        true,
        0,
        -0.5,
        1e21,
        "",
        "\u0000 ü \u{1f600}",
        [],
        {},
        [1, [2, [3]]],
        { z: 1, a: { y: null, b: [] } },
        "x".repeat(1_000_000),
      ];
      await committed(store.commit({ sets: values.map((value, at) => ({ key: ["v", String(at)], value })) }));
      const answers = await store.get(values.map((_, at) => ["v", String(at)]));
      for (const [at, value] of values.entries())
        storeHolds(
          JSON.stringify(answers[at]?.value) === JSON.stringify(value),
          "the value as it was",
          answers[at]?.value,
        );
    },
  },
  {
    title: "keeps what was written, whatever becomes of the writer's own value",
    async holds(store) {
      const value = { list: [1] };
      await committed(store.commit({ sets: [{ key: ["v"], value }], appends: [{ prefix: ["w"], value }] }));
      value.list.push(2);
      const [entry] = await store.get([["v"]]);
      const [appended] = await store.list({ prefix: ["w"] });
      same([entry?.value, appended?.value], [{ list: [1] }, { list: [1] }], "the values as they were written");
    },
  },
  {
    title: "gets values that nobody can change, all the way down",
    async holds(store) {
      const keys = Array.from({ length: 40 }, (_, at) => ["v", String(at)]);
      const value = { list: [1, { deep: [{}] }], text: "x", empty: {}, none: null };
      await committed(store.commit({ sets: keys.map((key) => ({ key, value })) }));
      const read = async (view: Pick<Store, "get">) => {
        // Few and many, and again what was read before.
        for (const asked of [keys.slice(0, 1), keys, keys.slice(0, 2)])
          for (const entry of await view.get(asked))
            storeHolds(isFrozen(entry?.value ?? null), "a value that is frozen all the way down", entry?.value);
      };
      await read(store);
      const view = await store.snapshot?.();
      if (view === undefined) return;
      await read(view).finally(() => view.release());
    },
  },
  {
    title: "lists what each commit left there, however often it was listed before",
    async holds(store) {
      const prefix = ["p", "q", "r"];
      const ranges = [{ prefix }, { prefix, reverse: true }, { prefix, limit: 2 }, { prefix: [...prefix, "b"] }];
      const listed = async () => {
        const lists = await Promise.all(ranges.map((range) => store.list(range)));
        return lists.map((entries) => entries.map(({ key, value }) => `${key.slice(3).join("/")}=${value}`));
      };
      const set = (value: string, ...names: string[]) => ({ key: [...prefix, ...names], value });
      const steps = [
        { commit: { sets: [set("1", "a")] }, all: ["a=1"] },
        { commit: { sets: [set("2", "b", "c"), set("3", "d")] }, all: ["a=1", "b/c=2", "d=3"] },
        { commit: { sets: [set("4", "b", "c")] }, all: ["a=1", "b/c=4", "d=3"] },
        { commit: { deletes: [[...prefix, "a"]] }, all: ["b/c=4", "d=3"] },
      ];
      for (const { commit, all } of steps) {
        await committed(store.commit(commit));
        const below = all.filter((name) => name.startsWith("b/"));
        const wanted = [all, [...all].reverse(), all.slice(0, 2), below];
        for (let time = 0; time < 2; time++) same(await listed(), wanted, "what is there");
      }
      await committed(store.commit({ appends: [{ prefix, value: "5" }] }));
      same((await store.list({ prefix })).length, 3, "what was appended too");
    },
  },
  {
    title: "lists values that are the reader's own, or that nobody can change",
    async holds(store) {
      await committed(store.commit({ sets: [{ key: ["v", "a"], value: { list: [1] } }] }));
      const list = async () => (await store.list({ prefix: ["v"] }))[0]?.value as { list: number[] } | undefined;
      await store.get([["v", "a"]]);
      const first = await list();
      try {
        first?.list.push(2);
      } catch {
        storeHolds(isFrozen(first ?? null), "a value that is frozen all the way down", first);
      }
      same(
        [await list(), (await store.get([["v", "a"]]))[0]?.value],
        [{ list: [1] }, { list: [1] }],
        "values as written",
      );
    },
  },
];

function isFrozen(value: Json): boolean {
  return (
    typeof value !== "object" || value === null || (Object.isFrozen(value) && Object.values(value).every(isFrozen))
  );
}
