import { createAccess } from "./access/authorize.ts";
import { createChallengeAccess } from "./access/challenge-access.ts";
import { createIdentify } from "./access/identify.ts";
import { createNameLookup, type LiveSystemNames, type WebhookNames } from "./access/names.ts";
import { createOwners } from "./access/owners.ts";
import { createRights } from "./access/rights.ts";
import { createAccountAdministration } from "./identity/account-administration.ts";
import { createAccountDirectory } from "./identity/account-directory.ts";
import { accounts as accountRecords } from "./identity/account-record.ts";
import { createAccountReleases } from "./identity/account-release.ts";
import { createAccounts } from "./identity/accounts.ts";
import { dueAccounts } from "./identity/accounts-purge.ts";
import { createCommonPasswords } from "./identity/common-passwords.ts";
import { sealedFactors } from "./identity/factor-record.ts";
import { createFactors } from "./identity/factors.ts";
import { createPasskeyFactors } from "./identity/passkey-factors.ts";
import { createPasskeys } from "./identity/passkeys.ts";
import { inOneForm } from "./identity/passwords.ts";
import { createPost } from "./identity/post.ts";
import { createSealedTickets } from "./identity/sealed-tickets.ts";
import { sealedStock } from "./keys/rotation.ts";
import type { AccountDirectory } from "./permissions/account-directory.ts";
import { createLastAdmin } from "./permissions/last-admin.ts";
import { createPermissionGraphs } from "./permissions/permission-graph.ts";
import type { PasskeyVerifier, PipelineIssuer, SignInIssuer } from "./ports/identity.ts";
import type { Reader } from "./records/records.ts";
import type { Services } from "./services.ts";
import { createFederatedIdentities } from "./sessions/federated-identities.ts";
import { createIssuerServices } from "./sessions/issuer-services.ts";
import { createLockout } from "./sessions/lockout.ts";
import { createServiceAccountCredentials } from "./sessions/service-accounts.ts";
import { createSessions } from "./sessions/sessions.ts";
import { createSigningKeys, sealedSigningKeys } from "./sessions/signing-keys.ts";
import { createTokens } from "./sessions/tokens.ts";
import { createOrganizationChanges } from "./tenancy/organization-changes.ts";
import { createOrganizationHandlers } from "./tenancy/organization-handlers.ts";
import { organizations } from "./tenancy/organization-record.ts";
import { dueOrganizations } from "./tenancy/organizations-purge.ts";
import { type CountResources, planOwners } from "./tenancy/plan-owners.ts";
import { createSeats } from "./tenancy/plan-usage.ts";
import { groupExists } from "./tenancy/resource-group-record.ts";
import { dueExpiries } from "./tenancy/subscription-expiry.ts";
import { createSubscriptions } from "./tenancy/subscriptions.ts";
import { teams } from "./tenancy/team-record.ts";

type Given = Pick<
  Services,
  | "records"
  | "pages"
  | "runtime"
  | "settings"
  | "sealer"
  | "scheduler"
  | "claims"
  | "scopes"
  | "secretKey"
  | "formerKeys"
  | "hasher"
  | "signer"
  | "externalVerifier"
  | "mailer"
  | "holdings"
  | "liveSystemsOf"
> & {
  readonly pipelineIssuers: readonly PipelineIssuer[];
  readonly signInIssuer?: SignInIssuer;
  readonly passkeyVerifier?: PasskeyVerifier;
  readonly resourcesOf: CountResources;
  readonly liveSystemNames: LiveSystemNames;
  readonly webhookNames: WebhookNames;
};

/** Creates what the parts of the account service share. */
function accountServices(options: Given, invite: AccountDirectory["invite"]) {
  const { records, runtime, settings } = options;
  const graphs = createPermissionGraphs();
  const seats = createSeats({ settings, ...planOwners(options.resourcesOf) });
  const changes = createOrganizationChanges({ graphs, seats, runtime });
  const accounts = createAccountDirectory(invite);
  const lastAdmin = createLastAdmin({ accounts, graphs, changes, seats });
  const post = createPost(options);
  const lockout = createLockout({ ...options, onLock: post.recovery.locked });
  const credentials = createServiceAccountCredentials({ records, runtime, onIssue: post.recovery.secretIssued });
  const organizationActs = async (id: string) => (await records.get(organizations, [id]))?.status === "Active";
  const tenancy = { graphs, seats, changes, accounts, lastAdmin, principals: credentials, organizationActs };
  const tickets = createSealedTickets(options);
  const passkeys = createPasskeys({ runtime, settings, tickets, verifier: options.passkeyVerifier ?? null });
  const signingIn = {
    tickets,
    passkeys,
    hasher: inOneForm(options.hasher),
    isCommonPassword: createCommonPasswords(),
    keys: createSigningKeys(options),
    lockout,
    credentials,
  };
  return { ...options, ...post, ...tenancy, ...signingIn };
}

/** Creates the account service: its operations, the access checks for all operations, and what the other areas ask of it. */
export function createAccountArea(options: Given) {
  const services = accountServices(options, (change, email) => people.invite(change, email));
  const { records, runtime, scopes, credentials, seats } = services;
  const owners = createOwners(services);
  const plans = createSubscriptions(services);
  const sessions = createSessions(services);
  const identities = createFederatedIdentities({ ...services, issuers: options.pipelineIssuers });
  const releases = createAccountReleases(services);
  const beginnings = { begin: sessions.begin, startSubscription: plans.startDiscover };
  const issuer = createIssuerServices({ ...services, ...beginnings });
  const people = createAccounts({
    ...services,
    ...beginnings,
    accountOf: owners.accountOf,
    keepSession: sessions.keep,
  });
  const owning = { ...services, accountOf: owners.accountOf, keepSession: sessions.keep };
  const factors = { ...createFactors(owning), ...createPasskeyFactors(owning) };
  const administration = createAccountAdministration({ ...services, releases });
  const access = createAccess({
    ...services,
    scopes,
    rights: createRights(services),
    identify: createIdentify(services),
    requireChallengeAccess: createChallengeAccess(services),
  });
  return {
    access,
    credentials,
    identities,
    seats,
    owners,
    groupExists,
    isSomethingElse,
    sessionHandles: sessions.handles,
    signIn: issuer.signIn,
    administration: administration.host,
    handlers: {
      ...people.handlers,
      ...factors,
      ...administration.handlers,
      ...releases.handlers,
      ...sessions.handlers,
      ...issuer.handlers,
      ...createTokens({ ...services, sessions, identities }),
      ...createOrganizationHandlers(services),
      ...createNameLookup({ ...services, access }),
      ...plans.handlers,
    },
    deliverMail: services.mail.deliver,
    releases: releases.task,
    sealed: [sealedStock(options, sealedSigningKeys), sealedStock(options, sealedFactors)],
    due: [
      ...dueAccounts({ ...services, releases, plans }),
      dueExpiries(runtime, records),
      ...dueOrganizations(services),
    ],
    housekeep: () => services.mail.housekeep(),
  };
}

/** Whether an ID belongs to an account, an organization or a team, rather than a service account. */
async function isSomethingElse(reader: Reader, id: string): Promise<boolean> {
  const [account, organization] = await reader.getPair([accountRecords, [id]], [organizations, [id]]);
  return account !== null || organization !== null || (await reader.find(teams, "principal", [id])) !== null;
}
