import { expect, test } from "vitest";
import { simulatedCloud } from "../../src/clouds/index.ts";
import { memoryStore } from "../../src/ports/memory-store.ts";
import { fakeRuntime } from "../../src/testing/fake-runtime.ts";
import { identityWorld, refusal } from "../builders/identity.ts";

const credentials = { providerAClientId: "client", providerAClientSecret: "a cloud's secret" };
const denied = { code: "PermissionDenied", status: 403 };
const [first, second] = ["3f2504e0-4f89-41d3-9a0c-0305e82c3301", "3f2504e0-4f89-41d3-9a0c-0305e82c3302"];

/** Ada's environment over a simulated cloud, and a service account that deploys to it. */
async function setUp() {
  const runtime = fakeRuntime();
  const store = memoryStore({ now: runtime.clock.now });
  const cloud = simulatedCloud({ provider: "provider-a", store, runtime, latencyMs: 50 });
  const world = await identityWorld({}, undefined, { runtime, clouds: { adapters: [cloud] } });
  const { api: ada, account } = await world.person("ada");
  const web = { type: "Personal", ownerId: account.id, shortName: "web" } as const;
  const robot = { ...web, principalId: runtime.newId() };
  await ada.environments.create(web, {});
  await ada.environments.serviceAccounts.assign(robot, { serviceAccountRole: "CiCd" });
  const { secret } = await ada.environments.serviceAccounts.issueSecret(robot, {});
  const request = { grant_type: "client_credentials", client_id: robot.principalId, client_secret: secret } as const;
  const pipeline = world.bearer((await world.nobody.tokens.create(request)).access_token);
  /** A commit that meets one of the run's own waits a moment and is made again. */
  async function whileTimePasses<T>(call: Promise<T>): Promise<T> {
    const over = call.then(Boolean, Boolean);
    for (let turns = 0; turns < 500; turns++) if ((await Promise.race([over, runtime.advance(1)])) !== undefined) break;
    return call;
  }
  const asA = (api: typeof ada) => ({
    initialize: (subscriptionId: string, region: string | null = null) =>
      whileTimePasses(api.environments.providerA.initialize(web, { subscriptionId, region }, credentials)),
    cancel: () => whileTimePasses(api.environments.providerA.cancel(web)),
  });
  const ended = async () => {
    for (let turns = 0; turns < 200; turns++) {
      const { initializationRun } = await ada.environments.providerA.status(web);
      if (initializationRun.status !== "InProgress") return initializationRun;
      await runtime.advance(100);
    }
    throw new RangeError("It never ended.");
  };
  return { robot, ended, byAda: asA(ada), byPipeline: asA(pipeline) };
}

test("a pipeline begins the first run, and repeats the completed target's", async () => {
  const { byPipeline, ended, robot } = await setUp();
  const begun = await byPipeline.initialize(first);
  expect(begun).toMatchObject({ status: "InProgress", requester: robot.principalId });
  expect((await ended()).status).toBe("Completed");
  expect(await byPipeline.initialize(first)).toMatchObject({ id: begun.id, status: "Completed" });
});

test("another target, and another region of the same, are an Admin's to choose", async () => {
  const { byPipeline, byAda, ended } = await setUp();
  await byPipeline.initialize(first, "westeurope");
  expect(await refusal(byPipeline.initialize(second))).toEqual(denied);
  await ended();
  expect(await refusal(byPipeline.initialize(second))).toEqual(denied);
  expect(await refusal(byPipeline.initialize(first, "northeurope"))).toEqual(denied);
  expect(await byAda.initialize(second)).toMatchObject({ status: "InProgress", target: second });
});

test("a pipeline cancels its own run, and nobody else's; an Admin cancels any", async () => {
  const { byPipeline, byAda } = await setUp();
  await byPipeline.initialize(first);
  expect(await byPipeline.cancel()).toMatchObject({ status: "Cancelled" });
  expect(await byPipeline.initialize(first)).toMatchObject({ status: "InProgress" });
  expect(await byAda.cancel()).toMatchObject({ status: "Cancelled" });
  await byAda.initialize(first);
  expect(await refusal(byPipeline.cancel())).toEqual(denied);
});
