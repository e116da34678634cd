import { describe, expect, test } from "vitest";
import { simulatedCloud, simulatedConsole } from "../../src/clouds/index.ts";
import { memoryStore } from "../../src/ports/memory-store.ts";
import { fakeRuntime } from "../../src/testing/fake-runtime.ts";
import { providers, simulatedUnderTest } from "../builders/simulated-clouds.ts";

const network = "Microsoft.Network/virtualNetworks@2024-05-01";
const workload = { credentials: { kind: "workload", name: null, secret: null } } as const;

async function withResource(options: Parameters<typeof simulatedUnderTest>[0] = {}, parameters = {}) {
  const under = await simulatedUnderTest(options);
  const { cloud, target } = under;
  const type = cloud.provider === "provider-a" ? network : "storage.v1.bucket";
  const resourceId = cloud.resourceIdFor(type, "one", target) ?? "";
  const tags = { "managed-by": "platform" };
  await cloud.create({ type, name: "one", resourceId, target, parameters, tags, intent: "i" }, workload);
  return { ...under, ref: { type, resourceId }, console: simulatedConsole(cloud) };
}

describe("the facts of a type", () => {
  test("knows what can't carry tags", async () => {
    const { cloud: a } = await simulatedUnderTest({ provider: "provider-a" });
    const { cloud: b } = await simulatedUnderTest({ provider: "provider-b" });
    expect(a.resourceType(network).taggable).toBe(true);
    expect(a.resourceType("Microsoft.Network/virtualNetworks/subnets@2024-05-01").taggable).toBe(false);
    expect(b.resourceType("compute.v1.network").taggable).toBe(false);
    expect(b.resourceType("compute.v1.firewall").taggable).toBe(false);
    expect(b.resourceType("storage.v1.bucket").taggable).toBe(true);
    expect(b.resourceType("anything.v9.else")).toMatchObject({ taggable: true, immutable: [] });
  });

  test("refuses tags on what can't carry them", async () => {
    const { cloud, target } = await simulatedUnderTest();
    const type = "Microsoft.Network/virtualNetworks/subnets@2024-05-01";
    const subnet = { type, name: "s", resourceId: null, target, parameters: {}, intent: "i" };
    await expect(cloud.create({ ...subnet, tags: { a: "b" } }, workload)).rejects.toMatchObject({
      code: "ProviderError",
    });
    await expect(cloud.create({ ...subnet, tags: {} }, workload)).resolves.toBeDefined();
  });

  test("takes an immutable parameter once", async () => {
    const { cloud, ref } = await withResource({}, { location: "westeurope" });
    const move = (value: string) =>
      cloud.update(ref, { parameters: [{ pointer: "/location", value }], tags: {} }, {}, workload);
    await expect(move("eastus")).rejects.toMatchObject({ code: "ProviderError", retryable: false });
    await expect(move("westeurope")).resolves.toMatchObject({ shown: { parameters: { location: "westeurope" } } });
  });

  test("never gives back what is write-only", async () => {
    const { cloud, target } = await simulatedUnderTest();
    const type = "Microsoft.Sql/servers@2023-08-01";
    const parameters = { administratorLogin: "me", administratorLoginPassword: "canary" };
    const { resourceId } = await cloud.create(
      { type, name: "s", resourceId: null, target, parameters, tags: {}, intent: "i" },
      workload,
    );
    expect(JSON.stringify(await cloud.read({ type, resourceId }, workload))).not.toContain("canary");
  });
});

describe("tags", () => {
  test("follow Azure's rules at provider A", async () => {
    const { console, ref } = await withResource();
    const put = (tags: unknown) => console.putTags(ref.resourceId, tags);
    const many = Object.fromEntries(Array.from({ length: 51 }, (_, at) => [`k${at}`, ""]));
    for (const tags of [{ "a/b": "c" }, { A: "1", a: "2" }, { a: "x".repeat(257) }, { a: 1 }, many])
      await expect(put(tags)).rejects.toMatchObject({ code: "ValidationFailed" });
    expect((await put({ "Cost Center": "Größe 1" }))?.tags).toEqual({ "Cost Center": "Größe 1" });
  });

  test("follow Google's rules at provider B", async () => {
    const { console, ref } = await withResource({ provider: "provider-b" });
    const put = (tags: unknown) => console.putTags(ref.resourceId, tags);
    for (const tags of [{ Team: "blue" }, { team: "Blue" }, { "1team": "blue" }, { team: "x".repeat(64) }])
      await expect(put(tags)).rejects.toMatchObject({ code: "ValidationFailed" });
    expect((await put({ team: "blue_1" }))?.tags).toEqual({ team: "blue_1" });
  });

  test("keep their spelling when a value is set under another one at provider A", async () => {
    const { cloud, console, ref } = await withResource();
    await console.putTags(ref.resourceId, { "Managed-By": "somebody" });
    await cloud.update(ref, { parameters: [], tags: { "managed-by": "platform" } }, {}, workload);
    expect((await console.get(ref.resourceId))?.tags).toEqual({ "Managed-By": "platform" });
  });
});

test.each([
  ["etag", "mask"],
  ["mask", "etag"],
] as const)("an update is bound by %s, and one of tags alone by %s", async (properties, tags) => {
  const { cloud, console, ref } = await withResource({ boundBy: () => ({ create: "etag", properties, tags }) });
  const stale = { etag: (await console.get(ref.resourceId))?.etag ?? "" };
  await console.putTags(ref.resourceId, { "managed-by": "platform", team: "blue" });
  const size = [{ pointer: "/size", value: 2 }];
  const outcomeOf = (parameters: typeof size) =>
    cloud.update(ref, { parameters, tags: { team: "red" } }, stale, workload).then(
      () => "mask",
      ({ code }) => (code === "PreconditionFailed" ? "etag" : code),
    );
  expect(await outcomeOf([])).toBe(tags);
  expect(await outcomeOf(size)).toBe(properties);
});

describe("a merge patch of tags", () => {
  test("sets some, removes those that are null, and leaves the others", async () => {
    const { console, ref } = await withResource();
    await console.putTags(ref.resourceId, { "managed-by": "platform", team: "blue", stage: "test" });
    const patch = { "managed-by": null, stage: "live", "platform-owner": "Ada", nothing: null };
    const tags = { team: "blue", stage: "live", "platform-owner": "Ada" };
    expect(await console.patchTags(ref.resourceId, patch)).toMatchObject({ tags });
    expect((await console.get(ref.resourceId))?.tags).toEqual(tags);
    expect(await console.patchTags("nothing", patch)).toBeNull();
  });

  test("finds tags in any case at provider A only", async () => {
    const { console, ref } = await withResource();
    await console.putTags(ref.resourceId, { "Managed-By": "platform", Team: "blue" });
    const patched = await console.patchTags(ref.resourceId, { "managed-by": null, team: "red" });
    expect(patched?.tags).toEqual({ Team: "red" });
  });

  test.each([
    [{ team: 5 }, "#/team"],
    [{ "a/b": "c" }, "#/a/b"],
    [[], "#"],
    ['{ "__proto__": null }', "#"],
  ])("%j is refused at its place", async (patch, pointer) => {
    const { console, ref } = await withResource();
    const value = typeof patch === "string" ? JSON.parse(patch) : patch;
    const refused = console.patchTags(ref.resourceId, value);
    await expect(refused).rejects.toMatchObject({ code: "ValidationFailed", details: { errors: [{ pointer }] } });
    expect((await console.get(ref.resourceId))?.tags).toEqual({ "managed-by": "platform" });
  });
});

describe("the console", () => {
  test("shows what there is, a page at a time", async () => {
    const { console, ref } = await withResource(
      {},
      { size: "small", addressSpace: ["10.0.0.0/16"], tags: { team: "blue" } },
    );
    for (const name of ["b", "c", "d"])
      await console.put(`/subscriptions/s/resourceGroups/g/providers/X/${name}`, { type: "X@1" });
    const first = await console.list({ limit: 3 });
    expect(first.items).toHaveLength(3);
    const second = await console.list({ limit: 3, cursor: first.nextCursor ?? "" });
    expect(second).toMatchObject({ nextCursor: null, items: [expect.anything()] });
    expect(await console.get(ref.resourceId)).toEqual({
      id: ref.resourceId,
      type: network,
      tags: { "managed-by": "platform", team: "blue" },
      parameters: { size: "small", addressSpace: ["10.0.0.0/16"] },
      outputs: { id: ref.resourceId, name: "one", size: "small" },
      etag: expect.any(String),
    });
  });

  test("merges parameters as RFC 7396 says", async () => {
    const { console, ref } = await withResource({}, { a: { b: 1, c: 2 }, d: [1, 2], e: "x" });
    const patched = await console.patchParameters(ref.resourceId, { a: { b: null, f: { g: 1 } }, d: [3], e: null });
    expect(patched?.parameters).toEqual({ a: { c: 2, f: { g: 1 } }, d: [3] });
    expect(patched?.tags).toEqual({ "managed-by": "platform" });
    await expect(console.patchParameters(ref.resourceId, [])).rejects.toMatchObject({ code: "ValidationFailed" });
    await expect(console.patchParameters(ref.resourceId, JSON.parse('{"__proto__":{"a":1}}'))).rejects.toMatchObject({
      code: "ValidationFailed",
    });
  });

  test("finds ids in any case at provider A", async () => {
    const { console, ref } = await withResource();
    expect(await console.get(ref.resourceId.toUpperCase())).toMatchObject({ id: ref.resourceId });
  });

  test("says null of what isn't there", async () => {
    const { console } = await withResource();
    expect(await console.get("nothing")).toBeNull();
    expect(await console.putTags("nothing", {})).toBeNull();
    expect(await console.patchParameters("nothing", {})).toBeNull();
    expect(await console.delete("nothing")).toBeNull();
  });

  test("makes by hand what was deleted by hand, as another resource, and changes what is there", async () => {
    const { cloud, console, ref } = await withResource({}, { size: "small" });
    const identity = async () => (await cloud.read(ref, workload)) as { identity?: string };
    const before = await identity();
    const gone = await console.delete(ref.resourceId);
    expect(await cloud.read(ref, workload)).toEqual({ state: "missing" });
    await console.put(ref.resourceId, gone);
    expect(await console.get(ref.resourceId)).toMatchObject({ type: network, parameters: { size: "small" } });
    const { identity: another } = await identity();
    expect(another).not.toBe(before.identity);
    await console.put(ref.resourceId, { ...gone, tags: { team: "blue" } });
    expect(await identity()).toMatchObject({ identity: another, tags: { team: "blue" } });
  });

  test("refuses faults that there aren't", async () => {
    const { console } = await withResource();
    for (const faults of [{ write: "explode" }, { typo: "fail" }, { read: { delayMs: -1 } }])
      await expect(console.setFaults(faults)).rejects.toMatchObject({ code: "ValidationFailed" });
    expect(await console.setFaults({ initialize: { step: "identity", delayMs: 5 }, removeTag: "lose-answer" })).toEqual(
      {
        initialize: { step: "identity", fault: { delayMs: 5 } },
        removeTag: "lose-answer",
      },
    );
    expect(await console.setFaults({ initialize: { step: "identity", fault: "fail" } })).toEqual({
      initialize: { step: "identity", fault: "fail" },
    });
    expect(await console.setFaults({})).toEqual({});
  });
});

describe("what a simulated cloud can be made to do", () => {
  test.each(providers)(
    "shows bulk reads of %s what it has made, though nobody looked at it directly",
    async (provider) => {
      const runtime = fakeRuntime();
      const { cloud, console, target, ref } = await withResource({ provider, runtime, lagMs: 1000 });
      const slow = { ...ref, resourceId: `${ref.resourceId}-slow` };
      const bulk = async () => (await cloud.readMany([slow], workload))[0]?.state;
      await console.setFaults({ slow: { takesMs: 60_000, hidden: true } });
      const made = { name: "slow", target, parameters: {}, tags: {}, intent: "slow" };
      await cloud.create({ ...slow, ...made }, workload);
      await runtime.advance(59_000);
      expect(await bulk()).toBe("missing");
      await runtime.advance(1_000);
      expect(await bulk()).toBe("missing");
      await runtime.advance(1_001);
      expect(await bulk()).toBe("present");
    },
  );

  test.each(providers)("lets bulk reads of %s lag, and catch up", async (provider) => {
    const runtime = fakeRuntime();
    const { cloud, console, ref } = await withResource({ provider, runtime, lagMs: 1000 });
    const bulk = async () => (await cloud.readMany([ref], workload))[0];
    expect(await bulk()).toEqual({ state: "missing" });
    await runtime.advance(1001);
    await console.putTags(ref.resourceId, {});
    expect(await bulk()).toMatchObject({ tags: { "managed-by": "platform" } });
    expect(await cloud.read(ref, workload)).toMatchObject({ tags: {} });
    await runtime.advance(1001);
    expect(await bulk()).toMatchObject({ tags: {} });
    await console.delete(ref.resourceId);
    expect(await bulk()).toMatchObject({ state: "present" });
    await runtime.advance(1001);
    expect(await bulk()).toEqual({ state: "missing" });
  });

  test("throttles one scope and not another", async () => {
    const runtime = fakeRuntime();
    const { cloud, ref, otherTarget } = await withResource({ runtime, throttle: { perSecond: 1, burst: 2 } });
    expect((await cloud.read(ref, workload)).state).toBe("present");
    expect(await cloud.read(ref, workload)).toMatchObject({
      state: "unreadable",
      reason: "RateLimited",
      retryAfterMs: 1000,
    });
    const elsewhere = { type: network, resourceId: cloud.resourceIdFor(network, "x", otherTarget) ?? "" };
    expect((await cloud.read(elsewhere, workload)).state).toBe("missing");
    await runtime.advance(1000);
    expect((await cloud.read(ref, workload)).state).toBe("present");
  });

  test("comes late, and sees what happened meanwhile", async () => {
    const runtime = fakeRuntime();
    const { cloud, console, ref } = await withResource({ runtime });
    await console.setFaults({ write: { delayMs: 500 } });
    const { etag = "" } = (await cloud.read(ref, workload)) as { etag?: string };
    const write = cloud.update(ref, { parameters: [{ pointer: "/size", value: "big" }], tags: {} }, { etag }, workload);
    const outcome = expect(write).rejects.toMatchObject({ code: "PreconditionFailed" });
    await runtime.advance(100);
    await console.putTags(ref.resourceId, {});
    await runtime.advance(400);
    await outcome;
  });

  test("comes at once when its delay is ended", async () => {
    const runtime = fakeRuntime();
    const { cloud, console, ref } = await withResource({ runtime });
    await console.setFaults({ read: { delayMs: 60_000 } });
    const reading = cloud.read(ref, workload);
    await runtime.advance(100);
    await console.setFaults({ read: { delayMs: 30_000 } });
    await console.setFaults({});
    expect((await reading).state).toBe("present");
    await console.setFaults({ read: { delayMs: 60_000 } });
    const stop = new AbortController();
    const aborted = cloud.read(ref, { ...workload, signal: stop.signal });
    const outcome = expect(aborted).rejects.toMatchObject({ code: "Aborted" });
    await runtime.advance(100);
    stop.abort();
    await outcome;
  });

  test("tells of each change right after it was made", async () => {
    const seen: string[] = [];
    const { cloud, console, ref } = await withResource({
      onChange: ({ by, operation }) => seen.push(`${by} ${operation}`),
    });
    await cloud.removeTag(ref, "managed-by", {}, workload);
    await cloud.removeTag(ref, "managed-by", {}, workload);
    await console.patchParameters(ref.resourceId, { a: 1 });
    await cloud.remove(ref, {}, workload);
    expect(seen).toEqual(["caller create", "caller removeTag", "console update", "caller remove"]);
  });

  test("keeps its resources for the next process, sealed where it is given a sealer", async () => {
    const store = memoryStore();
    const runtime = fakeRuntime();
    const sealer = flippingSealer();
    const open = () => simulatedCloud({ provider: "provider-a", store, runtime, sealer });
    const console = simulatedConsole(open());
    await console.put("/x/canary", { type: "X", parameters: { secret: "canary-value" } });
    const entries = await store.list({ prefix: ["simulated-cloud"] });
    expect(JSON.stringify(entries.map(({ value }) => value))).not.toContain("canary-value");
    expect((await simulatedConsole(open()).list()).items).toMatchObject([{ parameters: { secret: "canary-value" } }]);
  });
});

describe("the simulated identity service", () => {
  test("completes, denies, expires and asks to slow down", async () => {
    const runtime = fakeRuntime();
    const { cloud } = await simulatedUnderTest({ runtime });
    const console = simulatedConsole(cloud);
    const grant = await cloud.devices.begin("common");
    const poll = () => cloud.devices.poll("common", grant.deviceCode);
    expect(await poll()).toEqual({ status: "Pending", slowDown: false });
    expect(await poll()).toEqual({ status: "Pending", slowDown: true });
    expect(await console.completeDevice(grant.userCode)).toEqual({ userCode: grant.userCode, status: "Completed" });
    expect(await console.denyDevice(grant.userCode)).toBeNull();
    expect(await poll()).toMatchObject({ status: "Completed", credential: expect.any(String) });
    expect(await cloud.devices.poll("other", grant.deviceCode)).toEqual({ status: "Expired" });

    const denied = await cloud.devices.begin("common");
    await console.denyDevice(denied.userCode);
    expect(await cloud.devices.poll("common", denied.deviceCode)).toEqual({ status: "Denied" });

    const late = await cloud.devices.begin("common");
    await runtime.advance(901_000);
    expect(await cloud.devices.poll("common", late.deviceCode)).toEqual({ status: "Expired" });
    expect(await console.completeDevice(late.userCode)).toBeNull();
    expect(await console.completeDevice("NONE-SUCH")).toBeNull();
  });
});

/** Not a cipher: enough to see that nothing lies there as it was. */
function flippingSealer() {
  const flip = (bytes: Uint8Array) => bytes.map((byte) => byte ^ 0xff);
  return {
    seal: async (plain: Uint8Array) => ({
      algorithm: "flip",
      keyId: "",
      wrappedKey: "",
      nonce: "",
      tag: "",
      ciphertext: JSON.stringify([...flip(plain)]),
    }),
    open: async ({ ciphertext }: { ciphertext: string }) => flip(Uint8Array.from(JSON.parse(ciphertext) as number[])),
    rewrap: async () => null,
    currentKeyId: async () => "",
  };
}
