import { describe, expect, test } from "vitest";
import type { Cloud } from "../../src/ports/cloud.ts";
import { bothClouds, toldIn } from "../builders/both-clouds.ts";
import { both, planOf } from "../builders/handed-over.ts";
import { overrideWorld } from "../builders/override.ts";

/** What each cloud never gives back, and what it gives back that must not be shown. */
const hidden = {
  "provider-a": {
    writeOnly: { type: "Microsoft.Compute/virtualMachines@2024-03-01", parameter: "adminPassword" },
    sensitive: { type: "Microsoft.Cache/Redis@2024-01-01", output: "primaryKey" },
  },
  "provider-b": {
    writeOnly: { type: "sqladmin.v1.instance", parameter: "rootPassword" },
    sensitive: { type: "redis.v1.instance", output: "authString" },
  },
} as const;

describe.each(bothClouds)("$provider: the ledger", (kind) => {
  const { declared, overridden } = toldIn(kind);
  const { writeOnly, sensitive } = hidden[kind.provider];

  test("tells who moved: the cloud, the declaration, or both", async () => {
    const { world, system, resourceId, console, params } = await overridden({
      parameters: { a: 1, b: 1, c: 1, same: 1 },
    });
    await console.patchParameters(resourceId, { a: 2, c: 2 });
    await world.deploy(system, declared({ path: "app", parameters: { a: 1, b: 3, c: 3, same: 1, fresh: 1 } }));
    const plan = await planOf(world, params);
    expect(plan.changes.map(({ pointer, cause, declaredAtOverride }) => [pointer, cause, declaredAtOverride])).toEqual([
      ["/a", "cloud", 1],
      ["/b", "declaration", 1],
      ["/c", "both", 1],
      ["/fresh", "declaration", null],
    ]);
  });

  test("takes what was changed before the agent noticed the take-over for the cloud's doing", async () => {
    const world = overrideWorld();
    const mutation = await world.create(declared({ path: "app", parameters: { a: 1, b: 1 } }));
    const [first] = mutation.components;
    const console = world.consoles[kind.provider];
    await console.putTags(first?.resourceId ?? "", {});
    await console.patchParameters(first?.resourceId ?? "", { a: 2, b: 2 });
    await world.cycle();
    await world.deploy(mutation.livesystemId, declared({ path: "app", parameters: { a: 1, b: 3 } }));
    const plan = await planOf(world, { id: mutation.livesystemId, componentId: first?.id ?? "" });
    expect(plan.changes.map(({ pointer, cause }) => [pointer, cause])).toEqual([
      ["/a", "cloud"],
      ["/b", "both"],
    ]);
  });

  test("binds the plan to what was seen, not to when", async () => {
    const { world, resourceId, console, params, id } = await overridden();
    await console.patchParameters(resourceId, { size: 2 });
    await world.check(id);
    const first = await planOf(world, params);
    await world.runtime.advance(5_000);
    await world.check(id);
    expect((await planOf(world, params)).fingerprint).toBe(first.fingerprint);
    await console.patchParameters(resourceId, { size: 3 });
    await world.check(id);
    expect((await planOf(world, params)).fingerprint).not.toBe(first.fingerprint);
  });

  test.each([0, 150])(
    "gives each value in a secret's place a plan of its own, though none is shown, beside %i secrets",
    async (others) => {
      const keys = Array.from({ length: others }, () => ({ $secret: "db" }));
      const parameters = { size: 1, password: { $secret: "db" }, keys };
      const { world, id, params, resourceId, console } = await overridden(
        { parameters },
        { secrets: { db: "hunter22" } },
      );
      const fingerprints = new Set<string>();
      for (const password of ["swordfish", "letmein99"]) {
        await console.patchParameters(resourceId, { password });
        await world.check(id);
        fingerprints.add((await planOf(world, params)).fingerprint);
      }
      expect(fingerprints.size).toBe(2);
    },
  );

  test("says with the request whether it was made on the last plan served", async () => {
    for (const served of [true, false]) {
      const { world, resourceId, console, params, id } = await overridden();
      for (const size of [4, 2]) {
        await console.patchParameters(resourceId, { size });
        await world.check(id);
        await planOf(world, params);
      }
      if (!served) await console.patchParameters(resourceId, { size: 4 });
      await console.putTags(resourceId, both);
      await world.cycle();
      const [requested] = await world.events("component.reconcile.requested");
      expect(requested?.data.asPlanned).toBe(served);
    }
  });

  test("shows null where a reference has no value any more", async () => {
    const world = overrideWorld();
    const reader = { targets: [{ name: "first", at: { $output: "app#extra" } }], direct: { $output: "app#extra" } };
    const { livesystemId: id, components } = await world.create(
      declared({ path: "app", parameters: { extra: "there" } }, { path: "reader", parameters: reader }),
    );
    const idOf = (path: string) => components.find((one) => one.id.endsWith(path))?.resourceId ?? "";
    const console = world.consoles[kind.provider];
    await console.patchParameters(idOf("app"), { extra: null });
    await console.putTags(idOf("app"), {});
    await world.cycle();
    await console.putTags(idOf("reader"), {});
    await world.cycle();
    const params = { id, componentId: `${id}/reader` };
    const ledger = await world.call("liveSystems.components.overrides", { params });
    const start = { declared: { targets: [{ name: "first", at: null }], direct: null } };
    expect(ledger).toMatchObject({ items: [{ start }] });
  });

  test("leaves the component as it is: who read it before the plan may still change it on that version", async () => {
    const { world, resourceId, console, params, id } = await overridden();
    await console.patchParameters(resourceId, { size: 2 });
    await world.check(id);
    const { version } = await world.component(id);
    await planOf(world, params);
    expect((await world.component(id)).version).toBe(version);
  });

  test("names what depends on it, each once: by an output, or because it is deployed later", async () => {
    const world = overrideWorld();
    const at = { $output: "base#address" };
    const { livesystemId } = await world.create(
      declared(
        { path: "base" },
        { path: "reader", parameters: { at }, dependsOn: ["base"] },
        { path: "later", dependsOn: ["BASE"] },
        { path: "last", dependsOn: ["later"] },
      ),
    );
    const plan = await planOf(world, { id: livesystemId, componentId: `${livesystemId}/base` });
    expect(plan).toMatchObject({
      dependents: [{ componentId: `${livesystemId}/reader` }],
      deployedLater: [`${livesystemId}/later`],
    });
  });

  test("isn't possible, and says why, when Active, unreadable or missing", async () => {
    const { world, resourceId, console, params, id } = await overridden();
    await console.setFaults({ read: "fail" });
    await world.check(id);
    expect(await planOf(world, params)).toMatchObject({ possible: false, reason: expect.stringContaining("read") });
    await console.setFaults({});
    await console.delete(resourceId);
    await world.check(id);
    expect(await planOf(world, params)).toMatchObject({
      possible: false,
      reason: expect.stringContaining("missing"),
      keepPatch: [],
    });
    const active = overrideWorld();
    const mutation = await active.create(declared({ path: "app" }));
    const componentId = mutation.components[0]?.id ?? "";
    expect(await planOf(active, { id: mutation.livesystemId, componentId })).toMatchObject({
      possible: false,
      changes: [],
    });
  });

  test("a secret shows nowhere: not in drift, plan, outputs, episodes or events, nor in the store", async () => {
    const secrets = { db: "correct-horse-battery" };
    const { world, resourceId, console, params, id } = await overridden(
      { parameters: { login: { $secret: "db" }, url: "x", size: 1 } },
      { secrets },
    );
    expect((await console.get(resourceId))?.parameters.login).toBe(secrets.db);
    await console.patchParameters(resourceId, { login: "changed-by-hand", url: `pg://${secrets.db}@host` });
    await world.check(id);
    const shown = await world.component(id);
    expect(shown.outputFields).toMatchObject({ url: "pg://[redacted]@host" });
    expect(shown.outputFields.drift).toEqual({
      login: { declared: "[redacted]", actual: "[redacted]" },
      url: { declared: "x", actual: "pg://[redacted]@host" },
    });
    const plan = await planOf(world, params);
    expect(plan.keepPatch).toEqual([]);
    expect(plan.reason).toContain("/login");
    const everything = JSON.stringify([
      await world.store.list({ prefix: ["record"], limit: 10_000 }),
      await world.events(),
      plan,
      shown,
    ]);
    expect(everything).not.toContain(secrets.db);
    expect(everything).not.toContain("changed-by-hand");
  });

  test("what stands in a secret's place shows as little, be it an older version's value or one set by hand", async () => {
    const { world, resourceId, console, id } = await overridden(
      { parameters: { login: { $secret: "db" }, url: "x" } },
      { secrets: { db: "the-first-value" } },
    );
    world.secrets.set("db", "the-second-value");
    await world.check(id);
    expect((await world.component(id)).outputFields).toMatchObject({ login: "[redacted]", url: "x" });
    await console.patchParameters(resourceId, { login: "set-by-hand", url: "pg://set-by-hand@host" });
    await world.check(id);
    const { outputFields } = await world.component(id);
    expect(outputFields).toMatchObject({ login: "[redacted]", url: "pg://[redacted]@host" });
    expect(outputFields.drift).toMatchObject({ url: { declared: "x", actual: "pg://[redacted]@host" } });
    const stored = JSON.stringify([
      await world.store.list({ prefix: ["record"], limit: 10_000 }),
      await world.events(),
    ]);
    for (const value of ["the-first-value", "the-second-value", "set-by-hand"]) expect(stored).not.toContain(value);
  });

  test("a rotated secret is corrected on what is Active and drifts, by the declaration, on what is overridden", async () => {
    const secrets = { db: "first-value" };
    const { world, params, id, console, resourceId } = await overridden(
      { parameters: { login: { $secret: "db" } } },
      { secrets },
    );
    world.secrets.set("db", "second-value");
    await world.cycle();
    expect((await planOf(world, params)).changes).toMatchObject([
      { pointer: "/login", cause: "declaration", declared: "[redacted]" },
    ]);
    await console.putTags(resourceId, both);
    await world.cycle();
    expect((await console.get(resourceId))?.parameters.login).toBe("second-value");
    world.secrets.set("db", "third-value");
    await world.cycle();
    expect((await console.get(resourceId))?.parameters.login).toBe("third-value");
    expect((await world.component(id)).status).toBe("Active");
  });

  test("an output that holds an older version of a secret stays hidden, and reaches who refers to it", async () => {
    const given = { connection: "pg://the-first-password@host" };
    const withOutput = (cloud: Cloud): Cloud => ({
      ...cloud,
      async read(resource, call) {
        const reading = await cloud.read(resource, call);
        return reading.state === "present" ? { ...reading, outputs: { ...reading.outputs, ...given } } : reading;
      },
    });
    const { world, id } = await overridden(
      { type: writeOnly.type, parameters: { [writeOnly.parameter]: { $secret: "pw" }, size: 1 } },
      { secrets: { pw: "the-first-password" }, clouds: (clouds) => clouds.map(withOutput) },
    );
    const shown = async () => (await world.component(id)).outputFields.connection;
    expect(await shown()).toBe("pg://[redacted]@host");
    world.secrets.set("pw", "the-second-password");
    for (let look = 0; look < 3; look++) {
      await world.check(id);
      expect(await shown()).toBe("[redacted]");
    }
    given.connection = "pg://the-second-password@host";
    await world.check(id);
    expect(await shown()).toBe("pg://[redacted]@host");
    given.connection = "pg://nothing@host";
    await world.check(id);
    expect(await shown()).toBe("pg://nothing@host");
  });

  test("an unknown secret is a bad declaration, at its place", async () => {
    const world = overrideWorld();
    const refused = world.create(declared({ path: "app", parameters: { deep: [{ $secret: "nobody" }] } }));
    await expect(refused).rejects.toMatchObject({
      code: "InvalidDeclaration",
      details: { errors: [{ pointer: "#/components/0/parameters/deep/0" }] },
    });
  });

  test("what the cloud never gives back is compared with what was last applied", async () => {
    const secrets = { pw: "first-password" };
    const world = overrideWorld();
    for (const [name, value] of Object.entries(secrets)) world.secrets.set(name, value);
    const mutation = await world.create(
      declared({
        path: "app",
        type: writeOnly.type,
        parameters: { [writeOnly.parameter]: { $secret: "pw" }, size: 1 },
      }),
    );
    const id = mutation.components[0]?.id ?? "";
    expect(mutation.components[0]?.conditions.inSync).toMatchObject({
      value: true,
      message: expect.stringContaining(writeOnly.parameter),
    });
    await world.cycle();
    expect(await world.events("component.corrected")).toHaveLength(0);
    world.secrets.set("pw", "second-password");
    await world.cycle();
    await world.cycle();
    expect(await world.events("component.corrected")).toHaveLength(1);
    expect((await world.component(id)).outputFields).not.toHaveProperty("drift");
  });

  test("an output that must not be shown still reaches who refers to it", async () => {
    const world = overrideWorld();
    const mutation = await world.create(
      declared(
        { path: "cache", type: sensitive.type, parameters: { [sensitive.output]: "key-of-the-cache" } },
        { path: "app", parameters: { key: { $output: `cache#${sensitive.output}` } } },
      ),
    );
    const shown = mutation.components.find(({ id }) => id.endsWith("/cache"));
    const app = mutation.components.find(({ id }) => id.endsWith("/app"));
    expect(shown?.outputFields[sensitive.output]).toBe("[redacted]");
    expect(app?.outputFields.key).toBe("[redacted]");
    expect((await world.consoles[kind.provider].get(app?.resourceId ?? ""))?.parameters.key).toBe("key-of-the-cache");
  });
});
