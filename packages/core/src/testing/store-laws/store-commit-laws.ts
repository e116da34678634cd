import type { Store } from "../../ports/store.ts";
import { committed, keysOf, put, rejects, type StoreLaw, same, storeHolds } from "./store-expectations.ts";

const versionOf = async (store: Store, key: readonly string[]) => (await store.get([key]))[0]?.version ?? null;

/** What commits guarantee. */
export const storeCommitLaws: readonly StoreLaw[] = [
  {
    title: "makes all of a commit or nothing of it",
    async holds(store) {
      await put(store, ["there"], ["gone"]);
      const refused = await store.commit({
        checks: [{ key: ["there"], version: null }],
        sets: [{ key: ["new"], value: 1 }],
        deletes: [["gone"]],
        appends: [{ prefix: ["log"], value: 1 }],
      });
      same(refused, null, "a lost race");
      same(keysOf(await store.list({ prefix: [] })), [["gone"], ["there"]], "nothing changed");
    },
  },
  {
    title: "holds checks on versions and on absence, also of keys that it doesn't set",
    async holds(store) {
      const version = await put(store, ["a"]);
      same(
        await store.commit({ checks: [{ key: ["a"], version: version + 1 }], sets: [{ key: ["b"], value: 1 }] }),
        null,
        "another version",
      );
      same(await store.commit({ checks: [{ key: ["a"], version: null }] }), null, "not absent");
      same(await store.commit({ checks: [{ key: ["none"], version }] }), null, "not there");
      await committed(
        store.commit({
          checks: [
            { key: ["a"], version },
            { key: ["none"], version: null },
          ],
          sets: [{ key: ["b"], value: 1 }],
        }),
      );
      storeHolds(
        (await versionOf(store, ["a"])) === version,
        "a checked key to keep its version",
        await versionOf(store, ["a"]),
      );
    },
  },
  {
    title: "gives every commit a greater version, and its entries that version",
    async holds(store) {
      const first = await put(store, ["a"]);
      const second = await put(store, ["b"]);
      storeHolds(second > first, "a greater version", { first, second });
      same(await versionOf(store, ["b"]), second, "the commit's version");
      same(await versionOf(store, ["a"]), first, "the older version");
    },
  },
  {
    title: "never uses a version again, after a delete neither",
    async holds(store) {
      const versions: number[] = [];
      for (let round = 0; round < 5; round++) {
        versions.push(await put(store, ["a"]));
        await committed(store.commit({ deletes: [["a"]] }));
      }
      storeHolds(new Set(versions).size === versions.length, "versions that differ", versions);
      same(
        await store.commit({ checks: [{ key: ["a"], version: versions[0] ?? 0 }] }),
        null,
        "an old version not to hold",
      );
    },
  },
  {
    title: "lets exactly one of many writers of a version win",
    async holds(store) {
      const version = await put(store, ["a"]);
      const answers = await Promise.all(
        Array.from({ length: 16 }, (_, at) =>
          store.commit({ checks: [{ key: ["a"], version }], sets: [{ key: ["a"], value: at }] }),
        ),
      );
      same(answers.filter((answer) => answer !== null).length, 1, "winners");
      const winner = answers.findIndex((answer) => answer !== null);
      same((await store.get([["a"]]))[0]?.value, winner, "the winner's value");
    },
  },
  {
    title: "lets exactly one of many creators of an absent key win",
    async holds(store) {
      for (let round = 0; round < 10; round++) {
        const key = ["new", String(round)];
        const answers = await Promise.all(
          Array.from({ length: 8 }, (_, at) =>
            store.commit({ checks: [{ key, version: null }], sets: [{ key, value: at }] }),
          ),
        );
        same(answers.filter((answer) => answer !== null).length, 1, "creators");
      }
    },
  },
  {
    title: "refuses write skew: of two commits that check each other's key one loses",
    async holds(store) {
      for (let round = 0; round < 25; round++) {
        const [left, right] = [
          ["left", String(round)],
          ["right", String(round)],
        ];
        const answers = await Promise.all([
          store.commit({ checks: [{ key: left, version: null }], sets: [{ key: right, value: 1 }] }),
          store.commit({ checks: [{ key: right, version: null }], sets: [{ key: left, value: 1 }] }),
        ]);
        storeHolds(
          answers.some((answer) => answer === null),
          "one to lose",
          answers,
        );
      }
    },
  },
  {
    title: "loses no increment among clients that compare and set",
    async holds(store) {
      await committed(store.commit({ sets: [{ key: ["n"], value: 0 }] }));
      const increment = async () => {
        for (let tries = 0; tries < 1000; tries++) {
          const [entry] = await store.get([["n"]]);
          if (!entry) continue;
          const made = await store.commit({
            checks: [{ key: ["n"], version: entry.version }],
            sets: [{ key: ["n"], value: Number(entry.value) + 1 }],
          });
          if (made !== null) return;
        }
      };
      await Promise.all(Array.from({ length: 12 }, increment));
      same((await store.get([["n"]]))[0]?.value, 12, "every increment");
    },
  },
  {
    title: "appends in the order of the commits, and within one in its own",
    async holds(store) {
      for (let at = 0; at < 12; at++) {
        await committed(
          store.commit({
            appends: [
              { prefix: ["log"], value: `${at}a` },
              { prefix: ["log"], value: `${at}b` },
            ],
          }),
        );
      }
      const wanted = Array.from({ length: 12 }, (_, at) => [`${at}a`, `${at}b`]).flat();
      same(
        (await store.list({ prefix: ["log"] })).map(({ value }) => value),
        wanted,
        "appended values in order",
      );
    },
  },
  {
    title: "loses and doubles no append among commits at once",
    async holds(store) {
      const versions = await Promise.all(
        Array.from({ length: 30 }, (_, at) => committed(store.commit({ appends: [{ prefix: ["log"], value: at }] }))),
      );
      const entries = await store.list({ prefix: ["log"] });
      same(
        entries.map(({ value }) => value).sort((a, b) => Number(a) - Number(b)),
        versions.map((_, at) => at),
        "every append once",
      );
      storeHolds(
        entries.every((entry, at) => at === 0 || entry.version > (entries[at - 1]?.version ?? 0)),
        "version order",
        entries,
      );
    },
  },
  {
    title: "refuses a key that occurs twice in one commit",
    async holds(store) {
      await rejects(
        () =>
          store.commit({
            sets: [
              { key: ["a"], value: 1 },
              { key: ["a"], value: 2 },
            ],
          }),
        "ValidationFailed",
      );
      await rejects(() => store.commit({ sets: [{ key: ["a"], value: 1 }], deletes: [["a"]] }), "ValidationFailed");
      same(await store.list({ prefix: [] }), [], "nothing written");
    },
  },
  {
    title: "takes deletes of what is absent, and commits of checks alone",
    async holds(store) {
      await committed(store.commit({ deletes: [["none"]] }));
      await committed(store.commit({ checks: [{ key: ["none"], version: null }] }));
      await committed(store.commit({}));
      same(await store.list({ prefix: [] }), [], "nothing");
    },
  },
];
