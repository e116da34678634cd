import { expect, test } from "vitest";
import { simulatedDevices } from "../../src/clouds/simulated/simulated-devices.ts";
import type { Actor } from "../../src/contract/target.ts";
import {
  type AuthenticationRecord,
  authentications,
} from "../../src/environment/initialization/authentication-record.ts";
import type { DeviceAuthorizer } from "../../src/ports/identity.ts";
import { memoryStore } from "../../src/ports/memory-store.ts";
import { fakeRuntime } from "../../src/testing/fake-runtime.ts";
import {
  alice,
  bob,
  callOf,
  goodA,
  initializationWorld,
  subscriptionId,
  type WorldOptions,
} from "../builders/initialization.ts";

const authenticate = "environments.providerA.authenticate";
const authentication = "environments.providerA.authentication";
const initialize = "environments.providerA.initialize";
const locations = "environments.providerA.locations";
const tenant = "11111111-2222-4333-8444-555555555555";

async function world(options: WorldOptions = {}) {
  const made = await initializationWorld(options);
  const { handlers } = made;
  const begin = async (tenantId?: string, actor: Actor = alice) =>
    (await handlers[authenticate](callOf(authenticate, { actor, query: tenantId === undefined ? {} : { tenantId } })))
      .value;
  const read = async (actor: Actor = alice) =>
    (await handlers[authentication](callOf(authentication, { actor }))).value;
  const start = (body: object = { subscriptionId }, actor: Actor = alice) =>
    handlers[initialize](callOf(initialize, { actor, body }));
  const list = (query: object = { subscriptionId }, actor: Actor = alice) =>
    handlers[locations](callOf(locations, { actor, query }));
  return { ...made, begin, read, start, list };
}

const code = { deviceCode: "d", userCode: "U", verificationUri: "https://x", message: "m" };
const grant = { ...code, expiresInSeconds: 900, intervalSeconds: 5 };
const missing = { code: "ProviderCredentialsMissing" };

test("shows the codes to who asked, and to nobody else", async () => {
  const { begin, read } = await world();
  const begun = await begin();
  expect(begun).toMatchObject({
    tenantId: "common",
    status: "Pending",
    userCode: expect.any(String),
    verificationUri: "the Simulator page of the console",
  });
  expect(await read()).toMatchObject({
    userCode: begun.userCode,
    message: `This cloud is simulated. An operator enters the code ${begun.userCode} at the Simulator page of the console.`,
  });
  expect(await read(bob)).toMatchObject({ status: "Pending", userCode: null, verificationUri: null, message: null });
});

test("a simulated cloud names the console's page for the code, where it knows the address", async () => {
  const runtime = fakeRuntime();
  const store = memoryStore({ now: runtime.clock.now });
  const devices = simulatedDevices({ provider: "provider-a", store, runtime, consoleUrl: "https://live.example/x/" });
  expect((await devices.begin("common")).verificationUri).toBe("https://live.example/x/#/simulator");
});

test("is not found before anybody asked", async () => {
  const { read } = await world();
  await expect(read()).rejects.toMatchObject({ code: "NotFound" });
});

test("completed, gives credentials to initialize and to list locations", async () => {
  const { begin, read, start, list, consoles, runtime, events, everything } = await world();
  const { userCode } = await begin(tenant);
  await expect(start()).rejects.toMatchObject(missing);
  await consoles.a.completeDevice(userCode ?? "");
  await runtime.advance(1000);
  expect(await read()).toMatchObject({ status: "Completed", tenantId: tenant });
  expect((await list()).value.items.length).toBeGreaterThan(1);
  expect((await start()).value).toMatchObject({ status: "InProgress" });
  expect(
    (await events()).filter(({ type }) => type.startsWith("environment.authentication")).map(({ type }) => type),
  ).toEqual(["environment.authentication.requested", "environment.authentication.completed"]);
  expect(await everything()).not.toMatch(/simulated\.[0-9a-f]{64}/);
});

test("is asked about by the worker, without anybody reading it", async () => {
  const { begin, consoles, runtime, pollDue, events } = await world();
  const { userCode } = await begin();
  await pollDue();
  await consoles.a.completeDevice(userCode ?? "");
  await pollDue();
  expect(await events("environment.authentication.completed")).toHaveLength(0);
  await runtime.advance(1000);
  await pollDue();
  expect(await events("environment.authentication.completed")).toHaveLength(1);
});

test.each([86_400_000, -86_400_000])("is asked about also after the clock has jumped by %i ms", async (ms) => {
  const polls: string[] = [];
  const { begin, pollDue, runtime } = await world({
    authorizer: {
      begin: async () => ({ ...grant, expiresInSeconds: 7 * 86_400 }),
      poll: async (_tenant, code) => {
        polls.push(code);
        return { status: "Pending", slowDown: false };
      },
    },
  });
  await begin();
  await pollDue();
  runtime.jump(ms);
  await runtime.advance(5000);
  await pollDue();
  expect(polls).toHaveLength(2);
});

test("goes on after a restart", async () => {
  const before = await world();
  const { userCode } = await before.begin();
  const after = await world({ store: before.store, runtime: before.runtime });
  await after.consoles.a.completeDevice(userCode ?? "");
  expect(await after.read()).toMatchObject({ status: "Completed" });
});

test("waits a moment for a person who has only just signed in", async () => {
  const { begin, read, start, consoles, runtime } = await world();
  const { userCode } = await begin();
  await read();
  await consoles.a.completeDevice(userCode ?? "");
  const started = start();
  await runtime.advance(1000);
  expect((await started).value).toMatchObject({ status: "InProgress" });
});

test("serves the same tenant and common, not another", async () => {
  const { begin, list, consoles } = await world();
  const { userCode } = await begin(tenant);
  await consoles.a.completeDevice(userCode ?? "");
  await expect(list({ subscriptionId, tenantId: tenant })).resolves.toBeDefined();
  await expect(list({ subscriptionId, tenantId: "common" })).resolves.toBeDefined();
  await expect(list({ subscriptionId, tenantId: tenant.replace("1", "2") })).rejects.toMatchObject(missing);
});

test("denied and expired ones say so and give nothing", async () => {
  const { begin, read, start, consoles, runtime } = await world();
  const denied = await begin();
  await consoles.a.denyDevice(denied.userCode ?? "");
  expect(await read()).toMatchObject({ status: "Denied" });
  await expect(start()).rejects.toMatchObject(missing);
  await begin();
  await runtime.advance(901_000);
  expect(await read()).toMatchObject({ status: "Expired" });
});

test("serves an hour at most", async () => {
  const { begin, read, list, consoles, runtime, records, pollDue } = await world();
  const { userCode } = await begin();
  await consoles.a.completeDevice(userCode ?? "");
  expect(await read()).toMatchObject({ status: "Completed" });
  await runtime.advance(3_600_000);
  await pollDue();
  expect((await records.list(authentications))[0]?.record).toMatchObject({ status: "Expired", credential: null });
  expect(await read()).toMatchObject({ status: "Expired" });
  await expect(list()).rejects.toMatchObject(missing);
});

test("a new one ends the old", async () => {
  const { begin, read, list, consoles, runtime } = await world();
  const first = await begin();
  const second = await begin(tenant, bob);
  await consoles.a.completeDevice(first.userCode ?? "");
  await runtime.advance(1000);
  expect(await read(bob)).toMatchObject({ status: "Pending", userCode: second.userCode });
  await runtime.advance(1000);
  const listing = expect(list()).rejects.toMatchObject(missing);
  await runtime.advance(2000);
  await listing;
});

test("serves holders of Edit alone, and ends when its completer loses theirs", async () => {
  const editors = new Set<unknown>();
  const idOf = (actor: Actor) => (actor.kind === "account" ? actor.accountId : null);
  const { begin, list, consoles } = await world({ canEdit: (actor) => editors.has(idOf(actor)) });
  editors.add(idOf(alice));
  const { userCode } = await begin();
  await consoles.a.completeDevice(userCode ?? "");
  await expect(list()).resolves.toBeDefined();
  await expect(list({ subscriptionId }, bob)).rejects.toMatchObject(missing);
  editors.add(idOf(bob));
  await expect(list({ subscriptionId }, bob)).resolves.toBeDefined();
  editors.delete(idOf(alice));
  await expect(list({ subscriptionId }, bob)).rejects.toMatchObject(missing);
});

test("gives way to credentials that come with the call", async () => {
  const { begin, handlers, consoles } = await world();
  const { userCode } = await begin();
  await consoles.a.completeDevice(userCode ?? "");
  const rejected = callOf(locations, {
    query: { subscriptionId },
    credentials: { ...goodA, providerAClientSecret: "reject" },
  });
  await expect(handlers[locations](rejected)).rejects.toMatchObject({ code: "ProviderCredentialsRejected" });
});

test("keeps a device code that was sealed anew while it was asked about", async () => {
  let sealAnew = async () => {};
  const authorizer: DeviceAuthorizer = {
    begin: async () => grant,
    async poll() {
      await sealAnew();
      return { status: "Pending", slowDown: true };
    },
  };
  const { begin, read, records, runtime } = await world({ authorizer });
  await begin();
  const stored = async () => (await records.list(authentications, { limit: 1 }))[0]?.record;
  sealAnew = () =>
    records.change({ actor: "rotation", requestId: "r" }, async (change) => {
      const known = await change.get(authentications, authentications.key((await stored()) as AuthenticationRecord));
      if (known?.deviceCode)
        change.put(authentications, { ...known, deviceCode: { ...known.deviceCode, keyId: "anew" } });
    });
  await runtime.advance(5000);
  expect(await read()).toMatchObject({ status: "Pending", intervalSeconds: 10 });
  expect((await stored())?.deviceCode).toMatchObject({ keyId: "anew" });
});
