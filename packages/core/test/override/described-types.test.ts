import { expect, test } from "vitest";
import type { Cloud } from "../../src/ports/cloud.ts";
import type { TypeDescription } from "../../src/ports/resource-type.ts";
import { refusal } from "../builders/handed-over.ts";
import { overrideWorld } from "../builders/override.ts";
import { sites } from "../builders/sites.ts";

const asked = "Microsoft.Lacking/things@2025-01-01";
const thing = (path: string, more: object = {}) => ({ path, type: asked, ...more });

/** A world whose cloud says this of the types that it lacks, with what it was asked. */
function worldSaying(describe: (type: string) => TypeDescription | null) {
  const types: string[][] = [];
  const clouds = (all: readonly Cloud[]) =>
    all.map((cloud): Cloud => {
      const describeTypes: NonNullable<Cloud["describeTypes"]> = async (some, ...rest) => {
        types.push([...some]);
        return (await cloud.describeTypes?.(some, ...rest)) ?? [];
      };
      return { ...cloud, describeTypes };
    });
  const world = overrideWorld({ cloud: { describe }, clouds });
  return { world, types };
}

const none = (type: string) => (type === asked ? { refused: "There is none. Did you mean things@2024-01-01?" } : null);

test("asks a cloud once of all types together, and refuses what stays unknown at each of its places", async () => {
  const { world, types } = worldSaying(none);
  const definition = sites({ path: "a" }, thing("b"), { path: "c" }, thing("d"));
  expect(await refusal(world.create(definition))).toEqual({
    code: "InvalidDeclaration",
    errors: [1, 3].map((at) => ({
      pointer: `#/components/${at}/type`,
      code: "InvalidDeclaration",
      detail: "There is none. Did you mean things@2024-01-01?",
    })),
  });
  expect(types).toEqual([[sites({ path: "a" }).components[0]?.type, asked]]);
});

test("asks of nothing in a declaration that is refused for something else", async () => {
  const { world, types } = worldSaying(none);
  expect(await refusal(world.create(sites(thing("b", { resourceName: "../up" }))))).toMatchObject({
    errors: [{ pointer: "#/components/0/resourceName" }],
  });
  expect(types).toEqual([]);
});

test("takes a type that the cloud has, and asks for a component with tags where it carries none", async () => {
  const { world } = worldSaying((type) => (type === asked ? { taggable: false } : null));
  expect(await refusal(world.create(sites({ path: "a" }, thing("b"))))).toMatchObject({
    errors: [{ pointer: "#/components/1/type", detail: expect.stringContaining("overrideWith") }],
  });
  await world.create(sites({ path: "a" }, thing("b", { overrideWith: "a" })));
});

test("plans and redeploys ask of new components alone: those that are there are never refused", async () => {
  let known = true;
  const { world, types } = worldSaying((type) => (known || type !== asked ? null : none(type)));
  const { livesystemId: id } = await world.create(sites(thing("a")));
  known = false;
  types.length = 0;
  await world.deploy(id, sites(thing("a", { parameters: { size: 2 } })));
  expect(types).toEqual([]);
  const more = sites(thing("a"), thing("b"));
  const refused = { code: "InvalidDeclaration", errors: [{ pointer: "#/components/1/type" }] };
  expect(await refusal(world.deploy(id, more))).toMatchObject(refused);
  expect(await refusal(world.call("liveSystems.planDeploy", { params: { id }, body: more }))).toMatchObject(refused);
  await world.deploy(id, sites({ ...thing("moved"), movedFrom: "a" }));
});

test("says that the cloud couldn't be asked, and begins nothing", async () => {
  const { world } = worldSaying((type) => (type === asked ? { taggable: true } : null));
  await world.consoles["provider-a"].setFaults({ read: "fail" });
  expect(await refusal(world.create(sites(thing("a"))))).toMatchObject({ code: "ProviderError" });
});

test("names each component whose parameters its cloud finds wrong, and judges what is declared as before no more", async () => {
  const judged: object[] = [];
  const judge: NonNullable<Cloud["judgeParameters"]> = async (_, parameters) => {
    judged.push(parameters);
    return Object.hasOwn(parameters, "sise") ? [{ pointer: "/sise", detail: 'Did you mean "size"?' }] : [];
  };
  const judging = (all: readonly Cloud[]) =>
    all.map((cloud) => (cloud.provider === "provider-a" ? { ...cloud, judgeParameters: judge } : cloud));
  const before = overrideWorld();
  const { store, cloudStore, runtime } = before;
  const bucket = { provider: "provider-b", type: "storage.v1.bucket" };
  const old = { path: "old", parameters: { sise: 1 } };
  const [right, wrong] = [{ size: 1 }, { sise: 1 }];
  const { livesystemId: id } = await before.create(sites(old));
  const world = overrideWorld({ store, cloudStore, runtime, clouds: judging });
  const refused = (...places: number[]) => ({
    code: "InvalidDeclaration",
    errors: places.map((at) => ({
      pointer: `#/components/${at}/parameters/sise`,
      code: "InvalidDeclaration",
      detail: 'Did you mean "size"?',
    })),
  });
  const one = { path: "one", parameters: right };
  const two = { path: "two", parameters: wrong };
  expect(await refusal(world.create(sites(one, two, { ...two, path: "three" })))).toEqual(refused(1, 2));
  expect(await refusal(world.deploy(id, sites(one, old, two)))).toEqual(refused(2));
  expect(await refusal(world.deploy(id, sites({ ...old, parameters: { ...wrong, more: 1 } })))).toEqual(refused(0));
  judged.length = 0;
  expect(await refusal(world.deploy(id, sites(old, one, { ...two, ...bucket })))).toBeNull();
  const moved = sites({ ...old, path: "new", movedFrom: "old" }, one);
  for (let again = 0; again < 2; again++) expect(await refusal(world.deploy(id, moved))).toBeNull();
  expect(judged).toEqual([right]);
});
