import type { Access, ScopeResolvers } from "./access/access.ts";
import type { Actor, EnvironmentRef } from "./contract/target.ts";
import type { EnvironmentDirectory } from "./environment/directory.ts";
import type { EventLog } from "./events/event-log.ts";
import type { Holdings } from "./identity/account-release.ts";
import type { Challenges } from "./identity/challenges.ts";
import type { IsCommonPassword } from "./identity/common-passwords.ts";
import type { Passkeys } from "./identity/passkeys.ts";
import type { Recovery } from "./identity/recovery.ts";
import type { SealedTickets } from "./identity/sealed-tickets.ts";
import type { TakeAllowance } from "./mail/mail-allowances.ts";
import type { MailRoom } from "./mail/mail-room.ts";
import type { SweepTimes } from "./override/agent/sweep-times.ts";
import type { Declarations } from "./override/records/in-force.ts";
import type { AccountDirectory, PrincipalDirectory } from "./permissions/account-directory.ts";
import type { LastAdmin } from "./permissions/last-admin.ts";
import type { PermissionGraphs } from "./permissions/permission-graph.ts";
import type { Cloud } from "./ports/cloud.ts";
import type { ExternalVerifier, Mailer, PasswordHasher, TokenSigner } from "./ports/identity.ts";
import type { Runtime } from "./ports/runtime.ts";
import type { Scheduler } from "./ports/scheduler.ts";
import type { Sealer, SshKeys } from "./ports/secrets.ts";
import type { Store } from "./ports/store.ts";
import type { WebhookSender } from "./ports/webhook-sender.ts";
import type { Claims } from "./records/claim.ts";
import type { Pages } from "./records/pages.ts";
import type { Change, Reader, Records } from "./records/records.ts";
import type { FederatedIdentities } from "./sessions/federated-identities.ts";
import type { Lockout } from "./sessions/lockout.ts";
import type { ServiceAccountCredentials } from "./sessions/service-accounts.ts";
import type { SessionHandles } from "./sessions/session-handles.ts";
import type { BeginSession } from "./sessions/session-record.ts";
import type { SignInCodes } from "./sessions/sign-in-codes.ts";
import type { SignInTransactions } from "./sessions/sign-in-transactions.ts";
import type { SigningKeys } from "./sessions/signing-keys.ts";
import type { Settings } from "./settings.ts";
import type { OrganizationChanges } from "./tenancy/organization-changes.ts";
import type { Seats } from "./tenancy/plan-usage.ts";
import type { ComponentFacts } from "./webhooks/message.ts";
import type { WebhookOwner } from "./webhooks/webhook-record.ts";
import type { WebhookSight } from "./webhooks/webhook-sight.ts";

/** What the parts of the core share. Each function names what it uses: `Pick<Services, "records" | "pages">`. */
export interface Services {
  /** The host's database. */
  readonly store: Store;
  /** Typed records on top of the store. */
  readonly records: Records;
  /** Lists in pages, with signed cursors. */
  readonly pages: Pages;
  /** Clock, randomness, crypto, log, metrics and tracing. */
  readonly runtime: Runtime;
  /** What the host configured, with the defaults. */
  readonly settings: Settings;
  /** Encrypts what is stored. */
  readonly sealer: Sealer;
  /** Runs work that outlasts a call. */
  readonly scheduler: Scheduler;
  /** Which process works on which record. */
  readonly claims: Claims;
  /** All events, in order. */
  readonly log: EventLog;
  /** What an actor may do and see. */
  readonly access: Pick<Access, "can" | "operates" | "reach" | "hears">;
  /** Finds the containers of what a call is about. */
  readonly scopes: ScopeResolvers;
  /** The grants of organizations, for decisions. */
  readonly graphs: PermissionGraphs;
  /** The installation's key for tokens, receipts and cursors. */
  readonly secretKey: () => Promise<Uint8Array>;
  /** Earlier keys, for as long as something derived from them may still be presented. */
  readonly formerKeys?: () => Promise<readonly Uint8Array[]>;
  /** The installation's key for digests of values that must not be stored. */
  readonly digestKey: () => Promise<Uint8Array>;

  /** Hashes passwords. */
  readonly hasher: PasswordHasher;
  /** Signs and verifies tokens. */
  readonly signer: TokenSigner;
  /** Whether a password is among the most common ones. */
  readonly isCommonPassword: IsCommonPassword;
  /** The keys that tokens are signed with. */
  readonly keys: SigningKeys;
  /** Verifies tokens of the host's own issuer. */
  readonly externalVerifier?: ExternalVerifier;
  /** Starts a session. */
  readonly begin: BeginSession;
  /** Access tokens for browsers. */
  readonly sessionHandles: SessionHandles;
  /** The secrets of service accounts. */
  readonly credentials: ServiceAccountCredentials;
  /** The pipelines that may act as service accounts. */
  readonly identities: FederatedIdentities;
  /** Slows down whoever guesses passwords. */
  readonly lockout: Lockout;
  /** What clients keep for the server and may use once. */
  readonly tickets: SealedTickets;
  /** What people sign with passkeys. */
  readonly passkeys: Passkeys;
  /** Sign-ins in progress at an issuer. */
  readonly transactions: SignInTransactions;
  /** Single-use results of sign-ins at an issuer. */
  readonly codes: SignInCodes;

  /** Sends a mail. */
  readonly mailer: Mailer;
  /** Mails that wait until a server accepts them. */
  readonly mail: MailRoom;
  /** How many mails an address may still get. */
  readonly takeAllowance: TakeAllowance;
  /** Mailed proofs of an address. */
  readonly challenges: Challenges;
  /** Tells people what happened to their account, and how to get it back. */
  readonly recovery: Recovery;

  /** Accounts, as other areas see them. */
  readonly accounts: AccountDirectory;
  /** Who owns a service account. */
  readonly principals: PrincipalDirectory;
  /** What a person owns in the other areas. */
  readonly holdings: Holdings;
  /** Changes to an organization, with its version and its events. */
  readonly changes: OrganizationChanges;
  /** Keeps an Admin in every organization. */
  readonly lastAdmin: LastAdmin;
  /** Counts what a plan limits. */
  readonly seats: Seats;
  /** The account that an actor is or acts for; `null`: none. */
  readonly accountOf: (reader: Reader, actor: Actor) => Promise<string | null>;
  /** Begins the first subscription of an account. */
  readonly startSubscription: (change: Change, accountId: string) => Promise<string> | string;
  /** Whether an organization is active. */
  readonly organizationActs: (organizationId: string) => Promise<boolean>;
  /** Whether a resource group (`Type/ownerId/shortName`) exists. */
  readonly groupExists: (reader: Reader, group: string) => Promise<boolean>;
  /** The ids of the live systems in a resource group. */
  readonly liveSystemsOf: (group: string) => Promise<readonly string[]>;

  /** The names (`shop/web`) of the components whose declarations in force use a secret. */
  readonly secretUses: (environment: EnvironmentRef, shortName: string) => Promise<readonly string[]>;

  /** Environments, as other areas see them. */
  readonly environments: EnvironmentDirectory;
  /** The declarations that are in force. */
  readonly declarations: Declarations;
  /** When the agent last swept everything. */
  readonly sweeps: SweepTimes;
  /** The host's clouds, by the names of their providers. */
  readonly clouds: ReadonlyMap<string, Cloud>;
  /** The cloud of a provider; `null` if the host has none with that name. */
  readonly cloudOf: (provider: string) => Cloud | null;
  /** Reads and makes SSH keys. */
  readonly sshKeys: SshKeys;

  /** Sends webhooks; `null`: the host sends none. */
  readonly sender: WebhookSender | null;
  /** What the owner of a webhook may see and do. */
  readonly sight: WebhookSight;
  /** What a webhook's message says about a component; `null` if it is gone. */
  readonly factsOf: (componentId: string) => Promise<ComponentFacts | null>;
  /** The name of an actor; `null` if unknown. */
  readonly nameOf: (actor: string) => Promise<string | null>;
  /** Mails whoever looks after an owner's webhooks, once the change is committed. */
  readonly mailOwner: (change: Change, owner: WebhookOwner) => Promise<void>;
}
