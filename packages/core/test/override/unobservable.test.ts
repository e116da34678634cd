import { describe, expect, test } from "vitest";
import { LiveplaneError } from "../../src/errors.ts";
import type { JsonObject } from "../../src/json-pointer.ts";
import type { Cloud, ResourceChange } from "../../src/ports/cloud.ts";
import { bothClouds } from "../builders/both-clouds.ts";
import { both, definition, deployed, managed, overridden, planOf } from "../builders/handed-over.ts";
import { overrideWorld } from "../builders/override.ts";

const kinds = {
  "provider-a": { type: "Microsoft.DBforPostgreSQL/flexibleServers@2024-08-01", secret: "administratorLoginPassword" },
  "provider-b": { type: "sqladmin.v1.instance", secret: "rootPassword" },
} as const;

describe.each(bothClouds)("$provider: what the cloud never gives back", ({ provider }) => {
  const { type, secret } = kinds[provider];
  /** Said at creation alone. */
  const once = "mode";
  /** Taken at any time and never given back, though nothing of it is secret. */
  const taken = "hints";
  const unseen = [once, taken, secret];

  /** Clouds that never show these, and the corrections that they were sent. */
  function unechoing(drops: readonly string[] = unseen) {
    const sent: ResourceChange[] = [];
    const refusals = { left: 0 };
    const without = ({ ...parameters }: JsonObject) => {
      const shown: Record<string, JsonObject[string]> = parameters;
      for (const name of drops) delete shown[name];
      return shown;
    };
    const quiet = (cloud: Cloud): Cloud => ({
      ...cloud,
      resourceType: (of) => {
        const known = cloud.resourceType(of);
        return { ...known, inputOnly: [once, taken], immutable: [...known.immutable, once] };
      },
      async read(ref, call) {
        const reading = await cloud.read(ref, call);
        return reading.state === "present" ? { ...reading, parameters: without(reading.parameters) } : reading;
      },
      async readMany(refs, call) {
        const readings = await cloud.readMany(refs, call);
        return readings.map((reading) =>
          reading.state === "present" ? { ...reading, parameters: without(reading.parameters) } : reading,
        );
      },
      async create(resource, call) {
        const { shown, ...created } = await cloud.create(resource, call);
        return { ...created, ...(shown && { shown: { ...shown, parameters: without(shown.parameters) } }) };
      },
      async update(ref, change, condition, call) {
        sent.push(change);
        if (refusals.left-- > 0) throw new LiveplaneError("ProviderError", "Not now.", { details: { refused: true } });
        const { shown, ...written } = await cloud.update(ref, change, condition, call);
        return { ...written, ...(shown && { shown: { ...shown, parameters: without(shown.parameters) } }) };
      },
    });
    const parametersSent = () => sent.flatMap(({ parameters }) => parameters);
    return { clouds: (all: readonly Cloud[]) => all.map(quiet), parametersSent, refusals };
  }

  const parameters = (more: JsonObject = {}) => ({
    size: 1,
    [once]: "Create",
    [taken]: { from: "backup" },
    [secret]: { $secret: "pw" },
    ...more,
  });
  const component = (more: JsonObject = {}) => ({ provider, type, parameters: parameters(more) });
  const redeclared = (more: JsonObject) => definition([{ path: "app", ...component(more) }]);
  const secrets = { pw: "first-password" };

  test("is no drift, and what isn't secret of it is shown as it was declared", async () => {
    const { clouds, parametersSent } = unechoing();
    const { world, id } = await deployed(component(), { secrets, clouds });
    await world.cycle();
    expect(parametersSent()).toEqual([]);
    const shown = await world.component(id);
    expect(shown.conditions.inSync).toMatchObject({ value: true, reason: "InSync" });
    expect(shown.parameters).toEqual(parameters());
    expect(shown.unobservable.toSorted()).toEqual(unseen.map((name) => `/${name}`).toSorted());
  });

  test("is written where the declared value or the secret changes, once", async () => {
    const { clouds, parametersSent } = unechoing();
    const { world, system, id } = await deployed(component(), { secrets, clouds });
    await world.deploy(system, redeclared({ [taken]: { from: "image" } }));
    await world.cycle();
    expect(parametersSent()).toEqual([{ pointer: `/${taken}`, value: { from: "image" } }]);
    world.secrets.set("pw", "second-password");
    await world.cycle();
    await world.cycle();
    expect(parametersSent().slice(1)).toEqual([{ pointer: `/${secret}`, value: "second-password" }]);
    expect((await world.component(id)).conditions.inSync.value).toBe(true);
  });

  test("is written again where the cloud refused it", async () => {
    const { clouds, parametersSent, refusals } = unechoing();
    const { world, id } = await deployed(component(), { secrets, clouds });
    world.secrets.set("pw", "second-password");
    refusals.left = 1;
    await world.cycle();
    expect((await world.component(id)).conditions.inSync).toMatchObject({ value: false, reason: "Drift" });
    await world.cycles(3);
    const written = { pointer: `/${secret}`, value: "second-password" };
    expect(parametersSent()).toEqual([written, written]);
    expect((await world.component(id)).conditions.inSync.value).toBe(true);
  });

  test("is no difference while its secret is gone, which is named, and is written once the secret has another value", async () => {
    const { clouds, parametersSent } = unechoing();
    const { world, id } = await deployed(component(), { secrets, clouds });
    world.secrets.delete("pw");
    await world.cycle();
    const { conditions, health, outputFields } = await world.component(id);
    expect(conditions.inSync).toMatchObject({
      value: false,
      reason: "ReferenceNotFound",
      message: `The secret pw, which /parameters/${secret} refers to, does not exist.`,
    });
    expect(health).toBe("Uncorrectable");
    expect(outputFields.drift).toBeUndefined();
    world.secrets.set("pw", "first-password");
    await world.cycle();
    expect((await world.component(id)).conditions.inSync.value).toBe(true);
    expect(parametersSent()).toEqual([]);
    world.secrets.set("pw", "second-password");
    await world.cycle();
    expect(parametersSent()).toEqual([{ pointer: `/${secret}`, value: "second-password" }]);
  });

  test("is written where it is declared for the first time", async () => {
    const { clouds, parametersSent } = unechoing();
    const before = { provider, type, parameters: { size: 1 } };
    const { world, system } = await deployed(before, { secrets, clouds });
    await world.deploy(
      system,
      definition([{ ...before, path: "app", parameters: { size: 1, [secret]: { $secret: "pw" } } }]),
    );
    await world.cycle();
    expect(parametersSent()).toEqual([{ pointer: `/${secret}`, value: "first-password" }]);
  });

  test("can't change where it is said at creation alone, and a write of something else doesn't hide that", async () => {
    const { clouds, parametersSent } = unechoing();
    const { world, system, id, console, resourceId } = await deployed(component(), { secrets, clouds });
    await world.deploy(system, redeclared({ [once]: "Restore" }));
    await console.patchParameters(resourceId, { size: 2 });
    await world.cycle();
    await world.cycle();
    expect(parametersSent()).toEqual([{ pointer: "/size", value: 1 }]);
    expect((await world.component(id)).conditions.inSync).toMatchObject({ value: false, reason: "Immutable" });
  });

  test("is listed in the plan of a hand-back, which writes it once", async () => {
    const { clouds, parametersSent } = unechoing();
    const { world, id, console, resourceId, params } = await overridden(component(), { secrets, clouds });
    const plan = await planOf(world, params);
    expect(plan.changes).toEqual([]);
    expect(plan.unobservable.toSorted()).toEqual([`/${taken}`, `/${secret}`].toSorted());
    await console.putTags(resourceId, both);
    for (let looks = 0; looks < 4; looks++) await world.cycle();
    expect(await world.component(id)).toMatchObject({ status: "Active", conditions: { inSync: { value: true } } });
    const written = [
      { pointer: `/${taken}`, value: { from: "backup" } },
      { pointer: `/${secret}`, value: "first-password" },
    ];
    expect(parametersSent()).toEqual(expect.arrayContaining(written));
    expect(parametersSent()).toHaveLength(2);
  });

  test("ends a hand-back with the reason where it was declared otherwise meanwhile and counts at a creation alone", async () => {
    const { clouds, parametersSent } = unechoing();
    const { world, system, id, console, resourceId, params } = await overridden(component(), { secrets, clouds });
    await world.deploy(system, redeclared({ [once]: "Restore" }));
    await world.cycle();
    const unwritable = { reason: "Immutable", message: `${once} can't change once the resource exists.` };
    expect(await planOf(world, params)).toMatchObject({
      possible: false,
      changes: [{ pointer: `/${once}`, unwritable }],
    });
    await console.putTags(resourceId, both);
    for (let looks = 0; looks < 4; looks++) await world.cycle();
    expect(await world.component(id)).toMatchObject({
      status: "ReconcileRequested",
      conditions: { inSync: { value: false, ...unwritable } },
    });
    expect(parametersSent().filter(({ pointer }) => pointer === `/${once}`)).toEqual([]);
  });

  test("isn't written where the management tag comes back alone and nothing differs", async () => {
    const { clouds, parametersSent } = unechoing();
    const { world, id, console, resourceId } = await overridden(component(), { secrets, clouds });
    await console.putTags(resourceId, managed);
    await world.cycle();
    expect((await world.component(id)).status).toBe("Active");
    expect(parametersSent()).toEqual([]);
  });

  test("isn't announced by the plan of what is missing, which can't be handed back", async () => {
    const { clouds } = unechoing();
    const { world, params, console, resourceId } = await overridden(component(), { secrets, clouds });
    await console.delete(resourceId);
    await world.cycle();
    const reason = "The resource is missing. Deploy again to recreate it.";
    const nothing = { possible: false, reason, unobservable: [], keepPatch: [] };
    expect(await planOf(world, params)).toMatchObject(nothing);
  });

  test("isn't announced by the plan where it is left to the cloud, and isn't written then", async () => {
    const { clouds, parametersSent } = unechoing();
    const ignoring = { ...component(), ignoreChanges: [`/${taken}`] };
    const { world, id, console, resourceId, params } = await overridden(ignoring, { secrets, clouds });
    expect((await planOf(world, params)).unobservable).toEqual([`/${secret}`]);
    await console.putTags(resourceId, both);
    for (let looks = 0; looks < 4; looks++) await world.cycle();
    expect((await world.component(id)).status).toBe("Active");
    expect(parametersSent().map(({ pointer }) => pointer)).toEqual([`/${secret}`]);
  });

  test("is written at each hand-back", async () => {
    const { clouds, parametersSent } = unechoing();
    const { world, console, resourceId, id } = await overridden(component(), { secrets, clouds });
    for (let handBacks = 0; handBacks < 2; handBacks++) {
      await console.putTags(resourceId, {});
      await world.cycle();
      await console.putTags(resourceId, both);
      for (let looks = 0; looks < 4; looks++) await world.cycle();
      expect((await world.component(id)).status).toBe("Active");
    }
    expect(parametersSent()).toHaveLength(4);
  });

  test("isn't compared at an adoption until the declaration or the secret changes", async () => {
    const { clouds, parametersSent } = unechoing();
    const world = overrideWorld({ clouds });
    world.secrets.set("pw", "first-password");
    const console = world.consoles[provider];
    const scope = provider === "provider-a" ? "3f2504e0-4f89-41d3-9a0c-0305e82c3302" : "project-one";
    const cloud = provider === "provider-a" ? world.clouds.a : world.clouds.b;
    const found = cloud.resourceIdFor(type, "found", { scope, region: "westeurope", container: "dev" }) ?? "";
    await console.put(found, { type, tags: managed, parameters: { size: 1 } });
    const mutation = await world.create({
      ...definition([{ ...component(), path: "found", resourceId: found }]),
      name: "again",
    });
    await world.cycle();
    const [adopted] = mutation.components;
    expect(await world.component(adopted?.id ?? "")).toMatchObject({ conditions: { inSync: { value: true } } });
    expect(parametersSent()).toEqual([]);
    world.secrets.set("pw", "second-password");
    await world.cycle();
    await world.cycle();
    expect(parametersSent()).toEqual([{ pointer: `/${secret}`, value: "second-password" }]);
  });

  test("is written again where the cloud accepted a write and couldn't complete it", async () => {
    const { clouds, parametersSent } = unechoing();
    const { world, console, id } = await deployed(component(), { secrets, clouds });
    await console.setFaults({
      slow: { takesMs: 60_000, fails: { code: "Full", message: "No room." }, marksFailed: false },
    });
    world.secrets.set("pw", "second-password");
    await world.cycle();
    await console.setFaults({});
    for (let looks = 0; looks < 6; looks++) {
      await world.runtime.advance(600_000);
      await world.cycle();
    }
    const written = { pointer: `/${secret}`, value: "second-password" };
    expect(parametersSent().filter(({ pointer }) => pointer === written.pointer)).toEqual([written, written]);
    expect((await world.component(id)).conditions.inSync.value).toBe(true);
  });
});

test("what a cloud turns out never to give back isn't written for that reason", async () => {
  let isKnown = false;
  const sent: string[] = [];
  const learning = (cloud: Cloud): Cloud => ({
    ...cloud,
    resourceType: (of) => ({ ...cloud.resourceType(of), inputOnly: isKnown ? ["hints"] : [] }),
    update: (ref, change, ...rest) => {
      sent.push(...change.parameters.map(({ pointer }) => pointer));
      return cloud.update(ref, change, ...rest);
    },
  });
  const parameters = { size: 1, hints: "from a backup" };
  const { world, id } = await deployed({ parameters }, { clouds: (all) => all.map(learning) });
  isKnown = true;
  await world.cycles(2);
  await world.check(id);
  expect(sent).toEqual([]);
});
