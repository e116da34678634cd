import fc from "fast-check";
import { expect, test } from "vitest";
import { components } from "../../src/override/records/component-record.ts";
import { episodeCounts, outdated } from "../../src/override/records/episode-history.ts";
import { type EpisodeRecord, episodes } from "../../src/override/records/episode-record.ts";
import { both, code, definition, managed, overridden } from "../builders/handed-over.ts";
import { overrideWorld } from "../builders/override.ts";

const day = 86_400_000;

/** Takes a resource over and gives it back, so many times. */
async function handOver({ world, id, console, resourceId }: Awaited<ReturnType<typeof overridden>>, times: number) {
  for (let time = 0; time < times; time++) {
    await console.putTags(resourceId, both);
    for (let looks = 0; looks < 4; looks++) await world.check(id);
    await console.putTags(resourceId, managed);
    await world.check(id);
    await world.runtime.advance(60_000);
    await console.putTags(resourceId, {});
    await world.check(id);
  }
}

async function ledgerOf({ world, params }: Awaited<ReturnType<typeof overridden>>) {
  const page = await world.call("liveSystems.components.overrides", { params, query: { limit: 200 } });
  return (page as { items: { id: string; endedAt: string | null }[] }).items;
}

test("a component keeps its newest overrides, and the oldest go with each new one", async () => {
  const made = await overridden({}, { settings: { keptEpisodes: 3 } });
  const [first] = await ledgerOf(made);
  await handOver(made, 5);
  const left = await ledgerOf(made);
  expect(left).toHaveLength(3);
  expect(left.map(({ endedAt }) => endedAt === null)).toEqual([true, false, false]);
  expect(left.map(({ id }) => id)).not.toContain(first?.id);
  expect(await made.world.records.list(episodes)).toHaveLength(3);
});

test("an override that is open stays, however many were to be kept and however old it is", async () => {
  const made = await overridden({}, { settings: { keptEpisodes: 0, episodeSeconds: 60 } });
  await made.world.runtime.advance(400 * day);
  await made.world.override.housekeep();
  expect(await ledgerOf(made)).toHaveLength(1);
  await handOver(made, 2);
  const left = await ledgerOf(made);
  expect(left.map(({ endedAt }) => endedAt === null)).toEqual([true]);
});

test("what ended a year ago leaves the ledger, but for the newest of a component that is there", async () => {
  const made = await overridden();
  await handOver(made, 3);
  await made.console.putTags(made.resourceId, both);
  for (let looks = 0; looks < 4; looks++) await made.world.check(made.id);
  expect(await ledgerOf(made)).toHaveLength(4);
  const [newest] = await ledgerOf(made);
  await made.world.runtime.advance(366 * day);
  await made.world.override.housekeep();
  expect((await ledgerOf(made)).map(({ id }) => id)).toEqual([newest?.id]);

  const { world, params } = made;
  await world.records.change({ actor: "test", requestId: "test" }, async (change) => {
    const [key] = (await world.records.list(components)).map(({ position }) => position);
    if (key !== undefined && (await change.get(components, key)) !== null) change.delete(components, key);
  });
  await world.runtime.advance(2 * day);
  await world.override.housekeep();
  expect(await world.records.list(episodes)).toEqual([]);
  expect(await world.records.list(episodeCounts)).toEqual([]);
  expect(params.id).toBe(made.system);
});

test("an override that lasted for years stays in the ledger for a year after its end", async () => {
  const made = await overridden();
  await made.world.runtime.advance(400 * day);
  await handOver(made, 1);
  const before = await ledgerOf(made);
  await made.world.override.housekeep();
  expect(before).toHaveLength(2);
  expect(await ledgerOf(made)).toEqual(before);
});

test("a ledger is brought within limits that were lowered", async () => {
  const made = await overridden({}, { settings: { keptEpisodes: 100 } });
  await handOver(made, 12);
  const { world } = made;
  const settings = { keptEpisodes: 5 };
  const { store, cloudStore, runtime } = world;
  const again = { ...made, world: overrideWorld({ settings, store, cloudStore, runtime }) };
  await again.world.override.housekeep();
  expect(await ledgerOf(again)).toHaveLength(5);
  await handOver(again, 2);
  expect(await ledgerOf(again)).toHaveLength(5);
});

test("a ledger of any length moves with its component", async () => {
  const made = await overridden({}, { settings: { keptEpisodes: 200 } });
  const { world, system, params } = made;
  await world.records.change({ actor: "test", requestId: "test" }, async (change) => {
    const [{ record: open } = { record: null }] = await change.list(episodes);
    const count = await change.get(episodeCounts, [system, "app"]);
    if (open === null || count === null) throw new Error("nothing is overridden");
    for (let at = 0; at < 150; at++) {
      const startedAt = new Date(Date.parse(open.startedAt) - (at + 1) * day).toISOString();
      const ended = { endedAt: startedAt, outcome: "Reconciled", end: open.start } as const;
      change.put(episodes, { ...open, ...ended, id: world.runtime.newId(), startedAt });
    }
    change.put(episodeCounts, { ...count, count: 151 });
  });
  const before = await ledgerOf(made);
  expect(before).toHaveLength(151);
  await world.deploy(system, definition([{ path: "main", movedFrom: "app" }]));
  const componentId = `${system}/main`;
  const after = await ledgerOf({ ...made, params: { ...params, componentId } });
  expect(after).toEqual(before.map((episode) => ({ ...episode, componentId })));
  expect(await code(ledgerOf(made))).toBe("NotFound");
});

test("a walk in parts, or of one component after the other, drops what a walk at once does", () => {
  const episode = fc.record({
    component: fc.integer({ min: 0, max: 3 }),
    age: fc.integer({ min: 0, max: 100 }),
    open: fc.boolean(),
  });
  fc.assert(
    fc.property(
      fc.array(episode, { maxLength: 40 }),
      fc.integer({ min: 1, max: 7 }),
      fc.integer({ min: 0, max: 5 }),
      fc.array(fc.boolean(), { minLength: 4, maxLength: 4 }),
      (drawn, atOnce, keptEpisodes, gone) => {
        const listed = drawn
          .sort((a, b) => a.component - b.component || a.age - b.age)
          .map(({ component, age, open }, at) => {
            const ended = String(1000 - age).padStart(4, "0");
            const facts = { id: String(at), liveSystemId: "s", path: `c${component}` };
            return { ...facts, startedAt: ended, endedAt: open ? null : ended } as EpisodeRecord;
          });
        const isGone = ({ path }: EpisodeRecord) => gone[Number(path.slice(1))] ?? false;
        const rules = { keptEpisodes, before: "0950", isGone };
        const whole = outdated(listed, { ...rules, place: null }).drop;
        const parts: EpisodeRecord[] = [];
        let place: Parameters<typeof outdated>[1]["place"] = null;
        for (let at = 0; at < listed.length; at += atOnce) {
          const part = outdated(listed.slice(at, at + atOnce), { ...rules, place });
          parts.push(...part.drop);
          place = part.place;
        }
        expect(parts).toEqual(whole);
        const own = [0, 1, 2, 3].map((at) => listed.filter(({ path }) => path === `c${at}`));
        expect(own.flatMap((episodes) => outdated(episodes, { ...rules, place: null }).drop)).toEqual(whole);
        for (const { endedAt } of whole) expect(endedAt).not.toBeNull();
      },
    ),
    { numRuns: 300 },
  );
});
