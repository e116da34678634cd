import { generateKeyPairSync } from "node:crypto";
import { environment, keep, listed, organization, type Step, settled, step, type World } from "./script.ts";

const role = (world: World) => ({ ...environment(world), principalId: world.known.role });
export const cloudA = {
  providerAClientId: "9f5a8f6e-6a64-4f62-8a58-0d8a7f6b2c02",
  providerAClientSecret: "a cloud's secret",
};
const subscriptionId = "0b8a1a52-7a3e-4b7e-9a9e-0d6f6b1f0c01";
export const cloudB = {
  providerBServiceAccountEmail: "agent@project.iam.gserviceaccount.com",
  providerBServiceAccountCredentials: JSON.stringify({
    type: "service_account",
    project_id: "project",
    client_email: "agent@project.iam.gserviceaccount.com",
    private_key: "a cloud's key",
  }),
};
const sshPrivateKeyData = generateKeyPairSync("ec", {
  namedCurve: "P-256",
  privateKeyEncoding: { type: "sec1", format: "pem" },
  publicKeyEncoding: { type: "spki", format: "pem" },
}).privateKey;

const initialized = (provider: "providerA" | "providerB") => (_: unknown, world: World) =>
  settled(async () => {
    const { initializationRun } = await world.as("ada").environments[provider].status(environment(world) as never);
    return initializationRun.status !== "InProgress";
  });

/** Environments and what is in them. */
export const environments: readonly Step[] = [
  step("environments.create", "ada", (world) => [
    environment(world),
    {
      name: "Web",
      resourceGroups: [`Personal/${world.known.ada}/mine`],
      parameters: { tier: 1, nested: { list: [1, null] } },
    },
  ]),
  step("environments.create", "ada", (world) => [environment(world), { name: "Twice" }]),
  step("environments.create", "ada", (world) => [{ ...environment(world), shortName: "No Name" }, {}]),
  step("environments.create", "bob", (world) => [environment(world), {}]),
  step("environments.get", "ada", (world) => [environment(world)]),
  step("environments.get", "bob", (world) => [environment(world)]),
  step("environments.update", "ada", (world) => [environment(world), { name: "The web" }]),
  step("environments.update", "ada", (world) => [environment(world), { resourceScopes: ["projects/project-six"] }]),
  step("environments.update", "ada", (world) => [environment(world), { resourceScopes: ["projects/../x", "rg"] }]),
  step("environments.update", "bob", (world) => [environment(world), { resourceScopes: null }]),
  step("environments.update", "ada", (world) => [
    environment(world),
    { name: 7, unknown: true, resourceGroups: ["a", "a"] },
  ]),
  step("environments.update", "ada", (world) => [environment(world), { managementEnvironmentId: environment(world) }]),
  step("environments.update", "ada", (world) => [environment(world), { name: "Late" }, { ifMatch: "1" }]),
  ...listed("environments.list"),
  step("environments.providerA.authenticate", "ada", (world) => [environment(world)]),
  step("environments.providerA.authentication", "ada", (world) => [environment(world)]),
  step("environments.providerA.status", "ada", (world) => [environment(world)]),
  step("environments.providerA.cancel", "ada", (world) => [environment(world)]),
  step("environments.providerA.initialize", "ada", (world) => [environment(world), { subscriptionId }]),
  step("environments.providerA.initialize", "ada", (world) => [
    environment(world),
    { subscriptionId },
    { providerAClientId: cloudA.providerAClientId },
  ]),
  step(
    "environments.providerA.initialize",
    "ada",
    (world) => [environment(world), { subscriptionId, region: "westeurope" }, cloudA],
    initialized("providerA"),
  ),
  step("environments.providerA.cancel", "ada", (world) => [environment(world)]),
  step(
    "environments.providerB.initialize",
    "ada",
    (world) => [environment(world), { projectId: "project", region: "europe-west3" }, cloudB],
    initialized("providerB"),
  ),
  step(
    "environments.providerB.status",
    "ada",
    (world) => [environment(world)],
    async () => {},
  ),
  step("environments.providerB.cancel", "ada", (world) => [environment(world)]),
  step("environments.providerA.locations", "ada", (world) => [
    environment(world),
    { subscriptionId, limit: 3, ...cloudA },
  ]),
  step("environments.providerA.locations", "ada", (world) => [environment(world), {}]),
  step("environments.providerA.subscriptionLocations", "ada", (world) => [
    { ...environment(world), subscriptionId },
    { limit: 3, ...cloudA },
  ]),
  step("environments.providerB.locations", "ada", (world) => [
    environment(world),
    { projectName: "project", limit: 3, ...cloudB },
  ]),
  step("environments.resources.list", "ada", (world) => [environment(world), { provider: "provider-a", limit: 3 }]),
  step("environments.resources.list", "ada", (world) => [
    environment(world),
    { provider: "provider-a", scope: "elsewhere" },
  ]),
  step("environments.resources.declare", "ada", (world) => [
    environment(world),
    { resourceIds: ["/subscriptions/none"] },
  ]),
  step("environments.ciCdProfiles.create", "ada", (world) => [
    environment(world),
    { shortName: "ci", sshPrivateKeyData },
  ]),
  step("environments.ciCdProfiles.create", "ada", (world) => [
    environment(world),
    { shortName: "no", sshPrivateKeyData: "x" },
  ]),
  step("environments.ciCdProfiles.upsertMany", "ada", (world) => [
    environment(world),
    [
      { shortName: "ci", displayName: "CI" },
      { shortName: "cd", sshPrivateKeyData },
    ],
  ]),
  step("environments.ciCdProfiles.upsertMany", "ada", (world) => [
    environment(world),
    [{ shortName: "a" }, { shortName: "A" }],
  ]),
  ...listed("environments.ciCdProfiles.list", (world) => [environment(world)]),
  step("environments.ciCdProfiles.get", "ada", (world) => [{ ...environment(world), profileShortName: "CI" }]),
  step("environments.ciCdProfiles.update", "ada", (world) => [
    { ...environment(world), profileShortName: "ci" },
    { description: "builds" },
  ]),
  step("environments.update", "ada", (world) => [environment(world), { defaultCiCdProfileShortName: "ci" }]),
  step("environments.ciCdProfiles.delete", "ada", (world) => [{ ...environment(world), profileShortName: "ci" }]),
  step("environments.ciCdProfiles.delete", "ada", (world) => [{ ...environment(world), profileShortName: "cd" }]),
  step("environments.secrets.create", "ada", (world) => [environment(world), { shortName: "db", value: "päss" }]),
  step("environments.secrets.create", "ada", (world) => [environment(world), { shortName: "db2", value: null }]),
  step("environments.secrets.upsertMany", "ada", (world) => [environment(world), [{ shortName: "api", value: "k" }]]),
  step("environments.secrets.upsertMany", "ada", (world) => [environment(world), []]),
  ...listed("environments.secrets.list", (world) => [environment(world)]),
  step("environments.secrets.get", "ada", (world) => [{ ...environment(world), secretShortName: "db" }]),
  step("environments.secrets.update", "ada", (world) => [
    { ...environment(world), secretShortName: "db" },
    { value: "two" },
  ]),
  step("environments.secrets.reveal", "ada", (world) => [
    { ...environment(world), secretShortName: "db" },
    { version: 1 },
  ]),
  step("environments.secrets.delete", "ada", (world) => [{ ...environment(world), secretShortName: "api" }]),
  step("environments.serviceAccounts.assign", "ada", (world) => [role(world), { serviceAccountRole: "Bot" }]),
  step("environments.serviceAccounts.assign", "ada", (world) => [role(world), { serviceAccountRole: "Bot" }]),
  step("environments.serviceAccounts.get", "ada", (world) => [role(world)]),
  step("environments.serviceAccounts.update", "ada", (world) => [role(world), { description: "a bot" }]),
  ...listed("environments.serviceAccounts.list", (world) => [environment(world)]),
  step(
    "environments.serviceAccounts.issueSecret",
    "ada",
    (world) => [role(world), {}],
    async (answer: object, world) => {
      world.known.roleSecret = Reflect.get(answer, "id");
      const { access_token } = await world.as("anonymous").tokens.create({
        grant_type: "client_credentials",
        client_id: world.known.role ?? "",
        client_secret: Reflect.get(answer, "secret"),
      });
      world.known.roleToken = access_token;
    },
  ),
  step(
    "environments.serviceAccounts.federatedIdentities.create",
    "ada",
    (world) => [role(world), { issuer: "https://ci.example", subject: "repo:acme/shop:*" }],
    keep("identity"),
  ),
  step("environments.serviceAccounts.federatedIdentities.create", "ada", (world) => [
    role(world),
    { issuer: "https://elsewhere.example", subject: "repo:*" },
  ]),
  ...listed("environments.serviceAccounts.federatedIdentities.list", (world) => [role(world)]),
  step("environments.serviceAccounts.federatedIdentities.delete", "ada", (world) => [
    { ...role(world), identityId: world.known.identity },
  ]),
  step("environments.get", "role", (world) => [environment(world)]),
  step("environments.update", "role", (world) => [environment(world), { name: "Bot's" }]),
  step("organizations.get", "role", (world) => [organization(world)]),
  step("environments.serviceAccounts.revokeSecret", "ada", (world) => [
    { ...role(world), secretId: world.known.roleSecret },
  ]),
  step("environments.serviceAccounts.delete", "ada", (world) => [role(world)]),
  step("environments.get", "role", (world) => [environment(world)]),
];
