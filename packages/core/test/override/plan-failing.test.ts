import { expect, test } from "vitest";
import type { DeployPlan } from "../../src/contract/schemas/live-system-schemas.ts";
import { definition } from "../builders/handed-over.ts";
import { overrideWorld } from "../builders/override.ts";

const detail = "location can't change once the resource exists.";
const at = (location: string, size: number) => ({ parameters: { location, size } });
const shop = (location: string, size: number, last: string[] = ["api"]) =>
  definition([
    { path: "web", ...at("a", size), dependsOn: last },
    { path: "api", ...at("a", size), dependsOn: ["db"] },
    { path: "db", ...at(location, 1) },
    { path: "by-itself", ...at("a", size) },
  ]);

const told = ({ components }: DeployPlan, id: string) =>
  components.map(({ componentId, action, reason }) => [componentId.slice(id.length + 1), action, reason]);

test("a plan says that the deploy would fail, and that what depends on the failing step isn't started", async () => {
  const world = overrideWorld();
  const { livesystemId: id } = await world.create(shop("a", 1));
  const plan = await world.plan(id, shop("b", 2));
  expect(plan.error).toEqual({ code: "Immutable", detail, componentId: `${id}/db` });
  expect(told(plan, id)).toEqual([
    ["web", "hold", "db can't be deployed first."],
    ["api", "hold", "db can't be deployed first."],
    ["db", "hold", detail],
    ["by-itself", "correct", null],
  ]);
  const { error, steps } = await world.deploy(id, shop("b", 2));
  expect(error).toEqual({ ...plan.error, detail: `${detail} Everything else in it is as declared.` });
  expect(Object.fromEntries(steps.map(({ componentId, state }) => [componentId.slice(id.length + 1), state]))).toEqual({
    ...{ web: "blocked", api: "blocked", db: "failed", "by-itself": "converged" },
  });
});

test("the steps of a mutation are in the order in which they run", async () => {
  const world = overrideWorld();
  const { livesystemId: id, steps } = await world.create(shop("a", 1));
  const paths = steps.map(({ componentId }) => componentId.slice(id.length + 1));
  expect(paths.filter((path) => path !== "by-itself")).toEqual(["db", "api", "web"]);
});

test("a step fails as well if it corrects something and can't write the rest; what doesn't depend on it goes on", async () => {
  const world = overrideWorld();
  const { livesystemId: id } = await world.create(definition([{ path: "db", ...at("a", 1) }, { path: "api" }]));
  const next = definition([
    { path: "db", ...at("b", 2) },
    { path: "api", parameters: { size: 2 } },
    { path: "new", parameters: { of: { $output: "db#size" } } },
  ]);
  const plan = await world.plan(id, next);
  const error = { code: "Immutable", componentId: `${id}/db` };
  expect(plan.error).toEqual({ ...error, detail: `${detail} A deploy still writes /size.` });
  expect(told(plan, id)).toEqual([
    ["db", "correct", null],
    ["api", "correct", null],
    ["new", "hold", "db can't be deployed first."],
  ]);
  const { error: failed } = await world.deploy(id, next);
  expect(failed).toMatchObject({ ...error, detail: `${detail} Everything else in it is as declared.` });
});

test("an output that appears once its parameter is written is there for what refers to it", async () => {
  const world = overrideWorld();
  const { livesystemId: id } = await world.create(definition([{ path: "db", ...at("a", 1) }]));
  const next = (output: string) =>
    definition([
      { path: "db", parameters: { location: "a", size: 1, level: 2 } },
      { path: "new", parameters: { of: { $output: `db#${output}` } } },
    ]);
  const wrong = await world.plan(id, next("levle"));
  expect(wrong.error).toMatchObject({ code: "InvalidDeclaration", componentId: `${id}/new` });
  const plan = await world.plan(id, next("level"));
  expect(plan.error).toBeNull();
  expect(told(plan, id)).toEqual([
    ["db", "correct", null],
    ["new", "create", null],
  ]);
  expect((await world.deploy(id, next("level"))).status).toBe("Succeeded");
});

test("a deploy that leaves a component to its person doesn't fail", async () => {
  const world = overrideWorld();
  const { livesystemId: id, components } = await world.create(shop("a", 1));
  const db = components.find((one) => one.id === `${id}/db`);
  await world.consoles["provider-a"].putTags(db?.resourceId ?? "", {});
  await world.cycle();
  const plan = await world.plan(id, shop("b", 2));
  expect(plan.error).toBeNull();
  expect(told(plan, id).map(([, action]) => action)).toEqual(["correct", "correct", "hold", "correct"]);
  expect((await world.deploy(id, shop("b", 2))).status).toBe("Succeeded");
});

test("a plan makes nothing again that a person has, if what it needs can't be deployed first", async () => {
  const world = overrideWorld();
  const shop = (location: string) =>
    definition([
      { path: "db", ...at(location, 1) },
      { path: "web", parameters: { size: 1 }, dependsOn: ["db"] },
    ]);
  const { livesystemId: id, components } = await world.create(shop("a"));
  const place = components.find((one) => one.id === `${id}/web`)?.resourceId ?? "";
  const console = world.consoles["provider-a"];
  await console.putTags(place, {});
  await world.cycle();
  await console.delete(place);
  await world.cycle();
  const planned = told(await world.plan(id, shop("b")), id);
  expect(planned.at(-1)).toEqual(["web", "hold", "db can't be deployed first."]);
  await world.deploy(id, shop("b"));
  expect(await console.get(place)).toBeNull();
});

test("a plan says what the agent goes on with by itself: what waits for nothing but what a person has", async () => {
  const world = overrideWorld();
  const { livesystemId: id, components } = await world.create(shop("a", 1));
  const placeOf = (path: string) => components.find((one) => one.id === `${id}/${path}`)?.resourceId ?? "";
  const console = world.consoles["provider-a"];
  await console.putTags(placeOf("api"), {});
  await world.cycle();
  expect(told(await world.plan(id, shop("b", 2)), id)).toEqual([
    ["web", "correct", null],
    ["api", "hold", "It is taken over."],
    ["db", "hold", detail],
    ["by-itself", "correct", null],
  ]);
  expect((await world.passing(world.deploy(id, shop("b", 2)))).status).toBe("Failed");
  await world.cycles(1);
  expect([(await console.get(placeOf("web")))?.parameters, (await console.get(placeOf("api")))?.parameters]).toEqual([
    { location: "a", size: 2 },
    { location: "a", size: 1 },
  ]);
});

test("a plan says that the agent goes on with what needs only what is as declared, though that can't be read now", async () => {
  const world = overrideWorld();
  const db = { path: "db", provider: "provider-b", type: "storage.v1.bucket" };
  const needing = (size: number) => definition([db, { path: "api", parameters: { size }, dependsOn: ["db"] }]);
  const { livesystemId: id, components } = await world.create(needing(1));
  await world.consoles["provider-b"].setFaults({ read: "fail" });
  const plan = await world.plan(id, needing(2));
  expect(plan.error).toMatchObject({ code: "ProviderError", componentId: `${id}/db` });
  expect(plan.components.map(({ action }) => action)).toEqual(["hold", "correct"]);
  expect((await world.passing(world.deploy(id, needing(2)))).status).toBe("Failed");
  await world.cycles(1);
  const place = components.find((one) => one.id === `${id}/api`)?.resourceId ?? "";
  expect((await world.consoles["provider-a"].get(place))?.parameters).toEqual({ size: 2 });
});

test("a plan says that nothing happens to what waits for a step that isn't started and couldn't be done", async () => {
  const world = overrideWorld();
  const chain = (location: string, size: number) =>
    definition([
      { path: "db", provider: "provider-b", type: "storage.v1.bucket" },
      { path: "api", ...at(location, 1), dependsOn: ["db"] },
      { path: "web", parameters: { size }, dependsOn: ["api"] },
    ]);
  const { livesystemId: id, components } = await world.create(chain("a", 1));
  const placeOf = (path: string) => components.find((one) => one.id === `${id}/${path}`)?.resourceId ?? "";
  await world.consoles["provider-b"].putTags(placeOf("db"), {});
  await world.cycle();
  await world.consoles["provider-b"].setFaults({ read: "fail" });
  expect(told(await world.plan(id, chain("b", 2)), id)).toEqual([
    ["db", "hold", "The resource could not be read."],
    ["api", "hold", detail],
    ["web", "hold", "db can't be deployed first."],
  ]);
  expect((await world.passing(world.deploy(id, chain("b", 2)))).status).toBe("Failed");
  await world.cycles(1);
  expect((await world.consoles["provider-a"].get(placeOf("web")))?.parameters).toEqual({ size: 1 });
});

test("a plan says that a resource would be adopted and can't be corrected then", async () => {
  const world = overrideWorld({ cloud: { boundBy: () => ({ create: "etag", properties: "none", tags: "none" }) } });
  const component = { path: "web", parameters: { size: 1 } };
  const { livesystemId: id, components } = await world.create(definition([component]));
  const [{ resourceId = null, type = "" } = {}] = components;
  await world.deploy(id, definition([]));
  await world.consoles["provider-a"].put(resourceId ?? "", { type, tags: { "managed-by": "platform" } });
  const plan = await world.plan(id, definition([component]));
  expect(plan).toMatchObject({ components: [{ action: "adopt" }], error: { code: "NotCorrectable" } });
  expect((await world.deploy(id, definition([component]))).error).toEqual(plan.error);
});

test("an output that an existing resource doesn't have isn't said to come", async () => {
  const world = overrideWorld();
  const reading = (...paths: string[]) =>
    definition([{ path: "db" }, ...paths.map((path) => ({ path, parameters: { of: { $output: "db#sizze" } } }))]);
  const { livesystemId: id } = await world.create(reading());
  const plan = await world.plan(id, reading("web"));
  const lacking = "db#sizze, which /parameters/of refers to, does not exist. Outputs of db: id, name, size";
  expect(plan.error).toMatchObject({ detail: `${lacking}.`, componentId: `${id}/web` });
  expect(told(plan, id)).toContainEqual(["web", "hold", `${lacking}.`]);
});

test("nothing is said to be created that also refers to an output which doesn't come with the deploy", async () => {
  const world = overrideWorld();
  const db = { path: "db", ...at("a", 1) };
  const { livesystemId: id } = await world.create(definition([db]));
  const links = { cache: { $output: "cache#id" }, db: { $output: "db#absent" } };
  const more = definition([db, { path: "cache", ...at("a", 1) }, { path: "api", parameters: { links } }]);
  const plan = await world.plan(id, more);
  expect(told(plan, id).map(([path, action]) => [path, action])).toEqual([
    ["db", "none"],
    ["cache", "create"],
    ["api", "hold"],
  ]);
  const fails = { code: "InvalidDeclaration", componentId: `${id}/api` };
  expect(plan.error).toMatchObject(fails);
  expect(await world.deploy(id, more)).toMatchObject({ error: fails });
});

test("of many outputs that a resource has instead, eight are named, and how many more there are", async () => {
  const world = overrideWorld();
  const db = (count: number) => ({
    path: "db",
    parameters: Object.fromEntries(Array.from({ length: count }, (_, at) => [`p${at}`, at])),
  });
  const web = { path: "web", parameters: { of: { $output: "db#sizze" } } };
  const detailOf = async (count: number) => {
    const { livesystemId: id } = await world.create(definition([db(count)]));
    return (await world.plan(id, definition([db(count), web]))).error?.detail;
  };
  expect(await detailOf(6)).toMatch(/Outputs of db: id, name, p0, p1, p2, p3, p4, p5\.$/);
  expect(await detailOf(9)).toMatch(/Outputs of db: id, name, p0, p1, p2, p3, p4, p5 and 3 more\.$/);
});

test("a plan foresees the failure of what the cloud fails to read, and none of what it is working on", async () => {
  const world = overrideWorld();
  const { livesystemId: id } = await world.create(definition([{ path: "web" }]));
  const console = world.consoles["provider-a"];
  const { resourceId } = await world.component(`${id}/web`);
  await console.setFaults({ read: "fail" });
  expect((await world.plan(id, definition([{ path: "web" }]))).error).toMatchObject({ componentId: `${id}/web` });
  await console.setFaults({ slow: { takesMs: 600_000 } });
  const call = { credentials: { kind: "workload", name: null, secret: null } } as const;
  const change = { parameters: [{ pointer: "/other", value: 7 }], tags: {} };
  const ref = { type: "Microsoft.Compute/virtualMachines@2024-03-01", resourceId: resourceId ?? "" };
  await world.clouds.a.update(ref, change, {}, call);
  const busy = await world.plan(id, definition([{ path: "web" }]));
  expect(busy).toMatchObject({ components: [{ action: "hold" }], error: null });
});
