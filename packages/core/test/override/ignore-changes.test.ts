import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { azureFacts } from "../../src/clouds/facts/azure-facts.ts";
import { isObject, type JsonObject, pointerTo, sameJson, valueAt } from "../../src/json-pointer.ts";
import { heededOf, isIgnored, placeMistake } from "../../src/override/declarations/ignored.ts";
import { compare, type Expected } from "../../src/override/protocol/drift.ts";
import { keepPatch } from "../../src/override/protocol/keep-patch.ts";
import type { Json } from "../../src/ports/store.ts";
import { bothClouds } from "../builders/both-clouds.ts";
import { both, code, definition, deployed, managed, planOf } from "../builders/handed-over.ts";
import { applyPatch } from "../builders/json-patch.ts";
import { overrideWorld } from "../builders/override.ts";

const scaled = { parameters: { size: 1, scale: { count: 2, mode: "auto" } }, ignoreChanges: ["/scale/count"] };

describe.each(bothClouds)("$provider: what is ignored", (flavour) => {
  test("is set at creation, and then the cloud's: no drift, no correction, both values shown", async () => {
    const { world, id, resourceId, console } = await deployed({ ...flavour, ...scaled });
    expect((await console.get(resourceId))?.parameters).toMatchObject({ scale: { count: 2, mode: "auto" } });
    await console.patchParameters(resourceId, { scale: { count: 9 } });
    await world.cycle();
    const component = await world.component(id);
    expect(component.conditions.inSync).toMatchObject({ value: true });
    expect(component.outputFields).not.toHaveProperty("drift");
    expect(component.ignored).toEqual({ "/scale/count": { declared: 2, actual: 9 } });
    await console.patchParameters(resourceId, { scale: { mode: "manual" } });
    await world.cycle();
    expect((await console.get(resourceId))?.parameters).toMatchObject({ scale: { count: 9, mode: "auto" } });
    const { version } = await world.component(id);
    await world.cycle();
    expect((await world.component(id)).version).toBe(version);
  });

  test("is set again where the resource is provisioned anew, and the plan says so", async () => {
    const { world, system, id, resourceId, console } = await deployed({ ...flavour, ...scaled });
    await console.putTags(resourceId, {});
    await world.cycle();
    await console.delete(resourceId);
    await world.cycle();
    const body = definition([{ path: "app", ...flavour, ...scaled }]);
    const plan = await world.plan(system, body);
    expect(plan).toMatchObject({ components: [{ action: "create" }] });
    expect(JSON.stringify(plan)).toContain('"declared":{"count":2,"mode":"auto"}');
    await world.deploy(system, body);
    expect((await world.component(id)).status).toBe("Active");
    expect((await console.get(resourceId))?.parameters).toMatchObject({ scale: { count: 2 } });
  });

  test("that refers to another component is waited for when the resource is missing", async () => {
    const world = overrideWorld();
    const app = { parameters: { size: 1, net: { $output: "net#id" } }, ignoreChanges: ["/net"] };
    const both = [{ path: "net" }, { path: "app", ...app }].map((one) => ({ ...one, ...flavour }));
    const { livesystemId: system } = await world.create(definition(both));
    const [id, netId] = [`${system}/app`, `${system}/net`];
    const console = world.consoles[flavour.provider];
    const [resourceId = "", net = ""] = (await Promise.all([id, netId].map(world.component))).map(
      (one) => one.resourceId ?? "",
    );
    await console.putTags(net, {});
    await world.cycle();
    await console.delete(net);
    await world.cycle();
    await console.delete(resourceId);
    await world.check(id);
    expect((await world.component(id)).conditions.inSync).toMatchObject({ reason: "Blocked", blockedBy: netId });
    expect(await console.get(resourceId)).toBeNull();
  });

  test("is no part of a hand-back: not of its drift, its plan, its patch, nor of what it writes", async () => {
    const { world, id, params, resourceId, console } = await deployed({ ...flavour, ...scaled });
    await console.putTags(resourceId, {});
    await console.patchParameters(resourceId, { scale: { count: 9, mode: "manual" } });
    await world.cycle();
    expect((await world.component(id)).outputFields.drift).toEqual({
      scale: { declared: { mode: "auto" }, actual: { mode: "manual" } },
    });
    const { changes, keepPatch: patch } = await planOf(world, params);
    expect(changes.map(({ pointer }) => pointer)).toEqual(["/scale/mode"]);
    expect(patch.map(({ path }) => path)).toEqual(["/components/0/path", "/components/0/parameters/scale/mode"]);
    await console.putTags(resourceId, both);
    await world.cycle();
    expect(await world.component(id)).toMatchObject({ status: "Active" });
    expect((await console.get(resourceId))?.parameters).toMatchObject({ scale: { count: 9, mode: "auto" } });
  });

  test("isn't written by a redeploy that declares another value, whose plan has nothing to do", async () => {
    const { world, system, id, resourceId, console } = await deployed({ ...flavour, ...scaled });
    const other = { ...scaled, parameters: { size: 1, scale: { count: 5, mode: "auto" } } };
    const body = definition([{ path: "app", ...flavour, ...other }]);
    const plan = await world.plan(system, body);
    expect(plan).toMatchObject({ components: [{ action: "none", changes: [] }] });
    expect(await world.deploy(system, body)).toMatchObject({ status: "Succeeded" });
    expect((await console.get(resourceId))?.parameters).toMatchObject({ scale: { count: 2 } });
    expect((await world.component(id)).ignored).toEqual({ "/scale/count": { declared: 5, actual: 2 } });
  });

  test("is written by no adoption of a resource that is there already", async () => {
    const retained = { ...flavour, ...scaled, deletionPolicy: "Retain" };
    const { world, system, id, resourceId, console } = await deployed(retained);
    await world.deploy(system, definition([{ path: "other", ...flavour }]));
    await console.patchParameters(resourceId, { size: 7, scale: { count: 9 } });
    expect(await world.deploy(system, definition([{ path: "app", ...retained, resourceId }]))).toMatchObject({
      status: "Succeeded",
    });
    expect(await world.component(id)).toMatchObject({ status: "Active", resourceId });
    expect((await console.get(resourceId))?.parameters).toMatchObject({ size: 1, scale: { count: 9, mode: "auto" } });
  });
});

describe.each(bothClouds)("$provider: a reference that is ignored", (flavour) => {
  const secretly = { ...flavour, parameters: { size: 1, password: { $secret: "db" } }, ignoreChanges: ["/password"] };
  const grown = { ...secretly, parameters: { ...secretly.parameters, size: 2 } };

  test("may name a secret that has gone, once its resource is there", async () => {
    const { world, system, id, resourceId, console } = await deployed(secretly, { secrets: { db: "hunter22" } });
    world.secrets.delete("db");
    const body = definition([{ path: "app", ...grown }]);
    const plan = await world.plan(system, body);
    expect(plan).toMatchObject({ components: [{ action: "correct" }] });
    expect(await world.deploy(system, body)).toMatchObject({ status: "Succeeded" });
    expect((await console.get(resourceId))?.parameters).toMatchObject({ size: 2, password: "hunter22" });
    const moved = definition([{ path: "moved", movedFrom: "app", ...grown }]);
    expect(await world.deploy(system, moved)).toMatchObject({ status: "Succeeded" });
    expect(await code(world.component(id))).toBe("NotFound");
    const other = definition([{ path: "other", ...grown }]);
    expect(await code(world.deploy(system, other))).toBe("InvalidDeclaration");
  });

  test("fails the deploy at its place where its resource has to be made anew", async () => {
    const { world, system, resourceId, console } = await deployed(secretly, { secrets: { db: "hunter22" } });
    world.secrets.delete("db");
    await console.delete(resourceId);
    const mutation = await world.passing(world.deploy(system, definition([{ path: "app", ...grown }])));
    expect(mutation).toMatchObject({ status: "Failed", error: { code: "InvalidDeclaration" } });
    expect(mutation.error?.detail).toContain("/parameters/password");
  });

  test("is waited for where its resource has to be made anew", async () => {
    const app = { path: "app", ...flavour, ignoreChanges: ["/at"] };
    const { world, system, resourceId, console } = await deployed({ ...app, parameters: { size: 1, at: 1 } });
    await console.putTags(resourceId, {});
    await world.cycle();
    await console.delete(resourceId);
    await world.cycle();
    const body = definition([
      { ...app, parameters: { size: 1, at: { $output: "base#size" } } },
      { path: "base", ...flavour, parameters: { size: 5 } },
    ]);
    expect(await world.plan(system, body)).toMatchObject({ error: null });
    expect(await world.passing(world.deploy(system, body))).toMatchObject({ status: "Succeeded" });
    expect((await console.get(resourceId))?.parameters).toMatchObject({ at: 5 });
  });

  test("holds nothing back when what it names can't be written", async () => {
    let isBroken = false;
    const faultOf = ({ operation, resourceId }: { operation: string; resourceId: string | null }) =>
      isBroken && operation === "write" && resourceId?.includes("base-") ? ("fail" as const) : null;
    const of = (size: number) =>
      definition([
        { path: "base", ...flavour, parameters: { size } },
        { path: "app", ...flavour, parameters: { size, at: { $output: "base#size" } }, ignoreChanges: ["/at"] },
        { path: "reader", ...flavour, parameters: { size, at: { $output: "base#size" } } },
      ]);
    const world = overrideWorld({ cloud: { faultOf } });
    const { livesystemId: system, components } = await world.create(of(1));
    const size = async (path: string) => {
      const found = components.find(({ id }) => id.endsWith(`/${path}`));
      return (await world.consoles[flavour.provider].get(found?.resourceId ?? ""))?.parameters.size;
    };
    isBroken = true;
    const mutation = await world.passing(world.deploy(system, of(2)));
    expect(mutation).toMatchObject({ status: "Failed", error: { componentId: `${system}/base` } });
    expect([await size("base"), await size("app"), await size("reader")]).toEqual([1, 2, 1]);
    await world.passing(world.deploy(system, of(3)));
    await world.consoles[flavour.provider].patchParameters(
      components.find(({ id }) => id.endsWith("/app"))?.resourceId ?? "",
      { size: 9 },
    );
    await world.cycle();
    expect(await size("app")).toBe(3);
    expect((await world.component(`${system}/reader`)).conditions.inSync).toMatchObject({ reason: "Blocked" });
  });
});

const immutable = [
  { provider: "provider-a", type: "Microsoft.Storage/storageAccounts@2024-01-01", fixed: "location" },
  { provider: "provider-b", type: "redis.v1.instance", fixed: "tier" },
] as const;

test.each(immutable)(
  "$provider: a reference and an immutable member that are ignored block nothing once the resource is there",
  async ({ fixed, ...kind }) => {
    const named = { ...kind, ignoreChanges: ["/password", `/${fixed}`] };
    const first = { ...named, parameters: { size: 1, password: { $secret: "db" }, [fixed]: "westeurope" } };
    const { world, system, id } = await deployed(first, { secrets: { db: "hunter22" } });
    world.secrets.delete("db");
    await world.cycle();
    expect((await world.component(id)).conditions.inSync).toMatchObject({ value: true });
    world.secrets.set("db", "hunter22");
    const moved = { ...named, parameters: { ...first.parameters, [fixed]: "northeurope" } };
    expect(await world.deploy(system, definition([{ path: "app", ...moved }]))).toMatchObject({ status: "Succeeded" });
    expect((await world.component(id)).conditions.inSync).toMatchObject({ value: true });
  },
);

test.each(bothClouds)("$provider: what is ignored and secret is shown as redacted on both sides", async (flavour) => {
  const secret = { ...flavour, parameters: { size: 1, login: { $secret: "db" } }, ignoreChanges: ["/login"] };
  const { world, id, resourceId, console } = await deployed(secret, { secrets: { db: "hunter22" } });
  await console.patchParameters(resourceId, { login: "by-hand-77" });
  await world.cycle();
  expect((await world.component(id)).ignored).toEqual({ "/login": { declared: "[redacted]", actual: "[redacted]" } });
  expect(JSON.stringify(await world.store.list({ prefix: ["record"], limit: 1000 }))).not.toContain("by-hand-77");
});

test("a tag that is ignored is the cloud's, however its key is spelled", async () => {
  const tagged = { parameters: { size: 1, tags: { Cost: "a", own: "b" } }, ignoreChanges: ["/tags/cost"] };
  const { world, id, resourceId, console } = await deployed(tagged);
  await console.putTags(resourceId, { ...managed, cost: "other", own: "x" });
  await world.cycle();
  expect((await console.get(resourceId))?.tags).toEqual({ ...managed, cost: "other", own: "b" });
  expect((await world.component(id)).ignored).toEqual({ "/tags/Cost": { declared: "a", actual: "other" } });
});

test("names what can't be ignored: all, a part of an array, a part of a reference, what is no pointer", () => {
  const parameters = { list: [{ a: 1 }], of: { $secret: "db" }, deep: { "a/b": 1 } };
  for (const pointer of ["", "list", "/list/0", "/list/0/a", "/of/$secret", "/a~2"])
    expect(placeMistake(pointer, parameters, undefined), pointer).not.toBeNull();
  for (const pointer of ["/list", "/of", "/deep/a~1b", "/deep", "/not/declared"])
    expect(placeMistake(pointer, parameters, undefined), pointer).toBeNull();
});

const shape = { sets: ["/one", "/two/one"], caseless: ["/x~1~0", "/two/two"] };
const type = { ...azureFacts.resourceType("Microsoft.Compute/virtualMachines"), ...shape };
const name = fc.constantFrom("one", "two", "x/~");
const leaf = fc.oneof(fc.integer({ min: 0, max: 2 }), fc.constantFrom("a", "b", "A b", "ab", false), fc.constant(null));
const json = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof({ maxDepth: 3 }, leaf, fc.array(tie("value"), { maxLength: 2 }), fc.dictionary(name, tie("value"))),
})).value;
const parameters = fc.dictionary(name, json) as fc.Arbitrary<JsonObject>;
const pointers = fc.array(
  fc.array(name, { minLength: 1, maxLength: 3 }).map((steps) => steps.reduce(pointerTo, "")),
  { maxLength: 3 },
);
const declaredWith = fc.tuple(parameters, pointers).map(([declared, all]) => ({
  declared,
  ignored: all.filter((at) => placeMistake(at, declared, undefined) === null),
}));

function wanted(declared: JsonObject, ignored: readonly string[]): Expected {
  const how = {
    secrets: [],
    tagParameter: "tags",
    caselessTagKeys: true,
    unapplied: new Set<string>(),
    scope: "own",
    settled: new Map(),
    extraItems: {},
  };
  return { parameters: declared, ignored, type, ...how };
}

/** Whether an ignored place is declared, and there: a value that is written over what holds it takes it along. */
function isReached(declared: JsonObject, there: JsonObject, pointer: string): boolean {
  if (valueAt(declared, pointer) === undefined) return false;
  const above = pointer.slice(0, pointer.lastIndexOf("/"));
  return isObject(above === "" ? there : valueAt(there, above));
}

test("nothing of a comparison lies in what is ignored, one without it is the same, and its parts agree", () => {
  fc.assert(
    fc.property(declaredWith, parameters, ({ declared, ignored }, there) => {
      const found = compare(wanted(declared, ignored), { parameters: there, tags: {} });
      for (const { pointer } of [...found.changes, ...found.corrections])
        expect(isIgnored(pointer, ignored)).toBe(false);
      const { changes, drift, corrections } = compare(wanted(heededOf(declared, ignored), []), {
        parameters: there,
        tags: {},
      });
      expect([found.changes, found.corrections]).toEqual([changes, corrections]);
      expect(new Set(changes.map(({ parameter }) => parameter))).toEqual(new Set(Object.keys(drift)));
      expect(corrections).toHaveLength(changes.length);
    }),
    { numRuns: 2000 },
  );
});

test("corrections leave what is ignored as it is, and nothing else differs afterwards", () => {
  fc.assert(
    fc.property(declaredWith, parameters, ({ declared, ignored }, there) => {
      const expected = wanted(declared, ignored);
      const { corrections } = compare(expected, { parameters: there, tags: {} });
      const after = applyPatch(
        there,
        corrections.map(({ pointer: path, value }) => ({ op: "replace" as const, path, value })),
      ) as JsonObject;
      expect(compare(expected, { parameters: after, tags: {} }).changes).toEqual([]);
      for (const pointer of ignored) {
        if (!isReached(declared, there, pointer)) continue;
        expect(sameJson(valueAt(after, pointer), valueAt(there, pointer)), pointer).toBe(true);
      }
    }),
    { numRuns: 2000 },
  );
});

test("the patch that keeps leaves what is declared and ignored as it is, and what it expresses differs no more", () => {
  fc.assert(
    fc.property(declaredWith, parameters, ({ declared, ignored }, there) => {
      const component = { path: "a", provider: "p", type: "t", parameters: declared, ignoreChanges: ignored };
      const { changes } = compare(wanted(declared, ignored), { parameters: there, tags: {} });
      const { patch, leftOut } = keepPatch([component], 0, changes, []);
      const after = applyPatch({ components: [component] } as unknown as Json, patch) as unknown as {
        components: [{ parameters: JsonObject }];
      };
      const [kept] = after.components;
      for (const pointer of ignored) expect(valueAt(kept.parameters, pointer)).toEqual(valueAt(declared, pointer));
      const left = compare(wanted(kept.parameters, ignored), { parameters: there, tags: {} }).changes;
      expect(left.map(({ pointer }) => pointer)).toEqual([...leftOut]);
      if (ignored.length === 0) expect(leftOut).toEqual([]);
    }),
    { numRuns: 2000 },
  );
});
