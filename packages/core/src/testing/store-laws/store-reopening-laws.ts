import type { Store } from "../../ports/store.ts";
import { committed, put, type StoreTime, same, storeHolds } from "./store-expectations.ts";

/** A law about reopening a store. */
interface ReopeningLaw {
  readonly title: string;
  readonly holds: (open: () => Promise<Store> | Store, time: StoreTime) => Promise<void>;
}

/** Opens the store, does something, and closes it. */
async function opened<T>(open: () => Promise<Store> | Store, work: (store: Store) => Promise<T>): Promise<T> {
  const store = await open();
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

/** What a persistent store guarantees. */
export const storeReopeningLaws: readonly ReopeningLaw[] = [
  {
    title: "keeps every entry and its version over a reopening",
    async holds(open) {
      const before = await opened(open, async (store) => {
        await put(store, ["a"], ["b", "\u0000"], ["gone"]);
        await committed(store.commit({ sets: [{ key: ["a"], value: { b: "\u0000", a: [null, 0.1] } }] }));
        await committed(store.commit({ deletes: [["gone"]], appends: [{ prefix: ["log"], value: 1 }] }));
        return store.list({ prefix: [] });
      });
      same(before.length, 3, "three entries");
      for (let round = 0; round < 2; round++)
        same(await opened(open, (store) => store.list({ prefix: [] })), before, "what was there before");
    },
  },
  {
    title: "goes on counting versions after a reopening, past those of deleted entries too",
    async holds(open) {
      const last = await opened(open, async (store) => {
        const version = await put(store, ["a"]);
        return (await store.commit({ deletes: [["a"]] })) ?? version;
      });
      const next = await opened(open, (store) => put(store, ["a"]));
      storeHolds(next > last, `a version above ${last}`, next);
      const after = await opened(open, (store) => committed(store.commit({ deletes: [["none"]] })));
      storeHolds(after > next, `a version above ${next}`, after);
    },
  },
  {
    title: "appends behind what was appended before a reopening",
    async holds(open) {
      for (let round = 0; round < 4; round++)
        await opened(open, (store) => committed(store.commit({ appends: [{ prefix: ["log"], value: round }] })));
      const log = await opened(open, (store) => store.list({ prefix: ["log"] }));
      same(
        log.map(({ value }) => value),
        [0, 1, 2, 3],
        "one log",
      );
    },
  },
  {
    title: "counts as absent after a reopening what expired meanwhile",
    async holds(open, time) {
      const expiresAt = Date.UTC(2026, 0, 1) + 1000;
      await opened(open, (store) => committed(store.commit({ sets: [{ key: ["goes"], value: 1, expiresAt }] })));
      await opened(open, async (store) => storeHolds((await store.get([["goes"]]))[0] !== null, "still there", null));
      time.pass(1000);
      await opened(open, async (store) => same(await store.get([["goes"]]), [null], "absent"));
    },
  },
  {
    title: "has after a reopening all that was under way when it was closed",
    async holds(open) {
      const answers = await opened(open, async (store) => {
        const commits = Array.from({ length: 100 }, (_, at) =>
          store.commit({ sets: [{ key: [`k${at}`], value: at }] }),
        );
        // A commit that comes too late is refused, which is an answer too.
        return { commits: Promise.allSettled(commits) };
      });
      const made = (await answers.commits).filter(({ status }) => status === "fulfilled");
      const kept = await opened(open, (store) => store.list({ prefix: [] }));
      same(kept.length, made.length, "as many entries as answers");
    },
  },
];
