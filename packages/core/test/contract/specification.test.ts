import { type OperationId, operationsById, parseRoute, routes } from "@liveplane/core/contract";
import { expect, test } from "vitest";

const E = "/environments/{type}/{ownerId}/{shortName}";

/** What a row of the specification's tables asks for, in its order. */
interface Asked {
  readonly purpose: string;
  readonly route: string;
  readonly id: OperationId;
  readonly body?: readonly string[];
  /** The body is a list of such records. */
  readonly bulk?: boolean;
  readonly query?: Readonly<Record<string, "required" | "optional">>;
  readonly credentials?: "provider-a" | "provider-b";
  readonly deprecated?: boolean;
}

const profile = ["shortName", "displayName", "description", "sshPrivateKeyData", "sshPrivateKeyPassphrase"];
const profileUpdate = ["displayName", "description", "sshPrivateKeyData", "sshPrivateKeyPassphrase"];
const secret = ["shortName", "displayName", "description", "value"];
const definition = ["managementEnvironmentId", "name", "resourceGroups", "parameters"];
const tenant = { tenantId: "optional" } as const;

const environmentService: readonly Asked[] = [
  {
    purpose: "authenticates a user based on the environment and optionally a tenant",
    route: `POST ${E}/initializer/provider-a/authenticate`,
    id: "environments.providerA.authenticate",
    query: tenant,
  },
  {
    purpose: "initializes the environment in provider A",
    route: `POST ${E}/initializer/provider-a/initialize`,
    id: "environments.providerA.initialize",
    body: ["tenantId", "subscriptionId", "region", "tags"],
    credentials: "provider-a",
  },
  {
    purpose: "gets provider A locations for a subscription",
    route: `GET ${E}/initializer/provider-a/locations`,
    id: "environments.providerA.locations",
    query: { ...tenant, subscriptionId: "required" },
  },
  {
    purpose: "gets provider A locations for a subscription (listed a second time)",
    route: `GET ${E}/initializer/provider-a/subscriptions/{subscriptionId}/locations`,
    id: "environments.providerA.subscriptionLocations",
    query: tenant,
  },
  {
    purpose: "initializes the environment in provider B",
    route: `POST ${E}/initializer/provider-b/initialize`,
    id: "environments.providerB.initialize",
    body: ["organizationId", "projectId", "region", "tags"],
    credentials: "provider-b",
  },
  {
    purpose: "gets provider B locations for a project",
    route: `GET ${E}/initializer/provider-b/locations`,
    id: "environments.providerB.locations",
    query: { projectName: "required" },
    credentials: "provider-b",
  },
  { purpose: "one profile", route: `POST ${E}/ci-cd-profiles`, id: "environments.ciCdProfiles.create", body: profile },
  {
    purpose: "several profiles",
    route: `POST ${E}/ci-cd-profiles/bulk`,
    id: "environments.ciCdProfiles.upsertMany",
    body: profile,
    bulk: true,
  },
  {
    purpose: "listed without a body",
    route: `GET ${E}/ci-cd-profiles/{profileShortName}`,
    id: "environments.ciCdProfiles.get",
  },
  {
    purpose: "listed again without a body",
    route: `DELETE ${E}/ci-cd-profiles/{profileShortName}`,
    id: "environments.ciCdProfiles.delete",
  },
  {
    purpose: "update",
    route: `PUT ${E}/ci-cd-profiles/{profileShortName}`,
    id: "environments.ciCdProfiles.update",
    body: profileUpdate,
  },
  { purpose: "operation on the environment", route: `POST ${E}`, id: "environments.create", body: definition },
  {
    purpose: "operation on the environment, with a default profile",
    route: `PUT ${E}`,
    id: "environments.update",
    body: [...definition, "defaultCiCdProfileShortName"],
  },
  { purpose: "one secret", route: `POST ${E}/secrets`, id: "environments.secrets.create", body: secret },
  {
    purpose: "several secrets",
    route: `POST ${E}/secrets/bulk`,
    id: "environments.secrets.upsertMany",
    body: secret,
    bulk: true,
  },
  {
    purpose: "update",
    route: `PUT ${E}/secrets/{secretShortName}`,
    id: "environments.secrets.update",
    body: ["displayName", "description", "value"],
  },
  {
    purpose: "assign a role to a principal",
    route: `POST ${E}/service-accounts/{principalId}`,
    id: "environments.serviceAccounts.assign",
    body: ["serviceAccountRole", "description"],
  },
  {
    purpose: "change description and active flag",
    route: `PUT ${E}/service-accounts/{principalId}`,
    id: "environments.serviceAccounts.update",
    body: ["description", "active"],
  },
];

const overrideProtocol: readonly Asked[] = [
  { purpose: "a mutation", route: "GET /livesystems/{id}/mutations/{mutationId}", id: "liveSystems.mutations.get" },
  { purpose: "a component", route: "GET /livesystems/{id}/components/{componentId}", id: "liveSystems.components.get" },
];

const group = ["displayName", "description", "icon"];
const organization = ["name", "description", "icon", "tags", "socialLinks"];
const permission = ["principalType", "principalId", "permissionType"];
const activation = ["name", "surname", "password"];
const subscription = ["subscriptionType", "workgroupSubscriptionDetails", "enterpriseSubscriptionDetails"];
const O = "/organizations/{organizationId}";

const accountService: readonly Asked[] = [
  {
    purpose: "Create an account (credentials)",
    route: "POST /accounts/credentials",
    id: "accounts.createWithCredentials",
    body: ["username", "password"],
  },
  { purpose: "Create an account (e-mail)", route: "POST /accounts", id: "accounts.createWithEmail", body: ["email"] },
  {
    purpose: "Update an account",
    route: "PUT /accounts/me",
    id: "accounts.update",
    body: ["name", "surname", "email", "avatarUrl", "phoneNumber"],
  },
  { purpose: "Activate an account", route: "POST /accounts/activate", id: "accounts.activate", body: activation },
  {
    purpose: "Change an account password",
    route: "POST /accounts/me/password",
    id: "accounts.changePassword",
    body: ["oldPassword", "newPassword"],
  },
  { purpose: "first operation without a title", route: "GET /accounts/me", id: "accounts.me" },
  {
    purpose: "second operation without a title",
    route: "POST /accounts/me/service-account",
    id: "accounts.serviceAccount",
  },
  {
    purpose: "Upsert a personal resource group",
    route: "PUT /accounts/me/resourcegroups/{shortName}",
    id: "accounts.resourceGroups.upsert",
    body: group,
  },
  {
    purpose: "Get a personal resource group",
    route: "GET /accounts/me/resourcegroups/{shortName}",
    id: "accounts.resourceGroups.get",
  },
  {
    purpose: "the same upsert, Deprecated",
    route: "PUT /accounts/resourcegroups/{shortName}",
    id: "accounts.resourceGroups.upsertByShortName",
    body: group,
    deprecated: true,
  },
  {
    purpose: "the same get, Deprecated",
    route: "GET /accounts/resourcegroups/{shortName}",
    id: "accounts.resourceGroups.getByShortName",
    deprecated: true,
  },
  {
    purpose: "Activate an account, Deprecated",
    route: "POST /accounts/{accountId}/activate",
    id: "accounts.activateById",
    body: activation,
    deprecated: true,
  },
  { purpose: "Create an organization", route: "POST /organizations", id: "organizations.create", body: organization },
  {
    purpose: "Update an organization",
    route: "PUT /organizations",
    id: "organizations.update",
    body: ["organizationId", ...organization],
  },
  { purpose: "Get an organization", route: `GET ${O}`, id: "organizations.get" },
  {
    purpose: "Upsert an organizational resource group",
    route: `PUT ${O}/resourcegroups/{shortName}`,
    id: "organizations.resourceGroups.upsert",
    body: group,
  },
  {
    purpose: "Get an organizational resource group",
    route: `GET ${O}/resourcegroups/{shortName}`,
    id: "organizations.resourceGroups.get",
  },
  {
    purpose: "Grant an organization permission",
    route: `POST ${O}/permissions/grant`,
    id: "organizations.permissions.grant",
    body: permission,
  },
  {
    purpose: "Revoke an organization permission",
    route: `POST ${O}/permissions/revoke`,
    id: "organizations.permissions.revoke",
    body: permission,
  },
  {
    purpose: "Grant an organizational resource group permission",
    route: `POST ${O}/resourcegroups/{shortName}/permissions/grant`,
    id: "organizations.resourceGroups.permissions.grant",
    body: permission,
  },
  {
    purpose: "Revoke an organizational resource group permission",
    route: `POST ${O}/resourcegroups/{shortName}/permissions/revoke`,
    id: "organizations.resourceGroups.permissions.revoke",
    body: permission,
  },
  {
    purpose: "Grant team permissions",
    route: `POST ${O}/teams/{shortName}/permissions/grant`,
    id: "organizations.teams.permissions.grant",
    body: permission,
  },
  {
    purpose: "Revoke a team permission",
    route: `POST ${O}/teams/{shortName}/permissions/revoke`,
    id: "organizations.teams.permissions.revoke",
    body: permission,
  },
  {
    purpose: "Upsert a team",
    route: `PUT ${O}/teams`,
    id: "organizations.teams.upsert",
    body: ["shortName", "name", "description", "icon", "isPrivate"],
  },
  { purpose: "Get a team", route: `GET ${O}/teams/{shortName}`, id: "organizations.teams.get" },
  { purpose: "Delete a team", route: `DELETE ${O}/teams/{shortName}`, id: "organizations.teams.delete" },
  { purpose: "Create a subscription", route: "POST /subscriptions", id: "subscriptions.create", body: subscription },
  {
    purpose: "Update a subscription",
    route: "PUT /subscriptions/{subscriptionId}",
    id: "subscriptions.update",
    body: subscription,
  },
  { purpose: "Get a subscription", route: "GET /subscriptions/{subscriptionId}", id: "subscriptions.get" },
];

/** The member names that a schema knows: what it doesn't refuse as unknown. */
function knownMembers(
  schema: { parse(value: unknown): unknown } | undefined,
  names: readonly string[],
  wrap = false,
): string[] {
  return names.filter((name) => {
    const value = { [name]: Symbol("nothing fits") };
    try {
      schema?.parse(wrap ? [value] : value);
    } catch (error) {
      return !JSON.stringify(error).includes("unrecognized_keys");
    }
    return schema !== undefined;
  });
}

const everyName = [
  ...new Set(
    [...environmentService, ...accountService].flatMap(({ body = [], query = {} }) => [...body, ...Object.keys(query)]),
  ),
];

test.each([...environmentService, ...overrideProtocol, ...accountService])("$purpose: $route", (asked) => {
  const { methods, path, takes } = parseRoute(asked.id);
  expect(methods.map((method) => `${method} ${path}`)).toContain(asked.route);
  const row = operationsById[asked.id];
  expect(row.deprecated !== undefined).toBe(asked.deprecated === true);
  expect(takes === "body").toBe(asked.body !== undefined);
  expect(knownMembers(row.body, everyName, asked.bulk).sort()).toEqual([...(asked.body ?? [])].sort());
  if (asked.credentials !== undefined) expect(row.credentials).toBe(asked.credentials);
  for (const [name, need] of Object.entries(asked.query ?? {})) {
    expect(knownMembers(row.query, [name])).toEqual([name]);
    const without = Object.fromEntries(
      Object.entries(sample).filter(([other]) => other !== name && asked.query?.[other] !== undefined),
    );
    if (need === "required") expect(() => row.query?.parse(without)).toThrow();
    else expect(() => row.query?.parse(without)).not.toThrow();
  }
});

const sample: Readonly<Record<string, string>> = {
  tenantId: "common",
  subscriptionId: "3f0c4d1e-8a57-4b62-9d1f-6c2e5a7b9041",
  projectName: "demo",
};

test("resource groups and teams may be upserted by POST as well", () => {
  const both = (Object.keys(routes) as OperationId[]).filter((id) => parseRoute(id).methods.join() === "PUT,POST");
  expect(both.sort()).toEqual([
    "accounts.resourceGroups.upsert",
    "accounts.resourceGroups.upsertByShortName",
    "organizations.resourceGroups.upsert",
    "organizations.teams.upsert",
  ]);
});

test("only the second form of an environment's definition takes a default profile", () => {
  const named = { defaultCiCdProfileShortName: "deploy" };
  expect(() => operationsById["environments.create"].body?.parse(named)).toThrow();
  expect(operationsById["environments.update"].body?.parse(named)).toEqual(named);
});
