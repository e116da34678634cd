import { operationsById, toOpenApi } from "@liveplane/core/contract";
import { describe, expect, test } from "vitest";
import { simulatedCloud } from "../../src/clouds/index.ts";
import { sentCredentials } from "../../src/environment/initialization/initialization-credentials.ts";
import { fromProblem, LiveplaneError, toProblem } from "../../src/errors.ts";
import { memoryStore } from "../../src/ports/memory-store.ts";
import { fakeRuntime } from "../../src/testing/fake-runtime.ts";
import { environmentsWorld, refused } from "../builders/environments.ts";
import { failure, tenantsWorld } from "../builders/tenants.ts";

const key = "fake-key:one";

describe("string or null", () => {
  test("a CI/CD profile without a key stores none, shows none, and gets one later", async () => {
    const { api, dev } = await environmentsWorld();
    const none = { keyType: null, keyBits: null, publicKey: null, fingerprint: null, hasPassphrase: false };
    const nulls = { sshPrivateKeyData: null, sshPrivateKeyPassphrase: null };
    expect(await api.environments.ciCdProfiles.create(dev, { shortName: "a", ...nulls })).toMatchObject(none);
    expect(await api.environments.ciCdProfiles.create(dev, { shortName: "b" })).toMatchObject(none);
    const at = { ...dev, profileShortName: "a" };
    const keyed = await api.environments.ciCdProfiles.update(at, { sshPrivateKeyData: key });
    expect(keyed).toMatchObject({ keyType: "ed25519" });
    expect(await api.environments.ciCdProfiles.update(at, nulls)).toEqual(keyed);
    expect(await refused(api.environments.ciCdProfiles.update(at, { sshPrivateKeyPassphrase: "x" }))).toEqual([
      "ValueRequired",
      "#/sshPrivateKeyData ValueRequired",
    ]);
  });

  test("a secret without a value stores none, shows no version, and gets one later", async () => {
    const { api, dev } = await environmentsWorld();
    const none = { currentVersion: 0, versions: [] };
    expect(await api.environments.secrets.create(dev, { shortName: "a", value: null })).toMatchObject(none);
    expect(await api.environments.secrets.create(dev, { shortName: "b" })).toMatchObject(none);
    expect(await refused(api.environments.secrets.reveal({ ...dev, secretShortName: "a" }))).toBe("NotFound");
    const at = { ...dev, secretShortName: "a" };
    const valued = await api.environments.secrets.update(at, { value: "x" });
    expect(valued).toMatchObject({ currentVersion: 1 });
    expect(await api.environments.secrets.update(at, { value: null })).toEqual(valued);
  });

  test("an account without a user name or a password is refused by the name of the member", async () => {
    const world = await environmentsWorld({ openRegistration: true });
    const create = (body: object) => refused(world.nobody.accounts.createWithCredentials(body as never));
    expect(await create({ username: null, password: "a long enough secret" })).toContain("#/username ValueRequired");
    expect(await create({ username: "eve", password: null })).toContain("#/password ValueRequired");
  });

  test("an organization needs no name", async () => {
    const world = tenantsWorld();
    const { api } = await world.person("alice");
    const made = await api.organizations.create({ name: null });
    expect(made.name).toBeNull();
    const named = await api.organizations.update({ organizationId: made.id, name: "Acme" });
    expect(named.name).toBe("Acme");
    expect((await api.organizations.update({ organizationId: made.id, name: null })).name).toBeNull();
    expect((await api.organizations.create({})).name).toBeNull();
  });
});

test("an empty name is the same as none", async () => {
  const world = tenantsWorld();
  const { api } = await world.person("alice");
  const { id: organizationId } = await api.organizations.create({ name: "" });
  expect((await api.organizations.get({ organizationId })).name).toBeNull();
  expect((await api.accounts.resourceGroups.upsert({ shortName: "a" }, { displayName: "" })).displayName).toBeNull();
  expect((await api.organizations.teams.upsert({ organizationId }, { shortName: "a", name: "" })).name).toBeNull();
});

test("a service account's role is CiCd unless it is given", async () => {
  const { api, dev, runtime } = await environmentsWorld();
  const made = await api.environments.serviceAccounts.assign({ ...dev, principalId: runtime.newId() }, {});
  expect(made.serviceAccountRole).toBe("CiCd");
});

test("a personal resource group shows neither createdBy nor updatedBy, an organization's shows both", async () => {
  const world = tenantsWorld();
  const { api, id } = await world.person("alice");
  const own = await api.accounts.resourceGroups.upsert({ shortName: "main" }, {});
  expect(Object.keys(own)).not.toEqual(expect.arrayContaining(["createdBy"]));
  expect(Object.keys(own)).not.toEqual(expect.arrayContaining(["updatedBy"]));
  const { id: organizationId } = await api.organizations.create({ name: "Acme" });
  const shared = await api.organizations.resourceGroups.upsert({ organizationId, shortName: "main" }, {});
  expect(shared).toMatchObject({ createdBy: id, updatedBy: id });
});

describe("an upsert", () => {
  test.each([
    "accounts.resourceGroups.upsert",
    "accounts.resourceGroups.upsertByShortName",
    "organizations.resourceGroups.upsert",
    "organizations.teams.upsert",
  ] as const)("of %s answers 200 alone", (id) => {
    expect(operationsById[id]).not.toHaveProperty("success");
  });

  test.each(["environments.ciCdProfiles.upsertMany", "environments.secrets.upsertMany"] as const)(
    "of several records, %s, answers 201 alone",
    (id) => {
      expect(operationsById[id].success).toEqual([201]);
    },
  );

  test("says `made` where it created something, and only there", async () => {
    const world = tenantsWorld();
    const { api } = await world.person("alice");
    const { id: organizationId } = await api.organizations.create({ name: "Acme" });
    const name = { organizationId, shortName: "main" };
    for (const upsert of [
      () => api.accounts.resourceGroups.upsert({ shortName: "main" }, {}),
      () => api.organizations.resourceGroups.upsert(name, {}),
      () => api.organizations.teams.upsert({ organizationId }, { shortName: "main" }),
    ]) {
      expect(await upsert()).toMatchObject({ made: true });
      expect(await upsert()).not.toHaveProperty("made");
    }
    expect(await api.organizations.teams.get(name)).not.toHaveProperty("made");
  });

  test("of CI/CD profiles says so of each", async () => {
    const { api, dev } = await environmentsWorld();
    await api.environments.ciCdProfiles.create(dev, { shortName: "a" });
    const made = await api.environments.ciCdProfiles.upsertMany(dev, [{ shortName: "a" }, { shortName: "b" }]);
    expect(made.map((one) => one.made)).toEqual([undefined, true]);
  });
});

describe("a subscription", () => {
  const later = "2027-01-01T00:00:00.000Z";
  const workgroup = (multiplicator: number) =>
    ({
      subscriptionType: "Workgroup",
      workgroupSubscriptionDetails: { multiplicator, expirationDate: later },
    }) as const;
  const enterprise = {
    subscriptionType: "Enterprise",
    enterpriseSubscriptionDetails: { maxNumberOfAccounts: 9, maxNumberOfOrganizations: 9, expirationDate: later },
  } as const;

  test("is created with the body alone, in place of the one the caller was born with, once", async () => {
    const world = tenantsWorld();
    const alice = await world.person("alice");
    const born = (await world.accountOf(alice.id))?.subscriptionId;
    const { id: organizationId } = await alice.api.organizations.create({ name: "Acme" });
    const made = await alice.api.subscriptions.create({ subscriptionType: "Discover" });
    expect(made.id).not.toBe(born);
    expect((await world.accountOf(alice.id))?.subscriptionId).toBe(made.id);
    expect((await alice.api.organizations.get({ organizationId })).subscriptionId).toBe(made.id);
    expect(await failure(alice.api.subscriptions.create({ subscriptionType: "Discover" }))).toBe("AlreadyExists");
  });

  test("of the Workgroup or Enterprise type is created by operators alone", async () => {
    const world = tenantsWorld();
    const [alice, root] = [await world.person("alice"), await world.operator()];
    expect(await failure(alice.api.subscriptions.create(workgroup(1)))).toBe("PermissionDenied");
    expect(await failure(alice.api.subscriptions.create(enterprise))).toBe("PermissionDenied");
    expect(await root.api.subscriptions.create(enterprise)).toMatchObject({ subscriptionType: "Enterprise" });
    expect(await failure(root.api.subscriptions.create(enterprise))).toBe("AlreadyExists");
  });

  test("counts half a plan more with a multiplicator of 1.5, rounded down", async () => {
    const plans = { discover: { accounts: 1, organizations: 1 }, workgroup: { accounts: 3, organizations: 1 } };
    const world = tenantsWorld({ plans });
    const [alice, root] = [await world.person("alice"), await world.operator()];
    const query = { accountId: alice.id };
    expect(await root.api.subscriptions.create(workgroup(1.5), query)).toMatchObject({
      workgroupSubscriptionDetails: { multiplicator: 1.5 },
    });
    const { id: organizationId } = await alice.api.organizations.create({ name: "Acme" });
    const grant = async (name: string) =>
      alice.api.organizations.permissions.grant(
        { organizationId },
        { principalType: "Account", principalId: (await world.person(name)).id, permissionType: "View" },
      );
    for (const name of ["b", "c", "d"]) expect(await grant(name)).toBe(true);
    expect(await failure(grant("e"))).toBe("SubscriptionLimitReached");
    expect(await failure(alice.api.organizations.create({ name: "Second" }))).toBe("SubscriptionLimitReached");
  });
});

describe("the OpenAPI document", () => {
  const document = toOpenApi();
  const schemaOf = (name: string) => document.components.schemas[name] as Described;

  test.each([
    ["EnvironmentId", "ownerId"],
    ["ProviderAInitialization", "tenantId"],
    ["ProviderAInitialization", "subscriptionId"],
    ["Account", "id"],
    ["Account", "subscriptionId"],
    ["Organization", "id"],
    ["Organization", "serviceAccountId"],
    ["Organization", "subscriptionId"],
    ["Organization", "createdBy"],
    ["Organization", "updatedBy"],
    ["OrganizationUpdate", "organizationId"],
    ["OrganizationResourceGroup", "id.ownerId"],
    ["OrganizationResourceGroup", "createdBy"],
    ["OrganizationResourceGroup", "updatedBy"],
    ["PersonalResourceGroup", "id.ownerId"],
    ["Team", "id.organizationId"],
    ["Team", "principalId"],
    ["Subscription", "id"],
    ["Subscription", "createdBy"],
    ["Subscription", "updatedBy"],
  ])("types %s.%s as a uuid", (name, path) => {
    const found = path.split(".").reduce((at, member) => at.properties?.[member] ?? {}, schemaOf(name));
    expect(found.format).toBe("uuid");
  });

  test.each(["ownerId", "organizationId", "subscriptionId", "accountId", "tenantId"])(
    "types every %s of a path or query as a uuid",
    (name) => {
      const parameters = Object.values(document.paths)
        .flatMap((path) => Object.values(path) as { readonly parameters: readonly Parameter[] }[])
        .flatMap((operation) => operation.parameters.filter((parameter) => parameter.name === name));
      expect(parameters.length).toBeGreaterThan(0);
      for (const { schema } of parameters) expect((schema.anyOf?.[0] ?? schema).format).toBe("uuid");
    },
  );

  test("types outputFields.drift as a map from parameter to what is declared and actual", () => {
    const { drift } = schemaOf("Component").properties?.outputFields?.properties ?? {};
    expect(drift).toMatchObject({
      type: "object",
      additionalProperties: { type: "object", required: ["declared", "actual"] },
    });
  });

  test("says which deprecated path is ambiguous, and which one wins", () => {
    const { description } = (document.paths["/accounts/{accountId}/activate"]?.post ?? {}) as Described;
    expect(description).toContain("/accounts/resourcegroups/activate");
  });
});

interface Described {
  readonly description?: string;
  readonly format?: string;
  readonly properties?: Readonly<Record<string, Described>>;
  readonly anyOf?: readonly Described[];
}

interface Parameter {
  readonly name?: string;
  readonly schema: Described;
}

test("`Unknown` parses as an environment's type, creates nothing, and reads as not found", async () => {
  const { api, dev } = await environmentsWorld();
  const unknown = { ...dev, type: "Unknown" } as const;
  expect(await refused(api.environments.create(unknown, {}))).toContain("ValidationFailed");
  expect(await refused(api.environments.get(unknown))).toBe("NotFound");
});

test.each([
  ["organizations.create", {}],
  ["organizations.update", { organizationId: "3f0c4d1e-8a57-4b62-9d1f-6c2e5a7b9041" }],
  ["organizations.teams.upsert", {}],
  ["organizations.resourceGroups.upsert", {}],
  ["accounts.resourceGroups.upsert", {}],
] as const)("%s reads iconUrl as icon", (id, others) => {
  const icon = "https://example.com/icon.png";
  expect(operationsById[id].body?.parse({ ...others, iconUrl: icon })).toEqual({ ...others, icon });
});

describe("limits of plans", () => {
  test("there are none unless the host sets some", async () => {
    const world = tenantsWorld({ plans: {} });
    const { api } = await world.person("alice");
    for (let at = 0; at < 12; at++) await api.organizations.create({ name: `${at}` });
    expect((await api.organizations.list()).items).toHaveLength(12);
  });

  test("a refusal says what is used, the limit, the plan, and who can change it", async () => {
    const world = tenantsWorld({ plans: { discover: { organizations: 1 } } });
    const { api } = await world.person("alice");
    await api.organizations.create({ name: "Acme" });
    await expect(api.organizations.create({ name: "Second" })).rejects.toMatchObject({
      code: "SubscriptionLimitReached",
      message:
        "The Discover plan allows at most 1 organizations, and 1 are in use. Remove some first, or ask an operator for a larger plan.",
      details: { counts: { organizations: { used: 1, limit: 1 } }, plan: "Discover", changeableBy: "operators" },
    });
  });

  test("operators have none", async () => {
    const world = tenantsWorld({ plans: { discover: { organizations: 1 } } });
    const root = await world.operator();
    await root.api.organizations.create({ name: "Acme" });
    expect(await root.api.organizations.create({ name: "Second" })).toMatchObject({ name: "Second" });
  });
});

describe("initializing provider A", () => {
  const subscriptionId = "3f2504e0-4f89-41d3-9a0c-0305e82c3301";

  async function setUp() {
    const runtime = fakeRuntime();
    const store = memoryStore({ now: runtime.clock.now });
    const cloud = simulatedCloud({ provider: "provider-a", store, runtime });
    const { api, dev, named } = await environmentsWorld({}, { runtime, clouds: { adapters: [cloud] } });
    await api.environments.create(named("hub"), {});
    const initialize = (managementEnvironmentId: ReturnType<typeof named> | null, providerAClientSecret = "a secret") =>
      api.environments.providerA.initialize(
        dev,
        { subscriptionId, managementEnvironmentId },
        { providerAClientId: "client", providerAClientSecret },
      );
    const ended = async () => {
      for (let turns = 0; turns < 200; turns++) {
        const { initializationRun } = await api.environments.providerA.status(dev);
        if (initializationRun.status !== "InProgress") return initializationRun;
        await runtime.advance(100);
      }
      throw new RangeError("It never ended.");
    };
    return { api, dev, hub: named("hub"), none: named("none"), initialize, ended };
  }

  test("names the management environment of the environment", async () => {
    const { api, dev, hub, none, initialize, ended } = await setUp();
    expect(await refused(initialize(none))).toContain("#/managementEnvironmentId ManagementEnvironmentNotFound");
    for (const manager of [null, dev]) {
      await initialize(manager);
      await ended();
      expect((await api.environments.get(dev)).managementEnvironmentId).toBeNull();
    }
    await initialize(hub);
    expect((await api.environments.get(dev)).managementEnvironmentId).toEqual(hub);
    expect(await refused(initialize(dev))).toContain("#/managementEnvironmentId SelfReferentialManagementEnvironment");
    await initialize(null);
    expect((await api.environments.get(dev)).managementEnvironmentId).toEqual(hub);
    expect(await refused(api.environments.delete(hub))).toBe("EnvironmentNotEmpty");
  });

  test("says why a step failed by both names", async () => {
    const { initialize, ended } = await setUp();
    await initialize(null, "reject");
    const failed = (await ended()).steps.find(({ status }) => status === "Failed");
    expect(failed?.message).toEqual(expect.any(String));
    expect(failed?.lastOperationStatusMessage).toBe(failed?.message);
  });
});

test("a federated token of provider B acts as the service account whose e-mail address it comes with", () => {
  const sent = {
    providerBFederatedToken: "a token",
    providerBWorkloadIdentityProvider: "projects/1/locations/global/workloadIdentityPools/pool/providers/pipeline",
  };
  const email = "agent@project.iam.gserviceaccount.com";
  expect(sentCredentials("provider-b", { ...sent, providerBServiceAccountEmail: email })).toMatchObject({
    kind: "federatedToken",
    impersonates: email,
  });
  expect(sentCredentials("provider-b", sent)).not.toHaveProperty("impersonates");
});

test("a refusal carries reasonCode beside code, and the client drops the repetition", () => {
  const problem = toProblem(new LiveplaneError("NotFound"), "a-request");
  expect(problem).toMatchObject({ code: "NotFound", reasonCode: "NotFound" });
  expect(fromProblem(problem, 404).details).toEqual({});
});
