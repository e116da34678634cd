import { keyvStore } from "@liveplane/adapters/keyv-store";
import { storeConformance } from "@liveplane/core/testing";
import Keyv from "keyv";
import { expect, test } from "vitest";
import { programs } from "./model-programs.ts";

storeConformance(
  (title, run) => test(title, { timeout: 120_000 }, run),
  ({ now }) => keyvStore({ keyv: new Keyv({ store: new Map() }), snapshotEvery: 20, now }),
  {
    programs,
    place({ now }) {
      const store = new Map();
      return () => keyvStore({ keyv: new Keyv({ store }), snapshotEvery: 2, now });
    },
  },
);

/** A backend that fails when told to, after it has written or instead. */
function fragile() {
  const map = new Map<string, unknown>();
  const state = { fails: "never" as "never" | "before" | "after" };
  const store = {
    get: async (key: string) => {
      if (state.fails !== "never") throw new TypeError("the backend is gone");
      return map.get(key);
    },
    set: async (key: string, value: unknown) => {
      if (state.fails === "before") throw new TypeError("the backend is gone");
      map.set(key, value);
      if (state.fails === "after") throw new TypeError("the backend is gone");
      return true;
    },
    delete: async (key: string) => map.delete(key),
    clear: async () => map.clear(),
  };
  return { map, state, keyv: () => new Keyv({ store }) };
}

test("keeps everything over a reopening, through snapshots and the journal", async () => {
  const { keyv } = fragile();
  const first = await keyvStore({ keyv: keyv(), snapshotEvery: 10 });
  let version = 0;
  for (let at = 0; at < 57; at++) {
    const deletes = at > 5 ? [[`k${at - 5}`]] : [];
    version = (await first.commit({ sets: [{ key: [`k${at}`], value: at }], deletes })) ?? 0;
  }
  const kept = await first.list({ prefix: [] });
  await first.close();
  const second = await keyvStore({ keyv: keyv(), snapshotEvery: 10 });
  expect(await second.list({ prefix: [] })).toEqual(kept);
  expect(await second.commit({ sets: [{ key: ["next"], value: 1 }] })).toBeGreaterThan(version);
});

test("removes what a snapshot has replaced", async () => {
  const { map, keyv } = fragile();
  const store = await keyvStore({ keyv: keyv(), snapshotEvery: 10 });
  for (let at = 0; at < 100; at++) await store.commit({ sets: [{ key: ["k"], value: at }] });
  await store.close();
  expect(map.size).toBeLessThan(25);
});

test("says that it doesn't know the outcome of a commit whose answer was lost, and finds out", async () => {
  for (const fails of ["before", "after"] as const) {
    const { state, keyv } = fragile();
    const store = await keyvStore({ keyv: keyv() });
    await store.commit({ sets: [{ key: ["a"], value: "old" }] });
    state.fails = fails;
    await expect(store.commit({ sets: [{ key: ["a"], value: "new" }] })).rejects.toMatchObject({
      code: "CommitOutcomeUnknown",
    });
    await expect(store.commit({ sets: [{ key: ["b"], value: 1 }] })).rejects.toMatchObject({ code: "StoreFailed" });
    state.fails = "never";
    const [entry] = await store.get([["a"]]);
    expect(entry?.value).toBe(fails === "after" ? "new" : "old");
    await store.commit({ sets: [{ key: ["b"], value: 2 }] });
    await store.close();
    const again = await keyvStore({ keyv: keyv() });
    expect(await again.get([["a"], ["b"]])).toMatchObject([{ value: entry?.value }, { value: 2 }]);
  }
});

test("refuses a Keyv that swallows errors, forgets, or is dead", async () => {
  const swallowing = fragile().keyv();
  swallowing.on("error", () => {});
  await expect(keyvStore({ keyv: swallowing })).rejects.toMatchObject({ code: "ConfigurationInvalid" });
  const forgetting = new Keyv({ store: new Map(), ttl: 1000 });
  await expect(keyvStore({ keyv: forgetting })).rejects.toMatchObject({ code: "ConfigurationInvalid" });
  const { state, keyv } = fragile();
  state.fails = "before";
  await expect(keyvStore({ keyv: keyv() })).rejects.toMatchObject({ code: "StoreFailed" });
});

test("refuses to open a journal with a hole", async () => {
  const { map, keyv } = fragile();
  const store = await keyvStore({ keyv: keyv() });
  for (let at = 0; at < 5; at++) await store.commit({ sets: [{ key: ["k"], value: at }] });
  await store.close();
  map.delete([...map.keys()].find((key) => key.endsWith(":journal:3")) ?? "");
  await expect(keyvStore({ keyv: keyv() })).rejects.toMatchObject({ code: "StoreFailed" });
});

test("refuses to open a journal whose last entry was cut off, and quotes nothing of it", async () => {
  const { map, keyv } = fragile();
  const store = await keyvStore({ keyv: keyv() });
  for (let at = 0; at < 3; at++) await store.commit({ sets: [{ key: ["k"], value: "hidden" }] });
  await store.close();
  const last = [...map.keys()].find((key) => key.endsWith(":journal:3")) ?? "";
  // Keyv wraps what it keeps, so its own wrapping stays whole.
  const kept = JSON.parse(String(map.get(last))) as { value: string };
  map.set(last, JSON.stringify({ ...kept, value: kept.value.slice(0, -4) }));
  const failure = await keyvStore({ keyv: keyv() }).catch((error: unknown) => error);
  expect(failure).toMatchObject({ code: "StoreFailed" });
  expect(String((failure as Error).stack)).not.toContain("hidden");
});
