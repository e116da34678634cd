import { expect, test } from "vitest";
import { LiveplaneError } from "../../src/errors.ts";
import { memoryStore } from "../../src/ports/memory-store.ts";
import type { Store } from "../../src/ports/store.ts";
import type { WebhookOutcome } from "../../src/ports/webhook-sender.ts";
import { fakeRuntime, mulberry32 } from "../../src/testing/fake-runtime.ts";
import { fakeReceivers, happen, sendingWorld, webhookWorld } from "../builders/webhooks.ts";

const url = "https://receiver.example/";
const taken: WebhookOutcome = { kind: "answered", status: 204 };

/** A store that one process loses for good, while the others keep it. */
function mortal(store: Store) {
  let isDead = false;
  const alive = (): Store => {
    if (isDead) throw new LiveplaneError("StoreFailed");
    return store;
  };
  const seen: Store = {
    ...store,
    get: async (...args) => alive().get(...args),
    list: async (...args) => alive().list(...args),
    commit: async (...args) => alive().commit(...args),
  };
  return {
    store: seen,
    kill() {
      isDead = true;
    },
  };
}

const sequences = (got: readonly { readonly event: { readonly sequence?: number } }[]) =>
  got.map(({ event }) => event.sequence ?? 0);

test("whatever a process had sent and not written down when it was killed is sent again by the next, in the same order", async () => {
  for (let seed = 1; seed <= 12; seed++) {
    const chance = mulberry32(seed);
    const runtime = fakeRuntime({ seed });
    const kept = memoryStore({ now: runtime.clock.now });
    const first = mortal(kept);
    const receivers = fakeReceivers(runtime.clock);
    const world = await webhookWorld({ store: first.store, receivers, runtime });
    await world.api.accounts.webhooks.create({ name: "Chat", url });
    await happen(world.api, world.dev, 9);
    const dies = 1 + Math.floor(chance() * 9);
    receivers.answer(() => {
      if (receivers.got.length === dies) first.kill();
      return taken;
    });
    await world.passing().catch(() => {});
    receivers.answer(() => taken);
    const next = await sendingWorld({ store: kept, receivers, runtime });
    await next.passing();
    const after = sequences(receivers.got.slice(dies));
    const unique = [...new Set(sequences(receivers.got))];
    expect(unique, `seed ${seed}`).toHaveLength(10);
    expect(unique, `seed ${seed}`).toEqual(unique.toSorted((a, b) => a - b));
    expect(after, `seed ${seed}`).toEqual(after.toSorted((a, b) => a - b));
  }
});

test("of two processes over one store only one sends what a webhook has to be sent", async () => {
  const runtime = fakeRuntime();
  const shared = memoryStore({ now: runtime.clock.now });
  const store: Store = { ...shared, capabilities: { ...shared.capabilities, sharedByProcesses: true } };
  const receivers = fakeReceivers(runtime.clock);
  const world = await webhookWorld({ store, receivers, runtime });
  const other = await sendingWorld({ store, receivers, runtime });
  await world.api.accounts.webhooks.create({ name: "Chat", url });
  await happen(world.api, world.dev, 5);
  await world.liveplane.start();
  await other.liveplane.start();
  receivers.answer(() => runtime.clock.sleep(1000).then(() => taken));
  await Promise.all([world.look(), other.look()]);
  await world.passing();
  expect(sequences(receivers.got)).toEqual([...new Set(sequences(receivers.got))]);
  expect(receivers.got).toHaveLength(6);
});

test("what a process that is gone had begun is taken over once its claim has stood for a minute", async () => {
  const runtime = fakeRuntime();
  const shared = memoryStore({ now: runtime.clock.now });
  const kept: Store = { ...shared, capabilities: { ...shared.capabilities, sharedByProcesses: true } };
  const first = mortal(kept);
  const receivers = fakeReceivers(runtime.clock);
  const world = await webhookWorld({ store: first.store, receivers, runtime });
  await world.api.accounts.webhooks.create({ name: "Chat", url });
  receivers.answer(() => {
    first.kill();
    return taken;
  });
  await world.passing().catch(() => {});
  receivers.answer(() => taken);
  const next = await sendingWorld({ store: kept, receivers, runtime });
  await next.passing(50_000);
  expect(receivers.got).toHaveLength(1);
  await next.passing(30_000);
  expect(receivers.got).toHaveLength(2);
});

test("what is stopped while a message is on its way is sent again, and counts as no failure", async () => {
  const world = await webhookWorld();
  await world.api.accounts.webhooks.create({ name: "Chat", url });
  await world.passing(0);
  world.got.length = 0;
  await happen(world.api, world.dev);
  const stop = new AbortController();
  world.answer(async () => {
    stop.abort();
    return { kind: "failed", because: "Unreachable" };
  });
  await world.liveplane.log.sequence();
  const task = world.tasks.find(({ name }) => name === "webhooks");
  const [id = ""] = (await task?.shards()) ?? [];
  await task?.run(id, { deadline: Number.POSITIVE_INFINITY, signal: stop.signal });
  const [hook] = (await world.api.accounts.webhooks.list()).items;
  const of = () => world.api.accounts.webhooks.deliveries.list({ webhookId: hook?.id ?? "" });
  expect((await of()).items.map(({ status }) => status)).toEqual(["Delivered"]);
  world.answer(() => taken);
  await world.passing();
  expect((await of()).items.map(({ status, attempts }) => [status, attempts])).toEqual([
    ["Delivered", 1],
    ["Delivered", 1],
  ]);
});

test("a process that stalls until another one has taken over doesn't put the cursor back", async () => {
  const runtime = fakeRuntime();
  const memory = memoryStore({ now: runtime.clock.now });
  const kept: Store = { ...memory, capabilities: { ...memory.capabilities, sharedByProcesses: true } };
  let stalls = false;
  const stalling: Store = {
    ...kept,
    async commit(...args) {
      if (stalls) await runtime.clock.sleep(180_000);
      return kept.commit(...args);
    },
  };
  const receivers = fakeReceivers(runtime.clock);
  const world = await webhookWorld({ store: stalling, receivers, runtime });
  const other = await sendingWorld({ store: kept, receivers, runtime });
  await world.api.accounts.webhooks.create({ name: "Chat", url });
  await happen(world.api, world.dev, 3);
  await world.liveplane.start();
  receivers.answer(() => {
    stalls = true;
    return taken;
  });
  await world.liveplane.log.sequence();
  const task = world.tasks.find(({ name }) => name === "webhooks");
  const [id = ""] = (await task?.shards()) ?? [];
  const lease = { deadline: Number.POSITIVE_INFINITY, signal: new AbortController().signal };
  const stalled = task?.run(id, lease);
  for (let turns = 0; receivers.got.length === 0 && turns < 100; turns++) await runtime.settle();
  receivers.answer(() => taken);
  await other.passing(120_000);
  const sent = sequences(receivers.got);
  expect(new Set(sent).size).toBe(4);
  stalls = false;
  await runtime.during(stalled ?? Promise.resolve());
  const third = await sendingWorld({ store: kept, receivers, runtime });
  await third.passing(120_000);
  expect(sequences(receivers.got)).toEqual(sent);
});
