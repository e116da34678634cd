import { expect, test } from "vitest";
import { compactSetsOf, headKey, readHead } from "../../src/events/event-chain.ts";
import type { Json, Store } from "../../src/ports/store.ts";
import type { WebhookOutcome } from "../../src/ports/webhook-sender.ts";
import { fakeRuntime } from "../../src/testing/fake-runtime.ts";
import { happen, type WebhookWorld, webhookWorld } from "../builders/webhooks.ts";

const taken: WebhookOutcome = { kind: "answered", status: 204 };

/** Puts events of live systems behind what the log has, as if they had been given their places. */
async function flood(store: Store, { ownerId, count, systems }: { ownerId: string; count: number; systems: number }) {
  const environment = { type: "Personal", ownerId, shortName: "dev" } as const;
  const { head } = await readHead(store);
  const last = head.sequence + count;
  for (let from = head.sequence + 1; from <= last; from += 1000) {
    const sets = Array.from({ length: 1000 }, (_, nth) => {
      const sequence = from + nth;
      const id = `00000000-0000-4000-9000-${String(sequence).padStart(12, "0")}`;
      const system = `00000000-0000-4000-8000-${String(sequence % systems).padStart(12, "0")}`;
      const about = { kind: "liveSystem", id: system, environment } as const;
      const said = { type: "component.working", subject: `${system}/app`, about, data: {}, actor: "agent" };
      const fixed = { specversion: "1.0", source: "liveplane", datacontenttype: "application/json" } as const;
      const event = { ...fixed, ...said, id, sequence, time: new Date(0).toISOString(), requestid: "r" };
      return compactSetsOf({ event, hash: "" });
    });
    await store.commit({ sets: sets.flat() });
  }
  const next = { ...head, sequence: last };
  await store.commit({ sets: [{ key: headKey, value: next as unknown as Json }] });
}

/** How long a call takes, in the middle of nine. */
async function callMs({ api, dev }: WebhookWorld): Promise<number> {
  const took: number[] = [];
  for (let nth = 0; nth < 9; nth++) {
    const begun = performance.now();
    await happen(api, dev);
    took.push(performance.now() - begun);
  }
  return took.toSorted((one, other) => one - other)[4] ?? 0;
}

test("a hundred thousand events for a receiver that never answers hold up neither calls nor other receivers, nor fill the memory", {
  timeout: 300_000,
}, async () => {
  const runtime = fakeRuntime({ now: 0 });
  const world = await webhookWorld({ runtime });
  await world.passing(0);
  const { api } = world;
  await api.accounts.webhooks.create({ name: "slow", url: "https://slow.example/" });
  await api.accounts.webhooks.create({ name: "fast", url: "https://fast.example/", types: ["environment.updated"] });
  const before = await callMs(world);
  const flooded = performance.now();
  await flood(world.store, { ownerId: world.ada.account.id, count: 100_000, systems: 10 });
  const floodMs = performance.now() - flooded;
  world.answer((message) => (message.url.includes("slow") ? new Promise<WebhookOutcome>(() => {}) : taken));
  const task = world.tasks.find(({ name }) => name === "webhooks");
  const stop = new AbortController();
  const lease = { deadline: Number.POSITIVE_INFINITY, signal: stop.signal };
  const runs = ((await task?.shards()) ?? []).map((id) => task?.run(id, lease));
  for (let turns = 0; world.got.length === 0 && turns < 100; turns++) await runtime.settle();
  expect(world.got.length).toBeGreaterThan(0);
  const onTheirWay = world.got.filter(({ url }) => url.includes("slow")).length;
  expect(onTheirWay).toBe(1);
  const during = await callMs(world);
  const fast = () => world.got.filter(({ url }) => url.includes("fast"));
  for (let turns = 0; fast().length === 0 && turns < 100; turns++) {
    runs.push(...((await task?.shards()) ?? []).map((id) => task?.run(id, lease)));
    await runtime.settle();
  }
  expect(new Set(fast().map(({ event }) => event.type))).toEqual(new Set(["environment.updated"]));
  await runtime.advance(31_000);
  expect(world.got.filter(({ url }) => url.includes("slow")).length).toBeLessThan(5);
  stop.abort();
  await runtime.settle();
  const rows = await world.kept("webhook-cursor");
  expect(JSON.stringify(rows).length).toBeLessThan(2000);
  const ms = (of: number) => `${of.toFixed(2)} ms`;
  process.stdout.write(
    `100,000 events (${(floodMs / 1000).toFixed(1)} s to write) wait for a receiver that never answers: a call takes ${ms(during)}, ` +
      `${ms(before)} before; the cursors have ${JSON.stringify(rows).length} bytes.\n`,
  );
});
