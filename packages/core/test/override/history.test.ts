import { expect, test } from "vitest";
import type { LiveSystemDefinition, Mutation } from "../../src/contract/schemas/live-system-schemas.ts";
import { mutations } from "../../src/override/records/live-system-record.ts";
import type { Json } from "../../src/ports/store.ts";
import { code } from "../builders/handed-over.ts";
import { overrideWorld, type World } from "../builders/override.ts";
import { sites } from "../builders/sites.ts";

/** So many kilobytes of a declaration, told apart by their mark. */
function large(kilobytes: number, mark: Json): LiveSystemDefinition {
  return sites({ path: "a", parameters: { mark, notes: "x".repeat(kilobytes * 1024) } });
}

async function bytesOf(world: World, kinds: readonly string[]): Promise<number> {
  const lists = kinds.map((kind) => world.store.list({ prefix: ["record", kind], limit: 10_000 }));
  return (await Promise.all(lists)).flat().reduce((sum, { value }) => sum + JSON.stringify(value).length, 0);
}

const past = ["definition", "definition-use", "live-system-history", "live-system", "mutation"];

async function listed(world: World, id: string): Promise<Mutation[]> {
  const all: Mutation[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await world.call("liveSystems.mutations.list", { params: { id }, query: { cursor, limit: 200 } });
    const { items, nextCursor } = page as { items: Mutation[]; nextCursor: string | null };
    all.push(...items);
    cursor = nextCursor;
  }
  return all;
}

/** One after the other in time: what has no order has no oldest. */
async function deployEach(world: World, id: string, definitions: readonly LiveSystemDefinition[]): Promise<void> {
  for (const definition of definitions) {
    await world.runtime.advance(1000);
    await world.deploy(id, definition);
  }
}

const marked = (...marks: Json[]) => marks.map((mark) => large(1, mark));

async function definitionsOf(world: World): Promise<number> {
  return (await world.store.list({ prefix: ["record", "definition"], limit: 10_000 })).length;
}

test("a definition is kept once, however often a live system is deployed with it", async () => {
  const world = overrideWorld();
  const { livesystemId: id } = await world.create(large(20, { a: 1, b: 2 }));
  const once = await bytesOf(world, past);
  for (let again = 0; again < 10; again++) await world.deploy(id, large(20, { b: 2, a: 1 }));
  expect(await definitionsOf(world)).toBe(1);
  expect((await bytesOf(world, past)) - once).toBeLessThan(10 * 1024);
  expect(await listed(world, id)).toHaveLength(11);
});

test("of two live systems with one declaration each keeps its own", async () => {
  const world = overrideWorld();
  const first = await world.create(large(1, 1));
  const second = await world.create(large(1, 1));
  await world.deploy(first.livesystemId, large(1, 2));
  const { definition } = (await world.call("liveSystems.get", { params: { id: second.livesystemId } })) as {
    definition: LiveSystemDefinition;
  };
  expect(definition.components[0]?.parameters).toMatchObject({ mark: 1 });
});

test("the oldest mutations go first, with the definitions that nobody refers to any more", async () => {
  const world = overrideWorld({ settings: { keptMutations: 3 } });
  const first = await world.create(large(1, 0));
  const { livesystemId: id } = first;
  await deployEach(world, id, marked(1, 2, 3, 4, 5));
  const left = await listed(world, id);
  expect(left).toHaveLength(3);
  expect(await definitionsOf(world)).toBe(3);
  expect(await code(world.mutation(first))).toBe("NotFound");
  expect((await world.call("liveSystems.get", { params: { id } })) as unknown).toMatchObject({
    lastMutationId: left[0]?.id,
    definition: { components: [{ parameters: { mark: 5 } }] },
  });
});

test("a definition that an old mutation and the newest share outlives the old one", async () => {
  const world = overrideWorld({ settings: { keptMutations: 2 } });
  const { livesystemId: id } = await world.create(large(1, "same"));
  await deployEach(world, id, marked(1, 2, 3, "same"));
  expect(await definitionsOf(world)).toBe(2);
  const shown = await world.call("liveSystems.get", { params: { id } });
  expect(shown).toMatchObject({ definition: { components: [{ parameters: { mark: "same" } }] } });
});

test("definitions that are too large together go with their mutations, but never the one in force", async () => {
  const world = overrideWorld({ settings: { keptDefinitionBytes: 50 * 1024 } });
  const { livesystemId: id } = await world.create(large(20, 0));
  await deployEach(
    world,
    id,
    [1, 2, 3, 4, 5, 6].map((mark) => large(20, mark)),
  );
  expect(await bytesOf(world, ["definition"])).toBeLessThan(50 * 1024);
  expect(await definitionsOf(world)).toBe(2);
  await deployEach(world, id, [large(60, 7)]);
  await world.override.housekeep();
  expect(await definitionsOf(world)).toBe(1);
  expect(await world.call("liveSystems.get", { params: { id } })).toMatchObject({
    definition: { components: [{ parameters: { mark: 7 } }] },
    lastMutation: { status: "Succeeded" },
  });
});

test("what waits or runs is never dropped", async () => {
  const world = overrideWorld({ settings: { keptMutations: 1 }, follows: false });
  const first = await world.create(large(1, 0));
  const { livesystemId: id } = first;
  await world.records.change({ actor: "test", requestId: "test" }, async (change) => {
    const known = await change.get(mutations, [id, first.id]);
    if (known !== null) change.put(mutations, { ...known, status: "Running" });
  });
  await deployEach(world, id, marked(1, 2, 3, 4));
  const left = await listed(world, id);
  expect(left.map(({ status }) => status)).toEqual(["Pending", "Running"]);
  await world.override.mutations.advance(id);
  expect((await listed(world, id)).map(({ status }) => status)).toEqual(["Succeeded", "Failed"]);
});

test("housekeeping keeps to limits that were lowered", async () => {
  const settings = { keptMutations: 100 };
  const world = overrideWorld({ settings });
  const ids: string[] = [];
  for (const name of [1, 2, 3]) {
    const { livesystemId: id } = await world.create(large(1, name));
    await deployEach(world, id, marked(...Array.from({ length: 29 }, (_, mark) => mark)));
    ids.push(id);
  }
  settings.keptMutations = 5;
  const again = overrideWorld({ settings, store: world.store, cloudStore: world.cloudStore, runtime: world.runtime });
  await again.override.housekeep();
  for (const id of ids) expect(await listed(again, id)).toHaveLength(5);
  expect(await definitionsOf(again)).toBe(15);
});
