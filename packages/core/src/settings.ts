import type { EnvironmentRef } from "./contract/target.ts";
import { LiveplaneError } from "./errors.ts";
import type { Cloud, CloudCredentials, CloudTarget } from "./ports/cloud.ts";
import type { DeviceAuthorizer, ExternalVerifier, Mailer, PasswordHasher, TokenSigner } from "./ports/identity.ts";
import type { Runtime } from "./ports/runtime.ts";
import type { Scheduler } from "./ports/scheduler.ts";
import type { SealedStock, Sealer, SshKeys } from "./ports/secrets.ts";
import type { Store } from "./ports/store.ts";

/** What a host brings to liveplane: the outside world behind ports, and settings that all have defaults. */
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
  /** What the host keeps sealed by the same sealer: re-wrapped with everything else when its key has changed. @default none */
  readonly sealedStocks?: readonly SealedStock[];
  readonly settings?: Partial<Settings>;
}

/** The clouds by provider name, and how the agent proves itself to them. */
export interface Clouds {
  readonly adapters: readonly Cloud[];
  /** Authorization by device, by provider name. @default none */
  readonly deviceAuthorizers?: Readonly<Record<string, DeviceAuthorizer>>;
  /** The agent's own credentials for an environment; `null`: none. @default the adapter's workload identity */
  readonly credentialsFor?: (environment: EnvironmentRef, provider: string) => Promise<CloudCredentials | null>;
  /**
   * Where an environment's resources go in a cloud that no initialization prepares: one of the host's own, by a name of its own.
   * `null`: nowhere. @default nowhere
   */
  readonly targetFor?: (environment: EnvironmentRef, provider: string) => Promise<CloudTarget | null>;
  /** Keep the sealed credentials of the last completed run for the agent. @default false */
  readonly retainProviderCredentials?: boolean;
}

/** Everything a host may set. Durations are seconds. */
export interface Settings {
  /** Accounts (ids) that operate the installation. @default [] */
  readonly operators: readonly string[];
  /** Anyone may register by user name and password. @default false */
  readonly openRegistration: boolean;
  /** Secrets may be revealed over HTTP. @default false */
  readonly revealOverHttp: boolean;
  /** Changes and deletions of versioned records need If-Match. @default false */
  readonly requireIfMatch: boolean;
  /** Answers are checked against their schemas. @default false */
  readonly validateAnswers: boolean;
  /** The `iss` of access tokens. @default "liveplane" */
  readonly issuer: string;
  /** The `aud` of access tokens. @default "liveplane" */
  readonly audience: string;
  /** An access token is good so long. @default 600 */
  readonly accessTokenSeconds: number;
  /** A session that isn't refreshed within it ends. @default 604800 */
  readonly refreshIdleSeconds: number;
  /** A session ends after it in any case. @default 2592000 */
  readonly refreshAbsoluteSeconds: number;
  /** A mailed challenge is good so long. @default 3600 */
  readonly challengeSeconds: number;
  /** How long the first lock after five failures lasts; it doubles up to the longest. @default 30 */
  readonly lockSeconds: number;
  /** No lock lasts longer. @default 900 */
  readonly longestLockSeconds: number;
  /** The answer to an idempotency key is remembered so long. @default 86400 */
  readonly idempotencySeconds: number;
  /** Deleted records are purged after it. @default 2592000 */
  readonly purgeSeconds: number;
  /** Registered accounts that never activate are purged after it. @default 604800 */
  readonly unactivatedSeconds: number;
  /** Signing keys are replaced after it. @default 2592000 */
  readonly signingKeySeconds: number;
  /** Events are kept at least so long. @default 2592000 */
  readonly eventSeconds: number;
  /** Mutations of a live system that are kept: the oldest go first, none that waits or runs, and never the newest. @default 1000 */
  readonly keptMutations: number;
  /** Bytes of a live system's definitions that are kept, each counted once. @default 67108864 */
  readonly keptDefinitionBytes: number;
  /** Overrides of a component that its ledger keeps: the oldest go first, none that is open, and never the newest. @default 100 */
  readonly keptEpisodes: number;
  /** Overrides that ended longer ago leave the ledger. @default 31536000 */
  readonly episodeSeconds: number;
  /** Streams of events that a principal may have open in one process. @default 20 */
  readonly eventStreams: number;
  /** Locations are cached so long per credential. @default 3600 */
  readonly locationCacheSeconds: number;
  /** Every component is checked within it. @default 180 */
  readonly checkSeconds: number;
  /** A step of a mutation waits so long for a cloud that is at it. @default 3600 */
  readonly stepWaitSeconds: number;
  /** A step of a mutation tries so long what may pass: a cloud that throttles, fails inside or can't be reached. @default 900 */
  readonly stepRetrySeconds: number;
  /** What a management tag that comes back alone means. @default "resume-when-clean" */
  readonly restoredTag: "resume-when-clean" | "resume" | "wait";
  /** Ages of an override, in hours, at which a reminder goes out. @default [24, 72, 168] */
  readonly overdueHours: readonly number[];
  /** How many accounts, organizations, live systems and components a plan has places for. */
  readonly plans: PlanLimits;
}

/** What the plans allow. An Enterprise subscription says it itself. */
export interface PlanLimits {
  readonly discover: PlanAmounts;
  /** Per multiplicator. */
  readonly workgroup: PlanAmounts;
}

/** How many of each a plan has places for. */
export interface PlanAmounts {
  readonly accounts: number;
  readonly organizations: number;
  /** @default 5; 50 in a Workgroup plan */
  readonly liveSystems?: number;
  /** @default 200; 5000 in a Workgroup plan */
  readonly components?: number;
}

/** What the plans allow where the host says nothing. */
export const defaultPlans = {
  discover: { accounts: 5, organizations: 1, liveSystems: 5, components: 200 },
  workgroup: { accounts: 10, organizations: 1, liveSystems: 50, components: 5000 },
} as const satisfies PlanLimits;

/** What holds where the host says nothing. */
export const defaultSettings: Settings = {
  operators: [],
  openRegistration: false,
  revealOverHttp: false,
  requireIfMatch: false,
  validateAnswers: false,
  issuer: "liveplane",
  audience: "liveplane",
  accessTokenSeconds: 600,
  refreshIdleSeconds: 604_800,
  refreshAbsoluteSeconds: 2_592_000,
  challengeSeconds: 3600,
  lockSeconds: 30,
  longestLockSeconds: 900,
  idempotencySeconds: 86_400,
  purgeSeconds: 2_592_000,
  unactivatedSeconds: 604_800,
  signingKeySeconds: 2_592_000,
  eventSeconds: 2_592_000,
  keptMutations: 1000,
  keptDefinitionBytes: 67_108_864,
  keptEpisodes: 100,
  episodeSeconds: 31_536_000,
  eventStreams: 20,
  locationCacheSeconds: 3600,
  checkSeconds: 180,
  stepWaitSeconds: 3600,
  stepRetrySeconds: 900,
  restoredTag: "resume-when-clean",
  overdueHours: [24, 72, 168],
  plans: defaultPlans,
};

/** The ports that only the host can fill. */
const ports = ["store", "hasher", "tokens", "mailer", "sealer", "sshKeys", "clouds", "scheduler"] as const;

/**
 * The settings that hold, where all is brought that is needed.
 *
 * @throws {ConfigurationInvalid} naming each port that is missing, and each setting that is none or of the wrong kind.
 */
export function takeSettings(options: LiveplaneOptions): Settings {
  const brought: Partial<LiveplaneOptions> = options ?? {};
  const missing = ports.filter((name) => typeof brought[name] !== "object" || brought[name] === null);
  const said = Object.entries(brought.settings ?? {}).filter(([, value]) => value !== undefined);
  const wrong = [
    ...missing.map((name) => `${name} is missing.`),
    ...said.flatMap(([name, value]) => {
      const fault = faultOf(name, value);
      return fault === null ? [] : [`settings.${name} ${fault}.`];
    }),
  ];
  if (wrong.length > 0) throw new LiveplaneError("ConfigurationInvalid", wrong.join(" "));
  return { ...defaultSettings, ...Object.fromEntries(said) };
}

/** What is wrong with a setting, judged by its default; `null`: nothing. */
function faultOf(name: string, value: unknown): string | null {
  if (!Object.hasOwn(defaultSettings, name)) return "is no setting";
  const known = defaultSettings[name as keyof Settings];
  if (Array.isArray(known)) return Array.isArray(value) ? null : "must be a list";
  if (typeof known === "number") return typeof value === "number" && value >= 0 ? null : "must be a number from 0 on";
  if (typeof value === typeof known && value !== null) return null;
  return `must be ${typeof known === "object" ? "an object" : `a ${typeof known}`}`;
}
