import { expect, test } from "vitest";
import { LiveplaneError } from "../src/errors.ts";
import { memoryStore } from "../src/ports/memory-store.ts";
import type { Scheduler } from "../src/ports/scheduler.ts";
import type { Store } from "../src/ports/store.ts";
import { countRefusals, createReadiness } from "../src/readiness.ts";
import { fakeRuntime } from "../src/testing/fake-runtime.ts";

function world(
  change: (store: Store) => Partial<Store> = () => ({}),
  more: {
    readonly requireKeys?: () => Promise<void>;
    readonly scheduler?: Pick<Scheduler, "requireJobs">;
    readonly clouds?: { readonly adapters: readonly unknown[] };
    readonly isRunning?: () => boolean;
  } = {},
) {
  const runtime = fakeRuntime();
  const plain = memoryStore({ now: runtime.clock.now });
  let commits = 0;
  const counting: Store = {
    ...plain,
    commit: (...args) => {
      commits++;
      return plain.commit(...args);
    },
  };
  const lines: { message: string; cause?: unknown }[] = [];
  const error = (fields: object, message: string) => void lines.push({ ...fields, message });
  const { store, refusals } = countRefusals({ ...counting, ...change(counting) });
  const ready = createReadiness({
    ...{ store, refusals },
    runtime: { ...runtime, logger: { ...runtime.logger, error } },
    requireKeys: async () => {},
    clouds: { adapters: ["a cloud"] },
    isRunning: () => true,
    ...more,
    scheduler: (more.scheduler ?? {}) as Scheduler,
  });
  return { runtime, store, ready, lines, commits: () => commits };
}

test("everything is ready where the store writes and reads, the keys fit, and there are clouds and an agent", async () => {
  const { ready, lines } = world();
  expect(await ready()).toEqual({ store: true, keys: true, clouds: true, agent: true, jobs: true });
  expect(lines).toEqual([]);
});

test("a store that reads and doesn't write isn't ready, and why is logged with its cause", async () => {
  const cause = new LiveplaneError("StoreFailed", "The database could not commit: the disk is full.");
  let isFull = true;
  const { ready, lines, runtime } = world((store) => ({
    commit: async (...args) => {
      if (isFull) throw cause;
      return store.commit(...args);
    },
  }));
  expect(await ready()).toMatchObject({ store: false, keys: true });
  expect(lines).toEqual([{ part: "store", cause, message: "A part of the service isn't ready." }]);
  isFull = false;
  await runtime.advance(1000);
  expect(await ready()).toMatchObject({ store: true });
});

test("a store that reads back something older isn't ready", async () => {
  const { ready } = world(() => ({ get: async () => [{ key: ["ready"], value: 0, version: 0 }] }));
  expect(await ready()).toMatchObject({ store: false });
});

test("a store that hangs isn't ready within a second, and is asked once however many wait", async () => {
  let asked = 0;
  const { ready, runtime, lines } = world(() => ({
    commit: () => {
      asked++;
      return new Promise(() => {});
    },
  }));
  for (let round = 0; round < 2; round++) {
    const answers = Promise.all(Array.from({ length: 20 }, () => ready()));
    await runtime.advance(1000);
    for (const answer of await answers) expect(answer).toMatchObject({ store: false, keys: true });
  }
  expect(asked).toBe(1);
  expect(lines[0]).toMatchObject({ part: "store", message: "A part of the service isn't ready: it doesn't respond." });
});

test("a key ring that is another one's isn't ready", async () => {
  const cause = new LiveplaneError("ConfigurationInvalid", "The key ring doesn't open what this store holds.");
  const { ready, lines } = world(undefined, { requireKeys: () => Promise.reject(cause) });
  expect(await ready()).toMatchObject({ store: true, keys: false });
  expect(lines).toEqual([{ part: "keys", cause, message: "A part of the service isn't ready." }]);
});

test("who asks a thousand times a second makes one write of it", async () => {
  const { ready, runtime, commits } = world();
  for (let at = 0; at < 1000; at++) await ready();
  expect(commits()).toBe(1);
  await runtime.advance(1000);
  await Promise.all(Array.from({ length: 1000 }, () => ready()));
  expect(commits()).toBe(2);
});

test("after a refused commit a server is ready again once a larger write succeeds", async () => {
  let room = 10_000;
  const { ready, runtime, store } = world((plain) => ({
    commit: async (commit, options) => {
      if (JSON.stringify(commit).length > room) throw new LiveplaneError("StoreFailed", "The disk is full.");
      return plain.commit(commit, options);
    },
  }));
  expect(await ready()).toMatchObject({ store: true });
  const large = { sets: [{ key: ["large"], value: "x".repeat(room) }] };
  await expect(store.commit(large)).rejects.toMatchObject({ code: "StoreFailed" });
  for (let second = 0; second < 3; second++) {
    expect(await ready()).toMatchObject({ store: false });
    await runtime.advance(1000);
  }
  room = 1_000_000;
  expect(await ready()).toMatchObject({ store: true });
  const [entry] = await store.get([["ready"]]);
  expect(entry?.value).toBeTypeOf("number");
});

test("a lost race isn't a refusal", async () => {
  const { ready, store, commits } = world();
  await store.commit({ sets: [{ key: ["taken"], value: 1 }] });
  expect(await store.commit({ checks: [{ key: ["taken"], version: null }] })).toBeNull();
  await ready();
  expect(commits()).toBe(3);
});

test("a scheduler that can't queue work, or hangs, isn't ready", async () => {
  const cause = new LiveplaneError("StoreFailed", "Another session has locked the queue.");
  let answer = () => Promise.reject<void>(cause);
  const { ready, runtime, lines } = world(undefined, { scheduler: { requireJobs: () => answer() } });
  expect(await ready()).toMatchObject({ store: true, jobs: false });
  expect(lines).toEqual([{ part: "jobs", cause, message: "A part of the service isn't ready." }]);
  answer = () => Promise.resolve();
  await runtime.advance(1000);
  expect(await ready()).toMatchObject({ jobs: true });
  answer = () => new Promise(() => {});
  const hanging = ready();
  await runtime.advance(1000);
  expect(await hanging).toMatchObject({ store: true, jobs: false });
});
