import { describe, expect, test } from "vitest";
import type { SimulatedRewrite } from "../../src/clouds/simulated/simulated-options.ts";
import type { Component, Mutation } from "../../src/contract/schemas/live-system-schemas.ts";
import type { JsonObject } from "../../src/json-pointer.ts";
import { memoryStore } from "../../src/ports/memory-store.ts";
import type { Store } from "../../src/ports/store.ts";
import { code, definition } from "../builders/handed-over.ts";
import { overrideWorld, type WorldOptions } from "../builders/override.ts";

type Rewrite = (write: SimulatedRewrite) => JsonObject;

const renaming: Rewrite = ({ parameters }) => ({ ...parameters, tier: `T-${parameters.tier}` });
const dropping: Rewrite = ({ parameters: { mode: _, ...others } }) => others;

/** A component whose cloud shows another value than was sent, after the agent has stopped writing it. */
async function givenUp(parameters: JsonObject, rewrites: Rewrite, options: Pick<WorldOptions, "store"> = {}) {
  const updates: string[] = [];
  const world = overrideWorld({
    ...options,
    cloud: {
      rewrites,
      onChange: ({ by, operation }) => {
        if (by === "caller" && operation === "update") updates.push(operation);
      },
    },
  });
  const declared = (now: JsonObject) => definition([{ path: "app", parameters: now }]);
  const mutation: Mutation = await world.create(declared(parameters));
  const [first] = mutation.components;
  if (first?.resourceId == null) throw new Error("not deployed");
  const { id, resourceId } = first;
  const params = { id: mutation.livesystemId, componentId: id };
  const sweep = async (times = 5) => {
    for (let at = 0; at < times; at++) {
      await world.runtime.advance(180_000);
      await world.cycle();
    }
  };
  await sweep();
  const accept = async (pointers: readonly string[], fingerprint?: string) => {
    const body = { pointers, fingerprint: fingerprint ?? (await world.component(id)).fingerprint };
    return (await world.call("liveSystems.components.acceptSettled", { params, body })) as Component;
  };
  const forget = async (...pointers: string[]) =>
    (await world.call("liveSystems.components.forgetSettled", { params, query: { pointers } })) as Component;
  const told = async (type: string) => (await world.events()).filter((event) => event.type === type);
  const redeploy = (now: JsonObject) => world.deploy(mutation.livesystemId, declared(now));
  const console = world.consoles["provider-a"];
  return { world, id, resourceId, console, params, updates, sweep, accept, forget, told, redeploy };
}

describe("accepting what the cloud shows", () => {
  test("makes an ineffective component in sync, without a write", async () => {
    const { world, id, updates, accept, told, sweep } = await givenUp({ tier: "gold" }, renaming);
    const before = await world.component(id);
    expect(before).toMatchObject({ conditions: { inSync: { reason: "Ineffective" } }, settled: [] });
    expect(before.fingerprint).toMatch(/^[0-9a-f]{32}$/);
    const writes = updates.length;
    const after = await accept(["/tier"]);
    expect(after).toMatchObject({
      conditions: { inSync: { value: true, reason: "InSync" } },
      settled: [{ pointer: "/tier", form: "T-gold", by: "person", at: expect.any(String) }],
      fingerprint: null,
    });
    expect(JSON.stringify(after.settled)).not.toContain("digest");
    await sweep();
    expect(updates).toHaveLength(writes);
    expect(await told("component.settled")).toMatchObject([{ data: { pointers: ["/tier"] } }]);
    // It is the declaration that gave way.
    expect(await told("component.corrected")).toEqual([]);
  });

  test.each([
    ["deleted and seen missing", true],
    ["exchanged between two looks", false],
  ])("ends with the resource, %s", async (_how, isSeenMissing) => {
    const { world, id, resourceId, console, accept, sweep } = await givenUp({ tier: "gold" }, renaming);
    await accept(["/tier"]);
    const { type, tags, parameters } = (await console.get(resourceId)) ?? {};
    await console.delete(resourceId);
    if (isSeenMissing) await sweep(1);
    await console.put(resourceId, { type, tags, parameters });
    await sweep(2);
    expect(await world.component(id)).toMatchObject({ conditions: { inSync: { value: false } }, settled: [] });
  });

  test("outlives a correction that the cloud answers with something else", async () => {
    let shown = "old";
    const { world, id, resourceId, console, accept, sweep } = await givenUp({ tier: "gold" }, ({ parameters }) => ({
      ...parameters,
      tier: shown,
    }));
    await accept(["/tier"]);
    shown = "other";
    await console.patchParameters(resourceId, { tier: "other" });
    await sweep();
    const settled = [{ pointer: "/tier", form: "old", by: "person" }];
    expect(await world.component(id)).toMatchObject({ conditions: { inSync: { value: false } }, settled });
    shown = "old";
    await console.patchParameters(resourceId, { tier: "old" });
    await sweep(1);
    expect(await world.component(id)).toMatchObject({ conditions: { inSync: { value: true } }, settled });
  });

  test("is refused if somebody takes the component over while it is being accepted", async () => {
    const memory = memoryStore();
    let looks = Number.NEGATIVE_INFINITY;
    let takeOver = async () => {};
    const store: Store = {
      ...memory,
      get: async (keys, call) => {
        if (keys.some(([, kind]) => kind === "component")) looks += 1;
        if (looks === 2) await takeOver();
        return memory.get(keys, call);
      },
    };
    const { world, id, resourceId, console, accept } = await givenUp({ tier: "gold" }, renaming, { store });
    const { fingerprint } = await world.component(id);
    takeOver = async () => {
      looks = Number.NEGATIVE_INFINITY;
      await console.putTags(resourceId, {});
      await world.cycle();
    };
    looks = 0;
    expect(await code(accept(["/tier"], fingerprint ?? ""))).toBe("InvalidState");
    expect(await world.component(id)).toMatchObject({ status: "ManualOverride", settled: [] });
  });

  test("is refused where something else is declared by now than what was seen to differ", async () => {
    const { world, params, accept, redeploy } = await givenUp({ tier: "gold" }, renaming);
    const { fingerprint } = await world.component(params.componentId);
    await world.consoles["provider-a"].setFaults({ read: "fail" });
    await world.passing(redeploy({ tier: "silver" }));
    expect(await code(accept(["/tier"], fingerprint ?? ""))).toBe("Conflict");
    expect((await world.component(params.componentId)).settled).toEqual([]);
  });

  test("makes what the cloud never shows in sync", async () => {
    const { world, id, accept } = await givenUp({ mode: "Create" }, dropping);
    expect((await world.component(id)).conditions.inSync.reason).toBe("Unproven");
    expect(await accept(["/mode"])).toMatchObject({
      conditions: { inSync: { value: true } },
      settled: [{ pointer: "/mode", form: null }],
    });
  });

  test("ends with another declared value", async () => {
    const { world, id, accept, redeploy, updates } = await givenUp({ tier: "gold" }, renaming);
    await accept(["/tier"]);
    const writes = updates.length;
    await redeploy({ tier: "lead" });
    expect(updates.length).toBeGreaterThan(writes);
    expect((await world.component(id)).settled).not.toMatchObject([{ form: "T-gold" }]);
  });

  test("doesn't come back with the value that it was for, once another one was declared", async () => {
    const { world, id, accept, redeploy, sweep } = await givenUp({ tier: "gold" }, renaming);
    await accept(["/tier"]);
    await redeploy({ tier: "T-gold" });
    await sweep(1);
    expect(await world.component(id)).toMatchObject({ settled: [] });
    const deploying = redeploy({ tier: "gold" });
    await sweep();
    await deploying;
    expect(await world.component(id)).toMatchObject({ conditions: { inSync: { value: false } }, settled: [] });
  });

  test("still corrects what somebody changes by hand later", async () => {
    const { accept, console, resourceId, sweep, updates } = await givenUp({ tier: "gold" }, renaming);
    await accept(["/tier"]);
    const writes = updates.length;
    await console.patchParameters(resourceId, { tier: "T-lead" });
    await sweep(2);
    expect(updates.length).toBe(writes + 1);
    expect((await console.get(resourceId))?.parameters.tier).toBe("T-gold");
  });

  test("is refused once the differences are others than those that were read", async () => {
    const { world, id, accept, console, resourceId } = await givenUp({ tier: "gold" }, renaming);
    const { fingerprint } = await world.component(id);
    await console.putTags(resourceId, {});
    await console.patchParameters(resourceId, { tier: "other" });
    await world.cycle();
    expect((await world.component(id)).fingerprint).not.toBe(fingerprint);
    await expect(accept(["/tier"], fingerprint ?? "")).rejects.toMatchObject({ code: "Conflict", status: 409 });
  });

  test("is refused while a person has the component", async () => {
    const { world, accept, console, resourceId } = await givenUp({ tier: "gold" }, renaming);
    await console.putTags(resourceId, {});
    await world.cycle();
    await expect(accept(["/tier"])).rejects.toMatchObject({ code: "InvalidState" });
  });

  test("names every place that isn't declared or doesn't differ", async () => {
    const { accept } = await givenUp({ tier: "gold", size: 1 }, renaming);
    await expect(accept(["/tier", "/size", "/colour"])).rejects.toMatchObject({
      code: "ValidationFailed",
      status: 400,
      details: { errors: [{ pointer: "#/pointers/1" }, { pointer: "#/pointers/2" }] },
    });
  });

  test("accepts that a secret isn't shown, until it changes", async () => {
    const hiding: Rewrite = ({ parameters: { userPassword: _, ...others } }) => others;
    const { world, id, accept, redeploy, updates, sweep } = await givenUp({ userPassword: "a long one" }, hiding);
    expect((await world.component(id)).conditions.inSync.reason).toBe("Unproven");
    expect(await accept(["/userPassword"])).toMatchObject({
      conditions: { inSync: { value: true } },
      settled: [{ pointer: "/userPassword", form: null, by: "person" }],
    });
    const writes = updates.length;
    await sweep();
    expect(updates).toHaveLength(writes);
    const deploying = redeploy({ userPassword: "another one" });
    await sweep();
    await deploying;
    expect(updates.length).toBeGreaterThan(writes);
    expect(await world.component(id)).toMatchObject({ settled: [], conditions: { inSync: { reason: "Unproven" } } });
  });

  test("never accepts a secret", async () => {
    const masking: Rewrite = ({ parameters }) => ({ ...parameters, userPassword: "masked" });
    const { world, id, accept } = await givenUp({ userPassword: "a long one" }, masking);
    expect((await world.component(id)).conditions.inSync.value).toBe(false);
    await expect(accept(["/userPassword"])).rejects.toMatchObject({
      code: "ValidationFailed",
      details: { errors: [{ pointer: "#/pointers/0" }] },
    });
  });
});

test("accepting one place brings no writes of the others", async () => {
  const both: Rewrite = (write) => dropping({ ...write, parameters: renaming(write) });
  const { world, id, updates, sweep, accept } = await givenUp({ tier: "gold", mode: "Create" }, both);
  const before = updates.length;
  await accept(["/tier"]);
  await sweep();
  expect(updates).toHaveLength(before);
  expect(await world.component(id)).toMatchObject({ conditions: { inSync: { value: false, reason: "Unproven" } } });
  await accept(["/mode"]);
  expect(updates).toHaveLength(before);
  expect(await world.component(id)).toMatchObject({ conditions: { inSync: { value: true } } });
});

describe("forgetting what was accepted", () => {
  test("brings the difference back, and the agent tries again", async () => {
    const { accept, forget, told, updates, sweep, world, id } = await givenUp({ tier: "gold" }, renaming);
    await accept(["/tier"]);
    const writes = updates.length;
    expect(await forget("/tier")).toMatchObject({ settled: [], conditions: { inSync: { value: false } } });
    await sweep();
    expect(updates.length - writes).toBeGreaterThan(0);
    expect(updates.length - writes).toBeLessThanOrEqual(2);
    expect(await told("component.settled_forgotten")).toMatchObject([{ data: { pointers: ["/tier"] } }]);
    expect((await world.component(id)).conditions.inSync.reason).toBe("Ineffective");
  });

  test("lets the agent try again where the cloud shows something else by now", async () => {
    let shown = "old";
    const { resourceId, console, accept, forget, updates, sweep } = await givenUp(
      { tier: "gold" },
      ({ parameters }) => ({ ...parameters, tier: shown }),
    );
    await accept(["/tier"]);
    shown = "other";
    await console.patchParameters(resourceId, { tier: "other" });
    await sweep();
    const writes = updates.length;
    await sweep();
    expect(updates).toHaveLength(writes);
    await forget("/tier");
    await sweep();
    expect(updates).toHaveLength(writes + 2);
  });

  test("names a place of which nothing is known", async () => {
    const { forget } = await givenUp({ tier: "gold" }, renaming);
    await expect(forget("/tier")).rejects.toMatchObject({
      code: "ValidationFailed",
      details: { errors: [{ parameter: "pointers" }] },
    });
  });
});

test("a form that holds a secret is neither kept nor shown", async () => {
  const adding: Rewrite = ({ parameters }) => ({
    ...parameters,
    users: [...(parameters.users as JsonObject[]), { userName: "root", password: "generated" }],
  });
  const { world, id, console, resourceId, sweep, updates } = await givenUp({ users: [{ userName: "ada" }] }, adding);
  const writes = updates.length;
  await console.patchParameters(resourceId, { users: [] });
  await sweep(2);
  expect(updates.length).toBeGreaterThan(writes);
  const component = await world.component(id);
  expect(component.settled).toEqual([]);
  expect(JSON.stringify(component)).not.toContain("generated");
});

test("a secret that the cloud spells in its own way is settled by a digest alone", async () => {
  const absolute: Rewrite = ({ parameters }) => ({ ...parameters, secret: `/projects/p/secrets/${parameters.secret}` });
  const { world, id, console, resourceId, sweep, updates } = await givenUp({ secret: "of-the-shop" }, absolute);
  expect(updates).toEqual([]);
  const component = await world.component(id);
  expect(component).toMatchObject({
    conditions: { inSync: { value: true } },
    settled: [{ pointer: "/secret", form: "[redacted]", by: "spelling" }],
  });
  const stored = await world.store.list({ prefix: ["record", "component"] });
  expect(JSON.stringify(stored.map(({ value }) => (value as JsonObject).settled))).not.toContain("projects");
  await console.patchParameters(resourceId, { secret: "/projects/p/secrets/of-another" });
  await sweep(2);
  expect(updates).toHaveLength(1);
  expect((await console.get(resourceId))?.parameters.secret).toBe("/projects/p/secrets/of-the-shop");
  expect(await world.component(id)).toMatchObject({ conditions: { inSync: { value: true } } });
});
