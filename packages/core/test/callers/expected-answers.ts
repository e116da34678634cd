import type { OperationId } from "../../src/contract/routes.ts";

/*
 * What everybody is answered, written out by hand from what is promised, not taken from the rows of the contract.
 */

/** Who calls, in the order of the columns of `table`. */
export const callers = [
  "nobody",
  "stranger",
  ...["orgView", "orgEdit", "orgTerminate", "orgAdmin"],
  ...["groupView", "groupEdit", "groupTerminate", "groupAdmin"],
  ...["teamView", "teamEdit", "teamTerminate", "teamAdmin"],
  "owner",
  "operator",
  "ownService",
  "grantedService",
] as const;

/**
 * An organization is the owner's. The next four were granted a right on it each, then four on its one resource group, then four on
 * its one team. `ownService` is the service account of `orgAdmin`, with no grant of its own; `grantedService` was granted Edit on the
 * organization. The environment lists the group, and the live system is in the environment.
 */
const table = `
                        nobody  stranger  org: V E T A      group: V E T A   team: V E T A    owner  operator  ownService  grantedService
anybody                 ok      ok        ok  ok  ok  ok    ok  ok  ok  ok   ok  ok  ok  ok   ok     ok        ok          ok
signed in               401     ok        ok  ok  ok  ok    ok  ok  ok  ok   ok  ok  ok  ok   ok     ok        ok          ok
oneself                 401     ok        ok  ok  ok  ok    ok  ok  ok  ok   ok  ok  ok  ok   ok     ok        ok          ok
in person               401     ok        ok  ok  ok  ok    ok  ok  ok  ok   ok  ok  ok  ok   ok     ok        403         403
challenge               401     spent     spent spent spent spent  spent spent spent spent  spent spent spent spent  spent  spent  spent  spent
registering             401     403       403 403 403 403   403 403 403 403  403 403 403 403  403    ok        403         403
operator                401     403       403 403 403 403   403 403 403 403  403 403 403 403  403    ok        403         403
operator on account     401     404       404 404 404 404   404 404 404 404  404 404 404 404  404    ok        404         404
operator on org         401     404       403 403 403 403   404 404 404 404  404 404 404 404  403    ok        404         403
operator on plan        401     404       404 404 404 404   404 404 404 404  404 404 404 404  403    ok        404         404
for another             401     403       403 403 403 403   403 403 403 403  403 403 403 403  403    ok        403         403
own plan                401     404       404 404 404 404   404 404 404 404  404 404 404 404  ok     ok        404         404

View organization       401     404       ok  ok  ok  ok    404 404 404 404  404 404 404 404  ok     404       404         ok
Edit organization       401     404       403 ok  403 ok    404 404 404 404  404 404 404 404  ok     404       404         ok
Terminate organization  401     404       403 403 ok  ok    404 404 404 404  404 404 404 404  ok     404       404         403
Admin organization      401     404       403 403 403 ok    404 404 404 404  404 404 404 404  ok     404       404         403
part of organization    401     404       ok  ok  ok  ok    ok  ok  ok  ok   ok  ok  ok  ok   ok     404       404         ok

View group              401     404       ok  ok  ok  ok    ok  ok  ok  ok   404 404 404 404  ok     404       404         ok
Edit group              401     404       403 ok  403 ok    403 ok  403 ok   404 404 404 404  ok     404       404         ok
Terminate group         401     404       403 403 ok  ok    403 403 ok  ok   404 404 404 404  ok     404       404         403
Admin group             401     404       403 403 403 ok    403 403 403 ok   404 404 404 404  ok     404       404         403

View team               401     404       ok  ok  ok  ok    404 404 404 404  ok  ok  ok  ok   ok     404       404         ok
Edit team               401     404       403 ok  403 ok    404 404 404 404  403 ok  403 ok   ok     404       404         ok
Terminate team          401     404       403 403 ok  ok    404 404 404 404  403 403 ok  ok   ok     404       404         403
Admin team              401     404       403 403 403 ok    404 404 404 404  403 403 403 ok   ok     404       404         403

Edit new team           401     404       403 ok  403 ok    404 404 404 404  404 404 404 404  ok     404       404         ok

View environment        401     404       ok  ok  ok  ok    ok  ok  ok  ok   404 404 404 404  ok     404       404         ok
Edit environment        401     404       403 ok  403 ok    403 ok  403 ok   404 404 404 404  ok     404       404         ok
Edit owner if seen      401     404       403 ok  403 ok    403 403 403 403  404 404 404 404  ok     404       404         ok
Edit its groups         401     404       403 ok  403 ok    403 ok  403 ok   404 404 404 404  ok     404       404         ok
Terminate environment   401     404       403 403 ok  ok    403 403 ok  ok   404 404 404 404  ok     404       404         403
Admin environment       401     404       403 403 403 ok    403 403 403 ok   404 404 404 404  ok     404       404         403
begin environment       401     404       403 403 403 ok    403 403 403 ok   404 404 404 404  ok     404       404         403
reveal                  401     404       403 403 403 ok    403 403 403 ok   404 404 404 404  ok     404       404         403
`;

/** What somebody with a role in the environment is answered, and others whom it doesn't matter what they may do. */
const otherTable = `
                        cloudAgent  ciCd   keyVault  bot    custom  customEdit  disabled  suspended  mustChange
anybody                 ok          ok     ok        ok     ok      ok          ok        ok         ok
signed in               ok          ok     ok        ok     ok      ok          off       revoked    password
View environment        ok          ok     404       ok     404     ok          off       revoked    password
Edit environment        403         ok     404       403    404     ok          off       revoked    password
Edit owner if seen      403         403    404       403    404     403         off       revoked    password
Edit its groups         403         403    404       403    404     403         off       revoked    password
Terminate environment   403         403    404       403    404     403         off       revoked    password
Admin environment       403         403    404       403    404     403         off       revoked    password
begin environment       403         ok     404       403    404     403         off       revoked    password
reveal                  ok          403    ok        403    404     403         off       revoked    password
registering             403         403    403       403    403     403         403       revoked    password
challenge               spent       spent  spent     spent  spent   spent       spent     spent      spent
anything else           scope       scope  scope     scope  scope   scope       off       revoked    password
`;

/** Who calls, in the order of the columns of `otherTable`. */
export const otherCallers = [
  ...["cloudAgent", "ciCd", "keyVault", "bot", "custom", "customEdit"],
  ...["disabled", "suspended", "mustChange"],
] as const;

/** The words of the tables in the codes of refusals. */
const codes: Readonly<Record<string, string>> = {
  "401": "Unauthenticated",
  "403": "PermissionDenied",
  "404": "NotFound",
  scope: "InsufficientScope",
  off: "ServiceAccountDisabled",
  revoked: "TokenRevoked",
  password: "PasswordChangeRequired",
  spent: "ChallengeInvalid",
};

/**
 * The right that every operation takes; what it is to an expired plan and a suspended organization: it `reads`, `writes` or `ends`
 * something, or is none of their business (`own`); and what is answered where the right is there, but the state isn't for it.
 */
const operations: Readonly<Record<OperationId, Wanted>> = {
  "environments.create": "Edit organization, writes",
  "environments.update": "Edit environment, writes",
  "environments.get": "View environment, reads",
  "environments.list": "signed in, own",
  "environments.delete": "Terminate environment, ends, EnvironmentNotEmpty",
  "environments.providerA.authenticate": "Edit environment, writes",
  "environments.providerA.authentication": "Edit environment, reads",
  "environments.providerA.initialize": "begin environment, writes",
  "environments.providerA.status": "View environment, reads",
  "environments.providerA.cancel": "Admin environment, ends, InvalidState",
  "environments.providerA.locations": "View environment, reads",
  "environments.providerA.subscriptionLocations": "View environment, reads",
  "environments.providerB.initialize": "begin environment, writes",
  "environments.providerB.status": "View environment, reads",
  "environments.providerB.cancel": "Admin environment, ends",
  "environments.providerB.locations": "View environment, reads",
  "environments.resources.list": "Edit environment, reads",
  "environments.resources.declare": "Edit environment, reads",
  "environments.ciCdProfiles.create": "Edit environment, writes",
  "environments.ciCdProfiles.upsertMany": "Edit environment, writes",
  "environments.ciCdProfiles.list": "View environment, reads",
  "environments.ciCdProfiles.get": "View environment, reads",
  "environments.ciCdProfiles.update": "Edit environment, writes",
  "environments.ciCdProfiles.delete": "Edit environment, ends",
  "environments.secrets.create": "Edit environment, writes",
  "environments.secrets.upsertMany": "Edit environment, writes",
  "environments.secrets.list": "View environment, reads",
  "environments.secrets.get": "View environment, reads",
  "environments.secrets.update": "Edit environment, writes",
  "environments.secrets.delete": "Edit environment, ends",
  "environments.secrets.reveal": "reveal, reads",
  "environments.serviceAccounts.list": "Admin environment, reads",
  "environments.serviceAccounts.assign": "Admin environment, writes",
  "environments.serviceAccounts.get": "Admin environment, reads",
  "environments.serviceAccounts.update": "Admin environment, writes",
  "environments.serviceAccounts.delete": "Admin environment, ends",
  "environments.serviceAccounts.issueSecret": "Admin environment, writes",
  "environments.serviceAccounts.revokeSecret": "Admin environment, ends",
  "environments.serviceAccounts.federatedIdentities.list": "Admin environment, reads",
  "environments.serviceAccounts.federatedIdentities.create": "Admin environment, writes, FeatureDisabled",
  "environments.serviceAccounts.federatedIdentities.delete": "Admin environment, ends, NotFound",

  "accounts.createWithCredentials": "registering, own",
  "accounts.createWithEmail": "anybody, own",
  "accounts.list": "operator, own",
  "accounts.me": "oneself, own",
  "accounts.get": "operator on account, own",
  "accounts.update": "oneself, own",
  "accounts.deleteMe": "in person, own",
  "accounts.changePassword": "in person, own",
  "accounts.serviceAccount": "oneself, own",
  "accounts.issueServiceAccountSecret": "in person, own",
  "accounts.listServiceAccountSecrets": "in person, own",
  "accounts.revokeServiceAccountSecret": "in person, own, NotFound",
  "accounts.activate": "challenge, own",
  "accounts.activateById": "challenge, own",
  "accounts.resendChallenge": "anybody, own",
  "accounts.requestPasswordReset": "anybody, own",
  "accounts.resetPassword": "challenge, own",
  "accounts.setPassword": "operator on account, own",
  "accounts.suspend": "operator on account, own",
  "accounts.resume": "operator on account, own",
  "accounts.delete": "operator on account, own",
  "accounts.release": "operator on account, own, NotFound",
  "accounts.removeFactors": "operator on account, own, NotFound",
  "accounts.factors.list": "in person, own",
  "accounts.factors.addTotp": "in person, own",
  "accounts.factors.confirmTotp": "in person, own, InvalidState",
  "accounts.factors.beginPasskey": "in person, own",
  "accounts.factors.addPasskey": "in person, own, InvalidCredentials",
  "accounts.factors.issueRecoveryCodes": "in person, own, InvalidState",
  "accounts.factors.delete": "in person, own, NotFound",
  "accounts.identities.list": "in person, own",
  "accounts.identities.authorize": "in person, own, FeatureDisabled",
  "accounts.identities.link": "in person, own, SignInInvalid",
  "accounts.identities.delete": "in person, own, NotFound",
  "accounts.resourceGroups.list": "oneself, reads",
  "accounts.resourceGroups.upsert": "oneself, writes",
  "accounts.resourceGroups.get": "oneself, reads",
  "accounts.resourceGroups.delete": "oneself, ends",
  "accounts.resourceGroups.upsertByShortName": "oneself, writes",
  "accounts.resourceGroups.getByShortName": "oneself, reads",
  "accounts.webhooks.list": "in person, reads",
  "accounts.webhooks.create": "in person, writes",
  "accounts.webhooks.get": "in person, reads",
  "accounts.webhooks.update": "in person, writes",
  "accounts.webhooks.delete": "in person, ends",
  "accounts.webhooks.issueSecret": "in person, writes",
  "accounts.webhooks.test": "in person, writes",
  "accounts.webhooks.resume": "in person, writes",
  "accounts.webhooks.deliveries.list": "in person, reads",
  "accounts.webhooks.deliveries.redeliver": "in person, writes",

  "sessions.create": "anybody, own",
  "sessions.createByCode": "anybody, own, SignInInvalid",
  "sessions.authorize": "in person, own",
  "sessions.beginByPasskey": "anybody, own",
  "sessions.createByPasskey": "anybody, own, InvalidCredentials",
  "sessions.createByFactor": "in person, own, InvalidState",
  "sessions.methods": "anybody, own",
  "sessions.list": "in person, own",
  "sessions.delete": "in person, own",
  "tokens.create": "anybody, own",
  "tokens.revoke": "anybody, own",
  "tokens.keys": "anybody, own",

  "organizations.create": "in person, writes",
  "organizations.update": "Edit organization, writes",
  "organizations.list": "signed in, own",
  "organizations.get": "View organization, reads",
  "organizations.delete": "Terminate organization, ends, EnvironmentNotEmpty",
  "organizations.suspend": "operator on org, own",
  "organizations.resume": "operator on org, own",
  "organizations.issueServiceAccountSecret": "Admin organization, writes",
  "organizations.listServiceAccountSecrets": "Admin organization, reads",
  "organizations.revokeServiceAccountSecret": "Admin organization, ends, NotFound",
  "organizations.members.list": "View organization, reads",
  "organizations.permissions.list": "View organization, reads",
  "organizations.permissions.grant": "Admin organization, writes",
  "organizations.permissions.revoke": "Admin organization, ends",
  "organizations.resourceGroups.list": "part of organization, reads",
  "organizations.resourceGroups.upsert": "Edit group, writes",
  "organizations.resourceGroups.get": "View group, reads",
  "organizations.resourceGroups.delete": "Terminate group, ends",
  "organizations.resourceGroups.permissions.list": "View group, reads",
  "organizations.resourceGroups.permissions.grant": "Admin group, writes",
  "organizations.resourceGroups.permissions.revoke": "Admin group, ends",
  "organizations.teams.list": "part of organization, reads",
  "organizations.teams.upsert": "Edit team, writes",
  "organizations.teams.get": "View team, reads",
  "organizations.teams.delete": "Terminate team, ends",
  "organizations.teams.permissions.list": "View team, reads",
  "organizations.teams.permissions.grant": "Admin team, writes",
  "organizations.teams.permissions.revoke": "Admin team, ends",
  "organizations.webhooks.list": "Admin organization, reads",
  "organizations.webhooks.create": "Admin organization, writes",
  "organizations.webhooks.get": "Admin organization, reads",
  "organizations.webhooks.update": "Admin organization, writes",
  "organizations.webhooks.delete": "Admin organization, ends",
  "organizations.webhooks.issueSecret": "Admin organization, writes",
  "organizations.webhooks.test": "Admin organization, writes",
  "organizations.webhooks.resume": "Admin organization, writes",
  "organizations.webhooks.deliveries.list": "Admin organization, reads",
  "organizations.webhooks.deliveries.redeliver": "Admin organization, writes",
  "permissions.explain": "Admin organization, reads",

  "subscriptions.create": "oneself, own",
  "subscriptions.update": "operator on plan, own",
  "subscriptions.list": "operator, own",
  "subscriptions.get": "own plan, own",

  "liveSystems.create": "Edit environment, writes",
  "liveSystems.list": "signed in, own",
  "liveSystems.plan": "Edit environment, reads",
  "liveSystems.get": "View environment, reads",
  "liveSystems.deploy": "Edit environment, writes",
  "liveSystems.planDeploy": "View environment, reads",
  "liveSystems.delete": "Terminate environment, ends",
  "liveSystems.mutations.list": "View environment, reads",
  "liveSystems.mutations.get": "View environment, reads",
  "liveSystems.components.list": "View environment, reads",
  "liveSystems.components.get": "View environment, reads",
  "liveSystems.components.check": "Edit environment, writes",
  "liveSystems.components.adoptionPlan": "View environment, reads",
  "liveSystems.components.overrides": "View environment, reads",
  "liveSystems.components.annotateOverride": "Edit environment, writes",
  "liveSystems.components.acceptSettled": "Edit environment, writes, Conflict",
  "liveSystems.components.forgetSettled": "Edit environment, writes, ValidationFailed",
  "liveSystems.components.dependents": "View environment, reads",
  "overrides.list": "signed in, own",
  "overrides.digest": "signed in, own",
  "liveSystems.health": "signed in, own",
  "names.find": "signed in, own",
  "events.log": "operator, own",
  "events.follow": "signed in, own",
};

/** The same, of calls whose right depends on what is asked for. */
const others: Readonly<Record<string, Wanted>> = {
  "environments.create again": "Edit owner if seen, writes, AlreadyExists",
  "environments.create in the group": "Edit organization, writes",
  "environments.update out of the group": "Edit its groups, writes",
  "environments.update of its scopes": "Admin environment, writes",
  "organizations.resourceGroups.upsert anew": "Edit organization, writes",
  "organizations.teams.upsert anew": "Edit new team, writes",
  "permissions.explain of oneself": "part of organization, reads",
  "subscriptions.create for another": "for another, own",
  "accounts.update of the address": "in person, own",
  "organizations.update to require a second factor": "Admin organization, writes, OrganizationRequiresSecondFactor",
};

type Wanted = `${string}, ${"reads" | "writes" | "ends" | "own"}${"" | `, ${string}`}`;

interface Expectation {
  readonly right: string;
  readonly effect: string;
  /** What is answered to who has the right. */
  readonly granted: string;
}

function expectation(name: string): Expectation {
  const wanted = { ...operations, ...others }[name] ?? "";
  const [right = "", effect = "", granted = "ok"] = wanted.split(", ");
  return { right, effect, granted };
}

function rowsOf(text: string): Map<string, string[]> {
  const [, ...lines] = text.split("\n").filter((line) => line.trim() !== "");
  return new Map(lines.map((line) => [line.slice(0, 24).trim(), line.slice(24).trim().split(/ +/)]));
}

const [rows, otherRows] = [rowsOf(table), rowsOf(otherTable)];

/** What one of `callers` is answered: "ok", or the code of a refusal. */
export function answerTo(name: string, who: (typeof callers)[number]): string {
  const { right, granted } = expectation(name);
  const word = rows.get(right)?.[callers.indexOf(who)] ?? `no row for ${right}`;
  return word === "ok" ? granted : (codes[word] ?? word);
}

/** What one of `otherCallers` is answered. */
export function answerToOther(name: string, who: (typeof otherCallers)[number]): string {
  const { right, granted } = expectation(name);
  const isElsewhere = right === "signed in" && name === "organizations.list";
  const row = (isElsewhere ? undefined : otherRows.get(right)) ?? otherRows.get("anything else") ?? [];
  const word = row[otherCallers.indexOf(who)] ?? `no row for ${right}`;
  const isAllowed = word === "ok" || (who === "mustChange" && maySoon.has(name));
  return isAllowed ? granted : (codes[word] ?? word);
}

/** What somebody may do whose password must change. */
const maySoon = new Set([
  "accounts.changePassword",
  "sessions.beginByPasskey",
  "sessions.createByFactor",
  "sessions.delete",
]);

/** What the owner is answered once the plan has expired: creates and updates are refused, all else goes on. */
export function answerWhenExpired(name: string): string {
  // Their plan was chosen, so it isn't the one that a new plan replaces.
  if (name === "subscriptions.create") return "AlreadyExists";
  return expectation(name).effect === "writes" ? "SubscriptionExpired" : answerTo(name, "owner");
}

/** What the owner is answered while the organization is suspended: it can be read and be deleted, one's own things go on. */
export function answerWhenSuspended(name: string): string {
  const { right, effect } = expectation(name);
  const isUnchanged =
    effect === "own" ||
    effect === "reads" ||
    right === "oneself" ||
    right === "in person" ||
    name === "organizations.delete";
  return isUnchanged ? answerTo(name, "owner") : "AccountNotActive";
}
