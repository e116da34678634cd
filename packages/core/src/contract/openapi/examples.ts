import type { OperationId } from "../routes.ts";

/** A live system of two components; the second uses an output of the first. */
const shop = {
  name: "Shop",
  environmentId: { type: "Organizational", ownerId: "3f0c4d1e-8a57-4b62-9d1f-6c2e5a7b9041", shortName: "staging" },
  components: [
    {
      path: "network/vnet",
      provider: "provider-a",
      type: "Microsoft.Network/virtualNetworks@2024-05-01",
      parameters: { addressSpace: { addressPrefixes: ["10.0.0.0/16"] } },
    },
    {
      path: "app",
      provider: "provider-a",
      type: "Microsoft.Web/sites@2023-12-01",
      parameters: { virtualNetwork: { $output: "network/vnet#id" }, password: { $secret: "db-password" } },
    },
  ],
} as const;

/** Example bodies by operation, for the document. Kept apart from the rows because nothing else needs them. */
export const exampleBodies: Readonly<Partial<Record<OperationId, unknown>>> = {
  "accounts.createWithEmail": { email: "ada@example.com" },
  "accounts.webhooks.create": {
    name: "Team chat",
    url: "https://example.com/liveplane",
    types: ["component.override.started", "component.override.overdue"],
  },
  "environments.secrets.create": { shortName: "db-password", displayName: "Database", value: "correct horse" },
  "environments.serviceAccounts.assign": { serviceAccountRole: "CiCd", description: "Deploys" },
  "environments.create": { name: "Staging", parameters: { region: "westeurope" } },
  "environments.update": { name: "Staging 2", defaultCiCdProfileShortName: "deploy" },
  "environments.providerA.initialize": {
    subscriptionId: "3f0c4d1e-8a57-4b62-9d1f-6c2e5a7b9041",
    region: "westeurope",
    tags: { team: "core" },
  },
  "environments.providerB.initialize": { projectId: "my-project", region: "europe-west6" },
  "environments.resources.declare": {
    resourceIds: [
      "/subscriptions/3f0c4d1e-8a57-4b62-9d1f-6c2e5a7b9041/resourceGroups/shop/providers/Microsoft.Web/sites/shop",
    ],
  },
  "liveSystems.create": shop,
  "liveSystems.components.annotateOverride": {
    reason: "Hotfix for the outage",
    ticket: "OPS-123",
    remindAt: "2027-01-31T09:30:00.000Z",
  },
  "liveSystems.components.acceptSettled": {
    pointers: ["/properties/redisVersion"],
    fingerprint: "5d41402abc4b2a76b9719d911017c592",
  },
  "organizations.create": { name: "Analytical Engines", tags: ["research"] },
  "organizations.permissions.grant": {
    principalType: "Account",
    principalId: "3f0c4d1e-8a57-4b62-9d1f-6c2e5a7b9041",
    permissionType: "Edit",
  },
  "subscriptions.create": { subscriptionType: "Discover" },
  "sessions.create": { username: "ada@example.com", password: "a long passphrase" },
  "tokens.create": { grant_type: "refresh_token", refresh_token: "eW91ciByZWZyZXNoIHRva2Vu" },
};
