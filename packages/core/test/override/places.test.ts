import { expect, test } from "vitest";
import { type SimulatedCloud, simulatedCloud, simulatedConsole } from "../../src/clouds/index.ts";
import type { LiveSystemDefinition } from "../../src/contract/schemas/live-system-schemas.ts";
import { memoryStore } from "../../src/ports/memory-store.ts";
import { fakeRuntime } from "../../src/testing/fake-runtime.ts";
import { code, managed, refusal } from "../builders/handed-over.ts";
import { identityWorld } from "../builders/identity.ts";
import { overrideWorld } from "../builders/override.ts";
import { recorded, site, sites } from "../builders/sites.ts";

const group = "/subscriptions/3f2504e0-4f89-41d3-9a0c-0305e82c3302/resourceGroups/dev";
const own = `${group}/providers/Microsoft.Web/sites/shop`;
const bucket = { provider: "provider-b", type: "storage.v1.bucket" };

const refusedAt = (...places: string[]) => ({
  code: "InvalidDeclaration",
  errors: places.map((place) => expect.objectContaining({ pointer: `#/components/${place}` })),
});

const hostile = [
  ".evil.example/steal",
  "@evil.example/steal",
  ":8443/steal",
  "1/steal",
  "//evil.example/steal",
  "https://evil.example/steal",
  "/",
  "?",
  "#",
  "..",
  `${own}/..`,
  `${own}/../other`,
  `${group}/./providers/Microsoft.Web/sites/shop`,
  `${own}?x=y`,
  `${own}#x`,
  `${own}%2f..`,
  `${own}\\..`,
  `${own} `,
  `${own}/`,
  own.replace("/sites/", "//sites/"),
  own.replace("dev", "prod"),
  own.replace("c3302", "c3303"),
  own.replace("Microsoft.Web/sites", "Microsoft.Web/plans"),
  `${own}/slots/a`,
];

test("refuses a hostile id at its place, in a deploy, a redeploy and a plan, and asks no cloud", async () => {
  const { world, calls } = recorded();
  const { livesystemId: id } = await world.create(sites({ path: "a" }));
  calls.length = 0;
  for (const resourceId of hostile) {
    const body = sites({ path: "a" }, { path: "b", resourceId });
    const asked = [
      world.create(sites({ path: "a" }, { path: "b", resourceId })),
      world.deploy(id, body),
      world.call("liveSystems.planDeploy", { params: { id }, body }),
    ];
    for (const one of asked) expect(await refusal(one), resourceId).toEqual(refusedAt("1/resourceId"));
  }
  const others = ["projects/project-two/buckets/data", "projects/project-one/buckets/a/../b", "//evil.example/b"];
  for (const resourceId of others)
    expect(await refusal(world.create(sites({ path: "b", ...bucket, resourceId }))), resourceId).toEqual(
      refusedAt("0/resourceId"),
    );
  expect(calls).toEqual([]);
});

test("refuses types that make no id, and names that make another one, all at once", async () => {
  const { world } = recorded();
  const subnet = { type: "Microsoft.Network/virtualNetworks/subnets@2024-05-01", overrideWith: "ok" };
  const definition = sites(
    { path: "ok", type: "Microsoft.Network/virtualNetworks@2024-05-01", resourceName: "Net_1.a-b" },
    { path: "typeless", type: "site" },
    { path: "out", type: "Microsoft.Web/sites/../../../x" },
    { path: "version", type: "Microsoft.Web/sites@2024-04-01&x=y" },
    { path: "slash", resourceName: "a/b" },
    { path: "dots", resourceName: ".." },
    { path: "space", resourceName: "a b" },
    { path: "long", resourceName: "x".repeat(91) },
    { path: "short", ...subnet, resourceName: "one" },
    { path: "child", ...subnet, resourceName: "Net_1.a-b/one" },
    { path: "store", type: "Microsoft.Storage/storageAccounts@2024-01-01", resourceName: "Not-One" },
    { path: "group", type: "Microsoft.Resources/resourceGroups@2024-03-01", resourceName: "prod" },
    { path: "bucket", ...bucket, resourceName: "a/b" },
    { path: "kindless", provider: "provider-b", type: "v1" },
  );
  expect(await refusal(world.create(definition))).toEqual(
    refusedAt(
      ...["1/type", "2/type", "3/type", "4/resourceName", "5/resourceName", "6/resourceName", "7/resourceName"],
      ...["8/resourceName", "10/resourceName", "11/resourceName", "12/resourceName", "13/type"],
    ),
  );
});

const web = "projects/project-one/locations/europe-west1/run/services/web";
const run = { provider: "provider-b", type: "run.v2.service" };

test("takes two spellings of an id for one resource, with one owner", async () => {
  const { world } = recorded();
  await world.consoles["provider-a"].put(own, { type: site.type, tags: managed, parameters: {} });
  const first = await world.create(sites({ path: "a", resourceId: own.toLowerCase() }));
  expect(first).toMatchObject({ status: "Succeeded", components: [{ status: "Active", resourceId: own }] });
  for (const resourceId of [own, own.toUpperCase(), own.replace("Microsoft.Web", "microsoft.WEB")]) {
    expect(await code(world.create(sites({ path: "b", resourceId }))), resourceId).toBe("AlreadyExists");
    expect(await code(world.deploy(first.livesystemId, sites({ path: "a", resourceId }))), resourceId).toBe("no error");
  }
  const twice = sites(
    { path: "a", ...run, resourceId: web },
    { path: "b", ...run, resourceId: web.replace("/run/", "/") },
  );
  expect(await refusal(world.create(twice))).toEqual(refusedAt("1/resourceId"));
});

test("a component stays where it is when its environment's resources go elsewhere", async () => {
  const runtime = fakeRuntime();
  const store = memoryStore({ now: runtime.clock.now });
  const cloudStore = memoryStore({ now: runtime.clock.now });
  const before = overrideWorld({ runtime, store, cloudStore });
  const first = await before.create(sites({ path: "a", resourceId: own }));
  const after = overrideWorld({ runtime, store, cloudStore, container: "prod" });
  const redeployed = await after.deploy(first.livesystemId, sites({ path: "a", resourceId: own }));
  expect(redeployed).toMatchObject({ status: "Succeeded", components: [{ resourceId: own }] });
  const moved = sites({ path: "a", resourceId: own.replace("dev", "prod") });
  expect(await refusal(after.deploy(first.livesystemId, moved))).toEqual(refusedAt("0/resourceId"));
  expect(await refusal(after.create(sites({ path: "b", resourceId: own })))).toEqual(refusedAt("0/resourceId"));
});

test("where a cloud chooses ids, what is gone is made anew under another one, and a declaration of the old one is refused", async () => {
  const { world } = recorded({ cloud: { choosesIds: true } });
  const console = world.consoles["provider-a"];
  await console.put(own, { type: site.type, tags: managed, parameters: {} });
  const declared = sites({ path: "a", resourceId: own });
  const { livesystemId: id } = await world.create(declared);
  await console.delete(own);
  await world.cycle();
  const { resourceId } = await world.component(`${id}/a`);
  expect(resourceId).not.toBe(own);
  expect((await console.list()).items.map((one) => one.id)).toEqual([resourceId]);
  expect(await refusal(world.deploy(id, declared))).toEqual(refusedAt("0/resourceId"));
  expect(await code(world.deploy(id, sites({ path: "a" })))).toBe("no error");
});

test("a stranger can't touch, find out or squat what is another tenant's", async () => {
  const { ada, eve, console, cloud } = await twoTenants();
  const theirs = (name: string) => cloud.resourceIdFor(site.type, name, targets.ada) ?? "";
  await console.put(theirs("there"), { type: site.type, tags: managed, parameters: { size: 1 } });
  await ada.deploy({ path: "a", resourceId: theirs("claimed") });
  const kept = await console.list();

  const answers = [];
  for (const name of ["there", "claimed", "never"])
    answers.push(await told(eve.deploy({ path: "x", resourceId: theirs(name), parameters: { size: 9 } })));
  expect(new Set(answers).size).toBe(1);
  expect(answers[0]).toContain("InvalidDeclaration");
  expect(await console.list()).toEqual(kept);
  // Nothing was squatted: whose it is takes it.
  await ada.deploy({ path: "b", resourceId: theirs("never") });
});

const targets = {
  ada: { scope: "3f2504e0-4f89-41d3-9a0c-0305e82c3301", region: "westeurope", container: "ada" },
  eve: { scope: "3f2504e0-4f89-41d3-9a0c-0305e82c3301", region: "westeurope", container: "eve" },
};

/** Two people, each with an environment in one subscription: only the groups tell whose a resource is. */
async function twoTenants() {
  const runtime = fakeRuntime();
  const cloud: SimulatedCloud = simulatedCloud({ provider: "provider-a", store: memoryStore(), runtime });
  const clouds = {
    adapters: [cloud],
    targetFor: async ({ shortName }: { shortName: string }) => (shortName === "ada" ? targets.ada : targets.eve),
  };
  const world = await identityWorld({}, undefined, { runtime, clouds });
  const tenant = async (name: "ada" | "eve") => {
    const { api, account } = await world.person(name);
    const environmentId = { type: "Personal", ownerId: account.id, shortName: name } as const;
    await api.environments.create(environmentId, {});
    const deploy = (component: object) =>
      api.liveSystems.create({ ...sites(component as { path: string }), environmentId } as LiveSystemDefinition);
    return { deploy };
  };
  return { ada: await tenant("ada"), eve: await tenant("eve"), console: simulatedConsole(cloud), cloud };
}

async function told(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => "no error",
    (error) => JSON.stringify([error.code, error.message, error.details]),
  );
}
