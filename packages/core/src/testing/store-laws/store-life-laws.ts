import { committed, keysOf, put, rejects, type StoreLaw, same, storeHolds } from "./store-expectations.ts";

/** What holds for time, signals, snapshots and closing. */
export const storeLifeLaws: readonly StoreLaw[] = [
  {
    title: "counts an expired entry as absent in reads, lists and checks",
    async holds(store, time) {
      const start = await put(store, ["stays"]);
      storeHolds(start > 0, "a version", start);
      const [entry] = await store.get([["stays"]]);
      storeHolds(entry !== null, "an entry", entry);
      const expiresAt = Date.UTC(2026, 0, 1) + 1000;
      await committed(store.commit({ sets: [{ key: ["goes"], value: 1, expiresAt }] }));
      same(keysOf(await store.list({ prefix: [] })), [["goes"], ["stays"]], "both before");
      same(await store.commit({ checks: [{ key: ["goes"], version: null }] }), null, "there before");
      time.pass(1000);
      same((await store.get([["goes"]]))[0], null, "absent after");
      same(keysOf(await store.list({ prefix: [] })), [["stays"]], "one after");
      await committed(
        store.commit({ checks: [{ key: ["goes"], version: null }], sets: [{ key: ["goes"], value: 2 }] }),
      );
      same((await store.get([["goes"]]))[0]?.value, 2, "made anew, without an end");
      time.pass(1e9);
      same((await store.get([["goes"]]))[0]?.value, 2, "still there");
    },
  },
  {
    title: "refuses calls whose signal has fired, and changes nothing for them",
    async holds(store) {
      const signal = AbortSignal.abort();
      await rejects(() => store.get([["a"]], { signal }), "Aborted");
      await rejects(() => store.list({ prefix: [] }, { signal }), "Aborted");
      await rejects(() => store.commit({ sets: [{ key: ["a"], value: 1 }] }, { signal }), "Aborted");
      same(await store.list({ prefix: [] }), [], "nothing");
    },
  },
  {
    title: "has a snapshot of one instant exactly where it says so",
    async holds(store) {
      storeHolds(
        (store.snapshot !== undefined) === store.capabilities.snapshot,
        "capability and method to agree",
        store.capabilities,
      );
      if (store.snapshot === undefined) return;
      await put(store, ["a"], ["b"]);
      const snapshot = await store.snapshot();
      try {
        await committed(
          store.commit({
            sets: [
              { key: ["a"], value: "new" },
              { key: ["c"], value: 1 },
            ],
            deletes: [["b"]],
          }),
        );
        same(
          (await snapshot.get([["a"], ["b"], ["c"]])).map((entry) => entry?.value ?? null),
          ["a", "b", null],
          "the values of then",
        );
        same(keysOf(await snapshot.list({ prefix: [] })), [["a"], ["b"]], "the keys of then");
      } finally {
        await snapshot.release();
      }
      same(keysOf(await store.list({ prefix: [] })), [["a"], ["c"]], "the keys of now");
    },
  },
  {
    title: "lets what is under way finish when it is closed, and then refuses",
    async holds(store) {
      const under = Promise.all(
        Array.from({ length: 5 }, (_, at) =>
          store.commit({ sets: [{ key: ["k", String(at)], value: at }] }).then(
            (version) => version !== null,
            () => false,
          ),
        ),
      );
      await store.close();
      await under;
      await store.close();
      await rejects(() => store.get([["a"]]), "StoreFailed");
      await rejects(() => store.commit({ sets: [{ key: ["a"], value: 1 }] }), "StoreFailed");
    },
  },
];
