import { expect, test } from "vitest";
import { headKey, readHead, setsOf } from "../../src/events/event-chain.ts";
import { scopeOfOwner } from "../../src/events/event-owner.ts";
import type { Json, Store } from "../../src/ports/store.ts";
import type { WebhookOutcome } from "../../src/ports/webhook-sender.ts";
import { fakeRuntime } from "../../src/testing/fake-runtime.ts";
import { happen, webhookWorld } from "../builders/webhooks.ts";

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
      return setsOf({ event, hash: "", owner: scopeOfOwner({ type: "Personal", id: ownerId }) });
    });
    await store.commit({ sets: sets.flat() });
  }
  const next = { ...head, sequence: last, indexed: last };
  await store.commit({ sets: [{ key: headKey, value: next as unknown as Json }] });
}

test("a hundred thousand events for a receiver that never answers hold up neither calls nor other receivers, nor fill the memory", {
  timeout: 120_000,
}, async () => {
  const runtime = fakeRuntime({ now: 0 });
  const world = await webhookWorld({ runtime });
  await world.passing(0);
  const { api } = world;
  await api.accounts.webhooks.create({ name: "slow", url: "https://slow.example/" });
  await api.accounts.webhooks.create({ name: "fast", url: "https://fast.example/", types: ["environment.updated"] });
  await flood(world.store, { ownerId: world.ada.account.id, count: 100_000, systems: 10 });
  world.answer((message) => (message.url.includes("slow") ? new Promise<WebhookOutcome>(() => {}) : taken));
  const task = world.tasks.find(({ name }) => name === "webhooks");
  const stop = new AbortController();
  const lease = { deadline: Number.POSITIVE_INFINITY, signal: stop.signal };
  const runs = ((await task?.shards()) ?? []).map((id) => task?.run(id, lease));
  for (let turns = 0; world.got.length === 0 && turns < 100; turns++) await runtime.settle();
  expect(world.got.length).toBeGreaterThan(0);
  const onTheirWay = world.got.filter(({ url }) => url.includes("slow")).length;
  expect(onTheirWay).toBeLessThanOrEqual(4);
  await happen(api, world.dev);
  const fast = () => world.got.filter(({ url }) => url.includes("fast"));
  for (let turns = 0; fast().length === 0 && turns < 100; turns++) {
    runs.push(...((await task?.shards()) ?? []).map((id) => task?.run(id, lease)));
    await runtime.settle();
  }
  expect(fast().map(({ event }) => event.type)).toEqual(["environment.updated"]);
  await runtime.advance(31_000);
  expect(world.got.filter(({ url }) => url.includes("slow")).length).toBeLessThan(50);
  stop.abort();
  await runtime.settle();
  const rows = await world.kept("webhook-progress");
  expect(JSON.stringify(rows).length).toBeLessThan(20_000);
});
