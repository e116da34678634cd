import type { EnvironmentRef } from "./contract/target.ts";
import type { Cloud, CloudCredentials, CloudTarget } from "./ports/cloud.ts";
import type {
  DeviceAuthorizer,
  ExternalVerifier,
  Mailer,
  PasskeyVerifier,
  PasswordHasher,
  PipelineIssuer,
  SignInIssuer,
  TokenSigner,
} from "./ports/identity.ts";
import type { Runtime } from "./ports/runtime.ts";
import type { Scheduler } from "./ports/scheduler.ts";
import type { SealedStock, Sealer, SshKeys } from "./ports/secrets.ts";
import type { Store } from "./ports/store.ts";
import type { WebhookSender } from "./ports/webhook-sender.ts";

/** What a host passes to liveplane: the outside world behind ports, and settings that all have defaults. */
export interface LiveplaneOptions {
  readonly store: Store;
  readonly hasher: PasswordHasher;
  readonly tokens: TokenSigner;
  readonly mailer: Mailer;
  readonly sealer: Sealer;
  readonly sshKeys: SshKeys;
  readonly clouds: Clouds;
  readonly scheduler: Scheduler;
  /** @default a runtime on Web Crypto and timers, without a log */
  readonly runtime?: Partial<Runtime>;
  readonly externalVerifier?: ExternalVerifier;
  /** Issuers whose pipelines may sign in as the service accounts that trust them. @default none */
  readonly pipelineIssuers?: readonly PipelineIssuer[];
  /** Sends webhooks. @default none: no webhook can be created */
  readonly webhookSender?: WebhookSender;
  /** The OpenID provider where people may sign in. @default none */
  readonly signInIssuer?: SignInIssuer;
  /** Verifies passkeys, which belong to the address in `consoleUrl`. @default none: nobody can sign in by a passkey */
  readonly passkeyVerifier?: PasskeyVerifier;
  /** The host's own values under the same sealer, rewrapped with everything else after a key change. @default none */
  readonly sealedStocks?: readonly SealedStock[];
  readonly settings?: Partial<Settings>;
}

/** The clouds by provider name, and the agent's credentials for them. */
export interface Clouds {
  readonly adapters: readonly Cloud[];
  /** Device authorization, by provider name. @default none */
  readonly deviceAuthorizers?: Readonly<Record<string, DeviceAuthorizer>>;
  /** The agent's credentials for an environment; `null` if none. @default the adapter's workload identity */
  readonly credentialsFor?: (environment: EnvironmentRef, provider: string) => Promise<CloudCredentials | null>;
  /**
   * Which environment may use the host's own identity in which subscription or project: for initializations without credentials, and for
   * the agent.
   * @default none, if an adapter was given such an identity
   */
  readonly hostIdentityFor?: (place: IdentityPlace) => boolean;
  /** Where an environment's resources go in one of the host's own clouds, which has no initialization. `null`: nowhere. @default nowhere */
  readonly targetFor?: (environment: EnvironmentRef, provider: string) => Promise<CloudTarget | null>;
  /** Whether to keep the sealed credentials of the last completed run for the agent. @default false */
  readonly retainProviderCredentials?: boolean;
}

/** Where an identity of the host's would be used: an environment, and a subscription or project. */
export interface IdentityPlace {
  readonly environment: EnvironmentRef;
  readonly provider: string;
  /** The subscription or project. */
  readonly scope: string;
  /** The ID, where it is one of the environment's `resourceScopes`. */
  readonly resourceScope?: string;
}

/** The amounts that plans limit. */
export const planAmounts = ["accounts", "organizations", "liveSystems", "components"] as const;

/** The limits of a plan. An omitted amount is unlimited. */
export type PlanAmounts = { readonly [Name in (typeof planAmounts)[number]]?: number };

/** The limits of all plans. An Enterprise subscription has its own. */
export interface PlanLimits {
  readonly discover?: PlanAmounts;
  /** Multiplied by the subscription's multiplicator. */
  readonly workgroup?: PlanAmounts;
}

/** Whether a value contains only valid plan limits. */
export function isPlanLimits(value: unknown): value is PlanLimits {
  const isLimit = (limit: unknown) => Number.isSafeInteger(limit) && Number(limit) >= 0;
  return isMap(value, ["discover", "workgroup"], (plan) => isMap(plan, planAmounts, isLimit));
}

function isMap(value: unknown, names: readonly string[], fits: (member: unknown) => boolean): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  return Object.entries(value).every(([name, member]) => names.includes(name) && fits(member));
}

/** One setting of the host. */
interface Setting<T> {
  readonly default: T;
  /** What a valid value is. */
  readonly must: string;
  readonly fits: (value: unknown) => boolean;
}

function flag(fallback: boolean): Setting<boolean> {
  return { default: fallback, must: "be true or false", fits: (value) => typeof value === "boolean" };
}

function text(fallback: string): Setting<string> {
  return {
    default: fallback,
    must: `be a text, such as ${JSON.stringify(fallback)}`,
    fits: (value) => typeof value === "string",
  };
}

function amount(fallback: number): Setting<number> {
  return {
    default: fallback,
    must: `be a number from 0 on, such as ${fallback}`,
    fits: (value) => typeof value === "number" && value >= 0,
  };
}

function list<T extends string | number>(fallback: readonly T[], example: T): Setting<readonly T[]> {
  const fits = (value: unknown) => Array.isArray(value) && value.every((item) => typeof item === typeof example);
  return { default: fallback, must: `be a list, such as [${JSON.stringify(example)}]`, fits };
}

/** The first value is the default. */
function oneOf<const T extends string>(words: readonly [T, ...T[]]): Setting<T> {
  const fits = (value: unknown) => words.some((word) => word === value);
  return { default: words[0], must: `be one of ${words.join(", ")}`, fits };
}

const planLimits: Setting<PlanLimits> = {
  default: {},
  must: `map discover and workgroup to maps of whole numbers by ${planAmounts.join(", ")}`,
  fits: isPlanLimits,
};

/** Everything a host may set, with the defaults. Durations are in seconds. */
const settings = {
  /** The ids of the accounts that operate the installation. */
  operators: list<string>([], "3f0c4d1e-8a57-4b62-9d1f-6c2e5a7b9041"),
  /** Anyone may register with a user name and password. */
  openRegistration: flag(false),
  /** Whether a person from the sign-in issuer with a verified address gets an account, or the one registered with it. */
  provisioning: oneOf(["off", "verified-email"]),
  /** The people who must sign in with a second factor. Without one they can only add one. */
  requireSecondFactor: oneOf(["nobody", "operators", "everybody"]),
  /** Secrets may be revealed over HTTP. */
  revealOverHttp: flag(false),
  /** Changes and deletions of versioned records require If-Match. */
  requireIfMatch: flag(false),
  /** Answers are checked against their schemas. */
  validateAnswers: flag(false),
  /** The `iss` of access tokens. */
  issuer: text("liveplane"),
  /** The `aud` of access tokens. */
  audience: text("liveplane"),
  /** The address of the console, for links to it and for passkeys; empty if there is none. */
  consoleUrl: text(""),
  /** The lifetime of an access token. */
  accessTokenSeconds: amount(600),
  /** A session ends if it isn't refreshed for this long. */
  refreshIdleSeconds: amount(604_800),
  /** The longest lifetime of a session. */
  refreshAbsoluteSeconds: amount(2_592_000),
  /** The lifetime of a mailed challenge. */
  challengeSeconds: amount(3600),
  /** The first lock after five failures; later locks double, up to the longest. */
  lockSeconds: amount(30),
  /** The longest lock. */
  longestLockSeconds: amount(900),
  /** How long the answer to an idempotency key is remembered. */
  idempotencySeconds: amount(86_400),
  /** How long deleted records are kept before they are purged. */
  purgeSeconds: amount(2_592_000),
  /** How long accounts that were registered but never activated are kept. */
  unactivatedSeconds: amount(604_800),
  /** The interval at which signing keys are replaced. */
  signingKeySeconds: amount(2_592_000),
  /** The shortest time that events are kept. */
  eventSeconds: amount(2_592_000),
  /** The number of mutations kept for a live system. The oldest go first, but never one that waits or runs, or the newest. */
  keptMutations: amount(1000),
  /** The bytes of definitions kept for a live system, each counted once. */
  keptDefinitionBytes: amount(67_108_864),
  /** The number of overrides kept in a component's ledger. The oldest go first, but never an open one or the newest. */
  keptEpisodes: amount(100),
  /** How long the ledger keeps an override after it ended. */
  episodeSeconds: amount(31_536_000),
  /** The number of event streams that a principal may have open in one process. */
  eventStreams: amount(20),
  /** How long locations are cached for each credential. */
  locationCacheSeconds: amount(3600),
  /** The interval at which every component is checked. */
  checkSeconds: amount(180),
  /** How long a step of a mutation waits for a cloud to finish a write. */
  stepWaitSeconds: amount(3600),
  /** How long a step of a mutation retries passing failures: a cloud throttles, fails internally or can't be reached. */
  stepRetrySeconds: amount(900),
  /** The effect of a management tag that is restored alone. */
  restoredTag: oneOf(["resume-when-clean", "resume", "wait"]),
  /** The ages of an override, in hours, at which a reminder is sent. */
  overdueHours: list<number>([24, 72, 168], 24),
  /** The number of accounts, organizations, live systems and components that each plan allows. Operators have no limits. */
  plans: planLimits,
};

/** All settings of a host. Durations are in seconds. The defaults are in `defaultSettings`. */
export type Settings = { readonly [Name in keyof typeof settings]: (typeof settings)[Name]["default"] };

/** The defaults of all settings. */
export const defaultSettings = Object.fromEntries(
  Object.entries(settings).map(([name, setting]) => [name, setting.default]),
) as Settings;

/** What a setting's value must be, if this value isn't; `null` if it is valid or there is no such setting. */
export function mustOfSetting(name: string, value: unknown): string | null {
  if (!Object.hasOwn(settings, name)) return null;
  const { fits, must } = settings[name as keyof Settings];
  return fits(value) ? null : must;
}
