import { type OperationId, operationsById, parseRoute, routes } from "@liveplane/core/contract";
import { expect, test } from "vitest";

/**
 * The specification's tables, row by row in its order: the route, the operation, the members of its body (`[]`: a list of such records),
 * its query (`!`: required), and what else it says. E is an environment, O an organization.
 */
const tables = `
POST E/initializer/provider-a/authenticate | environments.providerA.authenticate |  | tenantId?
POST E/initializer/provider-a/initialize | environments.providerA.initialize | managementEnvironmentId tenantId subscriptionId region tags |  | provider-a
GET E/initializer/provider-a/locations | environments.providerA.locations |  | tenantId? subscriptionId!
GET E/initializer/provider-a/subscriptions/{subscriptionId}/locations | environments.providerA.subscriptionLocations |  | tenantId?
POST E/initializer/provider-b/initialize | environments.providerB.initialize | organizationId projectId region tags |  | provider-b
GET E/initializer/provider-b/locations | environments.providerB.locations |  | projectName! | provider-b
POST E/ci-cd-profiles | environments.ciCdProfiles.create | shortName displayName description sshPrivateKeyData sshPrivateKeyPassphrase
POST E/ci-cd-profiles/bulk | environments.ciCdProfiles.upsertMany | [] shortName displayName description sshPrivateKeyData sshPrivateKeyPassphrase
GET E/ci-cd-profiles/{profileShortName} | environments.ciCdProfiles.get
DELETE E/ci-cd-profiles/{profileShortName} | environments.ciCdProfiles.delete
PUT E/ci-cd-profiles/{profileShortName} | environments.ciCdProfiles.update | displayName description sshPrivateKeyData sshPrivateKeyPassphrase
POST E | environments.create | managementEnvironmentId name resourceGroups parameters
PUT E | environments.update | managementEnvironmentId name resourceGroups parameters defaultCiCdProfileShortName
POST E/secrets | environments.secrets.create | shortName displayName description value
POST E/secrets/bulk | environments.secrets.upsertMany | [] shortName displayName description value
PUT E/secrets/{secretShortName} | environments.secrets.update | displayName description value
POST E/service-accounts/{principalId} | environments.serviceAccounts.assign | serviceAccountRole description
PUT E/service-accounts/{principalId} | environments.serviceAccounts.update | description active

GET /livesystems/{id}/mutations/{mutationId} | liveSystems.mutations.get
GET /livesystems/{id}/components/{componentId} | liveSystems.components.get

POST /accounts/credentials | accounts.createWithCredentials | username password
POST /accounts | accounts.createWithEmail | email
PUT /accounts/me | accounts.update | name surname email avatarUrl phoneNumber
POST /accounts/activate | accounts.activate | name surname password
POST /accounts/me/password | accounts.changePassword | oldPassword newPassword
GET /accounts/me | accounts.me
POST /accounts/me/service-account | accounts.serviceAccount
PUT /accounts/me/resourcegroups/{shortName} | accounts.resourceGroups.upsert | displayName description icon
GET /accounts/me/resourcegroups/{shortName} | accounts.resourceGroups.get
PUT /accounts/resourcegroups/{shortName} | accounts.resourceGroups.upsertByShortName | displayName description icon |  | deprecated
GET /accounts/resourcegroups/{shortName} | accounts.resourceGroups.getByShortName |  |  | deprecated
POST /accounts/{accountId}/activate | accounts.activateById | name surname password |  | deprecated
POST /organizations | organizations.create | name description icon tags socialLinks requiresSecondFactor
PUT /organizations | organizations.update | organizationId name description icon tags socialLinks requiresSecondFactor
GET O | organizations.get
PUT O/resourcegroups/{shortName} | organizations.resourceGroups.upsert | displayName description icon
GET O/resourcegroups/{shortName} | organizations.resourceGroups.get
POST O/permissions/grant | organizations.permissions.grant | principalType principalId permissionType
POST O/permissions/revoke | organizations.permissions.revoke | principalType principalId permissionType
POST O/resourcegroups/{shortName}/permissions/grant | organizations.resourceGroups.permissions.grant | principalType principalId permissionType
POST O/resourcegroups/{shortName}/permissions/revoke | organizations.resourceGroups.permissions.revoke | principalType principalId permissionType
POST O/teams/{shortName}/permissions/grant | organizations.teams.permissions.grant | principalType principalId permissionType
POST O/teams/{shortName}/permissions/revoke | organizations.teams.permissions.revoke | principalType principalId permissionType
PUT O/teams | organizations.teams.upsert | shortName name description icon isPrivate
GET O/teams/{shortName} | organizations.teams.get
DELETE O/teams/{shortName} | organizations.teams.delete
POST /subscriptions | subscriptions.create | subscriptionType workgroupSubscriptionDetails enterpriseSubscriptionDetails
PUT /subscriptions/{subscriptionId} | subscriptions.update | subscriptionType workgroupSubscriptionDetails enterpriseSubscriptionDetails
GET /subscriptions/{subscriptionId} | subscriptions.get
`;

interface Asked {
  readonly route: string;
  readonly id: OperationId;
  readonly body: readonly string[] | undefined;
  readonly bulk: boolean;
  readonly query: Readonly<Record<string, "required" | "optional">>;
  readonly more: readonly string[];
}

const asked = tables
  .split("\n")
  .filter(Boolean)
  .map((line): Asked => {
    const [route = "", id = "", members = "", query = "", more = ""] = line.split("|").map((cell) => cell.trim());
    const [bulk, names] = [members.startsWith("[]"), members.replace("[]", "").trim()];
    return {
      route: route
        .replace(" E", " /environments/{type}/{ownerId}/{shortName}")
        .replace(" O", " /organizations/{organizationId}"),
      id: id as OperationId,
      body: names === "" ? undefined : names.split(" "),
      bulk,
      query: Object.fromEntries(
        query
          .split(" ")
          .flatMap((name) => (name ? [[name.slice(0, -1), name.endsWith("!") ? "required" : "optional"]] : [])),
      ),
      more: more.split(" "),
    };
  });

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

const everyName = [...new Set(asked.flatMap(({ body = [], query }) => [...body, ...Object.keys(query)]))];

test.each(asked)("$route", ({ route, id, body, bulk, query, more }) => {
  const { methods, path, takes } = parseRoute(id);
  expect(methods.map((method) => `${method} ${path}`)).toContain(route);
  const row = operationsById[id];
  expect(row.deprecated !== undefined).toBe(more.includes("deprecated"));
  expect(takes === "body").toBe(body !== undefined);
  expect(knownMembers(row.body, everyName, bulk).sort()).toEqual([...(body ?? [])].sort());
  for (const provider of ["provider-a", "provider-b"] as const)
    if (more.includes(provider)) expect(row.credentials).toBe(provider);
  for (const [name, need] of Object.entries(query)) {
    expect(knownMembers(row.query, [name])).toEqual([name]);
    const without = Object.fromEntries(
      Object.entries(sample).filter(([other]) => other !== name && query[other] !== undefined),
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
