import { describe, expect, test } from "vitest";
import { isRedeploy } from "../../src/override/agent/agent-decision.ts";
import { mayStart } from "../../src/override/agent/agent-deps.ts";
import type { Cloud, Reading } from "../../src/ports/cloud.ts";
import { createClaims } from "../../src/records/claim.ts";
import { fakeRuntime } from "../../src/testing/index.ts";
import { bothClouds, toldIn } from "../builders/both-clouds.ts";
import { flavours } from "../builders/drawn-deploys.ts";
import { both, definition, managed, overridden } from "../builders/handed-over.ts";
import { overrideWorld } from "../builders/override.ts";

/** Lets a person act right after the next read of a resource, before anything follows from it. */
function actingAfterRead() {
  let act: (() => Promise<unknown>) | null = null;
  const watched = (cloud: Cloud): Cloud => ({
    ...cloud,
    read: async (...call) => {
      const reading = await cloud.read(...call);
      const next = act;
      act = null;
      await next?.();
      return reading;
    },
  });
  const afterNextRead = (deed: () => Promise<unknown>) => {
    act = deed;
  };
  return { clouds: (all: readonly Cloud[]) => all.map(watched), afterNextRead };
}

describe.each(bothClouds)("$provider, bound by etags", (kind) => {
  const boundBy = () => ({ create: "etag", properties: "etag", tags: "etag" }) as const;

  async function deployed() {
    const { clouds, afterNextRead } = actingAfterRead();
    const made = await toldIn(kind).deployed({}, { clouds, cloud: { boundBy } });
    return { ...made, afterNextRead };
  }

  test("a deletion is bound to the read that it was decided on: who takes over after it keeps the resource", async () => {
    const { world, system, id, resourceId, console, afterNextRead } = await deployed();
    afterNextRead(() => console.putTags(resourceId, { mine: "now" }));
    const removed = await world.passing(world.remove(system));
    expect(removed).toMatchObject({ status: "Succeeded", released: [id] });
    expect((await console.get(resourceId))?.tags).toEqual({ mine: "now" });
  });

  test("a deletion is bound by a second read where the first one showed no etag", async () => {
    const calls: string[] = [];
    const bare = (cloud: Cloud): Cloud => ({
      ...cloud,
      read: async (...call) => {
        calls.push("read");
        const { etag: _, ...reading } = { etag: "", ...(await cloud.read(...call)) };
        return reading;
      },
      remove: (...call) => {
        calls.push("remove");
        return cloud.remove(...call);
      },
    });
    const { world, system } = await toldIn(kind).deployed({}, { clouds: (all) => all.map(bare), cloud: { boundBy } });
    calls.length = 0;
    await world.passing(world.remove(system));
    expect(calls.slice(0, 3)).toEqual(["read", "read", "remove"]);
  });

  test("a correction is bound to the read that it was decided on: who takes over after it keeps their values", async () => {
    const { world, id, resourceId, console, afterNextRead } = await deployed();
    await console.patchParameters(resourceId, { size: 7 });
    afterNextRead(() => console.putTags(resourceId, {}));
    await world.cycles(1);
    expect((await world.component(id)).status).toBe("ManualOverride");
    expect((await console.get(resourceId))?.parameters.size).toBe(7);
  });

  test("the removal of a stray reconcile tag is bound to the read that it was decided on", async () => {
    const { clouds, afterNextRead } = actingAfterRead();
    const done: string[] = [];
    const onChange = ({ by, operation }: { by: string; operation: string }) => {
      if (by === "caller") done.push(operation);
    };
    const { world, resourceId, console } = await toldIn(kind).deployed({}, { clouds, cloud: { boundBy, onChange } });
    await console.putTags(resourceId, both);
    done.length = 0;
    afterNextRead(() => console.patchParameters(resourceId, { size: 7 }));
    await world.cycles(1);
    expect(done).toEqual(["update", "removeTag"]);
  });

  test("a correction isn't sent once its live system is being deleted", async () => {
    const { world, system, resourceId, console, afterNextRead } = await deployed();
    await console.patchParameters(resourceId, { size: 7 });
    afterNextRead(() => world.call("liveSystems.delete", { params: { id: system } }));
    await world.cycles(1);
    expect((await console.get(resourceId))?.parameters.size).toBe(7);
  });
});

describe.each(flavours)("$provider: a component without tags", ({ provider, kinds }) => {
  test.each(["a correction", "a deletion"])("is left alone by %s while its tag owner can't be read", async (write) => {
    let isDown = false;
    let owner = "";
    const unreadable = (cloud: Cloud): Cloud => ({
      ...cloud,
      read: async (ref, call) =>
        isDown && ref.resourceId === owner ? { state: "unreadable", reason: "Down" } : cloud.read(ref, call),
    });
    const world = overrideWorld({ clouds: (all) => all.map(unreadable) });
    const net = { path: "net", provider, type: kinds.tagOwner };
    const subnet = { path: "subnet", provider, type: kinds.governed, overrideWith: "net" };
    const { livesystemId: system, components } = await world.create(definition([net, subnet]));
    const idOf = (path: string) => components.find(({ id }) => id.endsWith(`/${path}`))?.resourceId ?? "";
    owner = idOf("net");
    const console = world.consoles[provider];
    await world.cycles(1);
    isDown = true;
    await console.patchParameters(idOf("subnet"), { size: 7 });
    if (write === "a correction") await world.cycles(2);
    else await world.passing(world.deploy(system, definition([net])));
    expect((await console.get(idOf("subnet")))?.parameters.size).toBe(7);
    isDown = false;
    if (write === "a correction") await world.cycles(2);
    expect((await console.get(idOf("subnet")))?.parameters.size).toBe(write === "a correction" ? 1 : 7);
  });
});

describe("a cloud that ignores the case of tag keys", () => {
  const spelled = { "Managed-By": "platform" };
  const boundBy = () => ({ create: "etag", properties: "mask", tags: "mask" }) as const;

  test("reads the management tag in any case: to observe, right before a write and right before a deletion", async () => {
    const { world, id, system, resourceId, console } = await toldIn(bothClouds[0]).deployed({}, { cloud: { boundBy } });
    await console.putTags(resourceId, spelled);
    await console.patchParameters(resourceId, { size: 7 });
    await world.cycles(1);
    expect(await world.component(id)).toMatchObject({ status: "Active", conditions: { inSync: { value: true } } });
    expect(await console.get(resourceId)).toMatchObject({ tags: spelled, parameters: { size: 1 } });
    await world.passing(world.remove(system));
    expect(await console.get(resourceId)).toBeNull();
  });

  test("reads and removes the reconcile tag in any case", async () => {
    const { world, id, resourceId, console } = await overridden();
    await console.patchParameters(resourceId, { size: 7 });
    await console.putTags(resourceId, { ...spelled, PLATFORM: "reconcile" });
    await world.cycles(2);
    expect((await world.component(id)).status).toBe("Active");
    expect(await console.get(resourceId)).toMatchObject({ tags: spelled, parameters: { size: 1 } });
  });

  test("compares values exactly", async () => {
    const { world, id, resourceId, console } = await overridden();
    await console.putTags(resourceId, { ...managed, "managed-by": "Platform" });
    await world.cycles(1);
    expect((await world.component(id)).status).toBe("ManualOverride");
  });
});

describe.each(bothClouds)("$provider, bound by nothing but a second read", (kind) => {
  const boundBy = () => ({ create: "none", properties: "mask", tags: "mask" }) as const;

  /** A component that differs, and a person who acts between the read and the second read of the next correction. */
  async function differing(seenAgain: (reading: Reading) => Reading = (reading) => reading) {
    const sent: string[] = [];
    let reads = Number.NaN;
    let act = async () => {};
    const watched = (cloud: Cloud): Cloud => ({
      ...cloud,
      update: (...call) => {
        sent.push("update");
        return cloud.update(...call);
      },
      read: async (...call) => {
        reads += 1;
        if (reads === 2) await act();
        const reading = await cloud.read(...call);
        return reads >= 2 ? seenAgain(reading) : reading;
      },
    });
    const made = await toldIn(kind).deployed({}, { clouds: (all) => all.map(watched), cloud: { boundBy } });
    await made.console.patchParameters(made.resourceId, { size: 7 });
    const checkedWhile = (deed: () => Promise<unknown>) => {
      reads = 0;
      act = async () => void (await deed());
      return made.world.passing(made.world.check(made.id));
    };
    return { ...made, sent, checkedWhile };
  }

  type Present = Extract<Reading, { state: "present" }>;

  const otherwise: readonly { readonly shows: string; readonly seen: (reading: Present) => Reading }[] = [
    { shows: "that the cloud is working", seen: (reading) => ({ state: "working", resource: reading }) },
    { shows: "nothing", seen: () => ({ state: "missing" }) },
    { shows: "an error", seen: () => ({ state: "unreadable", reason: "Down" }) },
    { shows: "no management tag", seen: (reading) => ({ ...reading, tags: {} }) },
  ];
  const another: (typeof otherwise)[number] = {
    shows: "another resource",
    seen: (reading) => ({ ...reading, identity: "another" }),
  };

  test.each(otherwise)("nothing is corrected on a second read that shows $shows", async ({ seen }) => {
    const { sent, checkedWhile } = await differing((reading) =>
      reading.state === "present" ? seen(reading) : reading,
    );
    await checkedWhile(async () => {});
    expect(sent).toEqual([]);
  });

  test.each([...otherwise, another])("nothing is deleted on a second read that shows $shows", async ({ seen }) => {
    let reads = Number.NaN;
    const removedAt: number[] = [];
    const busy = (cloud: Cloud): Cloud => ({
      ...cloud,
      read: async (...call) => {
        const reading = await cloud.read(...call);
        return ++reads === 2 && reading.state === "present" ? seen(reading) : reading;
      },
      remove: (...call) => {
        removedAt.push(reads);
        return cloud.remove(...call);
      },
    });
    const { world, system, console, resourceId } = await toldIn(kind).deployed(
      {},
      { clouds: (all) => all.map(busy), cloud: { boundBy } },
    );
    reads = 0;
    await world.passing(world.remove(system));
    expect(removedAt).toEqual([4]);
    expect(await console.get(resourceId)).toBeNull();
  });

  test("a deploy sends nothing once the same declaration is deployed again: the newer deploy does", async () => {
    let reads = Number.NaN;
    const begun: number[] = [];
    const watched = (cloud: Cloud): Cloud => ({
      ...cloud,
      read: async (...call) => {
        if (++reads === 2) await made.world.call("liveSystems.deploy", { params: { id: made.system }, body });
        return cloud.read(...call);
      },
      update: async (...call) => {
        begun.push((await made.world.events("livesystem.mutation.started")).length);
        return cloud.update(...call);
      },
    });
    const body = toldIn(kind).declared({ path: "app", parameters: { size: 2 } });
    const made = await toldIn(kind).deployed({}, { clouds: (all) => all.map(watched), cloud: { boundBy } });
    reads = 0;
    await made.world.passing(made.world.deploy(made.system, body));
    expect(begun).toEqual([3]);
  });

  test("a correction that isn't sent doesn't count as the last write", async () => {
    const { world, console, resourceId, checkedWhile } = await differing();
    const deployedAt = world.runtime.clock.now();
    await world.runtime.advance(60_000);
    const { acknowledgement } = await checkedWhile(() => console.putTags(resourceId, {}));
    expect(acknowledgement).toMatchObject({ managementTag: false, writesInFlight: 0 });
    expect(Date.parse(acknowledgement.lastWriteAt ?? "")).toBeLessThanOrEqual(deployedAt);
  });

  test("no race is reported to a person who sets the declared value and takes over before the second read", async () => {
    const { world, sent, console, resourceId, id, checkedWhile } = await differing();
    await checkedWhile(async () => {
      await console.patchParameters(resourceId, { size: 1 });
      await console.putTags(resourceId, {});
    });
    await world.passing(world.check(id));
    expect((await world.component(id)).status).toBe("ManualOverride");
    expect([sent, await world.events("component.race_detected")]).toEqual([[], []]);
  });
});

test.each([
  [true, "its step has begun and it is in force", {}],
  [false, "a newer mutation is in force", { last: "newer" }],
  [false, "its step has ended", { state: "converged" }],
  [false, "no deploy asks for it", { redeploy: false }],
] as const)(
  "a pass may create again what a person has (%s) if %s",
  (may, _, { last = "m", state = "begun", redeploy = true }: Asked) => {
    const record = { step: { mutationId: "m", state } };
    const expectation = { inForce: { system: { lastMutationId: last } } };
    expect(isRedeploy({ record, expectation } as never, { lane: "people", redeploy })).toBe(may);
  },
);

interface Asked {
  readonly last?: string;
  readonly state?: string;
  readonly redeploy?: boolean;
}

test.each([
  [true, "under a lease", 50, 60],
  [false, "under a lease", 51, 60],
  [true, "under none", 30, null],
  [false, "under none", 31, null],
  [false, "under one that doesn't end", 31, Number.POSITIVE_INFINITY],
  [false, "under one that is about to end", 1, 9],
] as const)("a write may start (%s) %s, %i seconds after its claim", async (may, _, seconds, leftSeconds) => {
  const runtime = fakeRuntime();
  const claims = createClaims({ runtime, exclusive: false });
  const claim = claims.make();
  await runtime.advance(seconds * 1000);
  const { signal } = new AbortController();
  const deadline = runtime.clock.monotonic() + (leftSeconds ?? 0) * 1000;
  const lease = leftSeconds === null ? undefined : { deadline, signal };
  const deps = { runtime, claims, callTimeoutMs: 10_000, longestWriteMs: 30_000 };
  expect(mayStart(claim, lease, deps as never)).toBe(may);
});
