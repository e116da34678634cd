import { describe, expect, test } from "vitest";
import { LiveplaneError } from "../../src/errors.ts";
import type { Cloud } from "../../src/ports/cloud.ts";
import type { Json } from "../../src/ports/store.ts";
import { both, definition } from "../builders/handed-over.ts";
import { overrideWorld, type World } from "../builders/override.ts";

const key = "key-of-the-cache";
const cache = {
  path: "cache",
  type: "Microsoft.Cache/Redis@2024-01-01",
  parameters: { primaryKey: key },
};
const declared = (parameters: Record<string, Json>, ...others: { path: string }[]) =>
  definition([cache, { path: "app", parameters }, ...others]);
const formerly = [
  ["an environment's secret", { $secret: "password" }, "hunter2-hunter2"],
  ["a hidden output", { $output: "cache#primaryKey" }, key],
] as const;

/** A component whose place `/conn` is a secret, and all that anybody is shown of it. */
async function withSecret(conn: Json) {
  const world = overrideWorld();
  world.secrets.set("password", "hunter2-hunter2");
  const { livesystemId: system } = await world.create(declared({ conn }));
  const componentId = `${system}/app`;
  const { resourceId } = await world.component(componentId);
  const [console, at] = [world.consoles["provider-a"], resourceId ?? ""];
  const params = { id: system, componentId };
  const shown = async () => {
    const plan = await world.call("liveSystems.components.adoptionPlan", { params });
    return JSON.stringify([await world.component(componentId), plan, await world.events()]);
  };
  return { world, system, componentId, console, at, shown };
}

describe.each(formerly)("what replaces %s in a declaration doesn't show it:", (_, reference, value) => {
  test("in the plan, and in no difference until the resource has lost it", async () => {
    const { world, system, componentId, console, at, shown } = await withSecret(reference);
    expect((await console.get(at))?.parameters.conn).toBe(value);
    const plan = await world.plan(system, declared({ conn: "plain" }));
    const [difference] = plan.components[1]?.changes ?? [];
    expect(difference).toMatchObject({ declared: "plain", actual: "[redacted]" });
    await console.putTags(at, {});
    await world.cycle();
    await world.deploy(system, declared({ conn: "plain" }));
    await world.cycles(2);
    const held = await world.component(componentId);
    expect(held.outputFields.drift).toEqual({ conn: { declared: "plain", actual: "[redacted]" } });
    expect(await shown()).not.toContain(value);
    const [stored] = await world.store.get([["record", "component", system, "app"]]);
    expect(JSON.stringify(stored)).not.toContain(value);

    await console.putTags(at, both);
    await world.cycles(3);
    expect((await console.get(at))?.parameters.conn).toBe("plain");
    await console.putTags(at, {});
    await console.patchParameters(at, { conn: "by hand" });
    await world.cycle();
    const drift = { conn: { declared: "plain", actual: "by hand" } };
    expect((await world.component(componentId)).outputFields.drift).toEqual(drift);
  });

  test("in a plan that declares the place again after it was left out", async () => {
    const { world, system } = await withSecret(reference);
    await world.deploy(system, declared({}));
    await world.cycles(2);
    const plan = await world.plan(system, declared({ conn: "plain" }));
    expect(plan.components[1]?.changes).toMatchObject([{ declared: "plain", actual: "[redacted]" }]);
  });

  test("where the cloud decides about the place now", async () => {
    const { world, system, componentId } = await withSecret(reference);
    await world.deploy(
      system,
      definition([cache, { path: "app", parameters: { conn: "x" }, ignoreChanges: ["/conn"] }]),
    );
    await world.cycles(2);
    expect((await world.component(componentId)).ignored).toEqual({ "/conn": { declared: "x", actual: "[redacted]" } });
  });
});

test("what a reference to something new replaces is shown where no secret was declared, and hidden where one was", async () => {
  const { world, system } = await withSecret({ $secret: "password" });
  await world.deploy(system, declared({ conn: { $secret: "password" }, other: { $output: "cache#id" } }));
  const next = { conn: { $output: "new#id" }, other: { $output: "new#id" }, third: { $output: "new#id" } };
  const plan = await world.plan(system, declared(next, { path: "new" }));
  const changes = plan.components.find(({ componentId }) => componentId.endsWith("/app"))?.changes ?? [];
  expect(changes.map(({ pointer, actual }) => [pointer, actual])).toEqual([
    ["/conn", "[redacted]"],
    ["/other", expect.stringContaining("/providers/Microsoft.Cache/Redis/cache-")],
    ["/third", "[redacted]"],
  ]);
});

describe.each(formerly)("a plan that reads what was written since it began doesn't show %s", (_, reference, value) => {
  /** A plan of a plain value, while whose clouds are read another process does something. */
  async function planned(first: Json, meanwhile: (rival: World, system: string) => Promise<unknown>) {
    const rival = overrideWorld({ follows: false });
    const { store, cloudStore, runtime, secrets } = rival;
    secrets.set("password", "hunter2-hunter2");
    const { livesystemId: system } = await rival.create(declared({ conn: first }));
    let done: Promise<unknown> | null = null;
    const reads = (cloud: Cloud): Cloud => ({
      ...cloud,
      async read(...asked) {
        done ??= meanwhile(rival, system);
        await done;
        return cloud.read(...asked);
      },
    });
    const world = overrideWorld({ store, cloudStore, runtime, clouds: (all) => all.map(reads) });
    world.secrets.set("password", "hunter2-hunter2");
    const plan = await world.plan(system, declared({ conn: "plain" }));
    expect(JSON.stringify(plan)).not.toContain(value);
    return plan.components[1]?.changes;
  }

  test("of the deploy that goes on", async () => {
    const changes = await planned(reference, ({ override }, system) => override.mutations.advance(system));
    expect(changes).toMatchObject([{ declared: "plain", actual: "[redacted]" }]);
  });

  test("of a deploy that comes meanwhile", async () => {
    const changes = await planned("first", async ({ deploy, override }, system) => {
      await override.mutations.advance(system);
      await deploy(system, declared({ conn: reference }));
      await override.mutations.advance(system);
    });
    expect(changes).toMatchObject([{ declared: "plain", actual: "[redacted]" }]);
  });
});

test.each(formerly)("%s that a slow correction still writes is hidden once it comes", async (_, reference, value) => {
  let isSlow = false;
  const slownessOf = () => (isSlow ? { takesMs: 60_000 } : null);
  const world = overrideWorld({ follows: false, cloud: { slownessOf } });
  const { override, runtime, secrets } = world;
  secrets.set("password", "hunter2-hunter2");
  const { livesystemId: system } = await world.create(declared({ conn: "first" }));
  await override.mutations.advance(system);
  isSlow = true;
  await world.deploy(system, declared({ conn: reference }));
  const running = override.mutations.advance(system);
  await runtime.advance(10_000);
  const { resourceId } = await world.component(`${system}/app`);
  await world.consoles["provider-a"].putTags(resourceId ?? "", {});
  await world.check(`${system}/app`);
  await world.deploy(system, declared({ conn: "first" }));
  await runtime.advance(600_000);
  await running;
  await world.cycle();
  const { outputFields } = await world.component(`${system}/app`);
  expect(outputFields.drift).toEqual({ conn: { declared: "first", actual: "[redacted]" } });
  const [stored] = await world.store.get([["record", "component", system, "app"]]);
  expect(JSON.stringify([stored, await world.events()])).not.toContain(value);
});

/** A correction to a reference that fails later, and what happens meanwhile: what is said of it, and all that is shown. */
async function failing(
  { reference, value }: { readonly reference: Json; readonly value: string },
  meanwhile: (world: World, system: string) => unknown = () => {},
) {
  const slow = (message: string) => ({ takesMs: 60_000, fails: { code: "Full", message } });
  let slowness: ReturnType<typeof slow> | null = null;
  const world = overrideWorld({ follows: false, cloud: { slownessOf: () => slowness } });
  const { override, runtime, secrets } = world;
  secrets.set("password", "hunter2-hunter2");
  const { livesystemId: system } = await world.create(declared({ conn: "first" }));
  const deploy = async (conn: Json, during: typeof meanwhile) => {
    await world.deploy(system, declared({ conn }));
    const running = override.mutations.advance(system);
    await runtime.advance(10_000);
    await during(world, system);
    await runtime.advance(600_000);
    await running;
    return (await world.events("component.correction_failed")).at(-1)?.data;
  };
  await override.mutations.advance(system);
  slowness = slow(`There is no room for ${value}.`);
  const said = await deploy(reference, meanwhile);
  const [stored] = await world.store.get([["record", "component", system, "app"]]);
  const shown = JSON.stringify([stored, await world.component(`${system}/app`), await world.events()]);
  const saidNext = (conn: Json, message: string) => {
    slowness = slow(message);
    return deploy(conn, () => {});
  };
  return { said, shown, saidNext };
}

describe.each(formerly)("a cloud's words about a write of %s hide it", (_, reference, value) => {
  test("as long as it is declared", async () => {
    const { said, shown } = await failing({ reference, value });
    expect(said).toMatchObject({ providerMessage: "There is no room for [redacted]." });
    expect(shown).not.toContain(value);
  });

  test("once something else is declared, until that has been written", async () => {
    const { said, shown, saidNext } = await failing({ reference, value }, ({ deploy }, system) =>
      deploy(system, declared({ conn: "plain" })),
    );
    expect(said).toMatchObject({ providerCode: "Full", providerMessage: "[redacted]" });
    expect(shown).not.toContain(value);
    const next = "There is no room for plain.";
    expect(await saidNext("plain", next)).toMatchObject({ providerMessage: next });
  });
});

test("a cloud's words about a write of a secret hide it once the secret has another value", async () => {
  const [[, reference, value]] = formerly;
  const { said, shown } = await failing({ reference, value }, ({ secrets }) => secrets.set("password", "second-value"));
  expect(said).toMatchObject({ providerCode: "Full", providerMessage: "[redacted]" });
  expect(shown).not.toContain(value);
});

describe("a cloud's words hide a former secret that a later correction leaves where it is:", () => {
  const former = "hunter2-hunter2";
  const secret = { $secret: "password" };

  /** What is said of a component whose size was corrected after `changed`, once its resource has failed. */
  async function saidAfter(
    changed: (world: World, deploy: (parameters: Record<string, Json>) => Promise<unknown>) => unknown,
    { immutable = [], ...more }: { readonly immutable?: readonly string[]; readonly [member: string]: unknown } = {},
  ) {
    let isFailing = false;
    const failing = (cloud: Cloud): Cloud => ({
      ...cloud,
      resourceType: (type) => ({ ...cloud.resourceType(type), immutable, writeOnly: ["conn"] }),
      read: async (...call) =>
        isFailing ? { state: "failed", code: "Full", message: `No room for ${former}.` } : cloud.read(...call),
    });
    const world = overrideWorld({ clouds: (all) => all.map(failing) });
    world.secrets.set("password", former);
    const body = (parameters: Record<string, Json>) => definition([cache, { path: "app", ...more, parameters }]);
    const { livesystemId: system } = await world.create(body({ size: 1, conn: secret }));
    const id = `${system}/app`;
    await changed(world, (parameters) => world.deploy(system, body(parameters)));
    const { resourceId } = await world.component(id);
    await world.consoles["provider-a"].patchParameters(resourceId ?? "", { size: 3 });
    await world.cycle();
    expect((await world.consoles["provider-a"].get(resourceId ?? ""))?.parameters.size).not.toBe(3);
    isFailing = true;
    await world.check(id);
    return (await world.component(id)).conditions.inSync;
  }
  const hidden = { providerCode: "Full", providerMessage: "[redacted]" };

  const rotated = ({ secrets }: World) => secrets.set("password", "second-value");

  test("it can't change", async () => {
    expect(await saidAfter(rotated, { immutable: ["conn"] })).toMatchObject(hidden);
  });

  test("it is ignored", async () => {
    expect(await saidAfter(rotated, { ignoreChanges: ["/conn"] })).toMatchObject(hidden);
  });

  test("it isn't declared any more", async () => {
    expect(await saidAfter((_, deploy) => deploy({ size: 2 }))).toMatchObject(hidden);
  });

  test("its value is unknown", async () => {
    expect(await saidAfter(({ secrets }) => secrets.delete("password"))).toMatchObject(hidden);
  });
});

test("a cloud's words hide a secret whose write was never answered, once something else is declared", async () => {
  let isLost = false;
  let isFailing = false;
  const losing = (cloud: Cloud): Cloud => ({
    ...cloud,
    update: async (...call) => {
      if (isLost) throw new LiveplaneError("ProviderTimeout", undefined, { details: { outcome: "unknown" } });
      return cloud.update(...call);
    },
    read: async (...call) =>
      isFailing ? { state: "failed", code: "Full", message: "No room for hunter2-hunter2." } : cloud.read(...call),
  });
  const world = overrideWorld({ clouds: (all) => all.map(losing) });
  world.secrets.set("password", "hunter2-hunter2");
  const { livesystemId: system } = await world.create(declared({ conn: "first" }));
  isLost = true;
  await world.passing(world.deploy(system, declared({ conn: { $secret: "password" } })));
  await world.deploy(system, declared({ conn: "first" }));
  isFailing = true;
  await world.check(`${system}/app`);
  const { conditions } = await world.component(`${system}/app`);
  expect(conditions.inSync).toMatchObject({ providerCode: "Full", providerMessage: "[redacted]" });
});
