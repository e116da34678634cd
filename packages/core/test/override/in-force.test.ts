import { describe, expect, test } from "vitest";
import { LiveplaneError } from "../../src/errors.ts";
import { bothClouds } from "../builders/both-clouds.ts";
import { both, code, managed } from "../builders/handed-over.ts";
import type { WorldOptions } from "../builders/override.ts";
import { named, sites as ofAzure, recorded } from "../builders/sites.ts";

/** A world whose cloud refuses to write to what is called `bad`, once it is told to. */
function breakable(options: WorldOptions["cloud"] = {}) {
  let broken = false;
  const { world, calls } = recorded({
    cloud: {
      faultOf: ({ operation, resourceId }) =>
        broken && operation === "write" && resourceId?.includes("bad-") ? "fail" : null,
      ...options,
    },
  });
  return {
    world,
    calls,
    break: (now: boolean) => {
      broken = now;
    },
  };
}

describe.each(bothClouds)("$provider: what is declared", (kind) => {
  const sites = (...parts: Parameters<typeof ofAzure>) => ofAzure(...parts.map((one) => ({ ...kind, ...one })));

  /** `after` depends on `bad`, which can't be written; `apart` depends on it too and stays as it is declared. */
  const three = ({ bad, after }: { bad: number; after: number }) =>
    sites(
      { path: "bad", parameters: { size: bad } },
      { path: "after", dependsOn: ["bad"], parameters: { size: after } },
      { path: "apart", dependsOn: ["bad"], parameters: { size: 9 } },
    );

  async function failed() {
    const made = breakable();
    const { world } = made;
    const first = await world.create(three({ bad: 1, after: 1 }));
    const id = (path: string) => named(first.components, path).id;
    const hand = world.consoles[kind.provider];
    const place = (path: string) => named(first.components, path).resourceId ?? "";
    const size = async (path: string) => (await hand.get(place(path)))?.parameters.size;
    const redeploy = (sizes: { bad: number; after: number }) =>
      world.passing(world.deploy(first.livesystemId, three(sizes)));
    return { ...made, livesystemId: first.livesystemId, redeploy, id, hand, place, size };
  }

  test("what a deploy declares is in force for all, though it fails at one", async () => {
    const { world, break: breaks, id, size, redeploy } = await failed();
    breaks(true);
    const deploy = await redeploy({ bad: 2, after: 2 });
    expect(deploy).toMatchObject({ status: "Failed", error: { componentId: id("bad") } });
    await world.cycles(2);
    const after = await world.component(id("after"));
    expect(after).toMatchObject({
      parameters: { size: 2 },
      outputFields: { drift: { size: { declared: 2, actual: 1 } } },
    });
    expect(after.conditions.inSync).toMatchObject({ value: false, reason: "Blocked" });
    expect(after.conditions.inSync.message).toContain("bad");
    expect(await size("after")).toBe(1);
    breaks(false);
    await world.cycles(3);
    expect([await size("bad"), await size("after")]).toEqual([2, 2]);
    expect((await world.component(id("after"))).conditions.inSync).toMatchObject({ value: true, reason: "InSync" });
  });

  test("a hand-back after a failed deploy reverts nothing to what nobody declares", async () => {
    const { world, break: breaks, id, hand, place, size, redeploy } = await failed();
    await hand.putTags(place("after"), {});
    await hand.patchParameters(place("after"), { size: 7 });
    await world.cycle();
    breaks(true);
    await redeploy({ bad: 2, after: 7 });
    await hand.putTags(place("after"), both);
    await world.cycles(3);
    expect(await size("after")).toBe(7);
    expect(await world.component(id("after"))).toMatchObject({ status: "Active" });
  });

  test("what was carried out once is corrected whatever the others do", async () => {
    const { world, break: breaks, hand, place, size, redeploy } = await failed();
    breaks(true);
    await redeploy({ bad: 2, after: 2 });
    await hand.patchParameters(place("apart"), { size: 1 });
    await hand.patchParameters(place("after"), { size: 5 });
    await world.cycles(2);
    expect([await size("apart"), await size("after")]).toEqual([9, 5]);
  });

  test("what the cloud gave up names what it waits for all the same", async () => {
    const { world, break: breaks, id, hand, place, size, redeploy } = await failed();
    await hand.patchParameters(place("after"), { size: 7 });
    await hand.setFaults({ slow: { takesMs: 1_000, fails: { code: "Full", message: "There is no room." } } });
    await world.cycles(2);
    await hand.setFaults({});
    breaks(true);
    await redeploy({ bad: 2, after: 2 });
    await world.cycles(1);
    const { inSync } = (await world.component(id("after"))).conditions;
    expect(inSync).toMatchObject({ value: false, reason: "ProvisioningFailed", providerCode: "Full" });
    expect(inSync.message).toContain("bad must match its declaration first");
    breaks(false);
    await world.cycles(3);
    expect(await size("after")).toBe(2);
    expect((await world.component(id("after"))).conditions.inSync).toMatchObject({ value: true, message: "" });
  });

  test("a hand-back of what is as declared ends, although its last write failed and it would wait for others", async () => {
    const { world, break: breaks, id, hand, place, redeploy } = await failed();
    await hand.patchParameters(place("after"), { size: 7 });
    await hand.setFaults({ slow: { takesMs: 1_000, fails: { code: "Full", message: "There is no room." } } });
    await world.cycles(2);
    await hand.setFaults({});
    await hand.putTags(place("after"), {});
    await world.cycle();
    breaks(true);
    await redeploy({ bad: 2, after: 7 });
    expect((await world.component(id("after"))).conditions.inSync.reason).toBe("ProvisioningFailed");
    await hand.putTags(place("after"), both);
    await world.cycles(3);
    const { status, conditions } = await world.component(id("after"));
    expect(status).toBe("Active");
    expect(conditions.inSync).toMatchObject({ value: true });
  });

  test("one whose dependency was carried out and is gone waits until that is there again", async () => {
    const { world, break: breaks, id, hand, place, size, livesystemId } = await failed();
    const cloud = kind.provider === "provider-a" ? world.clouds.a : world.clouds.b;
    const { update } = cloud;
    const refused = () => Promise.reject(new LiveplaneError("ProviderError", "Not now.", { retryable: true }));
    Object.assign(cloud, { update: refused });
    const deploy = await world.passing(world.deploy(livesystemId, three({ bad: 1, after: 2 })));
    expect(deploy).toMatchObject({ status: "Failed", error: { componentId: id("after") } });
    breaks(true);
    await hand.delete(place("bad"));
    await world.check(id("bad"));
    Object.assign(cloud, { update });
    await world.cycles(2);
    expect(await size("after")).toBe(1);
    expect((await world.component(id("after"))).conditions.inSync).toMatchObject({ blockedBy: id("bad") });
    breaks(false);
    await world.cycles(3);
    expect(await size("after")).toBe(2);
  });

  test("one whose dependency is in a person's hands isn't blocked by it", async () => {
    const { world, break: breaks, hand, place, size, redeploy } = await failed();
    breaks(true);
    await redeploy({ bad: 2, after: 2 });
    await hand.putTags(place("bad"), {});
    await world.cycles(3);
    expect(await size("after")).toBe(2);
  });

  test.each([true, false])(
    "a write that was decided under an older declaration isn't sent (%s)",
    async (conditionalWrites) => {
      for (let pause = 25; pause <= 300; pause += 25) {
        const { world, calls } = recorded({ follows: false, cloud: { latencyMs: 100, conditionalWrites } });
        const { livesystemId: system } = await world.create(sites({ path: "a", parameters: { size: 1 } }));
        await world.passing(world.override.mutations.advance(system));
        const [{ id = "", resourceId = "" } = {}] = (
          (await world.call("liveSystems.components.list", {
            params: { id: system },
          })) as { items: { id: string; resourceId: string }[] }
        ).items;
        await world.consoles[kind.provider].patchParameters(resourceId, { size: 5 });
        const swept = world.cycle().catch(() => {});
        const wrote = calls.length;
        await world.runtime.advance(pause);
        const sentBefore = calls.length > wrote;
        await world.deploy(system, sites({ path: "a", parameters: { size: 5 } }));
        await world.passing(swept);
        await world.cycles(1);
        expect((await world.consoles[kind.provider].get(resourceId))?.parameters.size).toBe(5);
        if (!sentBefore && pause < 200) expect(calls.slice(wrote)).toEqual([]);
        expect((await world.component(id)).status).toBe("Active");
      }
    },
  );

  test("what is shown between a deploy and the next look says that nobody has compared it", async () => {
    const { world } = recorded({ follows: false });
    const { livesystemId } = await world.create(sites({ path: "a", parameters: { size: 1 } }));
    await world.override.mutations.advance(livesystemId);
    const { components } = await world.deploy(livesystemId, sites({ path: "a", parameters: { size: 2 } }));
    expect(components[0]).toMatchObject({
      parameters: { size: 2 },
      conditions: { inSync: { value: null, reason: "Redeclared" } },
    });
  });

  test("what couldn't be deleted stays in sight, and a later delete goes on", async () => {
    const { world, calls, break: breaks, livesystemId, id, hand, place, size } = await failed();
    breaks(true);
    const deleted = await world.passing(world.remove(livesystemId));
    expect(deleted).toMatchObject({ status: "Failed", error: { componentId: id("bad") } });
    const shown = () => world.call("liveSystems.get", { params: { id: livesystemId } });
    expect(await shown()).toMatchObject({ status: "Deleting", lastMutation: { kind: "Delete", status: "Failed" } });
    await hand.patchParameters(place("bad"), { size: 4 });
    const before = calls.length;
    await world.cycles(2);
    const bad = await world.component(id("bad"));
    expect(bad).toMatchObject({
      leaving: true,
      status: "Active",
      outputFields: { drift: { size: { declared: 1, actual: 4 } } },
      conditions: { inSync: { value: false, reason: "Leaving" } },
    });
    expect([await size("bad"), calls.slice(before)]).toEqual([4, []]);
    breaks(false);
    expect(await world.remove(livesystemId)).toMatchObject({ status: "Succeeded", components: [] });
    expect(await code(shown())).toBe("NotFound");
  });

  test("a reconcile tag on what is to be removed does nothing", async () => {
    const { world, break: breaks, livesystemId, id, hand, place, size } = await failed();
    await hand.putTags(place("bad"), {});
    await hand.patchParameters(place("bad"), { size: 4 });
    await world.cycle();
    breaks(true);
    await hand.putTags(place("bad"), managed);
    expect(await world.passing(world.remove(livesystemId))).toMatchObject({ status: "Failed" });
    await hand.putTags(place("bad"), both);
    await world.cycles(3);
    expect(await world.component(id("bad"))).toMatchObject({ status: "ManualOverride", leaving: true });
    expect(await size("bad")).toBe(4);
  });

  test("a deploy takes back what couldn't be deleted, and makes the rest anew", async () => {
    const { world, break: breaks, livesystemId, id, size, redeploy } = await failed();
    breaks(true);
    await world.passing(world.remove(livesystemId));
    breaks(false);
    expect(await redeploy({ bad: 3, after: 3 })).toMatchObject({
      status: "Succeeded",
      components: { length: 3 },
    });
    expect(await world.call("liveSystems.get", { params: { id: livesystemId } })).toMatchObject({ status: "Active" });
    expect(await world.component(id("bad"))).toMatchObject({ leaving: false });
    expect([await size("bad")]).toEqual([3]);
  });

  test("what comes and what leaves waits for its mutation's step", async () => {
    const { world, calls } = recorded({ follows: false });
    const one = (...paths: string[]) => sites(...paths.map((path) => ({ path, parameters: { size: 1 } })));
    const { livesystemId: id } = await world.create(one("stays", "leaves"));
    await world.override.mutations.advance(id);
    await world.deploy(id, one("stays", "comes"));
    const before = calls.length;
    await world.cycles(2);
    expect(calls.slice(before)).toEqual([]);
    expect(await world.component(`${id}/leaves`)).toMatchObject({
      leaving: true,
      conditions: { exists: { value: true } },
    });
    expect(await world.component(`${id}/comes`)).toMatchObject({ conditions: { exists: { value: false } } });
    await world.override.mutations.advance(id);
    expect(calls.slice(before)).toEqual(["create comes", "remove leaves"]);
  });

  test("writes are refused only while a delete waits or runs", async () => {
    const { world } = recorded({ follows: false });
    const { livesystemId: id } = await world.create(sites({ path: "a" }));
    await world.override.mutations.advance(id);
    await world.call("liveSystems.delete", { params: { id } });
    expect(await code(world.deploy(id, sites({ path: "a" })))).toBe("InvalidState");
    expect(await code(world.plan(id, sites({ path: "a" })))).toBe("InvalidState");
    expect(await code(world.call("liveSystems.delete", { params: { id } }))).toBe("InvalidState");
  });

  test("a component that left and couldn't be removed is shown, and the next deploy tries again", async () => {
    const { world, break: breaks, livesystemId, id, size } = await failed();
    const without = sites({ path: "other" });
    breaks(true);
    const left = await world.passing(world.deploy(livesystemId, without));
    expect(left).toMatchObject({ status: "Failed", error: { componentId: id("bad") } });
    await world.cycles(2);
    expect(await world.component(id("bad"))).toMatchObject({
      leaving: true,
      parameters: { size: 1 },
      conditions: { inSync: { reason: "Leaving" } },
    });
    breaks(false);
    expect(await world.deploy(livesystemId, without)).toMatchObject({ status: "Succeeded" });
    expect([await code(world.component(id("bad"))), await size("bad")]).toEqual(["NotFound", undefined]);
  });

  test("what left the declaration goes by what was declared of it last, though that was never carried out", async () => {
    const { world, break: breaks, livesystemId, place, hand } = await failed();
    const retained = three({ bad: 2, after: 2 });
    const components = retained.components.map((one) =>
      one.path === "after" ? { ...one, deletionPolicy: "Retain" as const } : one,
    );
    breaks(true);
    await world.passing(world.deploy(livesystemId, { ...retained, components }));
    breaks(false);
    const done = await world.deploy(livesystemId, sites({ path: "bad", parameters: { size: 2 } }));
    expect(done).toMatchObject({ status: "Succeeded", released: [`${livesystemId}/after`] });
    expect(await hand.get(place("after"))).not.toBeNull();
  });
});
