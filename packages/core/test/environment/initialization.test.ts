import { describe, expect, test } from "vitest";
import { projectName } from "../../src/contract/schemas/values.ts";
import { environments, findEnvironment } from "../../src/environment/environment-record.ts";
import {
  createPlacements,
  destroyRuns,
  placements,
} from "../../src/environment/initialization/initialization-placement.ts";
import { runs } from "../../src/environment/initialization/initialization-run.ts";
import { LiveplaneError } from "../../src/errors.ts";
import type { CloudCredentials } from "../../src/ports/cloud.ts";
import type { Clouds, IdentityPlace } from "../../src/settings.ts";
import {
  callOf,
  environment,
  goodA,
  goodB,
  personsWorld,
  refusalOf,
  subscriptionId,
} from "../builders/initialization.ts";

const initializeB = "environments.providerB.initialize";

describe("a run", () => {
  test("makes each thing once, recorded step by step", async () => {
    const { start, done, consoles, events } = await personsWorld();
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
    const { handlers, runtime, consoles } = await personsWorld();
    const call = callOf(initializeB, { body: { projectId: "project-one" }, credentials: goodB });
    const { value, location } = await handlers[initializeB](call);
    expect(value).toMatchObject({ provider: "provider-b", target: "project-one", region: "us-central1" });
    expect(location).toBe(`/environments/Personal/${environment.ownerId}/dev/initializer/provider-b/status`);
    await runtime.advance(1000);
    expect((await consoles.b.list()).items).toHaveLength(4);
  });

  test("names its things alike at every attempt, and apart from another environment's", async () => {
    const { start, done } = await personsWorld();
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
    const { start, done, cancel, records } = await personsWorld();
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
  test("for another target waits until the run is over", async () => {
    const { start, done, consoles } = await personsWorld();
    await consoles.a.setFaults({ initialize: { step: "identity", delayMs: 1000 } });
    const first = await start();
    const other = { subscriptionId: subscriptionId.replace("01", "02") };
    expect(await refusalOf(start(other))).toMatchObject({ code: "InitializationInProgress" });
    expect(await refusalOf(start({ subscriptionId, region: "westeurope" }))).toMatchObject({
      code: "InitializationInProgress",
    });
    await done();
    expect((await start(other)).id).not.toBe(first.id);
  });

  test("after a failure or a cancellation starts a new run", async () => {
    const { start, done, cancel, consoles } = await personsWorld();
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

  test("answers the run that is under way or completed, and asks the cloud nothing", async () => {
    const asked: string[] = [];
    const { start, done, consoles } = await personsWorld({ asked });
    await consoles.a.setFaults({ initialize: { step: "identity", delayMs: 1000 } });
    const other = { providerAClientId: "another", providerAClientSecret: "reject" };
    const first = await start({ subscriptionId, region: "West Europe" });
    const again = async () => {
      asked.length = 0;
      for (const region of ["West Europe", "westeurope", "WEST EUROPE"])
        for (const id of [subscriptionId, subscriptionId.toUpperCase()])
          expect(await start({ subscriptionId: id, region }, other)).toMatchObject({ id: first.id });
      expect(asked).toEqual([]);
    };
    await again();
    expect(await done()).toMatchObject({ id: first.id, status: "Completed" });
    await again();
  });

  test("without a region answers for the one that was begun without", async () => {
    const asked: string[] = [];
    const { start, done } = await personsWorld({ asked });
    const first = await start();
    await done();
    asked.length = 0;
    expect(await start()).toMatchObject({ id: first.id });
    expect(await start({ subscriptionId, region: "eastus" })).toMatchObject({ id: first.id });
    expect(asked).toEqual([]);
  });

  test("still needs credentials that are well-formed", async () => {
    const { start } = await personsWorld();
    await start();
    expect(await refusalOf(start({ subscriptionId }, {}))).toMatchObject({ code: "ProviderCredentialsMissing" });
  });
});

test("a project is named by its id: not by its number, its second name, nor by what leads elsewhere", async () => {
  for (const projectId of ["123456", "../project", "a/b", "a?b", "a b", "", ".", "pröject"]) {
    const schema = projectName.safeParse(projectId).success;
    const { handlers } = await personsWorld({ parameters: { projectId } });
    const refused = refusalOf(handlers[initializeB](callOf(initializeB, { credentials: goodB })));
    expect([schema, await refused], projectId).toMatchObject([false, { code: "ProviderTargetMissing" }]);
  }
  for (const projectId of ["project-one", "example.com:project-one", "1st-project"])
    expect(projectName.safeParse(projectId).success, projectId).toBe(true);
});

describe("tags", () => {
  test("of the override protocol are refused as in a declaration, in the case that the cloud compares", async () => {
    const { start, handlers } = await personsWorld();
    const refused = (...keys: string[]) => ({
      code: "InvalidDeclaration",
      errors: keys.map((key) => ({ pointer: `#/tags/${key}`, code: "InvalidDeclaration" })),
    });
    const tags = { team: "blue", "managed-by": "platform", PLATFORM: "reconcile" };
    expect(await refusalOf(start({ subscriptionId, tags }))).toEqual(refused("managed-by", "PLATFORM"));
    const labels = { "managed-by": "me", platform: "x" };
    const atB = callOf(initializeB, { body: { projectId: "project-one", tags: labels }, credentials: goodB });
    expect(await refusalOf(handlers[initializeB](atB))).toEqual(refused("managed-by", "platform"));
    expect(await refusalOf(start({ subscriptionId, tags: { platforms: "x", "managed-by-us": "y" } }))).toBeNull();
  });
});

describe("credentials", () => {
  test("are asked for when there are none, by header when half a pair came", async () => {
    const { start, handlers } = await personsWorld();
    const header = (name: string) => ({ header: name, code: "ProviderCredentialsMissing" });
    const clientId = header("X-ProviderA-SP-Client-ID");
    const clientSecret = header("X-ProviderA-SP-Client-Secret");
    expect(await refusalOf(start({ subscriptionId }, {}))).toEqual({
      code: "ProviderCredentialsMissing",
      errors: [clientId, clientSecret],
    });
    expect(await refusalOf(start({ subscriptionId }, { ...goodA, providerAClientSecret: "" }))).toEqual({
      code: "ProviderCredentialsMissing",
      errors: [clientSecret],
    });
    const halfB = callOf(initializeB, {
      body: { projectId: "p" },
      credentials: { providerBServiceAccountCredentials: "{}" },
    });
    expect(await refusalOf(handlers[initializeB](halfB))).toEqual({
      code: "ProviderCredentialsMissing",
      errors: [header("X-ProviderB-Service-Account-Email")],
    });
  });

  test("are one line of at most 8 KiB, a key compact JSON or base64 of it", async () => {
    const { handlers } = await personsWorld();
    const key = (providerBServiceAccountCredentials: string) =>
      refusalOf(
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

  test("of a service account are of the one whose address they come with", async () => {
    const { handlers } = await personsWorld();
    const of = (client_email: unknown) => {
      const providerBServiceAccountCredentials = JSON.stringify({ client_email, private_key: "canary-key" });
      const credentials = { ...goodB, providerBServiceAccountCredentials };
      return refusalOf(handlers[initializeB](callOf(initializeB, { body: { projectId: "p" }, credentials })));
    };
    for (const other of ["b@b.c", "", null, 1])
      expect(await of(other)).toEqual({
        code: "ValidationFailed",
        errors: [{ header: "X-ProviderB-Service-Account-Email", code: "Format" }],
      });
    expect(await of("A@b.c")).toBeNull();
  });

  test("that the cloud rejects make a failed run, said without the secret", async () => {
    const { start, done, everything } = await personsWorld();
    const begun = await start({ subscriptionId }, { providerAClientId: "id", providerAClientSecret: "reject" });
    expect(begun).toMatchObject({ status: "InProgress", region: null });
    const run = await done();
    expect(run).toMatchObject({
      status: "Failed",
      steps: [
        {
          status: "Failed",
          message: expect.stringMatching(
            /^The cloud rejected the credentials\. Check the tenant .* then initialize again\.$/,
          ),
        },
        { status: "NotStarted" },
        {},
        {},
      ],
    });
    expect(await everything()).not.toContain("canary");
  });

  test("are sealed while the run goes on and wiped at its end, whatever that is", async () => {
    const { start, done, cancel, everything, consoles, records } = await personsWorld();
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
    const { start, done, records, everything } = await personsWorld({ retainCredentials: true });
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
    const { start, done, records, sealer } = await personsWorld({ retainCredentials: true });
    const agent = (clouds: Partial<Clouds>) => createPlacements({ records, sealer, clouds });
    const retaining = agent({ retainProviderCredentials: true });
    expect(await retaining.targets(environment, "provider-a")).toEqual([]);
    expect(await retaining.agentCredentials(environment, "provider-a")).toBeNull();
    await start();
    await done();
    const own = { scope: subscriptionId, region: "eastus" };
    expect(await retaining.targets(environment, "provider-a")).toMatchObject([own]);
    expect(revealed(await retaining.agentCredentials(environment, "provider-a"))).toEqual({
      kind: "servicePrincipal",
      name: "client",
      secret: goodA.providerAClientSecret,
    });
    const workload = { kind: "workload", name: null, secret: null };
    expect(await agent({}).agentCredentials(environment, "provider-a")).toEqual(workload);
    expect(await agent({ credentialsFor: async () => null }).agentCredentials(environment, "provider-a")).toBeNull();
  });

  test("is the host's own identity for the places that the host lists, and never that of an adapter for others", async () => {
    const { start, done, records, sealer, clouds } = await personsWorld();
    const [a, b] = Object.values(clouds);
    const capabilities = { ...a?.capabilities, ownIdentity: true };
    const adapters = [{ ...a, capabilities }, b] as never;
    const serves = (scope: string) => (place: IdentityPlace) =>
      place.provider === "provider-a" && place.scope === scope && place.environment.shortName === environment.shortName;
    const agent = (own: Partial<Clouds>) =>
      createPlacements({ records, sealer, clouds: { adapters, ...own } }).agentCredentials(environment, "provider-a");
    expect(await agent({ hostIdentityFor: serves(subscriptionId) })).toBeNull();
    await start();
    await done();
    expect(await agent({ hostIdentityFor: serves(subscriptionId) })).toMatchObject({ kind: "workload" });
    expect(await agent({ hostIdentityFor: serves("another") })).toBeNull();
    expect(await agent({})).toBeNull();
  });

  test("of an initialization without credentials is the host's own where it serves the place, and refused elsewhere", async () => {
    let isListed = true;
    const hostIdentityFor = ({ scope }: IdentityPlace) => isListed && scope === subscriptionId;
    const { start, done, records } = await personsWorld({ hostIdentityFor, retainCredentials: true });
    await start({ subscriptionId }, {});
    expect((await done()).status).toBe("Completed");
    expect((await records.list(placements))[0]?.record.credentials).toBeNull();
    const refused = { code: "ProviderCredentialsMissing" };
    await expect(start({ subscriptionId: "3f2504e0-4f89-41d3-9a0c-0305e82c3399" }, {})).rejects.toMatchObject(refused);
    isListed = false;
    await expect(start({ subscriptionId, region: "westus2" }, {})).rejects.toMatchObject(refused);
  });

  test("is a signed statement where one is sent, and never both that and a secret", async () => {
    const providerAClientAssertion = "canary.of.assertion";
    const { start, done, everything } = await personsWorld({ retainCredentials: true });
    await expect(start({ subscriptionId }, { ...goodA, providerAClientAssertion })).rejects.toMatchObject({
      details: { errors: [{ header: "X-ProviderA-SP-Client-Assertion", code: "Format" }] },
    });
    await start({ subscriptionId }, { providerAClientId: "client", providerAClientAssertion });
    expect((await done()).status).toBe("Completed");
    expect(await everything()).not.toContain("canary");
  });

  test("is a federated token where one is sent, with whose it is, and never beside a key", async () => {
    const token = { providerBFederatedToken: "canary.federated.token" };
    const issuer = "projects/17/locations/global/workloadIdentityPools/pipelines/providers/ci-system";
    const at = (header: string, code: string) => ({ details: { errors: [expect.objectContaining({ header, code })] } });
    const { handlers, everything } = await personsWorld({ retainCredentials: true });
    const startIn = (credentials: object) =>
      handlers[initializeB](callOf(initializeB, { body: { projectId: "project-one" }, credentials }));
    const refused = [
      [token, at("X-ProviderB-Workload-Identity-Provider", "ProviderCredentialsMissing")],
      [{ providerBWorkloadIdentityProvider: issuer }, at("X-ProviderB-Federated-Token", "ProviderCredentialsMissing")],
      [
        { ...token, providerBWorkloadIdentityProvider: "https://attacker.example/token" },
        at("X-ProviderB-Workload-Identity-Provider", "Format"),
      ],
      [
        { ...token, providerBWorkloadIdentityProvider: issuer, providerBServiceAccountCredentials: "{}" },
        at("X-ProviderB-Federated-Token", "Format"),
      ],
      [
        { ...token, providerBWorkloadIdentityProvider: issuer, providerBServiceAccountEmail: "a@b/../c" },
        at("X-ProviderB-Service-Account-Email", "Format"),
      ],
    ] as const;
    for (const [sent, problem] of refused) await expect(startIn(sent)).rejects.toMatchObject(problem);
    await startIn({ ...token, providerBWorkloadIdentityProvider: `//iam.googleapis.com/${issuer}` });
    expect(await everything()).not.toContain("canary");
  });

  test("in a cloud that no initialization prepares is what the host says", async () => {
    const { start, done, records, sealer } = await personsWorld();
    await start();
    await done();
    const elsewhere = { scope: "elsewhere", region: "here" };
    const clouds = { targetFor: async (_: unknown, provider: string) => (provider === "own" ? elsewhere : null) };
    const placements = createPlacements({ records, sealer, clouds });
    expect(await placements.targets(environment, "own")).toEqual([elsewhere]);
    expect(await placements.targets(environment, "another")).toEqual([]);
    expect(await placements.targets(environment, "provider-a")).toMatchObject([{ scope: subscriptionId }]);
  });

  test("is gone with the environment", async () => {
    const { start, done, records, sealer } = await personsWorld({ retainCredentials: true });
    await start();
    await done();
    await records.change({ actor: "test", requestId: "r" }, (change) => destroyRuns(change, environment));
    expect(await createPlacements({ records, sealer, clouds: {} }).targets(environment, "provider-a")).toEqual([]);
    expect(await records.list(runs)).toEqual([]);
  });
});

describe("resourceScopes", () => {
  const team = `/subscriptions/${subscriptionId}/resourceGroups/team`;
  const other = "/subscriptions/3f2504e0-4f89-41d3-9a0c-0305e82c3399";
  const scoped = (world: Awaited<ReturnType<typeof personsWorld>>, ...resourceScopes: string[]) =>
    world.records.change({ actor: "test", requestId: "r" }, async (change) => {
      const known = await findEnvironment(change, environment);
      if (known !== null) change.put(environments, { ...known, resourceScopes });
    });

  test("are read as their clouds write them, and what no cloud has is refused at its place", async () => {
    const { judgeScopes } = await personsWorld();
    const given = [team.toUpperCase().replace("SUBSCRIPTIONS", "subscriptions"), "projects/project-six/locations/eu"];
    expect(await judgeScopes(environment, given, [])).toEqual([team.replace("team", "TEAM"), given[1]]);
    for (const wrong of ["rg", `${team}/`, `${team}/providers/a/b/c`, "projects/p/../x", `${other}?x`, ""])
      expect(await refusalOf(judgeScopes(environment, [team, wrong], []))).toEqual({
        code: "ValidationFailed",
        errors: [{ pointer: "#/resourceScopes/1", code: "Enum" }],
      });
  });

  test("are added to the environment's own target, each in its cloud", async () => {
    const world = await personsWorld({ retainCredentials: true });
    await world.start();
    await world.done();
    await scoped(world, team, "projects/project-six");
    expect(await world.directory.targets(environment, "provider-a")).toMatchObject([
      { scope: subscriptionId },
      { scope: subscriptionId, container: "team", region: "eastus" },
    ]);
    expect(await world.directory.targets(environment, "provider-b")).toEqual([]);
  });

  test("are refused where the credentials have no rights, when they are set and at an initialization", async () => {
    const world = await personsWorld({ retainCredentials: true });
    const lacking = new LiveplaneError("ProviderError", "No.", { retryable: false });
    world.refuseRights((target) => (target.scope === subscriptionId ? null : lacking));
    await world.start();
    await world.done();
    expect(await world.judgeScopes(environment, [team], [])).toEqual([team]);
    const refused = await world.judgeScopes(environment, [team, other], []).catch((error: unknown) => error);
    expect(refused).toMatchObject({
      details: { errors: [{ pointer: "#/resourceScopes/1", detail: expect.stringContaining(other) }] },
    });
    await scoped(world, other);
    await expect(world.start({ subscriptionId, region: "westus2" })).rejects.toMatchObject({
      code: "ProviderCredentialsRejected",
      message: expect.stringContaining(other),
    });
    world.refuseRights(() => new LiveplaneError("ProviderTimeout"));
    await expect(world.judgeScopes(environment, [team], [])).rejects.toMatchObject({ code: "ProviderTimeout" });
  });

  test("are never reached with the host's own identity unless the host serves them", async () => {
    const asked: IdentityPlace[] = [];
    const hostIdentityFor = (place: IdentityPlace) => {
      asked.push(place);
      return place.scope === subscriptionId && place.resourceScope !== team;
    };
    const world = await personsWorld({ hostIdentityFor });
    const next = team.replace("team", "next");
    await world.start({ subscriptionId }, {});
    await world.done();
    expect(await refusalOf(world.judgeScopes(environment, [next, team, other], []))).toMatchObject({
      errors: [{ pointer: "#/resourceScopes/1" }, { pointer: "#/resourceScopes/2" }],
    });
    await scoped(world, team, next, other);
    expect((await world.directory.targets(environment, "provider-a")).map(({ container }) => container)).toEqual([
      expect.stringContaining("lp-dev-"),
      "next",
    ]);
    await expect(world.start({ subscriptionId, region: "westus2" }, {})).rejects.toMatchObject({
      code: "ProviderCredentialsMissing",
      message: expect.stringContaining(team),
    });
    expect(asked).toContainEqual({ environment, provider: "provider-a", scope: subscriptionId, resourceScope: team });
  });
});
