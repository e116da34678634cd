import fc from "fast-check";
import { expect, test } from "vitest";
import { createShards, divisionOf, shardNames, shardRange } from "../../src/override/agent/shards.ts";
import { countComponents } from "../../src/override/records/live-system-record.ts";
import { memoryStore } from "../../src/ports/memory-store.ts";
import { createRecords } from "../../src/records/create-records.ts";
import { fakeRuntime } from "../../src/testing/fake-runtime.ts";

const components = fc.integer({ min: 0, max: 20_000_000 });
const bits = fc.integer({ min: 0, max: 16 });
const most = 2 ** 16;

test("no division leaves a shard with more than 500 components on average, nor makes one for fewer than 187", () => {
  fc.assert(
    fc.property(components, bits, (count, now) => {
      const shards = 2 ** divisionOf(count, now);
      const each = count / shards;
      expect(each <= 500 || shards === most).toBe(true);
      expect(each >= 187 || shards === 1).toBe(true);
    }),
  );
});

test("a division that was just chosen stays, and stays while no more than a fifth of the fleet comes and goes", () => {
  const changes = fc.array(fc.double({ min: 0.8, max: 1, noNaN: true }), { maxLength: 20 });
  fc.assert(
    fc.property(components, bits, changes, (count, before, parts) => {
      const chosen = divisionOf(count, before);
      expect(divisionOf(count, chosen)).toBe(chosen);
      const seen = new Set<number>();
      let now = chosen;
      for (const part of parts) {
        now = divisionOf(Math.floor(count * part), now);
        seen.add(now);
      }
      // It may be given up once, for a coarser one, and never taken up again.
      expect(seen.size).toBeLessThanOrEqual(2);
      expect([...seen].every((one, at, all) => at === 0 || one < (all[at - 1] ?? 0))).toBe(true);
    }),
  );
});

test("the shards of each division cover all ids, each once", () => {
  fc.assert(
    fc.property(bits, fc.integer({ min: 0, max: 0xffff }), (division, id) => {
      const name = id.toString(16).padStart(4, "0");
      const within = shardNames(Math.min(division, 10)).filter((shard) => {
        const { from, until } = shardRange(shard);
        return from <= name && (until === null || name < until);
      });
      expect(within).toHaveLength(1);
    }),
    { numRuns: 50 },
  );
});

test.each([
  ["in the store, the same for a process that begins later", true],
  ["in the process that has the store alone", false],
])("how a fleet is divided is kept %s", async (_, isShared) => {
  const runtime = fakeRuntime();
  const records = createRecords({ store: memoryStore(), runtime });
  const sharing = { store: isShared, work: isShared };
  const come = (by: number) =>
    records.change({ actor: "test", requestId: "r" }, (change) => countComponents(change, "a", by));
  const shards = createShards({ records, sharing });
  await come(501);
  expect(await shards.names()).toHaveLength(2);
  await come(-50);
  expect(await shards.names()).toHaveLength(2);
  expect(await createShards({ records, sharing }).names()).toHaveLength(isShared ? 2 : 1);
  await come(-200);
  expect(await shards.names()).toHaveLength(1);
  expect(await createShards({ records, sharing }).names()).toHaveLength(1);
});
