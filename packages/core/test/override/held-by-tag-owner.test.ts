import { describe, expect, test } from "vitest";
import type { LiveSystemDefinition, Mutation } from "../../src/contract/schemas/live-system-schemas.ts";
import { components } from "../../src/override/records/component-record.ts";
import type { Cloud } from "../../src/ports/cloud.ts";
import type { Commit } from "../../src/ports/store.ts";
import { flavours } from "../builders/drawn-deploys.ts";
import { both, definition, managed } from "../builders/handed-over.ts";
import { meanwhileStore } from "../builders/meanwhile-store.ts";
import { overrideWorld, type WorldOptions } from "../builders/override.ts";

describe.each(flavours)("$provider: what answers to another", (flavour) => {
  const { provider, kinds } = flavour;
  const net = { provider, type: kinds.tagOwner };
  const subnet = { path: "subnet", provider, type: kinds.governed };
  const declared = (tagOwner: string, nets = ["old", "new"]) =>
    definition([...nets.map((path) => ({ path, ...net })), { ...subnet, overrideWith: tagOwner }]);

  /** A person has the network `old`, and has changed its subnet by hand. */
  async function takenOver(shop: LiveSystemDefinition, options: WorldOptions = {}) {
    const world = overrideWorld(options);
    const { livesystemId: system, components } = await world.create(shop);
    const idOf = (path: string) => components.find(({ id }) => id.endsWith(`/${path}`))?.resourceId ?? "";
    const console = world.consoles[provider];
    await world.cycle();
    await console.putTags(idOf("old"), {});
    await world.cycle();
    await console.patchParameters(idOf("subnet"), { size: 7 });
    return { world, system, console, idOf };
  }

  /** A subnet under a network that a person has, changed by hand, and declared under another network since. */
  async function movedAway(nets?: string[], options?: WorldOptions) {
    const { world, system, console, idOf } = await takenOver(declared("old"), options);
    const mutation = await world.deploy(system, declared("new", nets));
    await world.cycle();
    const size = async () => (await console.get(idOf("subnet")))?.parameters.size;
    return { world, system, console, mutation, size, idOf, subnetId: `${system}/subnet` };
  }

  test("what an overridden component governs stays held by it when another one is declared, until it is given back", async () => {
    const { world, system, console, mutation, size, idOf, subnetId } = await movedAway();
    expect(mutation).toMatchObject({ status: "Succeeded" });
    expect(mutation.held).toContain(subnetId);
    expect(await size()).toBe(7);
    await console.putTags(idOf("old"), both);
    await world.cycle();
    await world.cycle();
    expect((await world.component(`${system}/old`)).status).toBe("Active");
    await world.cycle();
    expect(await size()).toBe(1);
    await console.putTags(idOf("new"), {});
    await world.cycle();
    await console.patchParameters(idOf("subnet"), { size: 8 });
    await world.cycle();
    expect(await size()).toBe(8);
  });

  test("nothing is stored again and again while its tag owner is missing and can't be created", async () => {
    const world = overrideWorld();
    world.secrets.set("db", "s3cret");
    const tagOwner = { path: "old", ...net, parameters: { key: { $secret: "db" } } };
    const { livesystemId: system, components: made } = await world.create(
      definition([tagOwner, { ...subnet, overrideWith: "old" }]),
    );
    await world.cycle();
    world.secrets.delete("db");
    for (const { resourceId } of made) await world.consoles[provider].delete(resourceId ?? "");
    await world.cycles(3);
    const stored = async () => (await world.records.get(components, [system, "subnet"]))?.version;
    const before = await stored();
    await world.cycles(2);
    expect(await stored()).toBe(before);
    world.secrets.set("db", "s3cret");
    await world.cycles(3);
    expect((await world.component(`${system}/subnet`)).conditions.exists.value).toBe(true);
  });

  test("it stays held though the one that a person has moves to another path meanwhile", async () => {
    const { world, system, console, idOf } = await takenOver(declared("old"));
    const moved = [
      { path: "moved", movedFrom: "old", ...net },
      { path: "new", ...net },
    ];
    const mutation = await world.deploy(system, definition([...moved, { ...subnet, overrideWith: "new" }]));
    await world.cycles(2);
    expect(mutation.held).toContain(`${system}/subnet`);
    expect((await console.get(idOf("subnet")))?.parameters.size).toBe(7);
  });

  test.each([
    { dependsOn: ["old"], action: "correct", held: 0 },
    { dependsOn: [], action: "hold", held: 1 },
  ])("a plan sees what comes after a tag owner that the deploy takes back ($action)", async (story) => {
    const { dependsOn, action, held } = story;
    const world = overrideWorld();
    const shop = definition([
      { path: "old", ...net },
      { ...subnet, overrideWith: "old", dependsOn },
    ]);
    const { livesystemId: system, components } = await world.create(shop);
    const idOf = (path: string) => components.find(({ id }) => id.endsWith(`/${path}`))?.resourceId ?? "";
    const console = world.consoles[provider];
    await world.cycle();
    await console.putTags(idOf("old"), {});
    await world.cycle();
    await console.patchParameters(idOf("subnet"), { size: 7 });
    await console.delete(idOf("old"));
    await world.cycle();
    const plan = await world.plan(system, shop);
    const actions = plan.components.map((one) => [one.componentId.slice(system.length + 1), one.action]);
    expect(Object.fromEntries(actions)).toEqual({ old: "create", subnet: action });
    expect((await world.deploy(system, shop)).held).toHaveLength(held);
  });

  test("a step doesn't say that it waits for the cloud while it waits for its tag owner", async () => {
    let failing = "";
    const faultOf = ({ operation, resourceId }: { operation: string; resourceId: string | null }) =>
      failing !== "" && operation === "read" && resourceId?.includes(failing) ? ("throttle" as const) : null;
    const of = (size: number) =>
      definition([
        { path: "old", ...net },
        { ...subnet, overrideWith: "old", parameters: { size } },
      ]);
    const world = overrideWorld({ cloud: { faultOf } });
    const { livesystemId: system } = await world.create(of(1));
    failing = "subnet-";
    const asked = (await world.call("liveSystems.deploy", { params: { id: system }, body: of(2) })) as Mutation;
    const running = world.override.mutations.advance(system);
    const waiting = async () => (await world.mutation(asked)).steps.map((step) => step.waiting?.why ?? null);
    await world.runtime.advance(1_000);
    expect(await waiting()).toContain("failing");
    failing = "old-";
    await world.runtime.advance(10_000);
    expect(await waiting()).toEqual([null, null]);
    failing = "";
    await world.runtime.advance(10_000);
    await running;
    expect(await world.mutation(asked)).toMatchObject({ status: "Succeeded" });
  });

  test.each([
    ["old", "old", "old"],
    ["old", "old", "new"],
    ["old", "old", null],
    ["subnet", null, "old"],
  ])(
    "what depends on what is held doesn't wait for it: a person has %s, its tag owner was %s and is %s",
    async (taken, before, then) => {
      let isDown = false;
      const faultOf = ({ operation, resourceId }: { operation: string; resourceId: string | null }) =>
        isDown && operation === "write" && resourceId?.includes("app-") ? ("fail" as const) : null;
      const member = { path: "subnet", provider, type: kinds.plain };
      const of = (size: number, overrideWith: string | null) =>
        definition([
          { path: "old", ...net },
          { path: "new", ...net },
          { ...member, ...(overrideWith !== null && { overrideWith }), parameters: { size } },
          { path: "app", provider, type: kinds.plain, parameters: { size }, dependsOn: ["subnet"] },
        ]);
      const world = overrideWorld({ cloud: { faultOf } });
      const { livesystemId: system, components } = await world.create(of(1, before));
      const idOf = (path: string) => components.find(({ id }) => id.endsWith(`/${path}`))?.resourceId ?? "";
      const console = world.consoles[provider];
      await console.putTags(idOf(taken), {});
      await world.cycle();
      isDown = true;
      expect(await world.passing(world.deploy(system, of(2, then)))).toMatchObject({ status: "Failed" });
      isDown = false;
      await world.cycles(3);
      const sizes = ["subnet", "app"].map(async (path) => (await console.get(idOf(path)))?.parameters.size);
      expect(await Promise.all(sizes)).toEqual([1, 2]);
    },
  );

  /** A subnet that answers to `old`, after a pass. */
  async function governed() {
    const world = overrideWorld();
    const { livesystemId: system, components } = await world.create(declared("old", ["old"]));
    const idOf = (path: string) => components.find(({ id }) => id.endsWith(`/${path}`))?.resourceId ?? "";
    const console = world.consoles[provider];
    const subnetNow = () => world.component(`${system}/subnet`);
    const pass = async () => {
      await world.runtime.advance(180_000);
      await world.cycle();
    };
    await pass();
    return { world, system, idOf, console, subnetNow, pass };
  }

  test("what it governs says by whom it is held, whether or not it differs, until it is given back", async () => {
    const { world, system, idOf, console, subnetNow, pass } = await governed();
    expect(await subnetNow()).toMatchObject({ override: null, conditions: { inSync: { reason: "InSync" } } });
    await console.putTags(idOf("old"), {});
    await pass();
    await pass();
    const override = { heldBy: `${system}/old` };
    const inSync = { reason: "HeldBy", message: expect.stringContaining("old is overridden") };
    expect(await subnetNow()).toMatchObject({ override, conditions: { inSync: { ...inSync, value: true } } });
    await console.patchParameters(idOf("subnet"), { size: 7 });
    await pass();
    const differing = await subnetNow();
    expect(differing).toMatchObject({ override, conditions: { inSync: { ...inSync, value: false } } });
    expect(differing.override).toEqual(override);
    const body = declared("old", ["old"]);
    expect(await world.call("liveSystems.planDeploy", { params: { id: system }, body })).toMatchObject({
      components: [
        { action: "hold", reason: "It is taken over." },
        { action: "hold", reason: "old is overridden, and this component is held with it." },
      ],
    });
    await console.putTags(idOf("old"), both);
    for (let times = 0; times < 4; times++) await pass();
    expect(await subnetNow()).toMatchObject({ override: null, conditions: { inSync: { reason: "InSync" } } });
  });

  test("what it governs says that it waits for a missing resource, and is corrected once that is there again", async () => {
    const { system, idOf, console, subnetNow, pass } = await governed();
    await console.setFaults({ write: "fail" });
    await console.delete(idOf("old"));
    await pass();
    await console.patchParameters(idOf("subnet"), { size: 7 });
    await pass();
    await pass();
    expect(await subnetNow()).toMatchObject({
      health: "Blocked",
      override: null,
      conditions: {
        inSync: {
          value: false,
          reason: "Blocked",
          message: "The resource of old, whose tags also apply to this component, is missing.",
          blockedBy: `${system}/old`,
        },
      },
    });
    await console.setFaults({});
    for (let times = 0; times < 6; times++) await pass();
    expect(await subnetNow()).toMatchObject({ health: "InSync" });
  });

  test.each([
    { needs: "subnet", gone: ["old", "subnet"] },
    { needs: "between", gone: ["old", "between", "subnet"] },
  ])(
    "a missing resource that depends on what it governs is made after that, if all are missing ($gone)",
    async ({ needs, gone }) => {
      const world = overrideWorld();
      const shop = definition([
        { path: "old", ...net, dependsOn: [needs] },
        { ...subnet, overrideWith: "old", parameters: { size: 1 } },
        { path: "between", provider, type: kinds.plain, dependsOn: ["subnet"] },
      ]);
      const { livesystemId: system, components } = await world.create(shop);
      const idOf = (path: string) => components.find(({ id }) => id.endsWith(`/${path}`))?.resourceId ?? "";
      const console = world.consoles[provider];
      await console.setFaults({ write: "fail" });
      for (const path of gone) await console.delete(idOf(path));
      await world.cycles(2);
      await console.setFaults({});
      for (let times = 0; times < 6; times++) {
        await world.runtime.advance(180_000);
        await world.cycle();
      }
      const health = gone.map(async (path) => (await world.component(`${system}/${path}`)).health);
      expect(await Promise.all(health)).toEqual(gone.map(() => "InSync"));
    },
  );

  test("what it governs and the cloud gave up fails no deploy while a person has it", async () => {
    const world = overrideWorld();
    const { livesystemId: system, components } = await world.create(declared("old", ["old"]));
    const at = components.find(({ id }) => id.endsWith("/subnet"))?.resourceId ?? "";
    const owner = components.find(({ id }) => id.endsWith("/old"))?.resourceId ?? "";
    const console = world.consoles[provider];
    await console.patchParameters(at, { size: 7 });
    await console.setFaults({ slow: { takesMs: 1_000, fails: { code: "Full", message: "There is no room." } } });
    await world.runtime.advance(180_000);
    await world.cycle();
    await console.setFaults({});
    await console.putTags(owner, {});
    await world.runtime.advance(180_000);
    await world.cycle();
    expect(await world.component(`${system}/subnet`)).toMatchObject({
      conditions: { inSync: { reason: "ProvisioningFailed" } },
    });
    expect(await world.deploy(system, declared("old", ["old"]))).toMatchObject({
      status: "Succeeded",
      held: [`${system}/old`, `${system}/subnet`],
    });
  });

  test("what is declared and released with it while a deploy is judged is created by that deploy", async () => {
    const isDeploy = ({ sets = [] }: Commit) => sets.some(({ key }) => key.includes("live-system"));
    const meanwhile = meanwhileStore(isDeploy, () => world.runtime.clock.now());
    const world = overrideWorld({ store: meanwhile.store });
    const { livesystemId: system, components } = await world.create(declared("old"));
    const old = components.find(({ id }) => id.endsWith("/old"))?.resourceId ?? "";
    await world.consoles[provider].putTags(old, {});
    await world.cycle();
    await world.call("liveSystems.deploy", { params: { id: system }, body: declared("new", ["new"]) });
    meanwhile.before(() => world.override.mutations.advance(system));
    await world.deploy(system, declared("new", ["new"]));
    expect(meanwhile.waits()).toBe(false);
    expect(await world.component(`${system}/subnet`)).toMatchObject({ status: "Active" });
  });

  test("what was waited for in vain once isn't waited for by the next process: the plan says what the deploy does", async () => {
    let unseen = false;
    const hide = (cloud: Cloud): Cloud => ({
      ...cloud,
      read: async (ref, call) =>
        unseen && ref.type === kinds.governed ? { state: "missing" } : await cloud.read(ref, call),
    });
    const clouds = (all: readonly Cloud[]) => all.map(hide);
    const world = overrideWorld({ clouds, follows: false });
    unseen = true;
    const { livesystemId: system } = await world.create(declared("old", ["old"]));
    const running = world.override.mutations.advance(system);
    await world.runtime.advance(1_000);
    const console = world.consoles[provider];
    const at = async (path: string) => (await world.component(`${system}/${path}`)).resourceId ?? "";
    await console.putTags(await at("old"), {});
    await console.delete(await at("subnet"));
    unseen = false;
    await world.runtime.advance(20 * 60_000);
    await running;
    await world.cycle();
    const { store, cloudStore, runtime } = world;
    const next = overrideWorld({ store, cloudStore, runtime, follows: false });
    const body = definition([{ path: "old", ...net }]);
    const plan = (await next.call("liveSystems.planDeploy", { params: { id: system }, body })) as {
      components: { componentId: string; action: string }[];
    };
    expect(plan.components.map(({ componentId, action }) => [componentId.slice(37), action])).toEqual([
      ["old", "hold"],
      ["subnet", "none"],
    ]);
  });

  test("what an overridden component still holds is released once no write to it may be under way", async () => {
    let claim = async (): Promise<unknown> => null;
    const claiming = (cloud: Cloud): Cloud => ({
      ...cloud,
      async read(ref, call) {
        if (ref.resourceId?.includes("old")) await claim();
        return cloud.read(ref, call);
      },
    });
    const options = { sharedByProcesses: true, clouds: (all: readonly Cloud[]) => all.map(claiming) };
    const { world, system, size } = await movedAway(undefined, options);
    const work = { id: "w", worker: "another process", kind: "correct" } as const;
    const body = declared("new", ["new"]);
    const { id } = (await world.call("liveSystems.deploy", { params: { id: system }, body })) as Mutation;
    claim = () =>
      world.records.change({ actor: "agent", requestId: "r" }, async (change) => {
        const record = await change.get(components, [system, "subnet"]);
        if (record?.step?.mutationId === id && record.step.state === "held")
          change.put(components, { ...record, work });
      });
    const deploy = world.override.mutations.advance(system);
    await world.runtime.advance(2_000);
    claim = async () => null;
    expect(await world.records.get(components, [system, "subnet"])).toMatchObject({ governedBy: "old", work });
    await world.passing(deploy);
    expect((await world.events()).filter(({ type }) => type === "component.released")).toHaveLength(2);
    expect(await size()).toBe(7);
  });

  test("a plan foresees that a deploy fails at what is held and can't be read", async () => {
    let isDown = false;
    const failing = (cloud: Cloud): Cloud => ({
      ...cloud,
      read: async (ref, call) =>
        isDown && ref.type === kinds.governed ? { state: "unreadable", reason: "Down" } : cloud.read(ref, call),
    });
    const { world, system } = await takenOver(declared("old"), { clouds: (all) => all.map(failing) });
    isDown = true;
    const { error } = await world.plan(system, declared("old"));
    const failed = await world.passing(world.deploy(system, declared("old")));
    expect([error?.componentId, failed.error?.componentId]).toEqual([`${system}/subnet`, `${system}/subnet`]);
  });

  test("a plan says what becomes of what a missing tag owner holds once both are removed", async () => {
    const { world, system, console, idOf, subnetId } = await movedAway();
    await console.delete(idOf("old"));
    await world.cycle();
    expect(await world.component(`${system}/old`)).toMatchObject({ override: { awaiting: "redeploy" } });
    const without = definition([{ path: "new", ...net }]);
    const { components } = await world.plan(system, without);
    const { released } = await world.deploy(system, without);
    const action = components.find(({ componentId }) => componentId === subnetId)?.action;
    expect([action, released.includes(subnetId)]).toEqual(["release", true]);
  });

  test("what an overridden component still holds is released with it", async () => {
    const { world, mutation, size, subnetId, system } = await movedAway(["new"]);
    expect(mutation.released.toSorted()).toEqual([`${system}/old`, subnetId]);
    expect(await size()).toBe(7);
    await world.cycle();
    expect(await size()).toBe(7);
    const told = (await world.events())
      .filter(({ type }) => type === "component.released")
      .map(({ subject }) => subject);
    expect(told.toSorted()).toEqual([`${system}/old`, subnetId]);
  });

  test.each([true, false])(
    "what a person holds by another's tag is released though no tag owner is declared for it any more: its own tag %s",
    async (isTagged) => {
      const world = overrideWorld();
      const member = { path: "member", provider, type: kinds.plain };
      const base = { path: "old", ...net };
      const { livesystemId: system } = await world.create(definition([base, { ...member, overrideWith: "old" }]));
      const placeOf = async (path: string) => (await world.component(`${system}/${path}`)).resourceId ?? "";
      const [place, console] = [await placeOf("member"), world.consoles[provider]];
      if (!isTagged) await console.putTags(place, {});
      await console.putTags(await placeOf("old"), {});
      await world.cycle();
      await world.deploy(system, definition([base, member]));
      expect(await world.component(`${system}/member`)).toMatchObject({ status: "Active" });
      const body = definition([base]);
      const plan = await world.call("liveSystems.planDeploy", { params: { id: system }, body });
      const { components: planned } = plan as { components: { componentId: string; action: string }[] };
      expect(planned).toContainEqual(expect.objectContaining({ componentId: `${system}/member`, action: "release" }));
      expect(await world.deploy(system, body)).toMatchObject({ released: [`${system}/member`] });
      expect(await console.get(place)).not.toBeNull();
    },
  );

  test("a plan says release of what is held by one that moves in the same deploy", async () => {
    const { world, system } = await movedAway();
    const body = definition([
      { path: "older", ...net, movedFrom: "old" },
      { path: "new", ...net },
    ]);
    const plan = await world.call("liveSystems.planDeploy", { params: { id: system }, body });
    const { components: planned } = plan as { components: { componentId: string; action: string }[] };
    expect(planned.find(({ componentId }) => componentId.endsWith("/subnet"))).toMatchObject({ action: "release" });
    expect(await world.deploy(system, body)).toMatchObject({ released: [`${system}/subnet`] });
  });

  test("what an overridden component holds isn't released with it while another process writes to that", async () => {
    const world = overrideWorld({ sharedByProcesses: true });
    const { livesystemId: system, components } = await world.create(declared("old"));
    const place = components.find(({ id }) => id.endsWith("/old"))?.resourceId ?? "";
    await world.cycle();
    await world.consoles[provider].putTags(place, {});
    await world.cycle();
    await world.deploy(system, declared("new"));
    const key = ["record", "component", system, "subnet"];
    const [record] = await world.store.get([key]);
    const work = { id: "w", worker: "another", kind: "correct" };
    await world.store.commit({ sets: [{ key, value: { ...(record?.value as object), work } }] });
    const { clock } = world.runtime;
    const begunAt = clock.monotonic();
    await world.passing(world.deploy(system, definition([{ path: "new", ...net }])));
    const told = await world.events("component.released");
    expect(told.map(({ subject }) => subject).toSorted()).toEqual([`${system}/old`, `${system}/subnet`]);
    expect(clock.monotonic() - begunAt).toBeGreaterThanOrEqual(60_000);
  });

  test("what a person has by its own tags isn't released with the tag owner that was named for it meanwhile", async () => {
    const world = overrideWorld();
    const member = { path: "member", provider, type: kinds.plain };
    const nets = ["old", "new"].map((path) => ({ path, ...net }));
    const { livesystemId: system } = await world.create(definition([...nets, member]));
    const placeOf = async (path: string) => (await world.component(`${system}/${path}`)).resourceId ?? "";
    const [place, console] = [await placeOf("member"), world.consoles[provider]];
    await console.putTags(place, {});
    await world.cycle();
    await world.deploy(system, definition([...nets, { ...member, overrideWith: "old" }]));
    await console.putTags(await placeOf("old"), {});
    await world.cycle();
    const [, next] = nets;
    const deployed = await world.deploy(
      system,
      definition([...(next ? [next] : []), { ...member, overrideWith: "new" }]),
    );
    expect(deployed).toMatchObject({ released: [`${system}/old`] });
    expect(await world.component(`${system}/member`)).toMatchObject({ status: "ManualOverride" });
    await console.putTags(place, both);
    await world.cycles(2);
    expect(await world.component(`${system}/member`)).toMatchObject({ status: "Active" });
  });

  test("what a person has by its own tags is handed back by them, whoever has the tag owner that was named for it meanwhile", async () => {
    const world = overrideWorld();
    const member = { path: "member", provider, type: kinds.plain };
    const { livesystemId: system } = await world.create(definition([{ path: "owner", ...net }, member]));
    const placeOf = async (path: string) => (await world.component(`${system}/${path}`)).resourceId ?? "";
    const [place, console] = [await placeOf("member"), world.consoles[provider]];
    await console.putTags(place, {});
    await world.cycle();
    await world.deploy(
      system,
      definition([
        { path: "owner", ...net },
        { ...member, overrideWith: "owner" },
      ]),
    );
    await console.putTags(await placeOf("owner"), {});
    await world.cycle();
    await console.patchParameters(place, { size: 7 });
    await console.putTags(place, both);
    await world.cycles(3);
    // From then on it goes with its tag owner, which a person has still.
    const handedBack = await world.component(`${system}/member`);
    expect(handedBack).toMatchObject({ status: "Active", override: { heldBy: `${system}/owner` } });
    expect((await console.get(place))?.parameters).not.toHaveProperty("size", 7);
    expect((await console.get(place))?.tags).toEqual(managed);
    await console.patchParameters(place, { size: 8 });
    await world.cycles(2);
    expect((await console.get(place))?.parameters).toHaveProperty("size", 8);
  });

  test("what leaves with an overridden tag owner that it went by before is released, though the tag of that one is back", async () => {
    const world = overrideWorld();
    const member = { path: "member", provider, type: kinds.plain };
    // It is removed before the member, which waits for that.
    const last = { path: "last", provider, type: kinds.plain, dependsOn: ["member"] };
    const nets = ["old", "new"].map((path) => ({ path, ...net }));
    const { livesystemId: system } = await world.create(
      definition([...nets, { ...member, overrideWith: "old" }, last]),
    );
    const placeOf = async (path: string) => (await world.component(`${system}/${path}`)).resourceId ?? "";
    const [old, place, console] = [await placeOf("old"), await placeOf("member"), world.consoles[provider]];
    await console.putTags(old, {});
    await world.cycle();
    await world.deploy(system, definition([...nets, { ...member, overrideWith: "new" }, last]));
    await console.patchParameters(old, { size: 7 });
    await console.putTags(old, managed);
    await world.cycle();
    const [, next] = nets;
    const rest = definition(next ? [next] : []);
    const actions = (await world.plan(system, rest)).components.map(({ componentId, action }) => [componentId, action]);
    expect(actions).toContainEqual([`${system}/member`, "release"]);
    expect(await world.deploy(system, rest)).toMatchObject({ released: [`${system}/member`] });
    expect(await console.get(place)).not.toBeNull();
    expect(await console.get(old)).toBeNull();
  });

  test("the plan says delete where a deploy makes the one anew that stands for what leaves", async () => {
    const world = overrideWorld();
    const { livesystemId: system, components } = await world.create(declared("old", ["old"]));
    const idOf = (path: string) => components.find(({ id }) => id.endsWith(`/${path}`))?.resourceId ?? "";
    const console = world.consoles[provider];
    await world.cycle();
    await console.putTags(idOf("old"), {});
    await world.cycle();
    await console.delete(idOf("old"));
    await world.cycle();
    expect(await world.component(`${system}/old`)).toMatchObject({ status: "ManualOverride" });
    const body = definition([{ path: "old", ...net }]);
    const plan = await world.call("liveSystems.planDeploy", { params: { id: system }, body });
    const { components: planned } = plan as { components: { componentId: string; action: string }[] };
    expect(planned).toMatchObject([
      { componentId: `${system}/old`, action: "create" },
      { componentId: `${system}/subnet`, action: "delete" },
    ]);
    expect(await world.deploy(system, body)).toMatchObject({ status: "Succeeded", released: [] });
    expect(await console.get(idOf("subnet"))).toBeNull();
  });

  test("a plan says release where the deploy takes back who has what leaves, and a person has the one named since", async () => {
    const { world, system, console, idOf } = await takenOver(declared("old"));
    await world.deploy(system, declared("new"));
    await console.putTags(idOf("new"), {});
    await console.delete(idOf("old"));
    await world.cycles(2);
    const rest = definition(["old", "new"].map((path) => ({ path, ...net })));
    const planned = (await world.plan(system, rest)).components;
    expect(planned.map(({ componentId, action }) => [componentId.slice(system.length + 1), action])).toEqual([
      ["old", "create"],
      ["new", "hold"],
      ["subnet", "release"],
    ]);
    expect(await world.deploy(system, rest)).toMatchObject({ released: [`${system}/subnet`] });
    expect(await console.get(idOf("subnet"))).not.toBeNull();
  });

  test("what leaves while the one that stands for it moves is deleted with its resource", async () => {
    const world = overrideWorld();
    const { livesystemId: system, components } = await world.create(declared("old", ["old"]));
    const place = components.find(({ id }) => id.endsWith("/subnet"))?.resourceId ?? "";
    await world.cycle();
    const body = definition([{ path: "new", movedFrom: "old", ...net }]);
    expect(await world.deploy(system, body)).toMatchObject({ status: "Succeeded", released: [] });
    expect(await world.consoles[provider].get(place)).toBeNull();
  });

  test("what is held and not provisioned yet says what it waits for", async () => {
    const world = overrideWorld();
    const { livesystemId: system, components } = await world.create(definition([{ path: "old", ...net }]));
    await world.consoles[provider].putTags(components[0]?.resourceId ?? "", {});
    await world.cycle();
    await world.deploy(system, declared("old", ["old"]));
    const { conditions } = await world.component(`${system}/subnet`);
    expect(conditions.exists).toMatchObject({ value: false, reason: "NotProvisioned" });
    expect(conditions.inSync).toMatchObject({ value: false, reason: "HeldBy" });
    expect(conditions.inSync.message).toBe("The resource has not been provisioned yet. old is overridden.");
  });

  test("what is held and not provisioned names who holds it, though it waits for another component, too", async () => {
    const world = overrideWorld();
    const { livesystemId: system, components } = await world.create(definition([{ path: "old", ...net }]));
    const console = world.consoles[provider];
    await console.putTags(components[0]?.resourceId ?? "", {});
    await world.cycle();
    await console.setFaults({ write: "fail" });
    const late = { path: "late", ...net };
    const held = { ...subnet, overrideWith: "old", dependsOn: ["late"] };
    await world.passing(world.deploy(system, definition([{ path: "old", ...net }, late, held])));
    await world.check(`${system}/subnet`);
    expect((await world.component(`${system}/subnet`)).conditions.inSync).toMatchObject({
      reason: "HeldBy",
      blockedBy: `${system}/old`,
    });
  });

  test("a reconcile tag of its own on one that can carry tags has no effect and stays", async () => {
    const world = overrideWorld();
    const member = { path: "member", provider, type: kinds.plain, overrideWith: "old" };
    const { livesystemId: system } = await world.create(definition([{ path: "old", ...net }, member]));
    const place = (await world.component(`${system}/member`)).resourceId ?? "";
    const console = world.consoles[provider];
    await console.putTags(place, both);
    await world.cycles(2);
    expect((await console.get(place))?.tags).toEqual(both);
  });

  test("what waits for an output of what a person has says which, and goes on when it is there", async () => {
    const world = overrideWorld();
    const { livesystemId: system, components } = await world.create(definition([{ path: "base", ...net }]));
    const console = world.consoles[provider];
    await console.putTags(components[0]?.resourceId ?? "", {});
    await world.cycle();
    const reader = { path: "reader", ...net, parameters: { at: { $output: "base#address" } } };
    await world.deploy(system, definition([{ path: "base", ...net }, reader]));
    expect((await world.component(`${system}/reader`)).conditions.inSync).toMatchObject({
      value: false,
      reason: "Held",
      message:
        "The resource has not been provisioned yet. base#address, which /parameters/at refers to, does not exist. Outputs of base: id, name, size.",
    });
    await console.patchParameters(components[0]?.resourceId ?? "", { address: "10.0.0.1" });
    await world.cycle();
    await world.cycle();
    expect((await world.component(`${system}/reader`)).conditions.exists.value).toBe(true);
  });

  test("an episode that ends by a release says what was declared and there at its end", async () => {
    const world = overrideWorld();
    const parts = [
      { path: "app", ...net, parameters: { size: 1, tier: "a" } },
      { path: "other", ...net },
    ];
    const { livesystemId: system, components } = await world.create(definition(parts));
    const console = world.consoles[provider];
    await console.putTags(components[0]?.resourceId ?? "", {});
    await console.patchParameters(components[0]?.resourceId ?? "", { size: 7 });
    await world.cycle();
    await world.deploy(system, definition([{ path: "other", ...net }]));
    const episodes = await world.store.list({ prefix: ["record", "override-episode"], limit: 10 });
    expect(episodes.map(({ value }) => value)).toMatchObject([
      { outcome: "Released", end: { declared: { size: 1, tier: "a" }, actual: { size: 7, tier: "a" } } },
    ]);
  });

  test("a plan says that what leaves is deleted where the deploy adopts the one that stands for it before", async () => {
    const world = overrideWorld();
    const { livesystemId: system, components } = await world.create(declared("old", ["old"]));
    const console = world.consoles[provider];
    const place = components.find(({ id }) => id.endsWith("/old"))?.resourceId ?? "";
    await console.putTags(place, {});
    await world.cycle();
    await console.delete(place);
    await world.cycle();
    await console.put(place, { type: net.type, tags: both, parameters: { size: 9 } });
    await world.cycle();
    expect((await world.component(`${system}/old`)).override).toMatchObject({ awaiting: "redeploy" });
    const next = definition([{ path: "old", ...net }]);
    const plan = await world.call("liveSystems.planDeploy", { params: { id: system }, body: next });
    expect(plan).toMatchObject({
      components: [{ action: "adopt" }, { componentId: `${system}/subnet`, action: "delete" }],
    });
    await world.deploy(system, next);
    const told = (await world.events()).filter(({ subject }) => subject === `${system}/subnet`);
    expect(told.at(-1)).toMatchObject({ type: "component.deleted" });
  });

  test("is deleted before its tag owner, though that depends on it, and keeps the order of all others", async () => {
    const world = overrideWorld();
    const parts = [
      { path: "net", ...net, dependsOn: ["subnet"] },
      { ...subnet, overrideWith: "net" },
      { path: "base", ...net },
      { path: "last", ...net, dependsOn: ["base"] },
    ];
    const { livesystemId: system } = await world.create(definition(parts));
    const removed = await world.passing(world.remove(system));
    expect(removed).toMatchObject({ status: "Succeeded", released: [] });
    expect((await world.consoles[provider].list()).items).toEqual([]);
    const paths = (await world.events("component.deleted")).map(({ subject }) => subject.split("/").at(-1));
    expect(paths.indexOf("subnet")).toBeLessThan(paths.indexOf("net"));
    expect(paths.indexOf("last")).toBeLessThan(paths.indexOf("base"));
  });

  test("isn't deleted once a person has its tag owner, be it a moment before", async () => {
    let owner = "";
    let act = async (): Promise<unknown> => null;
    const watched = (cloud: Cloud): Cloud => ({
      ...cloud,
      read: async (ref, call) => {
        const reading = await cloud.read(ref, call);
        if (ref.resourceId === owner) await act();
        return reading;
      },
    });
    const world = overrideWorld({ clouds: (all) => all.map(watched) });
    const { livesystemId: system, components } = await world.create(declared("old", ["old"]));
    const idOf = (path: string) => components.find(({ id }) => id.endsWith(`/${path}`))?.resourceId ?? "";
    const console = world.consoles[provider];
    owner = idOf("old");
    act = () => console.putTags(owner, {});
    const removed = await world.passing(world.remove(system));
    expect([...removed.released].sort()).toEqual([`${system}/old`, `${system}/subnet`]);
    expect(await console.get(idOf("subnet"))).not.toBeNull();
  });
});
