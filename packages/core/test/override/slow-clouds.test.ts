import { describe, expect, test } from "vitest";
import type { LiveSystemDefinition, Mutation } from "../../src/contract/schemas/live-system-schemas.ts";
import { mutation as mutationSchema } from "../../src/contract/schemas/live-system-schemas.ts";
import type { Cloud, Reading } from "../../src/ports/cloud.ts";
import { intervalScheduler } from "../../src/ports/interval-scheduler.ts";
import { SecretValue } from "../../src/ports/secret-value.ts";
import { fakeRuntime } from "../../src/testing/fake-runtime.ts";
import { both, busyWhile, definition as declared, managed, overridden } from "../builders/handed-over.ts";
import { overrideWorld, type World, type WorldOptions } from "../builders/override.ts";

const minutes = (count: number) => count * 60_000;
const quota = { code: "QuotaExceeded", message: "There is no more of it in this region." };
const call = { credentials: { kind: "servicePrincipal", name: "other", secret: new SecretValue("other") } } as const;

/** The next process over the same stores, so many minutes later by its own clock. */
function processAfter({ store, cloudStore, runtime }: World, afterMinutes: number, options: WorldOptions = {}) {
  const later = fakeRuntime({ seed: 2, now: runtime.clock.now() + minutes(afterMinutes) });
  return { later, second: overrideWorld({ ...options, store, cloudStore, runtime: later, follows: false }) };
}

const flavours = [
  { provider: "provider-a", type: "Microsoft.Cache/Redis@2024-03-01" },
  { provider: "provider-b", type: "redis.v1.instance" },
] as const;

for (const flavour of flavours) {
  const { provider, type } = flavour;

  const definition = (parameters: object = { size: 1 }) => declared([{ path: "cache", ...flavour, parameters }]);

  /** A world whose clouds are slow from the start, with a deploy under way. */
  async function begun(faults: unknown, options: WorldOptions = {}, parameters?: Record<string, unknown>) {
    const world = overrideWorld({ ...options, follows: false });
    world.secrets.set("password", "hunter2-hunter2");
    const console = world.consoles[provider];
    await console.setFaults(faults);
    const asked = await world.create(definition(parameters));
    const system = asked.livesystemId;
    const running = world.override.mutations.advance(system);
    running.catch(() => {});
    await world.runtime.advance(1_000);
    const now = async () => (await world.mutation(asked)) as Mutation;
    const component = async () => (await now()).components[0] as Mutation["components"][number];
    const told = async (name: string) => world.events(name);
    return { world, console, system, asked, running, now, component, told };
  }

  /** One that was deployed, with clouds that are quick until they are told otherwise. */
  async function deployed(options: WorldOptions = {}, parameters?: Record<string, unknown>) {
    const made = await begun({}, options, parameters);
    await made.running;
    const { id, resourceId } = await made.component();
    if (resourceId === null) throw new Error("it was not deployed");
    const cycle = async (ms = 0) => {
      await made.world.runtime.advance(ms);
      await made.world.cycle();
      return made.world.component(id);
    };
    const cloud = provider === "provider-a" ? made.world.clouds.a : made.world.clouds.b;
    /** Somebody else asks the cloud for a change. */
    const changed = (pointer: string, value: number) =>
      cloud.update({ type, resourceId }, { parameters: [{ pointer, value }], tags: {} }, {}, call);
    return { ...made, id, resourceId, cycle, changed };
  }

  describe(provider, () => {
    test.each([{ hidden: false }, { hidden: true }])(
      "waits ten minutes for a creation ($hidden), and says so",
      async (shows) => {
        const { world, console, running, now, component } = await begun({ slow: { takesMs: minutes(10), ...shows } });
        await world.runtime.advance(minutes(5));
        const meanwhile = await now();
        expect(mutationSchema.parse(meanwhile)).toEqual(meanwhile);
        expect(meanwhile).toMatchObject({
          status: "Running",
          steps: [
            {
              state: "begun",
              waiting: { why: "working", detail: "The cloud is still processing the agent's creation." },
            },
          ],
        });
        expect(await component()).toMatchObject({
          status: "Active",
          working: { since: "2026-01-01T00:00:00.000Z", progress: expect.closeTo(50, -1) },
          conditions: { readable: { value: !shows.hidden }, inSync: { value: null, reason: "InTransition" } },
        });
        await world.runtime.advance(minutes(6));
        await running;
        expect(await now()).toMatchObject({ status: "Succeeded", steps: [{ state: "converged", waiting: null }] });
        const made = await component();
        expect(made).toMatchObject({ working: null, conditions: { inSync: { value: true } } });
        expect(await console.get(made.resourceId ?? "")).toMatchObject({ tags: managed, parameters: { size: 1 } });
        const types = (await world.events()).map((event) => event.type).filter((name) => name.startsWith("component."));
        expect(types).toEqual(["component.working", "component.provisioned"]);
      },
    );

    test("another process goes on with a creation that one has left in the middle, and makes it once", async () => {
      const first = await begun({ slow: { takesMs: minutes(10), hidden: true } });
      await first.world.runtime.advance(minutes(2));
      const stored = JSON.stringify(await first.world.store.list({ prefix: [], limit: 1000 }));
      expect(stored).toContain('"operation":{');
      expect(stored).not.toContain("operations/");
      const { later, second } = processAfter(first.world, 1);
      const running = second.override.mutations.advance(first.system);
      await later.advance(minutes(8));
      await running;
      expect(await second.mutation(first.asked)).toMatchObject({ status: "Succeeded" });
      const types = (await second.events()).map((event) => event.type);
      expect(types.filter((name) => name === "component.working" || name === "component.provisioned")).toEqual([
        "component.working",
        "component.provisioned",
      ]);
    });

    test("an operation that the next process's cloud can't be asked about has ended, and a read tells what became of it", async () => {
      const first = await begun({ slow: { takesMs: minutes(2), hidden: true } });
      const unable = ({ follow: _, ...cloud }: Cloud): Cloud => cloud;
      const { later, second } = processAfter(first.world, 3, { clouds: (all) => all.map(unable) });
      const running = second.override.mutations.advance(first.system);
      await later.advance(minutes(1));
      await running;
      const { status, components } = await second.mutation(first.asked);
      expect(status).toBe("Succeeded");
      expect(components).toMatchObject([{ working: null, conditions: { inSync: { value: true } } }]);
    });

    test("a cloud that gives up fails the mutation in its own words, without the secrets in them", async () => {
      const message = `hunter2-hunter2 is no password. ${quota.message}${"x".repeat(2000)}`;
      const slow = { takesMs: minutes(10), fails: { ...quota, message } };
      const { world, running, console, now, component } = await begun(
        { slow },
        {},
        {
          size: 1,
          password: { $secret: "password" },
        },
      );
      await world.runtime.advance(minutes(11));
      await running;
      const words = { providerCode: "QuotaExceeded", providerMessage: expect.stringMatching(/^\[redacted\] is no/) };
      const failed = await now();
      expect(failed).toMatchObject({
        status: "Failed",
        error: { code: "ProvisioningFailed", ...words },
        steps: [{ state: "failed", error: { code: "ProvisioningFailed", ...words } }],
      });
      expect(failed.error?.providerMessage?.length).toBe(1024);
      expect(mutationSchema.parse(failed)).toEqual(failed);
      const { id, conditions } = await component();
      expect(conditions.inSync).toMatchObject({ value: false, reason: "ProvisioningFailed", ...words });
      const events = await world.events();
      expect(events.find((event) => event.type === "component.correction_failed")?.data).toMatchObject(words);
      expect(JSON.stringify(events)).not.toContain("hunter2");

      await console.setFaults({});
      await world.runtime.advance(minutes(3));
      await world.cycle();
      expect(await world.component(id)).toMatchObject({ status: "Active", conditions: { inSync: { value: true } } });
    });

    test("what was to be made and isn't there after a failure is made by the sweep, after a rest", async () => {
      const slow = { takesMs: minutes(1), fails: quota, marksFailed: false, hidden: true };
      const { world, running, console, now, component } = await begun({ slow });
      await world.runtime.advance(minutes(2));
      await running;
      expect(await now()).toMatchObject({ status: "Failed", error: { code: "ProvisioningFailed" } });
      await console.setFaults({});
      await world.runtime.advance(minutes(3));
      await world.cycle();
      const { id, resourceId } = await component();
      expect(await console.get(resourceId ?? "")).toMatchObject({ tags: managed });
      expect((await world.component(id)).conditions.inSync.value).toBe(true);
    });

    test("a creation that has ended and isn't visible yet isn't made again, nor missing", async () => {
      let isSeen = false;
      let creations = 0;
      const hiding = (cloud: Cloud): Cloud => ({
        ...cloud,
        create: (...asked) => {
          creations += 1;
          return cloud.create(...asked);
        },
        read: async (...asked) => (isSeen ? cloud.read(...asked) : { state: "missing" }),
      });
      const slow = { slow: { takesMs: minutes(4) } };
      const { world, running, now, told } = await begun(slow, { clouds: (all) => all.map(hiding) });
      await world.runtime.advance(minutes(4) + 30_000);
      isSeen = true;
      await world.runtime.advance(minutes(2));
      await running;
      expect(await now()).toMatchObject({ status: "Succeeded" });
      expect(creations).toBe(1);
      expect(await told("component.provisioned")).toHaveLength(1);
    });

    test("what is gone and takes its time to be made again doesn't exist meanwhile", async () => {
      const { console, resourceId, cycle } = await deployed();
      await console.setFaults({ slow: { takesMs: minutes(8), hidden: true } });
      await console.delete(resourceId);
      await cycle(minutes(3));
      expect(await cycle(minutes(3))).toMatchObject({ conditions: { exists: { value: false, reason: "Missing" } } });
      expect(await cycle(minutes(9))).toMatchObject({ conditions: { exists: { value: true } } });
    });

    test("a correction is waited for by the sweep, and nothing else is written meanwhile", async () => {
      const { console, resourceId, cycle, told, world, id } = await deployed();
      await console.patchParameters(resourceId, { size: 7 });
      await console.setFaults({ slow: { takesMs: minutes(8) } });
      expect(await cycle(minutes(3))).toMatchObject({
        working: { progress: expect.any(Number) },
        conditions: { inSync: { reason: "InTransition" } },
      });
      await console.patchParameters(resourceId, { other: true });
      for (let at = 0; at < 2; at++) expect(await cycle(minutes(3))).toMatchObject({ working: expect.anything() });
      expect((await world.check(id)).acknowledgement.writesInFlight).toBe(1);
      expect(await told("component.working")).toHaveLength(1);
      expect(await cycle(minutes(3))).toMatchObject({ working: null, conditions: { inSync: { value: true } } });
      expect((await world.check(id)).acknowledgement.writesInFlight).toBe(0);
      expect(await told("component.corrected")).toMatchObject([{ data: { pointers: ["/size"] } }]);
      expect(await told("component.race_detected")).toEqual([]);
    });

    test("a correction is asked after at the cloud's pace, not once a sweep, and not more often", async () => {
      const runtime = fakeRuntime();
      const asked: number[] = [];
      const followed = (cloud: Cloud): Cloud => ({
        ...cloud,
        follow: async (...args) => {
          asked.push(runtime.clock.now());
          return (await cloud.follow?.(...args)) ?? { state: "gone" };
        },
      });
      const options = { runtime, clouds: (clouds: readonly Cloud[]) => clouds.map(followed) };
      const { console, resourceId, world, id } = await deployed({
        ...options,
        scheduler: intervalScheduler({ runtime }),
        settings: { checkSeconds: 600 },
      });
      await console.patchParameters(resourceId, { size: 7 });
      await console.setFaults({ slow: { takesMs: minutes(2) } });
      await world.override.start();
      const began = runtime.clock.now();
      await runtime.advance(5_000);
      expect(await world.component(id)).toMatchObject({ working: expect.anything() });
      await runtime.advance(minutes(2) + 20_000);
      expect(await world.component(id)).toMatchObject({ working: null, conditions: { inSync: { value: true } } });
      expect(asked.every((at, nth) => at - (asked[nth - 1] ?? began) >= 10_000)).toBe(true);
      expect(asked.length).toBeGreaterThan(6);
      const stopped = world.override.stop();
      await runtime.advance(1_000);
      await stopped;
    });

    test("who takes it over in the middle of a write has it, and is told what still landed", async () => {
      const { console, resourceId, cycle, told, world, id } = await deployed();
      await console.patchParameters(resourceId, { size: 7 });
      await console.setFaults({ slow: { takesMs: minutes(8) } });
      await cycle(minutes(3));
      await console.putTags(resourceId, {});
      const taken = await world.check(id);
      expect(taken.component).toMatchObject({ status: "ManualOverride", working: expect.anything() });
      expect(taken.acknowledgement).toMatchObject({ managementTag: false, writesInFlight: 1 });
      expect((await cycle(minutes(9))).status).toBe("ManualOverride");
      expect(await console.get(resourceId)).toMatchObject({ tags: {}, parameters: { size: 1 } });
      expect(await told("component.race_detected")).toMatchObject([
        { data: { fields: [{ pointer: "/size", from: 7, to: 1 }] } },
      ]);
      expect((await world.check(id)).acknowledgement.writesInFlight).toBe(0);
      await console.setFaults({});
      await console.patchParameters(resourceId, { size: 9 });
      await cycle(minutes(3));
      expect(await console.get(resourceId)).toMatchObject({ tags: {}, parameters: { size: 9 } });
    });

    test("a race is told although the resource can't be read when its write ends, and another value is declared by then", async () => {
      let isHidden = false;
      const hiding = (cloud: Cloud): Cloud => ({
        ...cloud,
        read: async (...asked) => {
          const reading = await cloud.read(...asked);
          return isHidden ? { state: "unreadable", reason: "Down" } : reading;
        },
      });
      const { console, resourceId, cycle, told, world, system } = await deployed({ clouds: (all) => all.map(hiding) });
      await console.patchParameters(resourceId, { size: 7 });
      await console.setFaults({ slow: { takesMs: minutes(8) } });
      await cycle(minutes(3));
      await console.putTags(resourceId, {});
      await cycle(minutes(1));
      await world.deploy(system, definition({ size: 3 }));
      isHidden = true;
      await cycle(minutes(9));
      expect(await told("component.corrected")).toHaveLength(1);
      expect(await console.get(resourceId)).toMatchObject({ tags: {}, parameters: { size: 1 } });
      expect(await told("component.race_detected")).toEqual([]);
      isHidden = false;
      await cycle(minutes(3));
      expect(await told("component.race_detected")).toMatchObject([
        { data: { fields: [{ pointer: "/size", from: 7, to: 1 }] } },
      ]);
    });

    test("a component that moves while the cloud is at it is followed under its new path", async () => {
      const { world, console, system, resourceId, cycle, told } = await deployed();
      await console.patchParameters(resourceId, { size: 9 });
      await console.setFaults({ slow: { takesMs: minutes(6) } });
      await cycle(minutes(3));
      const [declared] = definition().components;
      const components = [{ ...declared, path: "store/cache", movedFrom: "cache" }];
      const body = { ...definition(), components } as LiveSystemDefinition;
      await world.call("liveSystems.deploy", { params: { id: system }, body });
      await world.runtime.during(world.override.mutations.advance(system));
      expect(await world.component(`${system}/store/cache`)).toMatchObject({
        resourceId,
        conditions: { inSync: { value: true } },
      });
      expect(await told("component.corrected")).toMatchObject([{ subject: `${system}/store/cache` }]);
    });

    test("a correction of what is gone by its end is told by nobody", async () => {
      const { console, resourceId, cycle, told } = await deployed();
      await console.patchParameters(resourceId, { size: 9 });
      await console.setFaults({ slow: { takesMs: minutes(6) } });
      await cycle(minutes(3));
      await console.setFaults({});
      await console.delete(resourceId);
      await cycle(minutes(6));
      await cycle(minutes(3));
      expect(await told("component.corrected")).toEqual([]);
      expect(await console.get(resourceId)).toMatchObject({ parameters: { size: 1 } });
    });

    test("a correction of what is replaced by its end is told by nobody, and teaches nothing", async () => {
      const { console, resourceId, cycle, told } = await deployed({}, { size: 1, note: "" });
      await console.patchParameters(resourceId, { size: 9, note: null });
      await console.setFaults({ slow: { takesMs: minutes(6) } });
      await cycle(minutes(3));
      await console.setFaults({});
      await console.delete(resourceId);
      await console.put(resourceId, { type, tags: managed, parameters: { size: 2 } });
      const component = await cycle(minutes(6));
      expect(await told("component.corrected")).toMatchObject([{ data: { pointers: ["/size", "/note"] } }]);
      expect(component.settled).toEqual([]);
    });

    test("a hand-back waits for a correction that takes its time", async () => {
      const { console, resourceId, cycle, told } = await deployed();
      await console.putTags(resourceId, {});
      await console.patchParameters(resourceId, { size: 7 });
      await cycle();
      await console.setFaults({ slow: { takesMs: minutes(5) } });
      await console.putTags(resourceId, both);
      expect((await cycle()).status).toBe("ReconcileRequested");
      expect(await cycle(minutes(3))).toMatchObject({ status: "ReconcileRequested", working: expect.anything() });
      expect((await cycle(minutes(3))).status).toBe("Active");
      expect(await console.get(resourceId)).toMatchObject({ tags: managed, parameters: { size: 1 } });
      expect(await told("component.override.ended")).toMatchObject([{ data: { outcome: "Reconciled" } }]);
    });

    test("a write that fails while the cloud works for somebody else begins no hand-back before that is over", async () => {
      let isBusy = false;
      const { console, resourceId, cycle, told } = await deployed({ clouds: busyWhile(() => isBusy) });
      await console.setFaults({ slow: { takesMs: minutes(1), fails: quota, marksFailed: false } });
      await console.patchParameters(resourceId, { size: 2 });
      await cycle(minutes(3));
      await console.putTags(resourceId, {});
      expect(await cycle(10_000)).toMatchObject({ status: "ManualOverride" });
      isBusy = true;
      await console.putTags(resourceId, both);
      expect(await cycle(minutes(3))).toMatchObject({ status: "ManualOverride" });
      expect((await told("component.correction_failed")).at(-1)?.data).toMatchObject({ code: "ProvisioningFailed" });
      isBusy = false;
      await console.setFaults({});
      expect(await cycle(minutes(3))).toMatchObject({ status: "Active" });
    });

    test("what somebody else has asked of the cloud is waited for, and corrected afterwards", async () => {
      const { console, resourceId, cycle, told, changed } = await deployed();
      await console.setFaults({ slow: { takesMs: minutes(5) } });
      await changed("/size", 7);
      await console.setFaults({});
      expect(await cycle(minutes(3))).toMatchObject({ working: expect.anything(), status: "Active" });
      expect(await told("component.working")).toEqual([]);
      expect(await cycle(minutes(3))).toMatchObject({ working: null });
      expect(await console.get(resourceId)).toMatchObject({ parameters: { size: 1 } });
    });

    test("what failed at somebody else's hands is told once, in the cloud's words, whoever has the resource", async () => {
      for (const tags of [managed, {}]) {
        const { console, resourceId, cycle, told, changed } = await deployed();
        await console.putTags(resourceId, tags);
        await cycle();
        await console.setFaults({ slow: { takesMs: minutes(2), fails: quota } });
        await changed("/other", 7);
        await console.setFaults({ slow: { takesMs: minutes(60) } });
        expect(await cycle(minutes(1))).toMatchObject({ working: expect.anything() });
        for (let at = 0; at < 3; at++) await cycle(minutes(3));
        const words = { providerCode: quota.code, providerMessage: quota.message };
        const status = tags === managed ? "Active" : "ManualOverride";
        expect((await told("component.failed")).map(({ data }) => data)).toEqual([{ from: status, status, ...words }]);
        expect(await told("component.correction_failed")).toEqual([]);
      }
    });

    test.each([
      { isFinal: false, corrected: 1, inSync: { value: true } },
      { isFinal: true, corrected: 0, inSync: { value: false, reason: "ProvisioningFailed" } },
    ])(
      "what failed and differs in nothing is asked for once more, unless nothing tries it again ($isFinal)",
      async ({ isFinal, corrected, inSync }) => {
        const said = (reading: Reading) => (reading.state === "failed" && isFinal ? { ...reading, isFinal } : reading);
        const forGood = (cloud: Cloud): Cloud => ({
          ...cloud,
          read: async (...asked) => said(await cloud.read(...asked)),
          readMany: async (...asked) => (await cloud.readMany(...asked)).map(said),
        });
        const { console, cycle, told, changed } = await deployed({ clouds: (clouds) => clouds.map(forGood) });
        await cycle();
        await console.setFaults({ slow: { takesMs: 1, fails: quota } });
        await changed("/other", 7);
        await console.setFaults({});
        for (let at = 0; at < 3; at++) await cycle(minutes(3));
        expect(await told("component.failed")).toHaveLength(1);
        expect(await told("component.corrected")).toHaveLength(corrected);
        expect(await cycle(minutes(3))).toMatchObject({ conditions: { inSync } });
      },
    );

    test("a deletion that takes its time is waited for; one that fails fails its mutation in the cloud's words", async () => {
      const { console, resourceId, system, world } = await deployed();
      await console.setFaults({ slow: { takesMs: minutes(5), fails: quota } });
      const refused = (await world.call("liveSystems.delete", { params: { id: system } })) as Mutation;
      const failing = world.override.mutations.advance(system);
      await world.runtime.advance(minutes(3));
      expect(await world.mutation(refused)).toMatchObject({ steps: [{ waiting: { why: "working" } }] });
      await world.runtime.advance(minutes(3));
      await failing;
      expect(await world.mutation(refused)).toMatchObject({
        status: "Failed",
        error: { code: "ProvisioningFailed", providerCode: "QuotaExceeded" },
      });
      await console.setFaults({ slow: { takesMs: minutes(5) } });
      const asked = (await world.call("liveSystems.delete", { params: { id: system } })) as Mutation;
      const running = world.override.mutations.advance(system);
      await world.runtime.advance(minutes(6));
      await running;
      expect(await world.mutation(asked)).toMatchObject({ status: "Succeeded" });
      expect(await console.get(resourceId)).toBeNull();
    });

    test("ten minutes of errors fail no deploy, and twenty do", async () => {
      const patient = await begun({ write: "fail" });
      await patient.world.runtime.advance(minutes(10));
      expect(await patient.now()).toMatchObject({ status: "Running", steps: [{ waiting: { why: "failing" } }] });
      await patient.console.setFaults({});
      await patient.world.runtime.advance(minutes(1));
      await patient.running;
      expect(await patient.now()).toMatchObject({ status: "Succeeded" });

      const failing = await begun({ read: "throttle" });
      await failing.world.runtime.advance(minutes(20));
      await failing.running;
      expect(await failing.now()).toMatchObject({ status: "Failed", error: { code: "ProviderError" } });
    });

    test.each(["step", "deletion"])(
      "a %s waits no longer than the host lets it, counted over the processes that wait",
      async (what) => {
        const settings = { stepWaitSeconds: 600 };
        const slow = { slow: { takesMs: minutes(600) } };
        const first = await (what === "step" ? begun(slow, { settings }) : deployed({ settings }));
        let { asked } = first;
        if (what === "deletion") {
          await first.console.setFaults(slow);
          asked = (await first.world.call("liveSystems.delete", { params: { id: first.system } })) as Mutation;
          first.world.override.mutations.advance(first.system).catch(() => {});
        }
        await first.world.runtime.advance(minutes(6));
        const { later, second } = processAfter(first.world, 0, { settings });
        const running = second.override.mutations.advance(first.system);
        await later.advance(minutes(3));
        const waiting = { why: "working", since: expect.any(String) };
        expect(await second.mutation(asked)).toMatchObject({ status: "Running", steps: [{ waiting }] });
        await later.advance(minutes(2));
        await running;
        expect(await second.mutation(asked)).toMatchObject({ status: "Failed", error: { code: "ProviderTimeout" } });
      },
    );

    test("a mutation asks a cloud that names no pace ever more seldom, and writes nothing while nothing is new", async () => {
      const runtime = fakeRuntime();
      let reads = 0;
      const counted = (cloud: Cloud): Cloud => ({
        ...cloud,
        read: async (...args) => {
          reads += 1;
          const reading = await cloud.read(...args);
          return reading.state === "working" ? { ...reading, progress: 0 } : reading;
        },
      });
      const { console, system, world, changed } = await deployed({ runtime, clouds: (own) => own.map(counted) });
      const asks = [
        () => world.call("liveSystems.deploy", { params: { id: system }, body: definition({ size: 2 }) }),
        () => world.call("liveSystems.delete", { params: { id: system } }),
      ];
      for (const [value, ask] of asks.entries()) {
        await console.setFaults({ slow: { takesMs: minutes(5) } });
        await changed("/other", value);
        await console.setFaults({});
        const asked = (await ask()) as Mutation;
        const running = world.override.mutations.advance(system);
        await runtime.advance(minutes(1));
        expect(await world.mutation(asked)).toMatchObject({ steps: [{ waiting: { why: "working" } }] });
        const writtenSoFar = async () => (await world.store.commit({})) ?? 0;
        const [asking, writing] = [reads, await writtenSoFar()];
        await runtime.advance(minutes(2));
        expect(reads - asking).toBeLessThanOrEqual(12);
        // How long it has waited is written down once a minute.
        expect((await writtenSoFar()) - writing - 1).toBeLessThanOrEqual(2);
        await runtime.advance(minutes(3));
        await running;
        expect(await world.mutation(asked)).toMatchObject({ status: "Succeeded" });
      }
    });

    test.each([5, -5])(
      "a process whose clock is %d hours off waits as long as the host lets it in all",
      async (hours) => {
        const first = await begun({ slow: { takesMs: minutes(1_400) } });
        await first.world.runtime.advance(minutes(20));
        const { later, second } = processAfter(first.world, hours * 60);
        const running = second.override.mutations.advance(first.system);
        await later.advance(minutes(30));
        expect(await second.mutation(first.asked)).toMatchObject({ status: "Running" });
        await later.advance(minutes(20));
        await running;
        expect(await second.mutation(first.asked)).toMatchObject({ error: { code: "ProviderTimeout" } });
      },
    );
  });
}

test("a deploy doesn't wait for what a person has while the cloud is at work on it", async () => {
  let isBusy = false;
  const { world, id, system } = await overridden({}, { clouds: busyWhile(() => isBusy) });
  isBusy = true;
  const mutation = await world.passing(world.deploy(system, declared([{ path: "app" }])));
  expect(mutation).toMatchObject({ status: "Succeeded", held: [id] });
});
