import { expect, test } from "vitest";
import type { Options } from "../../src/contract/api.ts";
import { takesIdempotencyKey, takesPreconditions } from "../../src/contract/error-answers.ts";
import { operationsById } from "../../src/contract/operations/operations.ts";
import type { OperationId } from "../../src/contract/routes.ts";

/** The operations whose calls may be given a setting, as their types have it. */
type Offers<Setting extends string> = {
  [Id in OperationId]: Setting extends keyof Options<Id> ? Id : never;
}[OperationId];

/** Each list is held to the types by the compiler: it may lack none, and name none that isn't offered it. */
const versions: Readonly<Record<Offers<"ifMatch">, true>> = {
  "environments.create": true,
  "environments.update": true,
  "environments.delete": true,
  "environments.ciCdProfiles.create": true,
  "environments.ciCdProfiles.update": true,
  "environments.ciCdProfiles.delete": true,
  "environments.secrets.create": true,
  "environments.secrets.update": true,
  "environments.secrets.delete": true,
  "environments.serviceAccounts.assign": true,
  "environments.serviceAccounts.update": true,
  "environments.serviceAccounts.delete": true,
  "accounts.update": true,
  "accounts.deleteMe": true,
  "accounts.delete": true,
  "accounts.resourceGroups.upsert": true,
  "accounts.resourceGroups.delete": true,
  "accounts.resourceGroups.upsertByShortName": true,
  "accounts.webhooks.update": true,
  "accounts.webhooks.delete": true,
  "organizations.create": true,
  "organizations.update": true,
  "organizations.delete": true,
  "organizations.resourceGroups.upsert": true,
  "organizations.resourceGroups.delete": true,
  "organizations.teams.upsert": true,
  "organizations.teams.delete": true,
  "organizations.webhooks.update": true,
  "organizations.webhooks.delete": true,
  "subscriptions.create": true,
  "subscriptions.update": true,
  "liveSystems.deploy": true,
  "liveSystems.delete": true,
  "liveSystems.components.annotateOverride": true,
};

const keys: Readonly<Record<Offers<"idempotencyKey">, true>> = {
  "environments.create": true,
  "environments.update": true,
  "environments.delete": true,
  "environments.providerA.authenticate": true,
  "environments.providerA.initialize": true,
  "environments.providerA.cancel": true,
  "environments.providerB.initialize": true,
  "environments.providerB.cancel": true,
  "environments.ciCdProfiles.create": true,
  "environments.ciCdProfiles.upsertMany": true,
  "environments.ciCdProfiles.update": true,
  "environments.ciCdProfiles.delete": true,
  "environments.secrets.create": true,
  "environments.secrets.upsertMany": true,
  "environments.secrets.update": true,
  "environments.secrets.delete": true,
  "environments.serviceAccounts.assign": true,
  "environments.serviceAccounts.update": true,
  "environments.serviceAccounts.delete": true,
  "environments.serviceAccounts.revokeSecret": true,
  "environments.serviceAccounts.federatedIdentities.create": true,
  "environments.serviceAccounts.federatedIdentities.delete": true,
  "accounts.update": true,
  "accounts.deleteMe": true,
  "accounts.changePassword": true,
  "accounts.serviceAccount": true,
  "accounts.revokeServiceAccountSecret": true,
  "accounts.suspend": true,
  "accounts.resume": true,
  "accounts.delete": true,
  "accounts.identities.authorize": true,
  "accounts.identities.link": true,
  "accounts.identities.delete": true,
  "accounts.resourceGroups.upsert": true,
  "accounts.resourceGroups.delete": true,
  "accounts.resourceGroups.upsertByShortName": true,
  "accounts.webhooks.update": true,
  "accounts.webhooks.delete": true,
  "accounts.webhooks.test": true,
  "accounts.webhooks.resume": true,
  "accounts.webhooks.deliveries.redeliver": true,
  "sessions.delete": true,
  "organizations.create": true,
  "organizations.update": true,
  "organizations.delete": true,
  "organizations.suspend": true,
  "organizations.resume": true,
  "organizations.revokeServiceAccountSecret": true,
  "organizations.permissions.grant": true,
  "organizations.permissions.revoke": true,
  "organizations.resourceGroups.upsert": true,
  "organizations.resourceGroups.delete": true,
  "organizations.resourceGroups.permissions.grant": true,
  "organizations.resourceGroups.permissions.revoke": true,
  "organizations.teams.upsert": true,
  "organizations.teams.delete": true,
  "organizations.teams.permissions.grant": true,
  "organizations.teams.permissions.revoke": true,
  "organizations.webhooks.update": true,
  "organizations.webhooks.delete": true,
  "organizations.webhooks.test": true,
  "organizations.webhooks.resume": true,
  "organizations.webhooks.deliveries.redeliver": true,
  "subscriptions.create": true,
  "subscriptions.update": true,
  "liveSystems.create": true,
  "liveSystems.deploy": true,
  "liveSystems.planDeploy": true,
  "liveSystems.delete": true,
  "liveSystems.components.check": true,
  "liveSystems.components.annotateOverride": true,
};

const rows = Object.values(operationsById);
const idsOf = (judge: (row: (typeof rows)[number]) => boolean) => rows.filter(judge).map(({ id }) => id);

test("the types offer ifMatch where the service honours it", () => {
  expect(idsOf(takesPreconditions)).toEqual(Object.keys(versions));
});

test("the types offer idempotencyKey where the service honours it", () => {
  expect(idsOf(takesIdempotencyKey)).toEqual(Object.keys(keys));
});
