import type { OperationId } from "../../src/contract/routes.ts";
import { otherPassword, password } from "../builders/identity.ts";
import { cloudA, cloudB, type Known, sessionOf, subscriptionId, vnet } from "./world.ts";

/** What an operation is called with, by the one who calls: a call that is good for whoever may make it. */
export type Call = (known: Known, who: string) => readonly unknown[];

const web = (known: Known) => ({ type: "Organizational", ownerId: known.organization, shortName: "web" });
const organization = (known: Known) => ({ organizationId: known.organization });
const group = (known: Known) => ({ ...organization(known), shortName: "tools" });
const team = (known: Known) => ({ ...organization(known), shortName: "smiths" });
const victim = ({ victim: principalId }: Known) => ({ principalType: "Account", principalId, permissionType: "View" });
const profile = (known: Known) => ({ ...web(known), profileShortName: "ci" });
const secret = (known: Known) => ({ ...web(known), secretShortName: "db" });
const robot = (known: Known) => ({ ...web(known), principalId: known.robot });
const liveSystem = ({ liveSystem: id }: Known) => ({ id });
const component = (known: Known) => ({ ...liveSystem(known), componentId: known.component });
const definition = (known: Known) => ({ name: "shop", environmentId: web(known), components: [vnet] });
/** An id that nothing has. */
const nowhere = "9f1f7a3e-9d5b-4c62-8d6f-3a1b2c3d4e5e";
/** What browsers send of passkeys that nobody has. */
const createdPasskey = { id: "bm9uZQ", response: { clientDataJSON: "e30", attestationObject: "oA" } };
const signedPasskey = { id: "bm9uZQ", response: { clientDataJSON: "e30", authenticatorData: "AA", signature: "AA" } };
const mine = { shortName: "mine" };
const hook = (known: Known) => ({ ...organization(known), webhookId: known.webhook });
const delivery = (known: Known) => ({ ...hook(known), deliveryId: known.delivery });
/** Everybody has one of their own; whoever has none names the victim's. */
const ownHook: Call = (known, who) => [{ webhookId: known[`${who}Webhook`] ?? known.victimWebhook }];
const ownDelivery: Call = (known, who) => [
  {
    webhookId: known[`${who}Webhook`] ?? known.victimWebhook,
    deliveryId: known[`${who}Delivery`] ?? known.victimDelivery,
  },
];
const newHook = { name: "Chat", url: "https://chat.example/hook" };
const onEnvironment: Call = (known) => [web(known)];
const onOrganization: Call = (known) => [organization(known)];
const nothing: Call = () => [];

/** A good call of every operation. */
export const calls: Readonly<Record<OperationId, Call>> = {
  "environments.create": (known) => [{ ...web(known), shortName: "new" }, {}],
  "environments.update": (known) => [web(known), { name: "Web" }],
  "environments.get": onEnvironment,
  "environments.list": nothing,
  "environments.delete": onEnvironment,
  "environments.providerA.authenticate": onEnvironment,
  "environments.providerA.authentication": onEnvironment,
  "environments.providerA.initialize": (known) => [web(known), { subscriptionId }, cloudA],
  "environments.providerA.status": onEnvironment,
  "environments.providerA.cancel": onEnvironment,
  "environments.providerA.locations": (known) => [web(known), { subscriptionId, ...cloudA }],
  "environments.providerA.subscriptionLocations": (known) => [{ ...web(known), subscriptionId }, cloudA],
  "environments.providerB.initialize": (known) => [web(known), { projectId: "project" }, cloudB],
  "environments.providerB.status": onEnvironment,
  "environments.providerB.cancel": onEnvironment,
  "environments.providerB.locations": (known) => [web(known), { projectName: "project", ...cloudB }],
  "environments.resources.list": (known) => [web(known), { provider: "provider-a" }],
  "environments.resources.declare": (known) => [web(known), { resourceIds: ["/subscriptions/none"] }],
  "environments.ciCdProfiles.create": (known) => [web(known), { shortName: "cd", sshPrivateKeyData: "fake-key:two" }],
  "environments.ciCdProfiles.upsertMany": (known) => [
    web(known),
    [{ shortName: "cd", sshPrivateKeyData: "fake-key:two" }],
  ],
  "environments.ciCdProfiles.list": onEnvironment,
  "environments.ciCdProfiles.get": (known) => [profile(known)],
  "environments.ciCdProfiles.update": (known) => [profile(known), { description: "builds" }],
  "environments.ciCdProfiles.delete": (known) => [profile(known)],
  "environments.secrets.create": (known) => [web(known), { shortName: "api", value: "key" }],
  "environments.secrets.upsertMany": (known) => [web(known), [{ shortName: "api", value: "key" }]],
  "environments.secrets.list": onEnvironment,
  "environments.secrets.get": (known) => [secret(known)],
  "environments.secrets.update": (known) => [secret(known), { value: "another" }],
  "environments.secrets.delete": (known) => [secret(known)],
  "environments.secrets.reveal": (known) => [secret(known), {}],
  "environments.serviceAccounts.list": onEnvironment,
  "environments.serviceAccounts.assign": (known) => [
    { ...web(known), principalId: "9f1f7a3e-9d5b-4c62-8d6f-3a1b2c3d4e5f" },
    { serviceAccountRole: "Bot" },
  ],
  "environments.serviceAccounts.get": (known) => [robot(known)],
  "environments.serviceAccounts.update": (known) => [robot(known), { description: "a robot" }],
  "environments.serviceAccounts.delete": (known) => [robot(known)],
  "environments.serviceAccounts.issueSecret": (known) => [robot(known), {}],
  "environments.serviceAccounts.revokeSecret": (known) => [{ ...robot(known), secretId: known.robotSecret }],
  "environments.serviceAccounts.federatedIdentities.list": (known) => [robot(known)],
  "environments.serviceAccounts.federatedIdentities.create": (known) => [
    robot(known),
    { issuer: "https://ci.example", subject: "repo:acme/shop:ref:refs/heads/main" },
  ],
  "environments.serviceAccounts.federatedIdentities.delete": (known) => [{ ...robot(known), identityId: nowhere }],

  "accounts.createWithCredentials": () => [{ username: "newcomer", password }],
  "accounts.createWithEmail": () => [{ email: "newcomer@example.com" }],
  "accounts.list": nothing,
  "accounts.me": nothing,
  "accounts.get": ({ victim: accountId }) => [{ accountId }],
  "accounts.update": () => [{ name: "Myself" }],
  "accounts.deleteMe": nothing,
  "accounts.changePassword": () => [{ oldPassword: password, newPassword: otherPassword }],
  "accounts.serviceAccount": nothing,
  "accounts.issueServiceAccountSecret": () => [{}],
  "accounts.listServiceAccountSecrets": nothing,
  "accounts.revokeServiceAccountSecret": () => [{ secretId: nowhere }],
  "accounts.activate": () => [{ password }],
  "accounts.activateById": ({ waiting }) => [{ accountId: waiting }, { password }],
  "accounts.resendChallenge": () => [{ email: "waiting@example.com" }],
  "accounts.requestPasswordReset": () => [{ email: "forgetful@example.com" }],
  "accounts.resetPassword": () => [{ newPassword: otherPassword }],
  "accounts.setPassword": ({ victim: accountId }) => [{ accountId }, { newPassword: otherPassword }],
  "accounts.suspend": ({ victim: accountId }) => [{ accountId }],
  "accounts.resume": ({ victim: accountId }) => [{ accountId }],
  "accounts.delete": ({ victim: accountId }) => [{ accountId }],
  "accounts.release": ({ victim: accountId }) => [{ accountId }],
  "accounts.removeFactors": ({ victim: accountId }) => [{ accountId }],
  "accounts.factors.list": nothing,
  "accounts.factors.addTotp": () => [{ name: "Phone" }],
  "accounts.factors.confirmTotp": () => [{ code: "000000" }],
  "accounts.factors.beginPasskey": nothing,
  "accounts.factors.addPasskey": () => [{ credential: createdPasskey }],
  "accounts.factors.issueRecoveryCodes": nothing,
  "accounts.factors.delete": () => [{ factorId: nowhere }],
  "accounts.identities.list": nothing,
  "accounts.identities.authorize": nothing,
  "accounts.identities.link": () => [{ code: "given to nobody" }],
  "accounts.identities.delete": () => [{ identityId: "9f1f7a3e-9d5b-4c62-8d6f-3a1b2c3d4e5f" }],
  "accounts.resourceGroups.list": nothing,
  "accounts.resourceGroups.upsert": () => [mine, { description: "my own" }],
  "accounts.resourceGroups.get": () => [mine],
  "accounts.resourceGroups.delete": () => [mine],
  "accounts.resourceGroups.upsertByShortName": () => [mine, { description: "my own" }],
  "accounts.resourceGroups.getByShortName": () => [mine],
  "accounts.webhooks.list": nothing,
  "accounts.webhooks.create": () => [newHook],
  "accounts.webhooks.get": ownHook,
  "accounts.webhooks.update": (known, who) => [...ownHook(known, who), { name: "Renamed" }],
  "accounts.webhooks.delete": ownHook,
  "accounts.webhooks.issueSecret": ownHook,
  "accounts.webhooks.test": ownHook,
  "accounts.webhooks.resume": ownHook,
  "accounts.webhooks.deliveries.list": ownHook,
  "accounts.webhooks.deliveries.redeliver": ownDelivery,

  "sessions.create": () => [{ username: "victim", password }],
  "sessions.createByCode": () => [{ code: "given to nobody", codeVerifier: "of nothing" }],
  "sessions.authorize": () => [{ codeChallenge: "c".repeat(43) }],
  "sessions.beginByPasskey": nothing,
  "sessions.createByPasskey": () => [{ credential: signedPasskey }],
  "sessions.createByFactor": () => [{ code: "000000" }],
  "sessions.methods": nothing,
  "sessions.list": nothing,
  "sessions.delete": (known, who) => [{ sessionId: sessionOf(known[`${who}Token`] ?? known.victimToken ?? "") }],
  "tokens.create": ({ victimRefresh }) => [{ grant_type: "refresh_token", refresh_token: victimRefresh }],
  "tokens.revoke": ({ victimRefresh }) => [{ token: victimRefresh }],
  "tokens.keys": nothing,

  "organizations.create": () => [{ name: "Another" }],
  "organizations.update": (known) => [{ ...organization(known), description: "We work." }],
  "organizations.list": nothing,
  "organizations.get": onOrganization,
  "organizations.delete": onOrganization,
  "organizations.suspend": onOrganization,
  "organizations.resume": onOrganization,
  "organizations.issueServiceAccountSecret": (known) => [organization(known), {}],
  "organizations.listServiceAccountSecrets": onOrganization,
  "organizations.revokeServiceAccountSecret": (known) => [{ ...organization(known), secretId: nowhere }],
  "organizations.members.list": onOrganization,
  "organizations.permissions.list": onOrganization,
  "organizations.permissions.grant": (known) => [organization(known), victim(known)],
  "organizations.permissions.revoke": (known) => [organization(known), victim(known)],
  "organizations.resourceGroups.list": onOrganization,
  "organizations.resourceGroups.upsert": (known) => [group(known), { description: "tools" }],
  "organizations.resourceGroups.get": (known) => [group(known)],
  "organizations.resourceGroups.delete": (known) => [group(known)],
  "organizations.resourceGroups.permissions.list": (known) => [group(known)],
  "organizations.resourceGroups.permissions.grant": (known) => [group(known), victim(known)],
  "organizations.resourceGroups.permissions.revoke": (known) => [group(known), victim(known)],
  "organizations.teams.list": onOrganization,
  "organizations.teams.upsert": (known) => [organization(known), { shortName: "smiths", description: "smiths" }],
  "organizations.teams.get": (known) => [team(known)],
  "organizations.teams.delete": (known) => [team(known)],
  "organizations.teams.permissions.list": (known) => [team(known)],
  "organizations.teams.permissions.grant": (known) => [team(known), victim(known)],
  "organizations.teams.permissions.revoke": (known) => [team(known), victim(known)],
  "organizations.webhooks.list": onOrganization,
  "organizations.webhooks.create": (known) => [organization(known), newHook],
  "organizations.webhooks.get": (known) => [hook(known)],
  "organizations.webhooks.update": (known) => [hook(known), { name: "Renamed" }],
  "organizations.webhooks.delete": (known) => [hook(known)],
  "organizations.webhooks.issueSecret": (known) => [hook(known)],
  "organizations.webhooks.test": (known) => [hook(known)],
  "organizations.webhooks.resume": (known) => [hook(known)],
  "organizations.webhooks.deliveries.list": (known) => [hook(known)],
  "organizations.webhooks.deliveries.redeliver": (known) => [delivery(known)],
  "permissions.explain": (known) => [organization(known), { principalType: "Account", principalId: known.victim }],

  "subscriptions.create": () => [{ subscriptionType: "Discover" }],
  "subscriptions.update": ({ subscription }) => [{ subscriptionId: subscription }, { subscriptionType: "Discover" }],
  "subscriptions.list": nothing,
  "subscriptions.get": ({ subscription }) => [{ subscriptionId: subscription }],

  "liveSystems.create": (known) => [definition(known)],
  "liveSystems.list": nothing,
  "liveSystems.plan": (known) => [definition(known)],
  "liveSystems.get": (known) => [liveSystem(known)],
  "liveSystems.deploy": (known) => [liveSystem(known), definition(known)],
  "liveSystems.planDeploy": (known) => [liveSystem(known), definition(known)],
  "liveSystems.delete": (known) => [liveSystem(known)],
  "liveSystems.mutations.list": (known) => [liveSystem(known)],
  "liveSystems.mutations.get": (known) => [{ ...liveSystem(known), mutationId: known.mutation }],
  "liveSystems.components.list": (known) => [liveSystem(known)],
  "liveSystems.components.get": (known) => [component(known)],
  "liveSystems.components.check": (known) => [component(known)],
  "liveSystems.components.adoptionPlan": (known) => [component(known)],
  "liveSystems.components.overrides": (known) => [component(known)],
  "liveSystems.components.annotateOverride": (known) => [component(known), { reason: "by hand" }],
  "liveSystems.components.acceptSettled": (known) => [component(known), { pointers: ["/x"], fingerprint: "none" }],
  "liveSystems.components.forgetSettled": (known) => [component(known), { pointers: ["/x"] }],
  "liveSystems.components.dependents": (known) => [component(known)],
  "overrides.list": nothing,
  "overrides.digest": nothing,
  "liveSystems.health": nothing,
  "names.find": ({ victim = "" }) => [{ id: [victim] }],
  "events.log": nothing,
  "events.follow": () => [{ after: 0, signal: AbortSignal.abort() }],
};

/** Calls of an operation whose right depends on what is asked for. */
export const otherCalls: Readonly<Record<string, readonly [OperationId, Call]>> = {
  "environments.create again": ["environments.create", (known) => [web(known), {}]],
  "environments.create in the group": [
    "environments.create",
    (known) => [
      { ...web(known), shortName: "new" },
      { resourceGroups: [`Organizational/${known.organization}/tools`] },
    ],
  ],
  "environments.update out of the group": ["environments.update", (known) => [web(known), { resourceGroups: [] }]],
  "environments.update of its scopes": ["environments.update", (known) => [web(known), { resourceScopes: [] }]],
  "organizations.resourceGroups.upsert anew": [
    "organizations.resourceGroups.upsert",
    (known) => [{ ...group(known), shortName: "new" }, {}],
  ],
  "organizations.teams.upsert anew": [
    "organizations.teams.upsert",
    (known) => [organization(known), { shortName: "new" }],
  ],
  "permissions.explain of oneself": [
    "permissions.explain",
    (known, who) => [organization(known), { principalType: "Account", principalId: known[who] ?? known.victim }],
  ],
  "accounts.update of the address": ["accounts.update", () => [{ email: "elsewhere@example.com" }]],
  "organizations.update to require a second factor": [
    "organizations.update",
    (known) => [{ ...organization(known), requiresSecondFactor: true }],
  ],
  "subscriptions.create for another": [
    "subscriptions.create",
    ({ victim: accountId }) => [
      {
        subscriptionType: "Enterprise",
        enterpriseSubscriptionDetails: {
          maxNumberOfAccounts: 5,
          maxNumberOfOrganizations: 5,
          expirationDate: "2099-01-01T00:00:00Z",
        },
      },
      { accountId },
    ],
  ],
};
