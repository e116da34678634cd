import { describe, expect, test } from "vitest";
import { findEnvironment } from "../../src/environment/environment-record.ts";
import {
  createPlacements,
  destroyRuns,
  type PlacementDeps,
  placements,
} from "../../src/environment/initialization-placement.ts";
import { runs } from "../../src/environment/initialization-run.ts";
import { isLiveplaneError } from "../../src/errors.ts";
import type { CloudCredentials } from "../../src/ports/cloud.ts";
import { fakeRuntime } from "../../src/testing/fake-runtime.ts";
import {
  bob,
  callOf,
  environment,
  goodA,
  goodB,
  initializationWorld,
  subscriptionId,
  type WorldOptions,
} from "../builders/initialization.ts";

const initializeA = "environments.providerA.initialize";
const initializeB = "environments.providerB.initialize";

async function world(options: WorldOptions = {}) {
  const made = await initializationWorld(options);
  const { handlers, runtime, settled } = made;
  const start = async (body: object = { subscriptionId }, credentials: object = goodA) =>
    (await handlers[initializeA](callOf(initializeA, { body, credentials }))).value;
  const status = async () =>
    (await handlers["environments.providerA.status"](callOf("environments.providerA.status"))).value.initializationRun;
  const cancel = async () =>
    (await handlers["environments.providerA.cancel"](callOf("environments.providerA.cancel"))).value;
  const done = async () => {
    await runtime.advance(60_000);
    await settled();
    return status();
  };
  return { ...made, start, status, cancel, done };
}

async function failure(work: Promise<unknown>) {
  const error = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!isLiveplaneError(error)) return error;
  return { code: error.code, errors: error.details.errors?.map(({ detail: _, ...entry }) => entry) };
}

describe("a run", () => {
  test("makes each thing once, recorded step by step", async () => {
    const { start, done, consoles, events } = await world();
    const begun = await start({ subscriptionId, tags: { team: "blue" }, region: "West Europe" });
    expect(begun).toMatchObject({
      status: "InProgress",
      provider: "provider-a",
      target: subscriptionId,
      region: "westeurope",
      requester: environment.ownerId,
    });
    expect(begun.steps.map(({ order, status }) => [order, status])).toEqual(
      [1, 2, 3, 4].map((order) => [order, "NotStarted"]),
    );
    const run = await done();
    expect(run.status).toBe("Completed");
    expect(
      run.steps.every(
        ({ status, startedAt, completedAt, retryCount }) =>
          status === "Completed" && startedAt && completedAt && retryCount === 0,
      ),
    ).toBe(true);
    expect(run.steps.every(({ outputFields, resourceName }) => outputFields.name === resourceName)).toBe(true);
    const { items } = await consoles.a.list();
    expect(items.map(({ id }) => id).sort()).toEqual(run.steps.map(({ outputFields }) => outputFields.id).sort());
    expect(items.every(({ tags }) => tags.team === "blue")).toBe(true);
    const told = (await events()).filter(({ type }) => type.startsWith("environment.initialization"));
    expect(told.map(({ type, data }) => [type.slice(27), data.step, data.status])).toEqual([
      ["started", undefined, "InProgress"],
      ...run.steps.flatMap(({ name }) => [
        ["step_changed", name, "InProgress"],
        ["step_changed", name, "Completed"],
      ]),
      ["completed", undefined, "Completed"],
    ]);
  });

  test("at provider B goes to the project", async () => {
    const { handlers, runtime, consoles } = await world();
    const call = callOf(initializeB, { body: { projectId: "project-one" }, credentials: goodB });
    const { value, location } = await handlers[initializeB](call);
    expect(value).toMatchObject({ provider: "provider-b", target: "project-one", region: "us-central1" });
    expect(location).toBe(`/environments/Personal/${environment.ownerId}/dev/initializer/provider-b/status`);
    await runtime.advance(1000);
    expect((await consoles.b.list()).items).toHaveLength(4);
  });

  test("names its things alike at every attempt, and apart from another environment's", async () => {
    const { start, done } = await world();
    await start();
    const first = await done();
    await start({ subscriptionId, region: "eastus2" });
    const second = await done();
    expect(second.id).not.toBe(first.id);
    expect(second.steps.map(({ resourceName }) => resourceName)).toEqual(
      first.steps.map(({ resourceName }) => resourceName),
    );
    for (const { resourceName } of first.steps) expect(resourceName).toMatch(/^[a-z][a-z0-9-]*[0-9a-f]{10}$/);
  });

  test("tells the environment how it stands", async () => {
    const { start, done, cancel, records } = await world();
    const marked = async () => (await findEnvironment(records, environment))?.initializations;
    const run = await start();
    expect(await marked()).toEqual({
      "provider-a": {
        runId: run.id,
        status: "InProgress",
        target: subscriptionId,
        region: "eastus",
        completedAt: null,
      },
    });
    await done();
    expect(await marked()).toMatchObject({
      "provider-a": { status: "Completed", completedAt: expect.stringMatching(/Z$/) },
    });
    const other = await start({ subscriptionId, region: "eastus2" });
    await cancel();
    expect(await marked()).toMatchObject({ "provider-a": { runId: other.id, status: "Cancelled", completedAt: null } });
  });
});

describe("asking again", () => {
  test("for the same target answers the run that is under way or completed", async () => {
    const { start, done, consoles } = await world();
    await consoles.a.setFaults({ initialize: { step: "identity", delayMs: 1000 } });
    const first = await start();
    expect(await start({ subscriptionId: subscriptionId.toUpperCase() })).toMatchObject({
      id: first.id,
      status: "InProgress",
    });
    expect(await start({ subscriptionId, region: "East US" })).toMatchObject({ id: first.id });
    await done();
    expect(await start()).toMatchObject({ id: first.id, status: "Completed" });
  });

  test("for another target waits until the run is over", async () => {
    const { start, done, consoles } = await world();
    await consoles.a.setFaults({ initialize: { step: "identity", delayMs: 1000 } });
    const first = await start();
    const other = { subscriptionId: subscriptionId.replace("01", "02") };
    expect(await failure(start(other))).toMatchObject({ code: "InitializationInProgress" });
    expect(await failure(start({ subscriptionId, region: "westeurope" }))).toMatchObject({
      code: "InitializationInProgress",
    });
    await done();
    expect((await start(other)).id).not.toBe(first.id);
  });

  test("after a failure or a cancellation starts a new run", async () => {
    const { start, done, cancel, consoles } = await world();
    const first = await start();
    expect(await cancel()).toMatchObject({ id: first.id, status: "Cancelled" });
    const second = await start();
    expect(second.id).not.toBe(first.id);
    await consoles.a.setFaults({ initialize: { step: "key-vault", fault: "fail" } });
    expect(await done()).toMatchObject({ id: second.id, status: "Failed" });
    await consoles.a.setFaults({});
    const third = await start();
    expect(third.id).not.toBe(second.id);
    expect(await done()).toMatchObject({ id: third.id, status: "Completed" });
    expect((await consoles.a.list()).items).toHaveLength(4);
  });

  test("still needs credentials that are well-formed", async () => {
    const { start } = await world();
    await start();
    expect(await failure(start({ subscriptionId }, {}))).toMatchObject({ code: "ProviderCredentialsMissing" });
  });
});

describe("credentials", () => {
  test("are asked for when there are none, by header when half a pair came", async () => {
    const { start, handlers } = await world();
    const header = (name: string) => ({ header: name, code: "ProviderCredentialsMissing" });
    const clientId = header("X-ProviderA-SP-Client-ID");
    const clientSecret = header("X-ProviderA-SP-Client-Secret");
    expect(await failure(start({ subscriptionId }, {}))).toEqual({
      code: "ProviderCredentialsMissing",
      errors: [clientId, clientSecret],
    });
    expect(await failure(start({ subscriptionId }, { ...goodA, providerAClientSecret: "" }))).toEqual({
      code: "ProviderCredentialsMissing",
      errors: [clientSecret],
    });
    const halfB = callOf(initializeB, {
      body: { projectId: "p" },
      credentials: { providerBServiceAccountCredentials: "{}" },
    });
    expect(await failure(handlers[initializeB](halfB))).toEqual({
      code: "ProviderCredentialsMissing",
      errors: [header("X-ProviderB-Service-Account-Email")],
    });
  });

  test("are one line of at most 8 KiB, a key compact JSON or base64 of it", async () => {
    const { handlers } = await world();
    const key = (providerBServiceAccountCredentials: string) =>
      failure(
        handlers[initializeB](
          callOf(initializeB, {
            body: { projectId: "p" },
            credentials: { ...goodB, providerBServiceAccountCredentials },
          }),
        ),
      );
    const malformed = {
      code: "ValidationFailed",
      errors: [{ header: "X-ProviderB-Service-Account-Credentials", code: "Format" }],
    };
    expect(await key("no json")).toEqual(malformed);
    expect(await key("[1]")).toEqual(malformed);
    expect(await key('{"a":\n1}')).toEqual(malformed);
    expect(await key("x".repeat(8193))).toMatchObject({ errors: [{ code: "TooLong" }] });
    expect(await key(btoa(goodB.providerBServiceAccountCredentials))).toBeNull();
  });

  test("that the cloud rejects make a failed run, said without the secret", async () => {
    const { start, done, everything } = await world();
    const begun = await start({ subscriptionId }, { providerAClientId: "id", providerAClientSecret: "reject" });
    expect(begun).toMatchObject({ status: "InProgress", region: null });
    const run = await done();
    expect(run).toMatchObject({
      status: "Failed",
      steps: [{ status: "Failed", message: "The cloud rejected the credentials" }, { status: "NotStarted" }, {}, {}],
    });
    expect(await everything()).not.toContain("canary");
  });

  test("are sealed while the run goes on and wiped at its end, whatever that is", async () => {
    const { start, done, cancel, everything, consoles, records } = await world();
    const kept = async () => (await records.list(runs))[0]?.record.credentials;
    await start();
    expect(await kept()).not.toBeNull();
    expect(await everything()).not.toContain("canary");
    await done();
    expect(await kept()).toBeNull();
    await start({ subscriptionId, region: "eastus2" });
    await cancel();
    expect(await kept()).toBeNull();
    await consoles.a.setFaults({ initialize: "fail" });
    await start();
    await done();
    expect(await kept()).toBeNull();
    expect(await everything()).not.toContain("canary");
  });

  test("are kept sealed for the agent where the host wants it", async () => {
    const { start, done, records, everything } = await world({ retainCredentials: true });
    await start();
    await done();
    const placement = (await records.list(placements))[0]?.record;
    expect(placement).toMatchObject({
      target: { scope: subscriptionId, region: "eastus", container: expect.stringContaining("lp-dev-") },
    });
    expect(placement?.credentials).toMatchObject({ kind: "servicePrincipal", name: "client" });
    expect(await everything()).not.toContain("canary");
  });
});

describe("what the agent proves itself with", () => {
  const revealed = (credentials: CloudCredentials | null) =>
    credentials && { ...credentials, secret: credentials.secret?.reveal() ?? null };

  test("is what the host gives, else the kept credentials, else the adapter's own", async () => {
    const { start, done, records, sealer } = await world({ retainCredentials: true });
    const agent = (clouds: PlacementDeps["clouds"]) => createPlacements({ records, sealer, clouds });
    const retaining = agent({ retainProviderCredentials: true });
    expect(await retaining.target(environment, "provider-a")).toBeNull();
    expect(await retaining.agentCredentials(environment, "provider-a")).toBeNull();
    await start();
    await done();
    expect(await retaining.target(environment, "provider-a")).toMatchObject({
      scope: subscriptionId,
      region: "eastus",
    });
    expect(revealed(await retaining.agentCredentials(environment, "provider-a"))).toEqual({
      kind: "servicePrincipal",
      name: "client",
      secret: goodA.providerAClientSecret,
    });
    const own = { kind: "workload", name: null, secret: null };
    expect(await agent({}).agentCredentials(environment, "provider-a")).toEqual(own);
    expect(await agent({ credentialsFor: async () => null }).agentCredentials(environment, "provider-a")).toBeNull();
  });

  test("is gone with the environment", async () => {
    const { start, done, records, sealer } = await world({ retainCredentials: true });
    await start();
    await done();
    await records.change({ actor: "test", requestId: "r" }, (change) => destroyRuns(change, environment));
    expect(await createPlacements({ records, sealer, clouds: {} }).target(environment, "provider-a")).toBeNull();
    expect(await records.list(runs)).toEqual([]);
  });
});

describe("the target", () => {
  test("comes from the body, else from the parameters, else is missing", async () => {
    const { start } = await world();
    expect(await failure(start({}))).toEqual({
      code: "ProviderTargetMissing",
      errors: [{ pointer: "#/subscriptionId", code: "ProviderTargetMissing" }],
    });
    const { start: startHere } = await world({ parameters: { subscriptionId } });
    expect(await startHere({})).toMatchObject({ target: subscriptionId });
    const { start: startThere } = await world({ parameters: { subscriptionId: 7 } });
    expect(await failure(startThere({ subscriptionId: null }))).toMatchObject({ code: "ProviderTargetMissing" });
  });

  test("has a region that the cloud has, the first one where none is named", async () => {
    const { start } = await world();
    expect(await failure(start({ subscriptionId, region: "atlantis" }))).toEqual({
      code: "ValidationFailed",
      errors: [{ pointer: "#/region", code: "Enum" }],
    });
    expect(await start({ subscriptionId, region: null })).toMatchObject({ region: "eastus" });
  });
});

describe("a step", () => {
  test("that fails for a while is tried again, with growing pauses", async () => {
    const { start, status, done, consoles, runtime } = await world();
    await consoles.a.setFaults({ initialize: { step: "identity", fault: "fail" } });
    await start();
    await runtime.advance(1000);
    const [, step] = (await status()).steps;
    expect(step).toMatchObject({ name: "identity", status: "InProgress", retryCount: 3, message: "The cloud failed." });
    await consoles.a.setFaults({});
    expect(await done()).toMatchObject({ status: "Completed", steps: [{}, { retryCount: 3, message: null }, {}, {}] });
  });

  test("that goes on failing fails the run", async () => {
    const { start, done, consoles, events } = await world();
    await consoles.a.setFaults({ initialize: { step: "identity", fault: "fail" } });
    await start();
    expect(await done()).toMatchObject({
      status: "Failed",
      steps: [
        { status: "Completed" },
        { status: "Failed", message: "The cloud failed." },
        { status: "NotStarted" },
        {},
      ],
    });
    expect(await events("environment.initialization.failed")).toHaveLength(1);
  });
});

describe("cancelling", () => {
  test("needs a run that hasn't ended", async () => {
    const { start, done, cancel, status } = await world();
    expect(await failure(cancel())).toMatchObject({ code: "NotFound" });
    expect(await failure(status())).toMatchObject({ code: "NotFound" });
    await start();
    await done();
    expect(await failure(cancel())).toMatchObject({ code: "InvalidState" });
  });

  test("stops a step that is under way", async () => {
    const { start, cancel, status, consoles, runtime, settled, events } = await world();
    await consoles.a.setFaults({ initialize: { step: "identity", delayMs: 60_000 } });
    await start();
    await runtime.advance(1000);
    expect((await status()).steps[1]).toMatchObject({ status: "InProgress" });
    expect((await cancel()).steps.map((step) => step.status)).toEqual([
      "Completed",
      "Cancelled",
      "Cancelled",
      "Cancelled",
    ]);
    await settled();
    await runtime.advance(120_000);
    expect(await status()).toMatchObject({ status: "Cancelled" });
    expect((await consoles.a.list()).items).toHaveLength(1);
    expect(await events("environment.initialization.cancelled")).toHaveLength(1);
  });
});

describe("two workers", () => {
  test("never work on one run", async () => {
    const first = await world({ alone: false });
    const { store, runtime, consoles } = first;
    const second = await world({ store, runtime, alone: false });
    await consoles.a.setFaults({ initialize: { step: "identity", delayMs: 25_000 } });
    await first.start();
    for (let passed = 0; passed < 24; passed++) {
      await runtime.advance(1000);
      await second.resume();
    }
    await consoles.a.setFaults({});
    expect(await first.done()).toMatchObject({ status: "Completed" });
    const begun = (await first.events("environment.initialization.step_changed")).filter(
      ({ data }) => data.status === "InProgress",
    );
    expect(begun.map(({ data }) => data.step)).toEqual(["resource-group", "identity", "key-vault", "storage-account"]);
  });

  test("take over from one that died, when its claim is over", async () => {
    const runtime = fakeRuntime();
    const died = await world({ alone: false, runtime });
    const { store, consoles } = died;
    await consoles.a.setFaults({ initialize: { step: "identity", delayMs: 60_000 } });
    // A process whose time stands still is as dead as one that was killed: it renews nothing.
    const frozen = await world({ store, alone: false });
    const survivor = await world({ store, runtime, alone: false });
    await frozen.start();
    await frozen.runtime.advance(0);
    await consoles.a.setFaults({});
    await survivor.resume();
    await runtime.advance(5000);
    expect((await survivor.status()).steps[1]).toMatchObject({ status: "InProgress" });
    await runtime.advance(6000);
    await survivor.resume();
    expect(await survivor.done()).toMatchObject({ status: "Completed" });
    await frozen.runtime.advance(60_000);
    await frozen.settled();
    expect(await survivor.status()).toMatchObject({ status: "Completed" });
    expect((await consoles.a.list()).items).toHaveLength(4);
  });

  test("go on at once with what a worker that stopped let go of", async () => {
    const first = await world({ alone: false });
    const { store, runtime, consoles } = first;
    await consoles.a.setFaults({ initialize: { step: "identity", delayMs: 60_000 } });
    await first.start();
    await runtime.advance(100);
    await first.stop();
    await consoles.a.setFaults({});
    const second = await world({ store, runtime, alone: false });
    await second.resume();
    await runtime.advance(100);
    expect(await second.status()).toMatchObject({ status: "Completed" });
  });
});

test("somebody else's call finds the run of the environment", async () => {
  const { start, handlers } = await world();
  const run = await start();
  const call = callOf("environments.providerA.status", { actor: bob });
  expect((await handlers["environments.providerA.status"](call)).value.initializationRun.id).toBe(run.id);
});
