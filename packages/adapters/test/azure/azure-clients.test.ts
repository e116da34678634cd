import { KeyVaultManagementClient } from "@azure/arm-keyvault";
import { NetworkManagementClient } from "@azure/arm-network";
import { RedisManagementClient } from "@azure/arm-rediscache";
import { ResourceGraphClient } from "@azure/arm-resourcegraph";
import { ResourceManagementClient } from "@azure/arm-resources";
import { SubscriptionClient } from "@azure/arm-resources-subscriptions";
import { StorageManagementClient } from "@azure/arm-storage";
import { azureCloud } from "@liveplane/adapters/azure-cloud";
import type { CloudCall, JsonObject } from "@liveplane/core/clouds";
import { beforeEach, describe, expect, test } from "vitest";
import { departures } from "../descriptions/departures.ts";
import { type Recorded, recordingDouble } from "./double-recording.ts";

const subscription = "3f2504e0-4f89-41d3-9a0c-0305e82c3301";
const group = "shop";
const target = { scope: subscription, region: "westeurope", container: group };
const workload: CloudCall = { credentials: { kind: "workload", name: null, secret: null } };
const credential = { getToken: async () => ({ token: "token-of-azure", expiresOnTimestamp: Date.now() + 3_600_000 }) };
const judged = departures();
const fast = { updateIntervalInMs: 1 };
const tags = { team: "blue" };

let aheadMs = 0;
const double = recordingDouble({ judged, now: () => Date.now() + aheadMs });

beforeEach(() => {
  double.state.slowness = null;
});

/** The vendor's client of a service, pointed at the double. */
const clientOptions = () => ({ httpClient: double.httpClient, retryOptions: { maxRetries: 0 } });
const cloud = () => azureCloud({ fetch: double.fetch, credential });
const ref = (type: string, name: string) => ({ type, resourceId: cloud().resourceIdFor(type, name, target) ?? "" });
const newResource = (type: string, name: string, parameters: JsonObject) => ({
  ...ref(type, name),
  name,
  target,
  parameters,
  tags,
  intent: "i",
});

/** The requests of one method among what was recorded. */
const of = (method: string, recorded: readonly Recorded[]) => recorded.filter((one) => one.method === method);

const vault = {
  location: "westeurope",
  properties: { tenantId: subscription, sku: { family: "A", name: "standard" }, accessPolicies: [] },
};
const account = {
  location: "westeurope",
  kind: "StorageV2",
  sku: { name: "Standard_LRS" },
  properties: { minimumTlsVersion: "TLS1_2" },
};
const network = { location: "westeurope", properties: { addressSpace: { addressPrefixes: ["10.0.0.0/16"] } } };
const cache = {
  location: "westeurope",
  properties: { sku: { name: "Basic", family: "C", capacity: 1 }, minimumTlsVersion: "1.2" },
};

describe("what Microsoft's own clients send for the same is what the adapter sends", () => {
  const storage = () => new StorageManagementClient(credential, subscription, clientOptions());
  const networks = () => new NetworkManagementClient(credential, subscription, clientOptions());
  const vaults = () => new KeyVaultManagementClient(credential, subscription, clientOptions());
  const redis = () => new RedisManagementClient(credential, subscription, clientOptions());
  const resources = () => new ResourceManagementClient(credential, subscription, clientOptions());
  const types = {
    storage: "Microsoft.Storage/storageAccounts",
    network: "Microsoft.Network/virtualNetworks",
    vault: "Microsoft.KeyVault/vaults",
    redis: "Microsoft.Cache/redis",
    group: "Microsoft.Resources/resourceGroups",
  };
  const hold = (type: string, name: string, body: JsonObject) => {
    const { resourceId } = ref(type, name);
    if (double.get(resourceId) === null) double.make(resourceId, { ...body, tags });
    return { type, resourceId };
  };
  const anew = (type: string, name: string) => {
    const { resourceId } = ref(type, name);
    if (double.get(resourceId) !== null) double.remove(resourceId);
  };

  const creations: readonly [string, string, JsonObject, (name: string, body: never) => Promise<unknown>][] = [
    [
      "storage",
      "files",
      account,
      (name, body) => storage().storageAccounts.beginCreateAndWait(group, name, body, fast),
    ],
    [
      "network",
      "net",
      network,
      (name, body) => networks().virtualNetworks.beginCreateOrUpdateAndWait(group, name, body, fast),
    ],
    ["vault", "keys", vault, (name, body) => vaults().vaults.beginCreateOrUpdateAndWait(group, name, body, fast)],
    ["redis", "cache", cache, (name, body) => redis().redis.beginCreateAndWait(group, name, body, fast)],
    [
      "group",
      "shop",
      { location: "westeurope" },
      (name, body) => resources().resourceGroups.createOrUpdate(name, body),
    ],
  ];
  test.each(creations)("a creation: %s", async (kind, name, body, create) => {
    const type = types[kind as keyof typeof types];
    const asTheyTakeIt = (await flattened(kind, { ...body, tags })) as never;
    anew(type, name);
    const theirs = await double.during(() => create(name, asTheyTakeIt));
    anew(type, name);
    const ours = await double.during(() => cloud().create(newResource(type, name, body), workload));
    expect(of("PUT", ours)).toEqual(of("PUT", theirs).slice(0, 1));
    expect(of("PUT", ours)).toHaveLength(1);
  });

  const changes: readonly [string, string, JsonObject, string, string, (name: string) => Promise<unknown>][] = [
    [
      "storage",
      "files",
      account,
      "/properties/minimumTlsVersion",
      "TLS1_3",
      (name) => storage().storageAccounts.update(group, name, { minimumTlsVersion: "TLS1_3" }),
    ],
    [
      "vault",
      "keys",
      vault,
      "/properties/publicNetworkAccess",
      "disabled",
      (name) => vaults().vaults.update(group, name, { properties: { publicNetworkAccess: "disabled" } }),
    ],
    [
      "redis",
      "cache",
      cache,
      "/properties/minimumTlsVersion",
      "1.3",
      (name) => redis().redis.beginUpdateAndWait(group, name, { minimumTlsVersion: "1.3" }, fast),
    ],
  ];
  test.each(changes)("a change: %s", async (kind, name, body, pointer, value, update) => {
    const held = hold(types[kind as keyof typeof types], name, body);
    const theirs = await double.during(() => update(name));
    const ours = await double.during(() =>
      cloud().update(held, { parameters: [{ pointer, value }], tags: {} }, {}, workload),
    );
    expect(ours).toEqual(of("PATCH", theirs));
    expect(ours).toHaveLength(1);
  });

  const reads: readonly [string, string, JsonObject, (name: string) => Promise<unknown>][] = [
    ["storage", "files", account, (name) => storage().storageAccounts.getProperties(group, name)],
    ["network", "net", network, (name) => networks().virtualNetworks.get(group, name)],
    ["vault", "keys", vault, (name) => vaults().vaults.get(group, name)],
    ["redis", "cache", cache, (name) => redis().redis.get(group, name)],
    ["group", "shop", { location: "westeurope" }, (name) => resources().resourceGroups.get(name)],
  ];
  test.each(reads)("a look: %s", async (kind, name, body, get) => {
    const held = hold(types[kind as keyof typeof types], name, body);
    const theirs = await double.during(() => get(name));
    expect(await double.during(() => cloud().read(held, workload))).toEqual(theirs);
    expect(theirs).toHaveLength(1);
  });

  const deletions: readonly [string, string, JsonObject, (name: string) => Promise<unknown>][] = [
    ["storage", "files", account, (name) => storage().storageAccounts.delete(group, name)],
    ["vault", "keys", vault, (name) => vaults().vaults.delete(group, name)],
    ["redis", "cache", cache, (name) => redis().redis.beginDeleteAndWait(group, name, fast)],
    ["network", "net", network, (name) => networks().virtualNetworks.beginDeleteAndWait(group, name, fast)],
  ];
  test.each(deletions)("a deletion: %s", async (kind, name, body, remove) => {
    const type = types[kind as keyof typeof types];
    hold(type, name, body);
    const theirs = await double.during(() => remove(name));
    const ours = await double.during(() => cloud().remove(hold(type, name, body), {}, workload));
    expect(of("DELETE", ours)).toEqual(of("DELETE", theirs));
    expect(of("DELETE", ours)).toHaveLength(1);
  });

  test("one tag set, and one removed", async () => {
    const held = hold(types.network, "net", network);
    const change = (operation: string, named: Record<string, string>) =>
      resources().tagsOperations.beginUpdateAtScopeAndWait(
        held.resourceId.slice(1),
        { operation, properties: { tags: named } },
        fast,
      );
    const theirs = await double.during(() => change("Merge", { stage: "test" }));
    const ours = await double.during(() =>
      cloud().update(held, { parameters: [], tags: { stage: "test" } }, {}, workload),
    );
    expect(ours).toEqual(of("PATCH", theirs));
    const removed = await double.during(() => change("Delete", { stage: "test" }));
    double.setTags(held.resourceId, { stage: "test" });
    const again = await double.during(() => cloud().removeTag(held, "stage", {}, workload));
    expect(of("PATCH", again)).toEqual(of("PATCH", removed));
  });

  test("a list of a network's parts", async () => {
    const held = hold(types.network, "net", network);
    const parts = ["a", "b"].map((name) => ref(`${types.network}/subnets`, `net/${name}`));
    for (const { resourceId } of parts)
      if (double.get(resourceId) === null) double.make(resourceId, { properties: {} });
    const theirs = await double.during(async () => {
      for await (const subnet of networks().subnets.list(group, "net")) expect(subnet.id).toContain(held.resourceId);
    });
    expect(await double.during(() => cloud().readMany(parts, workload))).toEqual(theirs);
  });

  test("Resource Graph", async () => {
    const held = hold(types.network, "net", network);
    const [ours] = await double.during(() => cloud().readMany([held], workload));
    const { subscriptions, query, options } = (ours?.body ?? {}) as {
      subscriptions: string[];
      query: string;
      options: { $top: number };
    };
    const client = new ResourceGraphClient(credential, { httpClient: double.olderHttpClient as never });
    let answer: unknown;
    const theirs = await double.during(async () => {
      answer = await client.resources({
        subscriptions,
        query,
        options: { top: options.$top, resultFormat: "objectArray" },
      });
    });
    expect([ours]).toEqual(theirs);
    expect(answer).toMatchObject({ count: 1, totalRecords: 1, resultTruncated: "false" });
  });

  test("places, and the registration of a resource provider", async () => {
    const client = new SubscriptionClient(credential, clientOptions());
    const theirs = await double.during(async () => {
      for await (const place of client.subscriptions.listLocations(subscription)) expect(place.name).toBeDefined();
    });
    expect(await double.during(() => cloud().locations(subscription, null, workload))).toEqual(theirs);

    double.state.unregistered.add("Microsoft.KeyVault");
    const registered = await double.during(async () => {
      for (const namespace of ["Microsoft.ManagedIdentity", "Microsoft.KeyVault"]) {
        await resources().providers.get(namespace);
        if (namespace === "Microsoft.KeyVault") await resources().providers.register(namespace);
      }
      await resources().providers.get("Microsoft.Storage");
    });
    double.state.unregistered.clear();
    double.state.unregistered.add("Microsoft.KeyVault");
    aheadMs += 60_000;
    await resources().providers.get("Microsoft.KeyVault");
    double.state.unregistered.add("Microsoft.KeyVault");
    const request = { name: "env-0123456789", target, tags: {}, outputs: {} };
    const ours = await double.during(() =>
      cloud()
        .runStep("resource-providers", request, workload)
        .catch(() => null),
    );
    expect(ours).toEqual(registered);
  });

  describe.each(["state", "result"] as const)("an operation told of at its %s", (tells) => {
    test.each([
      null,
      { code: "QuotaExceeded", message: "There is no more of it in this region." },
      // Where a write is refused with it, it is a conflict of the moment; here it is what the write came to.
      { code: "OperationNotAllowed", message: "Another one has the name by now." },
    ])("is followed to its end: %j", async (fails) => {
      const slowness = { takesMs: 40, tells, retryAfterSeconds: 0, ...(fails && { fails }) };
      anew(types.redis, "cache");
      double.state.slowness = slowness;
      let told: unknown = null;
      const body = (await flattened("redis", { ...cache, tags })) as never;
      const theirs = await double.during(() =>
        redis()
          .redis.beginCreateAndWait(group, "cache", body, fast)
          .catch((error: unknown) => {
            told = error;
          }),
      );
      double.state.slowness = null;
      if (double.get(ref(types.redis, "cache").resourceId) !== null) anew(types.redis, "cache");
      double.state.slowness = slowness;
      const resource = newResource(types.redis, "cache", cache);
      let end: unknown = null;
      const ours = await double.during(async () => {
        const { operation } = await cloud().create(resource, workload);
        await expect
          .poll(
            async () => {
              const { address = "" } = operation ?? {};
              end = await cloud().follow?.(resource, { address }, workload);
              return end;
            },
            { interval: 2, timeout: 5000 },
          )
          .not.toMatchObject({ state: "working" });
      });
      expect(polls(ours)).toEqual(polls(theirs));
      expect(end).toMatchObject(fails === null ? { state: "done" } : { state: "failed", ...fails });
      if (fails === null) expect(told).toBeNull();
      else expect(String(told)).toContain(fails.message);
    });
  });
});

/** Of all looks at an operation the first: its address is another each time. */
function polls(recorded: readonly Recorded[]): unknown {
  const first = recorded.find(({ method, path }) => method === "GET" && /operation(Statuses|Results)/.test(path));
  return first && { ...first, path: first.path.replace(/[^/]+$/, "") };
}

/** Their clients take some properties beside the others, and put them where they belong. */
async function flattened(kind: string, { properties, ...body }: JsonObject): Promise<JsonObject> {
  const isFlat = ["storage", "network", "redis"].includes(kind);
  return isFlat
    ? { ...body, ...(properties as JsonObject) }
    : { ...body, ...(properties !== undefined && { properties }) };
}

// Stands last: what the clients sent and were answered is judged, too.
test("Microsoft's clients send nothing that their description doesn't know", () => expect(judged.list()).toEqual([]));
