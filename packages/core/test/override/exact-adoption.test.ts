import fc from "fast-check";
import { expect, test } from "vitest";
import type { DeployPlan, LiveSystemDefinition } from "../../src/contract/schemas/live-system-schemas.ts";
import type { DeclaredResources } from "../../src/contract/schemas/resource-schemas.ts";
import { LiveplaneError } from "../../src/errors.ts";
import { adoptionOf } from "../../src/override/protocol/exact-adoption.ts";
import { managementTag } from "../../src/override/protocol/observation.ts";
import { environmentId, overrideWorld, type WorldOptions } from "../builders/override.ts";

const group = "/subscriptions/3f2504e0-4f89-41d3-9a0c-0305e82c3302/resourceGroups/dev/providers";
const site = "Microsoft.Web/sites";
const idOf = (name: string) => `${group}/${site}/${name}`;
const parameters = { location: "westeurope", properties: { size: 1 } };

/** A world in which sites exist that nobody manages, with a definition that declares them. */
async function existing(names: readonly string[], options: WorldOptions = {}) {
  const writes: string[] = [];
  const world = overrideWorld({
    ...options,
    cloud: {
      ...options.cloud,
      onChange: ({ by, operation, resourceId }) => {
        if (by === "caller") writes.push(`${operation} ${resourceId.split("/").at(-1)}`);
      },
    },
  });
  const console = world.consoles["provider-a"];
  for (const name of names) await console.put(idOf(name), { type: site, tags: { team: "blue" }, parameters });
  const { definition } = (await world.call("environments.resources.declare", {
    params: environmentId,
    body: { resourceIds: names.map(idOf) },
  })) as DeclaredResources;
  const declared = definition as unknown as LiveSystemDefinition;
  const tagsOf = async (name: string) => (await console.get(idOf(name)))?.tags;
  return { world, console, declared, writes, tagsOf };
}

test("sets the management tag and writes nothing else, then rests", async () => {
  const { world, declared, writes, tagsOf } = await existing(["one", "two"]);
  const mutation = await world.create(declared);
  expect(mutation).toMatchObject({ status: "Succeeded", held: [] });
  expect(writes).toEqual(["update one", "update two"]);
  expect(await tagsOf("one")).toEqual({ team: "blue", "managed-by": "platform" });
  const component = await world.component(mutation.components[0]?.id ?? "");
  expect(component).toMatchObject({ status: "Active", conditions: { inSync: { value: true, reason: "InSync" } } });
  await world.runtime.advance(180_000);
  await world.cycle();
  expect(writes).toHaveLength(2);
  const told = (await world.events()).filter(({ type }) => type === "component.provisioned");
  expect(told.map(({ data }) => data.adopted)).toEqual([true, true]);
});

test("a plan says what is adopted, which tags are added and what is refused", async () => {
  const { world, console, declared } = await existing(["one", "two"]);
  const { livesystemId } = await world.create({ ...declared, components: [] });
  await console.patchParameters(idOf("two"), { properties: { size: 2 } });
  const plan = (await world.call("liveSystems.planDeploy", {
    params: { id: livesystemId },
    body: declared,
  })) as DeployPlan;
  expect(plan.components.map(({ action, addsTag, changes }) => [action, addsTag, changes.length])).toEqual([
    ["adopt", true, 0],
    ["hold", false, 1],
  ]);
  expect(plan.components[1]?.reason).toContain("/parameters/properties/size");
  expect(plan.warnings).toEqual([]);
});

test.each([
  [5, "/parameters/a, /parameters/b, /parameters/c, /parameters/d, /parameters/e."],
  [7, "/parameters/a, /parameters/b, /parameters/c, /parameters/d, /parameters/e and 2 more."],
])("a refusal of %i places names five of them, and how many more there are", async (count, places) => {
  const { world, declared } = await existing(["one"]);
  const parameters = Object.fromEntries([..."abcdefg"].slice(0, count).map((name) => [name, 1]));
  const [one] = declared.components;
  const body = { ...declared, components: [{ ...one, parameters }] } as LiveSystemDefinition;
  const { error } = await world.create(body);
  expect(error?.detail).toContain(`differs from its declaration at ${places} Exact adoption changes nothing`);
});

test("of what exists without the tag, and isn't to be adopted, a plan says what is missing, and not that it is taken over", async () => {
  const { world, declared, writes } = await existing(["one"]);
  const { adopt: _, ...body } = declared;
  const planned = (await world.call("liveSystems.plan", { body })) as DeployPlan;
  const [exists, remedy] = [
    "The resource exists without the tag managed-by=platform.",
    "Set the tag there, or add adopt: exact to the declaration.",
  ];
  expect(planned.components).toMatchObject([{ action: "hold", reason: `${exists} ${remedy}` }]);
  const { livesystemId } = await world.create(body);
  const again = await world.call("liveSystems.planDeploy", { params: { id: livesystemId }, body: declared });
  expect(again).toMatchObject({ components: [{ action: "hold", reason: "It is taken over." }] });
  expect(writes).toEqual([]);
});

test.each([
  ["differs", { parameters: { ...parameters, properties: { size: 2 } } }, "NotAdoptable"],
  ["has another management tag", { tags: { team: "blue", "managed-by": "terraform" } }, "NotAdoptable"],
  ["has it in another case", { tags: { team: "blue", "Managed-By": "terraform" } }, "NotAdoptable"],
  ["has its value in another case", { tags: { team: "blue", "managed-by": "Platform" } }, "NotAdoptable"],
  ["has it without a value", { tags: { team: "blue", "managed-by": "" } }, "NotAdoptable"],
  ["differs though it carries the tag", { tags: { team: "red", "managed-by": "platform" } }, "NotAdoptable"],
])("refuses a resource that %s, writes nothing to it and adopts the others", async (_, change, code) => {
  const { world, console, declared, writes, tagsOf } = await existing(["one", "two"]);
  await console.put(idOf("one"), { type: site, tags: { team: "blue" }, parameters, ...change });
  const before = await tagsOf("one");
  const mutation = await world.create(declared);
  expect(mutation).toMatchObject({ status: "Failed", error: { code } });
  await world.runtime.advance(180_000);
  await world.cycle();
  expect(writes).toEqual(["update two"]);
  expect(await tagsOf("one")).toEqual(before);

  await console.put(idOf("one"), { type: site, tags: { team: "blue" }, parameters });
  await world.runtime.advance(180_000);
  await world.cycle();
  expect(writes).toEqual(["update two"]);
  expect(await world.deploy(mutation.livesystemId, declared)).toMatchObject({ status: "Succeeded" });
  expect(writes).toEqual(["update two", "update one"]);
});

test("refuses a resource that is gone instead of creating it", async () => {
  const { world, console, declared, writes } = await existing(["one"]);
  await console.delete(idOf("one"));
  expect(await world.create(declared)).toMatchObject({ status: "Failed", error: { code: "NotFound" } });
  await world.cycle();
  expect(writes).toEqual([]);
});

test("never sets the tag again once it was there: a person who removes it has the resource", async () => {
  const { world, console, declared, writes } = await existing(["one"]);
  const mutation = await world.create(declared);
  await console.putTags(idOf("one"), { team: "blue" });
  await world.runtime.advance(180_000);
  await world.cycle();
  expect((await world.component(mutation.components[0]?.id ?? "")).status).toBe("ManualOverride");
  await world.deploy(mutation.livesystemId, declared);
  expect(writes).toEqual(["update one"]);
});

test.each([
  ["removes the tag", {}],
  ["gives the tag another value", { "managed-by": "me" }],
])("a person who %s in the very moment has the resource", async (_, left) => {
  const { world, console, declared, writes } = await existing(["one"]);
  const { update } = world.clouds.a;
  Object.assign(world.clouds.a, {
    update: async (...args: Parameters<typeof update>) => {
      const written = await update(...args);
      await console.putTags(idOf("one"), { team: "blue", ...left });
      return written;
    },
  });
  const created = world.create(declared);
  for (let at = 0; at < 20; at++) await world.runtime.advance(1_000);
  const mutation = await created;
  expect(mutation.held).toEqual([mutation.components[0]?.id]);
  expect((await world.component(mutation.components[0]?.id ?? "")).status).toBe("ManualOverride");
  expect(writes).toEqual(["update one"]);
});

test("what somebody changes in the very moment of an adoption is corrected by the same deploy", async () => {
  const { world, console, declared, tagsOf } = await existing(["one"]);
  const { update } = world.clouds.a;
  let isFirst = true;
  Object.assign(world.clouds.a, {
    update: async (...args: Parameters<typeof update>) => {
      const written = await update(...args);
      if (isFirst) await console.patchParameters(idOf("one"), { properties: { size: 2 } });
      isFirst = false;
      return written;
    },
  });
  expect(await world.passing(world.create(declared))).toMatchObject({ status: "Succeeded" });
  expect(await console.get(idOf("one"))).toMatchObject({ parameters });
  expect(await tagsOf("one")).toEqual({ team: "blue", "managed-by": "platform" });
});

test("a deploy fails and says so if the tag can't be set because somebody else is always faster", async () => {
  const { world, declared, tagsOf } = await existing(["one"]);
  Object.assign(world.clouds.a, { update: () => Promise.reject(new LiveplaneError("PreconditionFailed")) });
  const error = { code: "ProviderError", detail: "The management tag was not set." };
  expect(await world.passing(world.create(declared))).toMatchObject({ status: "Failed", error });
  expect(await tagsOf("one")).toEqual({ team: "blue" });
});

test("a resource with the tag that differs is refused, and nobody is told of an adoption", async () => {
  const { world, console, declared } = await existing(["one"]);
  await console.putTags(idOf("one"), { team: "blue", "managed-by": "platform" });
  await console.patchParameters(idOf("one"), { properties: { size: 2 } });
  expect(await world.create(declared)).toMatchObject({ status: "Failed", error: { code: "NotAdoptable" } });
  await world.runtime.advance(180_000);
  await world.cycle();
  expect((await world.events()).filter(({ type }) => type === "component.provisioned")).toEqual([]);
});

test("a person who removes the tag while the cloud is still at it has the resource", async () => {
  const { world, console, declared, writes, tagsOf } = await existing(["one"], {
    follows: false,
    cloud: { slownessOf: () => ({ takesMs: 30_000 }) },
  });
  const made = await world.call("liveSystems.create", { body: declared });
  const { livesystemId } = made as { livesystemId: string };
  const running = world.override.mutations.advance(livesystemId);
  await world.runtime.advance(10_000);
  expect(await tagsOf("one")).toEqual({ team: "blue", "managed-by": "platform" });
  await console.putTags(idOf("one"), { team: "blue" });
  await world.runtime.advance(120_000);
  await running;
  await world.runtime.advance(180_000);
  await world.cycle();
  expect(writes).toEqual(["update one"]);
  expect(await tagsOf("one")).toEqual({ team: "blue" });
  expect(await world.component(`${livesystemId}/one`)).toMatchObject({ status: "ManualOverride" });
});

test("a person who removes the tag before anybody saw it has the resource, though the cloud is still at it", async () => {
  const { world, console, declared, writes, tagsOf } = await existing(["one"], {
    cloud: { slownessOf: () => ({ takesMs: 30_000 }) },
  });
  const { update } = world.clouds.a;
  Object.assign(world.clouds.a, {
    update: async (...args: Parameters<typeof update>) => {
      const begun = await update(...args);
      await console.putTags(idOf("one"), { team: "blue" });
      return begun;
    },
  });
  await world.passing(world.create(declared));
  await world.cycles(2);
  expect(writes).toEqual(["update one"]);
  expect(await tagsOf("one")).toEqual({ team: "blue" });
});

test.each(["etag", "mask"] as const)(
  "looks once more right before the tag is set, where tags are bound by %s",
  async (tags) => {
    const boundBy = () => ({ create: "etag", properties: "mask", tags }) as const;
    const { world, console, declared, tagsOf } = await existing(["one"], { cloud: { boundBy } });
    const { read } = world.clouds.a;
    let reads = 0;
    Object.assign(world.clouds.a, {
      read: async (...args: Parameters<typeof read>) => {
        const reading = await read(...args);
        reads += 1;
        if (reads === 1) await console.putTags(idOf("one"), { "managed-by": "terraform" });
        return reading;
      },
    });
    const created = world.create(declared);
    for (let at = 0; at < 20; at++) await world.runtime.advance(1_000);
    expect(await created).toMatchObject({ status: "Failed", error: { code: "NotAdoptable" } });
    expect(await tagsOf("one")).toEqual({ "managed-by": "terraform" });
  },
);

test("refuses a type whose tags are written with the whole resource", async () => {
  const boundBy = () => ({ create: "etag", properties: "none", tags: "none" }) as const;
  const { world, declared, writes } = await existing(["one"], { cloud: { boundBy } });
  expect(await world.create(declared)).toMatchObject({ status: "Failed", error: { code: "NotAdoptable" } });
  expect(writes).toEqual([]);
});

test("adopts a type whose tags can be written by themselves, however its other properties are written", async () => {
  const boundBy = () => ({ create: "etag", properties: "none", tags: "etag" }) as const;
  const { world, declared, writes } = await existing(["one"], { cloud: { boundBy } });
  expect(await world.create(declared)).toMatchObject({ status: "Succeeded" });
  expect(writes).toEqual(["update one"]);
});

test("a live system that is deleted leaves its resources as they were, but for the tag", async () => {
  const { world, console, declared } = await existing(["one"]);
  const before = await console.get(idOf("one"));
  const { livesystemId } = await world.create(declared);
  await world.remove(livesystemId);
  const after = await console.get(idOf("one"));
  expect({ ...after, etag: "", tags: { team: after?.tags.team } }).toEqual({ ...before, etag: "" });
});

test.each([{}, { "managed-by": "platform" }])(
  "what was refused and never written is released, not deleted: %j",
  async (tag) => {
    const { world, console, declared, writes } = await existing(["one"]);
    await console.putTags(idOf("one"), { team: "blue", ...tag });
    await console.patchParameters(idOf("one"), { properties: { size: 2 } });
    const components = declared.components.map((one) => ({ ...one, deletionPolicy: "Delete" as const }));
    const { livesystemId: system, error } = await world.create({ ...declared, components });
    expect(error).not.toBeNull();
    const removed = await world.passing(world.remove(system));
    expect(removed.released).toHaveLength(1);
    expect(writes).toEqual([]);
    expect(await world.events("component.deleted")).toEqual([]);
    expect(await world.events("component.released")).toMatchObject([{ data: { resourceId: idOf("one") } }]);
  },
);

const mostly = (usual: boolean) => fc.constantFrom(usual, usual, usual, usual, usual, !usual);
const cases = fc.record({
  state: fc.constantFrom("missing", "unreadable", "working", "failed", "present", "present"),
  value: fc.constantFrom(undefined, undefined, "platform", "Platform", ""),
  differs: mostly(false),
  tags: fc.constantFrom("etag", "none"),
  unconditionalWrites: fc.boolean(),
  adoptsExactly: mostly(true),
  leaving: mostly(false),
  provisioned: mostly(false),
  status: fc.constantFrom("Active", "Active", "Active", "ManualOverride", "ReconcileRequested"),
  tagOwner: fc.constantFrom(null, null, "declared", "former"),
});

test("is refused or due exactly where the protocol says so", () => {
  fc.assert(
    fc.property(cases, ({ state, value, differs, tags, tagOwner, ...one }) => {
      const { unconditionalWrites, adoptsExactly, leaving, provisioned, status } = one;
      const type = { boundBy: { create: "etag", properties: "etag", tags } };
      const cloud = { capabilities: { caselessTagKeys: true }, resourceType: () => type };
      const overrideWith = tagOwner === "declared" ? "net" : null;
      const declared = { adoptsExactly, leaving, unconditionalWrites, overrideWith };
      const expectation = { cloud, declared, tagOwner: tagOwner === null ? null : { path: "net" } };
      const isSeen = state !== "missing" && state !== "unreadable";
      const resource = isSeen ? { tags: value === undefined ? {} : { "Managed-By": value }, parameters: {} } : null;
      const observed = { reading: { state }, resource, changes: [], differs };
      const record = { type: "a", provisioned, status } as const;
      const judged = adoptionOf(record as never, expectation as never, observed as never, managementTag);

      const counted = tagOwner === null ? value : "platform";
      const isForbidden = counted === undefined && tags === "none" && !unconditionalWrites;
      const isForeign = counted !== undefined && counted !== "platform";
      const isRefused = state !== "present" || differs || isForeign || isForbidden;
      const applies = adoptsExactly && !leaving && !provisioned && status === "Active" && state !== "unreadable";
      const due = counted === undefined ? "due" : "none";
      const expected = isRefused ? "refused" : due;
      expect(judged.state).toBe(applies ? expected : "none");
      if (judged.state === "refused") expect(judged.code).toBe(state === "missing" ? "NotFound" : "NotAdoptable");
    }),
    { numRuns: 2_000 },
  );
});
