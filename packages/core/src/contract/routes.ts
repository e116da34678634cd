/**
 * Every operation's id with its method and path, and how it is called: `body` takes a body, `page` answers one page of a list, `stream`
 * answers events. A second method behind `|` is the same operation.
 *
 * A browser needs nothing else of the contract at run time, so this file holds short strings and imports nothing.
 */
export const routes = {
  "environments.create": "POST /environments/{type}/{ownerId}/{shortName} body",
  "environments.update": "PUT /environments/{type}/{ownerId}/{shortName} body",
  "environments.get": "GET /environments/{type}/{ownerId}/{shortName}",
  "environments.list": "GET /environments page",
  "environments.delete": "DELETE /environments/{type}/{ownerId}/{shortName}",
  "environments.providerA.authenticate":
    "POST /environments/{type}/{ownerId}/{shortName}/initializer/provider-a/authenticate",
  "environments.providerA.authentication":
    "GET /environments/{type}/{ownerId}/{shortName}/initializer/provider-a/authenticate",
  "environments.providerA.initialize":
    "POST /environments/{type}/{ownerId}/{shortName}/initializer/provider-a/initialize body",
  "environments.providerA.status": "GET /environments/{type}/{ownerId}/{shortName}/initializer/provider-a/status",
  "environments.providerA.cancel": "POST /environments/{type}/{ownerId}/{shortName}/initializer/provider-a/cancel",
  "environments.providerA.locations":
    "GET /environments/{type}/{ownerId}/{shortName}/initializer/provider-a/locations page",
  "environments.providerA.subscriptionLocations":
    "GET /environments/{type}/{ownerId}/{shortName}/initializer/provider-a/subscriptions/{subscriptionId}/locations page",
  "environments.providerB.initialize":
    "POST /environments/{type}/{ownerId}/{shortName}/initializer/provider-b/initialize body",
  "environments.providerB.status": "GET /environments/{type}/{ownerId}/{shortName}/initializer/provider-b/status",
  "environments.providerB.cancel": "POST /environments/{type}/{ownerId}/{shortName}/initializer/provider-b/cancel",
  "environments.providerB.locations":
    "GET /environments/{type}/{ownerId}/{shortName}/initializer/provider-b/locations page",
  "environments.resources.list": "GET /environments/{type}/{ownerId}/{shortName}/resources page",
  "environments.resources.declare": "POST /environments/{type}/{ownerId}/{shortName}/resources/declare body",
  "environments.ciCdProfiles.create": "POST /environments/{type}/{ownerId}/{shortName}/ci-cd-profiles body",
  "environments.ciCdProfiles.upsertMany": "POST /environments/{type}/{ownerId}/{shortName}/ci-cd-profiles/bulk body",
  "environments.ciCdProfiles.list": "GET /environments/{type}/{ownerId}/{shortName}/ci-cd-profiles page",
  "environments.ciCdProfiles.get": "GET /environments/{type}/{ownerId}/{shortName}/ci-cd-profiles/{profileShortName}",
  "environments.ciCdProfiles.update":
    "PUT /environments/{type}/{ownerId}/{shortName}/ci-cd-profiles/{profileShortName} body",
  "environments.ciCdProfiles.delete":
    "DELETE /environments/{type}/{ownerId}/{shortName}/ci-cd-profiles/{profileShortName}",
  "environments.secrets.create": "POST /environments/{type}/{ownerId}/{shortName}/secrets body",
  "environments.secrets.upsertMany": "POST /environments/{type}/{ownerId}/{shortName}/secrets/bulk body",
  "environments.secrets.list": "GET /environments/{type}/{ownerId}/{shortName}/secrets page",
  "environments.secrets.get": "GET /environments/{type}/{ownerId}/{shortName}/secrets/{secretShortName}",
  "environments.secrets.update": "PUT /environments/{type}/{ownerId}/{shortName}/secrets/{secretShortName} body",
  "environments.secrets.delete": "DELETE /environments/{type}/{ownerId}/{shortName}/secrets/{secretShortName}",
  "environments.secrets.reveal":
    "POST /environments/{type}/{ownerId}/{shortName}/secrets/{secretShortName}/reveal body",
  "environments.serviceAccounts.list": "GET /environments/{type}/{ownerId}/{shortName}/service-accounts page",
  "environments.serviceAccounts.assign":
    "POST /environments/{type}/{ownerId}/{shortName}/service-accounts/{principalId} body",
  "environments.serviceAccounts.get": "GET /environments/{type}/{ownerId}/{shortName}/service-accounts/{principalId}",
  "environments.serviceAccounts.update":
    "PUT /environments/{type}/{ownerId}/{shortName}/service-accounts/{principalId} body",
  "environments.serviceAccounts.delete":
    "DELETE /environments/{type}/{ownerId}/{shortName}/service-accounts/{principalId}",
  "environments.serviceAccounts.issueSecret":
    "POST /environments/{type}/{ownerId}/{shortName}/service-accounts/{principalId}/secret body",
  "environments.serviceAccounts.revokeSecret":
    "DELETE /environments/{type}/{ownerId}/{shortName}/service-accounts/{principalId}/secret/{secretId}",
  "environments.serviceAccounts.federatedIdentities.list":
    "GET /environments/{type}/{ownerId}/{shortName}/service-accounts/{principalId}/federated-identities page",
  "environments.serviceAccounts.federatedIdentities.create":
    "POST /environments/{type}/{ownerId}/{shortName}/service-accounts/{principalId}/federated-identities body",
  "environments.serviceAccounts.federatedIdentities.delete":
    "DELETE /environments/{type}/{ownerId}/{shortName}/service-accounts/{principalId}/federated-identities/{identityId}",

  "accounts.createWithCredentials": "POST /accounts/credentials body",
  "accounts.createWithEmail": "POST /accounts body",
  "accounts.list": "GET /accounts page",
  "accounts.me": "GET /accounts/me",
  "accounts.get": "GET /accounts/{accountId}",
  "accounts.update": "PUT /accounts/me body",
  "accounts.deleteMe": "DELETE /accounts/me",
  "accounts.changePassword": "POST /accounts/me/password body",
  "accounts.serviceAccount": "POST /accounts/me/service-account",
  "accounts.issueServiceAccountSecret": "POST /accounts/me/service-account/secret body",
  "accounts.listServiceAccountSecrets": "GET /accounts/me/service-account/secret page",
  "accounts.revokeServiceAccountSecret": "DELETE /accounts/me/service-account/secret/{secretId}",
  "accounts.activate": "POST /accounts/activate body",
  "accounts.activateById": "POST /accounts/{accountId}/activate body",
  "accounts.resendChallenge": "POST /accounts/challenge body",
  "accounts.requestPasswordReset": "POST /accounts/password-reset body",
  "accounts.resetPassword": "POST /accounts/password-reset/confirm body",
  "accounts.setPassword": "POST /accounts/{accountId}/password body",
  "accounts.suspend": "POST /accounts/{accountId}/suspend",
  "accounts.resume": "POST /accounts/{accountId}/resume",
  "accounts.delete": "DELETE /accounts/{accountId}",
  "accounts.release": "GET /accounts/{accountId}/release",
  "accounts.removeFactors": "DELETE /accounts/{accountId}/factors",
  "accounts.factors.list": "GET /accounts/me/factors page",
  "accounts.factors.addTotp": "POST /accounts/me/factors/totp body",
  "accounts.factors.confirmTotp": "POST /accounts/me/factors/totp/confirm body",
  "accounts.factors.beginPasskey": "POST /accounts/me/factors/passkeys/options",
  "accounts.factors.addPasskey": "POST /accounts/me/factors/passkeys body",
  "accounts.factors.issueRecoveryCodes": "POST /accounts/me/factors/recovery-codes",
  "accounts.factors.delete": "DELETE /accounts/me/factors/{factorId}",
  "accounts.identities.list": "GET /accounts/me/identities page",
  "accounts.identities.authorize": "POST /accounts/me/identities/authorization",
  "accounts.identities.link": "POST /accounts/me/identities body",
  "accounts.identities.delete": "DELETE /accounts/me/identities/{identityId}",
  "accounts.resourceGroups.list": "GET /accounts/me/resourcegroups page",
  "accounts.resourceGroups.upsert": "PUT|POST /accounts/me/resourcegroups/{shortName} body",
  "accounts.resourceGroups.get": "GET /accounts/me/resourcegroups/{shortName}",
  "accounts.resourceGroups.delete": "DELETE /accounts/me/resourcegroups/{shortName}",
  "accounts.resourceGroups.upsertByShortName": "PUT|POST /accounts/resourcegroups/{shortName} body",
  "accounts.resourceGroups.getByShortName": "GET /accounts/resourcegroups/{shortName}",
  "accounts.webhooks.list": "GET /accounts/me/webhooks page",
  "accounts.webhooks.create": "POST /accounts/me/webhooks body",
  "accounts.webhooks.get": "GET /accounts/me/webhooks/{webhookId}",
  "accounts.webhooks.update": "PUT /accounts/me/webhooks/{webhookId} body",
  "accounts.webhooks.delete": "DELETE /accounts/me/webhooks/{webhookId}",
  "accounts.webhooks.issueSecret": "POST /accounts/me/webhooks/{webhookId}/secret",
  "accounts.webhooks.test": "POST /accounts/me/webhooks/{webhookId}/test",
  "accounts.webhooks.resume": "POST /accounts/me/webhooks/{webhookId}/resume",
  "accounts.webhooks.deliveries.list": "GET /accounts/me/webhooks/{webhookId}/deliveries page",
  "accounts.webhooks.deliveries.redeliver": "POST /accounts/me/webhooks/{webhookId}/deliveries/{deliveryId}/redeliver",

  "sessions.create": "POST /auth/sessions body",
  "sessions.createByCode": "POST /auth/sessions/code body",
  "sessions.authorize": "POST /accounts/me/sessions/code body",
  "sessions.beginByPasskey": "POST /auth/sessions/passkey/options",
  "sessions.createByPasskey": "POST /auth/sessions/passkey body",
  "sessions.createByFactor": "POST /auth/sessions/second-factor body",
  "sessions.methods": "GET /auth/methods",
  "sessions.list": "GET /accounts/me/sessions page",
  "sessions.delete": "DELETE /accounts/me/sessions/{sessionId}",
  "tokens.create": "POST /auth/token body",
  "tokens.revoke": "POST /auth/revoke body",
  "tokens.keys": "GET /.well-known/jwks.json",

  "organizations.create": "POST /organizations body",
  "organizations.update": "PUT /organizations body",
  "organizations.list": "GET /organizations page",
  "organizations.get": "GET /organizations/{organizationId}",
  "organizations.delete": "DELETE /organizations/{organizationId}",
  "organizations.suspend": "POST /organizations/{organizationId}/suspend",
  "organizations.resume": "POST /organizations/{organizationId}/resume",
  "organizations.issueServiceAccountSecret": "POST /organizations/{organizationId}/service-account/secret body",
  "organizations.listServiceAccountSecrets": "GET /organizations/{organizationId}/service-account/secret page",
  "organizations.revokeServiceAccountSecret":
    "DELETE /organizations/{organizationId}/service-account/secret/{secretId}",
  "organizations.members.list": "GET /organizations/{organizationId}/members page",
  "organizations.permissions.list": "GET /organizations/{organizationId}/permissions page",
  "organizations.permissions.grant": "POST /organizations/{organizationId}/permissions/grant body",
  "organizations.permissions.revoke": "POST /organizations/{organizationId}/permissions/revoke body",
  "organizations.resourceGroups.list": "GET /organizations/{organizationId}/resourcegroups page",
  "organizations.resourceGroups.upsert": "PUT|POST /organizations/{organizationId}/resourcegroups/{shortName} body",
  "organizations.resourceGroups.get": "GET /organizations/{organizationId}/resourcegroups/{shortName}",
  "organizations.resourceGroups.delete": "DELETE /organizations/{organizationId}/resourcegroups/{shortName}",
  "organizations.resourceGroups.permissions.list":
    "GET /organizations/{organizationId}/resourcegroups/{shortName}/permissions page",
  "organizations.resourceGroups.permissions.grant":
    "POST /organizations/{organizationId}/resourcegroups/{shortName}/permissions/grant body",
  "organizations.resourceGroups.permissions.revoke":
    "POST /organizations/{organizationId}/resourcegroups/{shortName}/permissions/revoke body",
  "organizations.teams.list": "GET /organizations/{organizationId}/teams page",
  "organizations.teams.upsert": "PUT|POST /organizations/{organizationId}/teams body",
  "organizations.teams.get": "GET /organizations/{organizationId}/teams/{shortName}",
  "organizations.teams.delete": "DELETE /organizations/{organizationId}/teams/{shortName}",
  "organizations.teams.permissions.list": "GET /organizations/{organizationId}/teams/{shortName}/permissions page",
  "organizations.teams.permissions.grant":
    "POST /organizations/{organizationId}/teams/{shortName}/permissions/grant body",
  "organizations.teams.permissions.revoke":
    "POST /organizations/{organizationId}/teams/{shortName}/permissions/revoke body",
  "organizations.webhooks.list": "GET /organizations/{organizationId}/webhooks page",
  "organizations.webhooks.create": "POST /organizations/{organizationId}/webhooks body",
  "organizations.webhooks.get": "GET /organizations/{organizationId}/webhooks/{webhookId}",
  "organizations.webhooks.update": "PUT /organizations/{organizationId}/webhooks/{webhookId} body",
  "organizations.webhooks.delete": "DELETE /organizations/{organizationId}/webhooks/{webhookId}",
  "organizations.webhooks.issueSecret": "POST /organizations/{organizationId}/webhooks/{webhookId}/secret",
  "organizations.webhooks.test": "POST /organizations/{organizationId}/webhooks/{webhookId}/test",
  "organizations.webhooks.resume": "POST /organizations/{organizationId}/webhooks/{webhookId}/resume",
  "organizations.webhooks.deliveries.list": "GET /organizations/{organizationId}/webhooks/{webhookId}/deliveries page",
  "organizations.webhooks.deliveries.redeliver":
    "POST /organizations/{organizationId}/webhooks/{webhookId}/deliveries/{deliveryId}/redeliver",
  "permissions.explain": "GET /organizations/{organizationId}/permissions/effective",

  "subscriptions.create": "POST /subscriptions body",
  "subscriptions.update": "PUT /subscriptions/{subscriptionId} body",
  "subscriptions.list": "GET /subscriptions page",
  "subscriptions.get": "GET /subscriptions/{subscriptionId}",

  "liveSystems.create": "POST /livesystems body",
  "liveSystems.list": "GET /livesystems page",
  "liveSystems.health": "GET /livesystems/health page",
  "liveSystems.plan": "POST /livesystems/plan body",
  "liveSystems.get": "GET /livesystems/{id}",
  "liveSystems.deploy": "PUT /livesystems/{id} body",
  "liveSystems.planDeploy": "POST /livesystems/{id}/plan body",
  "liveSystems.delete": "DELETE /livesystems/{id}",
  "liveSystems.mutations.list": "GET /livesystems/{id}/mutations page",
  "liveSystems.mutations.get": "GET /livesystems/{id}/mutations/{mutationId}",
  "liveSystems.components.list": "GET /livesystems/{id}/components page",
  "liveSystems.components.get": "GET /livesystems/{id}/components/{componentId}",
  "liveSystems.components.check": "POST /livesystems/{id}/components/{componentId}/check",
  "liveSystems.components.adoptionPlan": "GET /livesystems/{id}/components/{componentId}/adoption-plan",
  "liveSystems.components.overrides": "GET /livesystems/{id}/components/{componentId}/overrides page",
  "liveSystems.components.annotateOverride": "PUT /livesystems/{id}/components/{componentId}/override-note body",
  "liveSystems.components.acceptSettled": "POST /livesystems/{id}/components/{componentId}/settled body",
  "liveSystems.components.forgetSettled": "DELETE /livesystems/{id}/components/{componentId}/settled",
  "liveSystems.components.dependents": "GET /livesystems/{id}/components/{componentId}/dependents page",
  "overrides.list": "GET /overrides page",
  "overrides.digest": "GET /overrides/digest page",
  "names.find": "GET /names",
  "events.follow": "GET /events stream",
  "events.log": "GET /events/log page",
} as const;

/** The name of an operation: its path in `Api`. */
export type OperationId = keyof typeof routes;

/** A route in its parts. */
export interface Route {
  readonly methods: readonly [string, ...string[]];
  /** With parameters in braces: `/livesystems/{id}`. */
  readonly path: string;
  /** The parameters of the path, in order. */
  readonly params: readonly string[];
  readonly takes?: "body" | "page" | "stream";
}

const parsedRoutes = new Map<OperationId, Route>();

/** Splits a route into its parts. */
export function parseRoute(id: OperationId): Route {
  const known = parsedRoutes.get(id);
  if (known !== undefined) return known;
  const route = takenApart(id);
  parsedRoutes.set(id, route);
  return route;
}

function takenApart(id: OperationId): Route {
  const [methods = "", path = "", takes] = routes[id].split(" ");
  const params = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string);
  const parsed = { methods: methods.split("|") as [string, ...string[]], path, params };
  return takes === undefined ? parsed : { ...parsed, takes: takes as "body" | "page" | "stream" };
}

/** The option names sent as headers, for the operations that act in a cloud. */
export const credentialHeaders = {
  providerAClientId: "X-ProviderA-SP-Client-ID",
  providerAClientSecret: "X-ProviderA-SP-Client-Secret",
  providerAClientAssertion: "X-ProviderA-SP-Client-Assertion",
  providerBServiceAccountEmail: "X-ProviderB-Service-Account-Email",
  providerBServiceAccountCredentials: "X-ProviderB-Service-Account-Credentials",
  providerBFederatedToken: "X-ProviderB-Federated-Token",
  providerBWorkloadIdentityProvider: "X-ProviderB-Workload-Identity-Provider",
} as const;
