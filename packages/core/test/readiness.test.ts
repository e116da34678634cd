import { expect, test } from "vitest";
import { LiveplaneError } from "../src/errors.ts";
import { memoryStore } from "../src/ports/memory-store.ts";
import type { Store } from "../src/ports/store.ts";
import { createReadiness, type ReadinessDeps } from "../src/readiness.ts";
import { fakeRuntime } from "../src/testing/fake-runtime.ts";

function world(change: (store: Store) => Partial<Store> = () => ({}), more: Partial<ReadinessDeps> = {}) {
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
  const ready = createReadiness({
    store: { ...counting, ...change(counting) },
    runtime: { ...runtime, logger: { ...runtime.logger, error } },
    requireKeys: async () => {},
    hasClouds: true,
    isRunning: () => true,
    ...more,
  });
  return { runtime, ready, lines, commits: () => commits };
}

test("everything is ready where the store writes and reads, the keys fit, and there are clouds and an agent", async () => {
  const { ready, lines } = world();
  expect(await ready()).toEqual({ store: true, keys: true, clouds: true, agent: true });
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
  expect(lines).toEqual([{ part: "store", cause, message: "A part isn't ready." }]);
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
  expect(lines[0]).toMatchObject({ part: "store", message: "A part isn't ready: it gives no answer." });
});

test("a key ring that is another one's isn't ready", async () => {
  const cause = new LiveplaneError("ConfigurationInvalid", "The key ring doesn't open what this store holds.");
  const { ready, lines } = world(undefined, { requireKeys: () => Promise.reject(cause) });
  expect(await ready()).toMatchObject({ store: true, keys: false });
  expect(lines).toEqual([{ part: "keys", cause, message: "A part isn't ready." }]);
});

test("who asks a thousand times a second makes one write of it", async () => {
  const { ready, runtime, commits } = world();
  for (let at = 0; at < 1000; at++) await ready();
  expect(commits()).toBe(1);
  await runtime.advance(1000);
  await Promise.all(Array.from({ length: 1000 }, () => ready()));
  expect(commits()).toBe(2);
});
