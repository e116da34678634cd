import { expect, test } from "vitest";
import { LiveplaneError } from "../../src/errors.ts";
import { memoryStore } from "../../src/ports/memory-store.ts";
import type { Metrics } from "../../src/ports/runtime.ts";
import { collection } from "../../src/records/collection.ts";
import { createRecords } from "../../src/records/create-records.ts";
import { catchUp, dueRecords } from "../../src/records/due.ts";
import { fakeRuntime } from "../../src/testing/fake-runtime.ts";
import { ratePolicies } from "../../src/transport/rate-limits.ts";
import { identityWorld } from "../builders/identity.ts";

interface Thing {
  readonly id: string;
  readonly at: number;
}
const things = collection<Thing>()("thing", {
  key: ({ id }) => [id],
  indexes: { byTime: ({ at }) => [[String(at).padStart(16, "0")]] },
});
const cause = { actor: "test", requestId: "test" };
const minuteMs = 60_000;

/** The gauges of what waits, by the name of the work: the latest of each, and all that were ever told. */
function gauges() {
  const latest = new Map<string, number>();
  const told: number[] = [];
  const metrics: Metrics = {
    count: () => {},
    observe: () => {},
    gauge(name, value, labels) {
      if (name !== "liveplane_housekeeping_lag_seconds") return;
      latest.set(labels?.work ?? "", value);
      told.push(value);
    },
  };
  return { metrics, latest, told };
}

function setUp(fails: (id: string) => boolean = () => false) {
  const fake = fakeRuntime();
  const { metrics, latest, told } = gauges();
  let [yields, later] = [0, 0];
  const clock = { ...fake.clock, now: () => fake.clock.now() + later };
  const turn = async () => {
    yields += 1;
  };
  const runtime = { ...fake, metrics, clock, yield: turn };
  const records = createRecords({ store: memoryStore({ now: clock.now }), runtime });
  const work = dueRecords({
    ...{ name: "things", records, clock: runtime.clock, collection: things, index: "byTime" },
    since: ({ at }) => at,
    async settle({ id }) {
      if (fails(id)) throw new LiveplaneError("LastAdmin");
      await records.change(cause, async (change) => {
        await change.get(things, [id]);
        change.delete(things, [id]);
      });
    },
  });
  const stop = new AbortController();
  return {
    ...{ runtime, records, work, latest, told, stop },
    yields: () => yields,
    pass: () => catchUp({ runtime, signal: stop.signal }, work),
    wait(ms: number) {
      later += ms;
    },
    put: (count: number, at: number, name = "t") =>
      records.change(cause, (change) => {
        for (let one = 0; one < count; one++) change.put(things, { id: `${name}${at}.${one}`, at });
      }),
    async left() {
      return (await records.list(things, { limit: 1_000_000 })).length;
    },
  };
}

test("all that is due is settled in one pass, with room for others after each batch, and what isn't due stays", async () => {
  const { runtime, put, pass, left, yields, latest } = setUp();
  const now = runtime.clock.now();
  await put(950, now - 1000);
  await put(30, now + 1000);
  await pass();
  expect(await left()).toBe(30);
  expect(yields()).toBeGreaterThanOrEqual(9);
  expect(latest.get("things")).toBe(0);
});

test("the gauge says how long the oldest has waited, and nothing once it is settled", async () => {
  const { runtime, put, pass, told } = setUp();
  await put(1, runtime.clock.now() - 90_000);
  await pass();
  expect(told).toEqual([90, 0]);
});

test("what can't be settled holds nothing else up, and shows until it is", async () => {
  let stuck = true;
  const { runtime, put, pass, left, latest } = setUp((id) => stuck && id.startsWith("stuck"));
  await put(150, runtime.clock.now() - 60_000, "stuck");
  await put(500, runtime.clock.now() - 30_000);
  await pass();
  expect([await left(), latest.get("things")]).toEqual([150, 60]);
  stuck = false;
  await pass();
  expect([await left(), latest.get("things")]).toEqual([0, 0]);
});

test("a pass that is to end ends after the thing at hand", async () => {
  const { runtime, put, pass, left, stop } = setUp((id) => {
    if (id.endsWith(".3")) stop.abort();
    return false;
  });
  await put(10, runtime.clock.now() - 1000);
  await pass();
  expect(await left()).toBe(6);
});

/** Of which every other one is a deletion. */
const writeLimit = ratePolicies.writes.quota;

test("keeping house keeps up with ten times the write limit in deletions, and says so", async () => {
  const fake = fakeRuntime();
  const { metrics, latest, told } = gauges();
  const world = await identityWorld({ purgeSeconds: 60, eventSeconds: 60 }, undefined, {
    runtime: { ...fake, metrics },
    store: memoryStore({ now: fake.clock.now }),
  });
  const { account, api } = await world.person("ada");
  for (let minute = 0; minute < 2; minute++) {
    for (let made = 0; made < (writeLimit * 10) / 2; made++) {
      await api.accounts.resourceGroups.upsert({ shortName: `g${minute}x${made}` }, {});
      await api.accounts.resourceGroups.delete({ shortName: `g${minute}x${made}` });
    }
    await fake.advance(minuteMs);
    await world.housekeep();
  }
  await fake.advance(2 * minuteMs);
  await world.housekeep();
  const kept = await world.store.list({ prefix: ["record", "resource-group"], limit: 10_000 });
  expect(kept.filter(({ value }) => JSON.stringify(value).includes(account.id))).toEqual([]);
  expect((await world.store.list({ prefix: ["event", "log"], limit: 10_000 })).length).toBe(0);
  expect((await world.store.list({ prefix: ["event", "of"], limit: 10_000 })).length).toBe(0);
  expect(Math.max(...told)).toBeLessThanOrEqual(121);
  expect([...latest.values()].every((seconds) => seconds === 0)).toBe(true);
  expect([...latest.keys()].sort()).toEqual([
    "deleted-accounts",
    "deleted-environments",
    "deleted-groups",
    "deleted-live-systems",
    "deleted-organizations",
    "deleted-teams",
    "events",
    "expired-subscriptions",
    "unactivated-accounts",
  ]);
});

test("a chore that fails keeps none of the others from being done", async () => {
  const world = await identityWorld({ purgeSeconds: 60 });
  const { api } = await world.person("ada");
  await api.accounts.resourceGroups.upsert({ shortName: "gone" }, {});
  await api.accounts.resourceGroups.delete({ shortName: "gone" });
  await world.store.commit({ sets: [{ key: ["record", "rotation", "rotation"], value: 7 }] });
  await world.store.commit({ sets: [{ key: ["index", "account", "deleted", "0", "broken"], value: 7 }] });
  await world.advance(120_000);
  await world.housekeep();
  expect((await world.store.list({ prefix: ["record", "resource-group"] })).length).toBe(0);
  expect(world.lines.join()).toContain("housekeeping task failed");
});
