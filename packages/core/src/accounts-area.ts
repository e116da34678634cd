import type { Access, ScopeResolvers } from "./access/access.ts";
import { createAccess } from "./access/authorize.ts";
import { createChallengeAccess } from "./access/challenge-access.ts";
import { createIdentify } from "./access/identify.ts";
import { createOwners, type Owners } from "./access/owners.ts";
import { createRights } from "./access/rights.ts";
import type { Handlers } from "./contract/handler.ts";
import { handlersLater } from "./contract/handlers-later.ts";
import { parseGroupName } from "./contract/target.ts";
import { createAccountAdministration, type HostAdministration } from "./identity/account-administration.ts";
import { createAccountDirectory } from "./identity/account-directory.ts";
import { accounts } from "./identity/account-record.ts";
import { type AccountReleases, createAccountReleases, type Holdings } from "./identity/account-release.ts";
import { createAccounts } from "./identity/accounts.ts";
import { dueAccounts } from "./identity/accounts-purge.ts";
import { createChallenges } from "./identity/challenges.ts";
import { createCommonPasswords } from "./identity/common-passwords.ts";
import { inOneForm } from "./identity/passwords.ts";
import { createRecovery } from "./identity/recovery.ts";
import { sealedStock } from "./keys/rotation.ts";
import { createMailAllowances } from "./mail/mail-allowances.ts";
import { createMailRoom, type MailRoomDeps } from "./mail/mail-room.ts";
import type { OrganizationDeps, OrganizationHandlers } from "./organization-handlers.ts";
import { isOperator } from "./permissions/actors.ts";
import { createLastAdmin, type LastAdmin } from "./permissions/last-admin.ts";
import { createPermissionGraphs } from "./permissions/permission-graph.ts";
import type {
  ExternalVerifier,
  Mailer,
  PasswordHasher,
  PipelineIssuer,
  SignInIssuer,
  TokenSigner,
} from "./ports/identity.ts";
import type { Runtime } from "./ports/runtime.ts";
import type { Scheduler, ShardedTask } from "./ports/scheduler.ts";
import type { SealedStock, Sealer } from "./ports/secrets.ts";
import type { Claims } from "./records/claim.ts";
import type { DueWork } from "./records/due.ts";
import type { Pages } from "./records/pages.ts";
import type { Change, Reader, Records } from "./records/records.ts";
import { createFederatedIdentities, type FederatedIdentities } from "./sessions/federated-identities.ts";
import { createIssuerServices } from "./sessions/issuer-services.ts";
import type { IssuerSignIn } from "./sessions/issuer-sign-in.ts";
import { createLockout } from "./sessions/lockout.ts";
import { createServiceAccountCredentials, type ServiceAccountCredentials } from "./sessions/service-accounts.ts";
import type { SessionHandles } from "./sessions/session-handles.ts";
import { createSessions } from "./sessions/sessions.ts";
import { createSigningKeys, sealedSigningKeys } from "./sessions/signing-keys.ts";
import { createTokens } from "./sessions/tokens.ts";
import type { Settings } from "./settings.ts";
import { createOrganizationChanges } from "./tenancy/organization-changes.ts";
import { organizations } from "./tenancy/organization-record.ts";
import { dueOrganizations } from "./tenancy/organizations-purge.ts";
import { type CountResources, planOwners } from "./tenancy/plan-owners.ts";
import { createSeats, type Seats } from "./tenancy/plan-usage.ts";
import { groupKey, resourceGroups } from "./tenancy/resource-group-record.ts";
import { dueExpiries } from "./tenancy/subscription-expiry.ts";
import { createSubscriptions, type Subscriptions } from "./tenancy/subscriptions.ts";
import { teams } from "./tenancy/team-record.ts";

/** What the account service needs from outside. */
export interface AccountAreaDeps {
  readonly records: Records;
  readonly pages: Pages;
  readonly runtime: Runtime;
  readonly settings: Settings;
  readonly hasher: PasswordHasher;
  readonly signer: TokenSigner;
  readonly mailer: Mailer;
  readonly sealer: Sealer;
  readonly externalVerifier?: ExternalVerifier;
  readonly pipelineIssuers: readonly PipelineIssuer[];
  readonly signInIssuer?: SignInIssuer;
  readonly secretKey: () => Promise<Uint8Array>;
  readonly formerKeys?: () => Promise<readonly Uint8Array[]>;
  readonly scopes: ScopeResolvers;
  readonly resourcesOf: CountResources;
  readonly liveSystemsOf: (group: string) => Promise<readonly string[]>;
  readonly holdings: Holdings;
  readonly claims: Claims;
  readonly scheduler: Scheduler;
}

/** The operations of the account service. */
type AccountHandlers = Omit<Handlers<"accounts">, keyof Handlers<"accounts.webhooks">> &
  Handlers<"sessions"> &
  Handlers<"tokens"> &
  Omit<Handlers<"organizations">, keyof Handlers<"organizations.webhooks">> &
  Handlers<"permissions"> &
  Handlers<"subscriptions">;

/** The account service: its operations, the judgement over all others, and what other areas ask of it. */
export interface AccountArea {
  readonly handlers: AccountHandlers;
  readonly access: Access;
  readonly credentials: ServiceAccountCredentials;
  readonly identities: FederatedIdentities;
  readonly sessionHandles: SessionHandles;
  readonly seats: Pick<Seats, "count">;
  /** Whether an id is an account's, an organization's or a team's: anything but a service account's. */
  isSomethingElse(reader: Reader, id: string): Promise<boolean>;
  groupExists(reader: Reader, group: string): Promise<boolean>;
  readonly administration: HostAdministration;
  /** Where owners stand, and who is told of what is theirs. */
  readonly owners: Owners;
  /** The sign-in at the host's issuer; `null`: there is none. */
  readonly signIn: IssuerSignIn | null;
  /** Sends the mails that wait. */
  deliverMail(): Promise<void>;
  /** Releases of what deleted accounts had: work that comes back. */
  readonly releases: ShardedTask;
  /** What it keeps sealed. */
  readonly sealed: readonly SealedStock[];
  /** What falls due with time. */
  readonly due: readonly DueWork[];
  housekeep(): Promise<void>;
}

/** Builds the account service. */
export function createAccountArea(options: AccountAreaDeps): AccountArea {
  const deps = { ...options, hasher: inOneForm(options.hasher) };
  const { records, runtime, settings } = deps;
  const graphs = createPermissionGraphs();
  const seats = createSeats({ limits: settings.plans, ...planOwners(deps.resourcesOf) });
  const changes = createOrganizationChanges({ graphs, seats, runtime });
  const organizationActs = async (id: string) => (await records.get(organizations, [id]))?.status === "Active";
  const post = createPost(deps);
  const lockout = createLockout({ ...deps, onLock: post.recovery.locked });
  const credentials = createServiceAccountCredentials({ records, runtime, onIssue: post.recovery.secretIssued });
  const keys = createSigningKeys(deps);
  const sessions = createSessions({ ...deps, keys, lockout });
  const { tokens, identities } = tokenParts({ ...deps, keys, sessions, credentials, organizationActs });
  const directory = createAccountDirectory((change, email) => people.invite(change, email));
  const lastAdmin = createLastAdmin({ accounts: directory, graphs, changes, seats });
  const area = { ...deps, graphs, changes, seats, lastAdmin, accounts: directory, principals: credentials };
  const plans = createSubscriptions(area);
  const people = createAccounts({
    ...deps,
    ...post,
    lockout,
    isCommonPassword: createCommonPasswords(),
    isOperator: (actor) => isOperator(actor, settings),
    startSubscription: plans.startDiscover,
    ...ownersBy(credentials),
    keepSession: sessions.keep,
  });
  const beginnings = { begin: sessions.begin, startSubscription: plans.startDiscover };
  const issuer = createIssuerServices({ ...deps, ...post, ...beginnings });
  const releases = createAccountReleases(deps);
  const administration = administrationOf({ ...area, ...post, lockout }, releases);
  const requireChallengeAccess = createChallengeAccess({ ...post, settings });
  const identify = createIdentify({ ...deps, keys, credentials, organizationActs });
  return {
    credentials,
    identities,
    sessionHandles: sessions.handles,
    releases: releases.task,
    seats,
    administration: administration.host,
    signIn: issuer.signIn,
    access: createAccess({ ...area, rights: createRights(area), identify, requireChallengeAccess }),
    handlers: {
      ...people.handlers,
      ...administration.handlers,
      ...releases.handlers,
      ...sessions.handlers,
      ...issuer.handlers,
      ...tokens,
      ...organizationHandlers({ ...area, credentials, organizationPrincipal }),
      ...plans.handlers,
    },
    isSomethingElse,
    groupExists,
    owners: createOwners({ ...area, mail: post.mail }),
    deliverMail: post.mail.deliver,
    sealed: [sealedStock(deps, sealedSigningKeys)],
    due: dueWork({ ...area, ...post, credentials, releases, endSubscription: plans.end }),
    housekeep: () => post.mail.housekeep(),
  };
}

/** What operators do with accounts: each rule of organizations holds for it. */
function administrationOf(
  deps: Omit<Parameters<typeof createAccountAdministration>[0], "releases" | "endGrants" | "requireOtherAdmins"> & {
    readonly lastAdmin: LastAdmin;
  },
  releases: Pick<AccountReleases, "announce" | "begin">,
) {
  const { endAllGrantsOf: endGrants, requireOthers: requireOtherAdmins } = deps.lastAdmin;
  return createAccountAdministration({ ...deps, endGrants, requireOtherAdmins, releases });
}

/** What falls due with time. */
function dueWork(
  deps: Pick<AccountAreaDeps, "records" | "runtime" | "settings"> & {
    readonly lastAdmin: Pick<ReturnType<typeof createLastAdmin>, "endAllGrantsOf">;
    readonly challenges: Pick<ReturnType<typeof createChallenges>, "endAll">;
    readonly credentials: Pick<ServiceAccountCredentials, "forget">;
    readonly releases: Pick<AccountReleases, "isDone" | "forget">;
    readonly endSubscription: Subscriptions["end"];
  },
): readonly DueWork[] {
  const accountWork = dueAccounts({
    ...deps,
    isReleased: deps.releases.isDone,
    forgetRelease: deps.releases.forget,
    endGrants: deps.lastAdmin.endAllGrantsOf,
    endChallenges: deps.challenges.endAll,
    endCredentials: deps.credentials.forget,
  });
  return [
    ...accountWork,
    dueExpiries(deps.records, deps.runtime),
    ...dueOrganizations({ ...deps, forgetPrincipal: deps.credentials.forget }),
  ];
}

/** Who owns service accounts, as accounts ask it. */
function ownersBy(credentials: ServiceAccountCredentials) {
  return {
    createPrincipal: (change: Change, id: string) => credentials.create(change, { type: "Account", id }),
    accountOf: async (reader: Pick<Reader, "get">, id: string) => accountOfOwner(await credentials.ownerOf(reader, id)),
  };
}

/** What is mailed: challenges and notices. */
function createPost(deps: Parameters<typeof createChallenges>[0] & Omit<MailRoomDeps, "challenges">) {
  const challenges = createChallenges(deps);
  const mail = createMailRoom({ ...deps, challenges });
  const takeAllowance = createMailAllowances(deps);
  return { challenges, mail, takeAllowance, recovery: createRecovery({ challenges, mail, takeAllowance }) };
}

/** What belongs to organizations, and the same of persons. It loads when somebody asks for it. */
function organizationHandlers(deps: OrganizationDeps): OrganizationHandlers {
  const secrets = ["issueServiceAccountSecret", "listServiceAccountSecrets", "revokeServiceAccountSecret"];
  const ofPersons = ["resourceGroups", ...secrets].map((name) => `accounts.${name}`);
  const areas = { under: ["organizations", "permissions", ...ofPersons], but: ["organizations.webhooks"] };
  return handlersLater(areas, async () => {
    const { createOrganizationHandlers } = await import("./organization-handlers.ts");
    return createOrganizationHandlers(deps);
  });
}

async function organizationPrincipal(reader: Reader, id: string): Promise<string | null> {
  return (await reader.get(organizations, [id]))?.serviceAccountId ?? null;
}

async function isSomethingElse(reader: Reader, id: string): Promise<boolean> {
  const [account, organization] = await reader.getPair([accounts, [id]], [organizations, [id]]);
  return account !== null || organization !== null || (await reader.find(teams, "principal", [id])) !== null;
}

async function groupExists(reader: Reader, group: string): Promise<boolean> {
  const found = await reader.get(resourceGroups, groupKey(parseGroupName(group)));
  return found !== null && found.status === "Active";
}

function accountOfOwner(owner: { readonly type: string; readonly id: string } | null): string | null {
  return owner?.type === "Account" ? owner.id : null;
}

type TokenParts = Omit<Parameters<typeof createTokens>[0], "identities" | "role"> &
  Pick<AccountAreaDeps, "pipelineIssuers" | "scopes"> & { readonly credentials: ServiceAccountCredentials };

/** What gives tokens, and the pipelines that it knows. */
function tokenParts({ pipelineIssuers: issuers, scopes: { role }, ...parts }: TokenParts) {
  const identities = createFederatedIdentities({ ...parts, issuers, ownerOf: parts.credentials.ownerOf });
  return { identities, tokens: createTokens({ ...parts, identities, role }) };
}
