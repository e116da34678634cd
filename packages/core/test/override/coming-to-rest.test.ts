import { describe, expect, test } from "vitest";
import type { SimulatedRewrite } from "../../src/clouds/simulated/simulated-options.ts";
import type { Mutation } from "../../src/contract/schemas/live-system-schemas.ts";
import type { JsonObject } from "../../src/json-pointer.ts";
import type { Cloud, Reading } from "../../src/ports/cloud.ts";
import { carriedThrough } from "../builders/carried-through.ts";
import { definition, deployed } from "../builders/handed-over.ts";
import { overrideWorld } from "../builders/override.ts";

type Rewrite = (write: SimulatedRewrite) => JsonObject;

const provider = { provider: "provider-a", type: "Microsoft.Compute/virtualMachines@2024-03-01" };

/** Deploys, and then sweeps ten times. Lists the updates that the cloud was sent after the creation. */
async function atRest(
  parameters: JsonObject,
  rewrites: Rewrite,
  slowMs = 0,
  { shows = (reading: Reading): Reading => reading, conditionalWrites = true, clouds = (cloud: Cloud) => cloud } = {},
) {
  const updates: string[] = [];
  const showing = (cloud: Cloud): Cloud => ({ ...cloud, read: async (...asked) => shows(await cloud.read(...asked)) });
  const world = overrideWorld({
    follows: false,
    clouds: (all) => all.map(clouds).map(showing),
    cloud: {
      rewrites,
      conditionalWrites,
      ...(slowMs > 0 && { slownessOf: () => ({ takesMs: slowMs }) }),
      onChange: ({ by, operation }) => {
        if (by === "caller" && operation === "update") updates.push(operation);
      },
    },
  });
  const declared = (now: JsonObject) => definition([{ path: "app", ...provider, parameters: now }]);
  const first = await carriedThrough(world, (await world.create(declared(parameters))) as Mutation);
  const [component] = first.components;
  if (component?.resourceId == null) throw new Error("not deployed");
  const { id, resourceId } = component;
  const sweep = async (times = 10) => {
    for (let at = 0; at < times; at++) {
      await world.runtime.advance(180_000);
      await world.cycle();
    }
  };
  const redeploy = async (now: JsonObject) =>
    carriedThrough(world, (await world.deploy(first.livesystemId, declared(now))) as Mutation);
  await sweep();
  return { world, id, resourceId, console: world.consoles["provider-a"], first, updates, sweep, redeploy };
}

const show = (name: string, form: (value: JsonObject[string]) => JsonObject[string]): Rewrite => {
  return ({ parameters }) => ({ ...parameters, [name]: form(parameters[name] ?? null) });
};

describe("a cloud that shows values in its own words", () => {
  test("a spelling of what was created needs no write, and an edit by hand is corrected", async () => {
    const { world, id, updates, console, resourceId, sweep } = await atRest(
      { version: "6" },
      show("version", (value) => `${value}.0`),
    );
    expect(updates).toEqual([]);
    expect(await world.component(id)).toMatchObject({ status: "Active", conditions: { inSync: { value: true } } });
    expect((await world.events()).filter(({ type }) => type === "component.settled")).toMatchObject([
      { data: { pointers: ["/version"] } },
    ]);
    await console.patchParameters(resourceId, { version: "5.0" });
    await sweep(2);
    expect(updates).toHaveLength(1);
    expect((await console.get(resourceId))?.parameters.version).toBe("6.0");
  });

  test("a form that no table explains is learned from a correction that moves it", async () => {
    const { world, id, updates, console, resourceId, sweep } = await atRest(
      { tier: "gold" },
      show("tier", () => "T3"),
    );
    // The creation alone proves nothing: the cloud may have ignored the value.
    expect(await world.component(id)).toMatchObject({
      conditions: { inSync: { value: false, reason: "Ineffective" } },
    });
    const before = updates.length;
    await console.patchParameters(resourceId, { tier: "T1" });
    await sweep(3);
    expect(updates.length - before).toBe(1);
    expect(await world.component(id)).toMatchObject({ conditions: { inSync: { value: true, reason: "InSync" } } });
  });

  test.each([
    ["InSync", "shows the resource", true],
    ["Ineffective", "doesn't, as anybody may have changed what a read shows", false],
  ])("such a form is %s after a slow correction whose own result %s", async (reason, _, tells) => {
    const telling = (cloud: Cloud): Cloud => ({
      ...cloud,
      follow: async (ref, operation, call) => {
        const ended = (await cloud.follow?.(ref, operation, call)) ?? { state: "gone" };
        const shown = tells && ended.state === "done" ? await cloud.read(ref, call) : null;
        return shown?.state === "present" ? { state: "done", shown } : ended;
      },
    });
    const { world, id, console, resourceId, sweep } = await atRest(
      { tier: "gold" },
      show("tier", () => "T3"),
      30_000,
      { clouds: telling },
    );
    await console.patchParameters(resourceId, { tier: "T1" });
    await sweep(3);
    expect(await world.component(id)).toMatchObject({ conditions: { inSync: { reason } } });
  });

  test("what the cloud puts where nothing was is no form of a value that was sent", async () => {
    const ignoring: Rewrite = ({ before, parameters: { mode, ...others } }) =>
      mode === undefined ? others : { ...others, mode: before?.mode ?? "auto" };
    const { world, id, redeploy, updates } = await atRest({ size: 1 }, ignoring);
    await redeploy({ size: 1, mode: "fast" });
    expect(updates.length).toBeLessThanOrEqual(2);
    expect(await world.events("component.settled")).toEqual([]);
    expect(await world.component(id)).toMatchObject({
      conditions: { inSync: { value: false, reason: "Ineffective" } },
    });
  });

  test("a form ends when the cloud shows the value itself again", async () => {
    let form: string | null = "T3";
    const { world, id, updates, console, resourceId, sweep } = await atRest(
      { tier: "gold" },
      show("tier", (value) => form ?? value),
    );
    await console.patchParameters(resourceId, { tier: "T1" });
    await sweep(1);
    expect(await world.component(id)).toMatchObject({ conditions: { inSync: { value: true } } });
    form = null;
    await console.patchParameters(resourceId, { tier: "T1" });
    await sweep(1);
    expect((await console.get(resourceId))?.parameters.tier).toBe("gold");
    // Now it is what a person made of it, no longer a form of the declared value.
    const before = updates.length;
    await console.patchParameters(resourceId, { tier: "T3" });
    await sweep(1);
    expect(updates.length - before).toBe(1);
    expect((await console.get(resourceId))?.parameters.tier).toBe("gold");
  });

  test("a write of something else ends no form, though its answer shows the value itself", async () => {
    let form: string | null = "6.0";
    const { updates, console, resourceId, sweep } = await atRest(
      { version: "6", size: 1 },
      show("version", (value) => form ?? value),
    );
    form = null;
    await console.patchParameters(resourceId, { version: "6", size: 7 });
    await sweep(1);
    expect((await console.get(resourceId))?.parameters).toEqual({ version: "6", size: 1 });
    await console.patchParameters(resourceId, { version: "6.0" });
    await sweep(2);
    expect(updates).toHaveLength(1);
    expect((await console.get(resourceId))?.parameters).toEqual({ version: "6.0", size: 1 });
  });

  test("what changes along with a write of something else is corrected, though it looks like a spelling", async () => {
    let isFirst = true;
    const { console, resourceId, sweep } = await atRest({ version: "6", size: 1 }, ({ before, parameters }) => {
      if (before === null || !isFirst) return parameters;
      isFirst = false;
      return { ...parameters, version: "6.0" };
    });
    await console.patchParameters(resourceId, { size: 7 });
    await sweep(2);
    expect((await console.get(resourceId))?.parameters).toEqual({ version: "6", size: 1 });
  });

  test("the answer of a creation teaches nothing about what was declared since", async () => {
    const slownessOf = ({ operation }: { operation: string }) => (operation === "create" ? { takesMs: 30_000 } : null);
    const world = overrideWorld({ follows: false, cloud: { slownessOf } });
    const declared = (version: string) => definition([{ path: "app", parameters: { version } }]);
    const { livesystemId } = await world.create(declared("6"));
    const creating = world.override.mutations.advance(livesystemId);
    await world.runtime.advance(10_000);
    const console = world.consoles["provider-a"];
    const [{ id } = { id: "" }] = (await console.list()).items;
    await console.patchParameters(id, { version: "7.0" });
    const next = (await world.deploy(livesystemId, declared("7"))) as Mutation;
    await carriedThrough(world, next);
    await creating;
    expect(await world.mutation(next)).toMatchObject({ status: "Succeeded" });
    expect((await console.get(id))?.parameters).toEqual({ version: "7" });
  });

  test("another declaration ends what was learned of the one before", async () => {
    const upper = show("name", (value) => String(value).toUpperCase());
    const { world, id, redeploy, updates } = await atRest({ name: "shop" }, upper);
    expect(updates).toEqual([]);
    await redeploy({ name: "store" });
    expect(updates).toHaveLength(1);
    expect(await world.component(id)).toMatchObject({ conditions: { inSync: { value: true } } });
  });
});

describe.each([0, 30_000])("no write without end, where a write takes %i ms", (slowMs) => {
  test("a value that the cloud ignores is written twice at most, and said once", async () => {
    const ignoring: Rewrite = ({ before, parameters }) => ({ ...parameters, size: before?.size ?? 1 });
    const { world, id, updates, sweep } = await atRest({ size: 7 }, ignoring, slowMs);
    expect(updates.length).toBeLessThanOrEqual(2);
    expect(await world.component(id)).toMatchObject({
      conditions: { inSync: { value: false, reason: "Ineffective" } },
    });
    const failed = (await world.events()).filter(({ type }) => type === "component.correction_failed");
    expect(failed).toMatchObject([{ data: { code: "Ineffective", pointers: ["/size"] } }]);
    const before = updates.length;
    await sweep(20);
    expect(updates).toHaveLength(before);
  });

  test("a value that the cloud never shows is unproven after two writes", async () => {
    const dropping: Rewrite = ({ parameters: { mode: _, ...others } }) => others;
    const { world, id, updates } = await atRest({ mode: "Create" }, dropping, slowMs);
    expect(updates.length).toBeLessThanOrEqual(2);
    expect(await world.component(id)).toMatchObject({ conditions: { inSync: { value: false, reason: "Unproven" } } });
  });

  test("what the cloud shows nothing of at one place and something else at another is ineffective", async () => {
    const ignoring: Rewrite = ({ parameters: { mode: _, ...others } }) => ({ ...others, size: 1 });
    const { world, id } = await atRest({ mode: "Create", size: 7 }, ignoring, slowMs);
    expect(await world.component(id)).toMatchObject({
      conditions: { inSync: { value: false, reason: "Ineffective" } },
    });
  });

  test("a deploy of what the cloud ignores ends as failed, and names the place", async () => {
    const ignoring: Rewrite = ({ before, parameters }) => ({ ...parameters, size: before?.size ?? 1 });
    const { redeploy } = await atRest({ size: 1 }, ignoring, slowMs);
    const mutation = await redeploy({ size: 9 });
    expect(mutation).toMatchObject({
      status: "Failed",
      error: { detail: expect.stringContaining("/size") },
      components: [{ conditions: { inSync: { reason: "Ineffective" } } }],
    });
  });
});

describe.each([0, 30_000])("a cloud that adds list items, where a write takes %i ms", (slowMs) => {
  const withItem = (parameters: JsonObject, item: JsonObject): JsonObject => ({
    ...parameters,
    rules: [...(parameters.rules as JsonObject[]), item],
  });

  test.each(["id", "port"])("another one with each write is corrected twice at most: %s", async (name) => {
    let count = 0;
    const adding: Rewrite = ({ parameters }) => withItem(parameters, { [name]: `${++count}` });
    const { world, id, first, updates, sweep } = await atRest({ rules: [{ [name]: "own" }] }, adding, slowMs);
    expect(updates.length).toBeLessThanOrEqual(2);
    expect(first).toMatchObject({ status: "Failed", error: { detail: expect.stringContaining("/rules") } });
    expect(await world.component(id)).toMatchObject({ conditions: { inSync: { reason: "Ineffective" } } });
    const before = updates.length;
    await sweep(20);
    expect(updates).toHaveLength(before);
  });

  test.each(["id", "port"])("another one in each answer is corrected twice at most: %s", async (name) => {
    let count = 0;
    const shows = (reading: Reading): Reading =>
      reading.state === "present"
        ? { ...reading, parameters: withItem(reading.parameters, { [name]: `${++count}` }) }
        : reading;
    const as = ({ parameters }: SimulatedRewrite) => parameters;
    const { first, updates, sweep } = await atRest({ rules: [{ [name]: "own" }] }, as, slowMs, { shows });
    expect(updates.length).toBeLessThanOrEqual(2);
    expect(first).toMatchObject({ status: "Failed", error: { detail: expect.stringContaining("/rules") } });
    const before = updates.length;
    await sweep(20);
    expect(updates).toHaveLength(before);
  });
});

test("a cloud that binds no writes, and shows another form after each, is written one more time after its creation", async () => {
  const alternating: Rewrite = ({ before, parameters }) => ({
    ...parameters,
    turn: before?.turn === "even" ? "odd" : "even",
  });
  const { world, id, updates } = await atRest({ turn: "on" }, alternating, 0, { conditionalWrites: false });
  expect(updates).toHaveLength(1);
  expect(await world.component(id)).toMatchObject({ conditions: { inSync: { value: false, reason: "Ineffective" } } });
});

test("a reference whose value changes during each write is followed to the last one", async () => {
  const takesMs = 400_000;
  const world = overrideWorld({
    follows: false,
    cloud: { slownessOf: ({ operation }) => (operation === "update" ? { takesMs } : null) },
  });
  const parameters = { of: { $output: "net#size" } };
  const declared = definition([
    { path: "net", ...provider, parameters: { size: 1 }, ignoreChanges: ["/size"] },
    { path: "app", ...provider, parameters },
  ]);
  const { components } = await carriedThrough(world, (await world.create(declared)) as Mutation);
  const idOf = (path: string) => components.find(({ id }) => id.endsWith(`/${path}`));
  const console = world.consoles["provider-a"];
  for (const size of [2, 3, 4, 5, 6, 7, 8]) {
    await console.patchParameters(idOf("net")?.resourceId ?? "", { size });
    await world.runtime.advance(180_000);
    await world.cycle();
  }
  for (let times = 0; times < 10; times++) {
    await world.runtime.advance(180_000);
    await world.cycle();
  }
  expect((await console.get(idOf("app")?.resourceId ?? ""))?.parameters).toEqual({ of: 8 });
  expect(await world.component(idOf("app")?.id ?? "")).toMatchObject({ conditions: { inSync: { value: true } } });
});

test.each([0, 30_000])(
  "what is edited during the last write is corrected once more, where a write takes %i ms",
  async (takesMs) => {
    let edit: (() => Promise<unknown>) | null = null;
    const world = overrideWorld({
      follows: false,
      cloud: {
        rewrites: ({ parameters: { mode: _, ...shown } }) => shown,
        slownessOf: ({ operation }) => (operation === "update" && takesMs > 0 ? { takesMs } : null),
        async onChange({ by, operation, resourceId }) {
          if (by !== "caller" || operation !== "update") return;
          const console = world.consoles["provider-a"];
          edit ??= () => console.patchParameters(resourceId, { size: 5 });
          await edit();
          edit = async () => {};
        },
      },
    });
    const declared = definition([{ path: "app", ...provider, parameters: { mode: "fast", size: 1 } }]);
    const { components } = await carriedThrough(world, (await world.create(declared)) as Mutation);
    for (let at = 0; at < 4; at++) {
      await world.runtime.advance(180_000);
      await world.cycle();
    }
    expect((await world.consoles["provider-a"].get(components[0]?.resourceId ?? ""))?.parameters).toEqual({ size: 1 });
  },
);

test("the forms of a resource that nobody could see yet end with it", async () => {
  let isHidden = true;
  const hiding = (cloud: Cloud): Cloud => ({
    ...cloud,
    read: async (...asked) => (isHidden ? { state: "missing" } : cloud.read(...asked)),
  });
  const rewrites: Rewrite = ({ parameters, before }) =>
    before === null ? { ...parameters, version: "6.0" } : parameters;
  const world = overrideWorld({ follows: false, clouds: (clouds) => clouds.map(hiding), cloud: { rewrites } });
  const declared = definition([{ path: "app", ...provider, parameters: { version: "6" } }]);
  const asked = (await world.create(declared)) as Mutation;
  const running = world.override.mutations.advance(asked.livesystemId);
  await world.runtime.advance(10_000);
  const { id = "", resourceId } = ((await world.mutation(asked)) as Mutation).components[0] ?? {};
  expect((await world.component(id)).settled).toHaveLength(1);

  const console = world.consoles["provider-a"];
  await console.delete(resourceId ?? "");
  await console.put(resourceId ?? "", {
    ...provider,
    tags: { "managed-by": "platform" },
    parameters: { version: "6.0" },
  });
  isHidden = false;
  await world.runtime.advance(20_000);
  await running;
  expect((await world.component(id)).settled).toEqual([]);
});

test("writes that the cloud gave up are none of the two", async () => {
  let failing = 3;
  const world = overrideWorld({
    follows: false,
    cloud: {
      slownessOf: ({ operation }) =>
        operation === "update" && failing-- > 0
          ? { takesMs: 30_000, fails: { code: "Busy", message: "Not now." }, marksFailed: false }
          : null,
    },
  });
  const declared = definition([{ path: "app", ...provider, parameters: { size: 1 } }]);
  const { components } = await carriedThrough(world, (await world.create(declared)) as Mutation);
  const { id = "", resourceId } = components[0] ?? {};
  await world.consoles["provider-a"].patchParameters(resourceId ?? "", { size: 5 });
  for (let at = 0; at < 12; at++) {
    await world.runtime.advance(180_000);
    await world.cycle();
  }
  expect(failing).toBeLessThan(0);
  expect(await world.component(id)).toMatchObject({ conditions: { inSync: { value: true } } });
});

/** Each write of one of two places undoes the other. */
const undoing: Rewrite = ({ before, parameters }) => {
  if (before === null) return { ...parameters, first: 0 };
  return before.first !== parameters.first ? { ...parameters, second: 0 } : { ...parameters, first: 0 };
};

test("two places that undo each other are left alone after one more write", async () => {
  const { world, id, updates } = await atRest({ first: 1, second: 1 }, undoing);
  expect(updates).toHaveLength(2);
  expect(await world.component(id)).toMatchObject({ conditions: { inSync: { value: false, reason: "Ineffective" } } });
});

test("each deploy has one more write where two places undo each other, be it of the same declaration", async () => {
  const { updates, redeploy, sweep } = await atRest({ first: 1, second: 1 }, undoing, 0, { conditionalWrites: false });
  for (const count of [5, 8]) {
    await redeploy({ first: 1, second: 1 });
    await sweep();
    expect(updates).toHaveLength(count);
  }
});

test("the form of what goes by another component's tag is learned, though it has no tag itself", async () => {
  const world = overrideWorld({ cloud: { rewrites: show("tier", () => "T3") } });
  const owner = { path: "owner", ...provider };
  const member = { path: "member", ...provider, overrideWith: "owner", parameters: { tier: "gold" } };
  const declared = definition([owner, member]);
  const { components } = await carriedThrough(world, (await world.create(declared)) as Mutation);
  const { id = "", resourceId } = components.find((one) => one.id.endsWith("/member")) ?? {};
  const console = world.consoles["provider-a"];
  await console.putTags(resourceId ?? "", {});
  await console.patchParameters(resourceId ?? "", { tier: "T1" });
  await world.cycles(2);
  expect(await world.component(id)).toMatchObject({
    settled: [{ pointer: "/tier", form: "T3" }],
    conditions: { inSync: { value: true, reason: "InSync" } },
  });
});

test("what a person makes of an ignored value teaches nothing where the cloud answers without the resource", async () => {
  const silent = (cloud: Cloud): Cloud => ({
    ...cloud,
    async update(...asked) {
      const { shown: _, ...answer } = await cloud.update(...asked);
      await world.consoles["provider-a"].patchParameters(asked[0].resourceId, { size: 5 });
      return answer;
    },
  });
  const world = overrideWorld({
    clouds: (clouds) => clouds.map(silent),
    cloud: { rewrites: ({ before, parameters }) => (before === null ? { ...parameters, size: 1 } : parameters) },
  });
  const declared = definition([{ path: "app", ...provider, parameters: { size: 7 } }]);
  const { components } = await carriedThrough(world, (await world.create(declared)) as Mutation);
  expect(await world.component(components[0]?.id ?? "")).toMatchObject({
    settled: [],
    conditions: { inSync: { value: false } },
  });
});

test("the answer of a creation teaches nothing about another resource that is there by then", async () => {
  const replaced = (cloud: Cloud): Cloud => ({
    ...cloud,
    async create(...asked) {
      const created = await cloud.create(...asked);
      const console = world.consoles["provider-a"];
      await console.delete(created.resourceId);
      const resource = { ...provider, tags: { "managed-by": "platform" }, parameters: { version: "5" } };
      await console.put(created.resourceId, resource);
      return created;
    },
  });
  const world = overrideWorld({
    clouds: (clouds) => clouds.map(replaced),
    cloud: { rewrites: ({ before, parameters }) => (before === null ? { ...parameters, version: "6.0" } : parameters) },
  });
  const declared = definition([{ path: "app", ...provider, parameters: { version: "6" } }]);
  await carriedThrough(world, (await world.create(declared)) as Mutation);
  expect(await world.events("component.settled")).toEqual([]);
});

test("what somebody else keeps changing is corrected at growing distances, and created again at once", async () => {
  const { world, id, console, resourceId, updates, sweep } = await atRest({ size: 1 }, ({ parameters }) => parameters);
  for (let times = 0; times < 60; times++) {
    await console.patchParameters(resourceId, { size: 5 });
    await sweep(1);
  }
  expect(updates.length).toBeLessThan(15);
  expect(await world.component(id)).toMatchObject({ conditions: { inSync: { reason: "Contested" } } });
  await console.delete(resourceId);
  await sweep(2);
  expect((await console.get(resourceId))?.parameters).toEqual({ size: 1 });
});

test("what somebody else keeps changing isn't put off when another place differs, too", async () => {
  const { world, id, console, resourceId, sweep } = await atRest(
    { size: 1, zone: "a" },
    ({ parameters }) => parameters,
  );
  for (let times = 0; times < 10; times++) {
    await console.patchParameters(resourceId, { size: 5 });
    await sweep(1);
  }
  expect(await world.component(id)).toMatchObject({ conditions: { inSync: { reason: "Contested" } } });
  expect((await console.get(resourceId))?.parameters.size).toBe(5);
  await console.patchParameters(resourceId, { zone: "b" });
  await world.cycle();
  expect((await console.get(resourceId))?.parameters).toEqual({ size: 1, zone: "a" });
});

test("a resource that was made again is corrected, however often its component was made before", async () => {
  const { world, id, resourceId, console } = await deployed({ parameters: { size: 1 } });
  await console.delete(resourceId);
  await console.setFaults({ slow: { takesMs: 60_000 } });
  await world.cycle();
  await console.patchParameters(resourceId, { size: 2 });
  await console.setFaults({});
  for (let looks = 0; looks < 4; looks++) {
    await world.runtime.advance(180_000);
    await world.cycle();
  }
  expect((await console.get(resourceId))?.parameters.size).toBe(1);
  expect(await world.component(id)).toMatchObject({ conditions: { inSync: { value: true, reason: "InSync" } } });
});

test("a resource that somebody made again is corrected, though the one before was given up", async () => {
  const ignoring: Rewrite = ({ before, parameters }) => ({ ...parameters, size: before?.size ?? 1 });
  const { world, id, resourceId, console, updates, sweep } = await atRest({ size: 7, zone: "a" }, ignoring);
  expect(await world.component(id)).toMatchObject({ conditions: { inSync: { reason: "Ineffective" } } });
  const [before, made] = [updates.length, await console.get(resourceId)];
  await console.delete(resourceId);
  await console.setFaults({ write: "throttle" });
  await sweep(1);
  await console.put(resourceId, { type: made?.type, tags: made?.tags, parameters: { size: 7 } });
  await console.setFaults({});
  await sweep(3);
  expect(updates.length - before).toBe(1);
  expect((await console.get(resourceId))?.parameters).toMatchObject({ zone: "a" });
  expect(await world.component(id)).toMatchObject({ conditions: { inSync: { value: true } } });
});

test("what becomes ineffective says since when", async () => {
  const rewrites: Rewrite = ({ before, parameters }) => ({ ...parameters, tier: before?.tier ?? "cold" });
  const world = overrideWorld({ cloud: { rewrites, latencyMs: 1_000 } });
  const declared = definition([{ path: "app", ...provider, parameters: { tier: "hot" } }]);
  const [component] = (await world.passing(world.create(declared))).components;
  const { conditions, updatedAt } = await world.component(component?.id ?? "");
  const { observedAt } = conditions.inSync;
  expect(conditions.inSync).toMatchObject({ reason: "Ineffective", changedAt: observedAt });
  expect(updatedAt >= (observedAt ?? "")).toBe(true);
});
