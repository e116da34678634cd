import { readFileSync } from "node:fs";
import { LiveplaneError, type Violation } from "@liveplane/core/errors";
import { type CloudAddresses, readAddress, readClientId, readServiceAddress } from "./cloud-addresses.ts";
import type { RateLimits } from "./http/rate-gate.ts";
import {
  flag,
  type MailTarget,
  number,
  oneOf,
  optional,
  readDatabase,
  readHours,
  readKeys,
  readLimits,
  readList,
  readMail,
  readProxies,
  text,
  whole,
} from "./settings.ts";

/** All that the reference server can be told. */
export interface ServerConfig {
  readonly host: string;
  readonly port: number;
  readonly dataDir: string;
  readonly databaseUrl: string | null;
  readonly operatorPassword: string | null;
  readonly checkSeconds: number;
  readonly openRegistration: boolean;
  readonly rateLimits: RateLimits;
  readonly trustedProxies: number;
  readonly reveal: boolean;
  readonly requireIfMatch: boolean;
  readonly validateAnswers: boolean;
  /** `null`: to the log. */
  readonly mail: MailTarget | null;
  readonly mailFrom: string;
  readonly overdueHours: readonly number[];
  readonly restoredTag: "resume-when-clean" | "resume" | "wait";
  readonly keptMutations: number;
  readonly keptDefinitionBytes: number;
  readonly keptEpisodes: number;
  readonly episodeSeconds: number;
  readonly simulatedClouds: boolean;
  /** Used where the clouds aren't simulated. */
  readonly clouds: CloudAddresses;
  readonly corsOrigins: readonly string[];
  readonly metricsForMachine: boolean;
  readonly drainSeconds: number;
  readonly maxConnections: number;
  readonly maxConnectionsPerAddress: number;
  readonly logLevel: "debug" | "info" | "warn" | "error" | "silent";
  readonly masterKey: string | null;
  readonly demo: boolean;
}

const settings = {
  HOST: text("127.0.0.1", "the address to listen at"),
  PORT: whole(8080, 0, 65_535, "the port; 0 picks a free one"),
  LIVEPLANE_DATA: text(".liveplane", "the folder for the database and the keys"),
  DATABASE_URL: {
    ...optional("a Postgres address; without it SQLite in the data folder"),
    read: readDatabase,
  },
  LIVEPLANE_OPERATOR_PASSWORD: optional("the password of the account `operator`, in place of a generated one"),
  LIVEPLANE_MASTER_KEY: {
    ...optional(
      "the key-encryption key, 32 bytes in base64, in place of a file in the data folder; needed with DATABASE_URL",
    ),
    read: readKeys,
  },
  LIVEPLANE_CHECK_SECONDS: number(180, 0.1, 86_400, "every component is checked within it"),
  LIVEPLANE_OPEN_REGISTRATION: flag(false, "anyone may register with a user name and a password"),
  LIVEPLANE_RATE_LIMITS: {
    default: {} as RateLimits,
    help: "off, or a JSON map of quotas by bucket",
    read: readLimits,
  },
  LIVEPLANE_TRUST_PROXY: {
    default: 0,
    help: "how many proxies in front tell the caller's address (or true for one)",
    read: readProxies,
  },
  LIVEPLANE_REVEAL: flag(false, "secrets may be revealed over HTTP"),
  LIVEPLANE_REQUIRE_IF_MATCH: flag(false, "changes and deletions of versioned records need If-Match"),
  LIVEPLANE_VALIDATE_ANSWERS: flag(false, "answers are held to their schemas: for development"),
  LIVEPLANE_MAIL: {
    default: null as MailTarget | null,
    help: "an SMTP address, or dir:<folder>; without it mail goes to the log",
    read: readMail,
  },
  LIVEPLANE_MAIL_FROM: text("liveplane@localhost", "the sender of mails"),
  LIVEPLANE_OVERDUE_HOURS: {
    default: [24, 72, 168] as readonly number[],
    help: "ages of an override at which a reminder goes out",
    read: readHours,
  },
  LIVEPLANE_RESTORED_TAG: oneOf(
    ["resume-when-clean", "resume", "wait"],
    "resume-when-clean",
    "what a management tag that comes back alone means",
  ),
  LIVEPLANE_KEPT_MUTATIONS: whole(1000, 1, 1_000_000, "mutations of a live system that are kept"),
  LIVEPLANE_KEPT_DEFINITIONS: whole(64, 1, 65_536, "MiB of definitions of a live system that are kept"),
  LIVEPLANE_KEPT_OVERRIDES: whole(100, 1, 1_000_000, "overrides of a component that its ledger keeps"),
  LIVEPLANE_KEPT_OVERRIDE_DAYS: whole(365, 1, 36_500, "days after its end that the ledger keeps an override"),
  LIVEPLANE_SIMULATED_CLOUDS: flag(true, "both clouds are simulated; off: they are Azure and Google Cloud"),
  LIVEPLANE_AZURE_CLIENT_ID: {
    ...optional("the public client that people sign in to Azure with by device; without it they can't"),
    read: readClientId,
  },
  LIVEPLANE_AZURE_URL: { ...text("https://management.azure.com", "Azure Resource Manager"), read: readAddress },
  LIVEPLANE_AZURE_LOGIN_URL: { ...text("https://login.microsoftonline.com", "Microsoft Entra"), read: readAddress },
  LIVEPLANE_GOOGLE_URL: {
    ...text("https://{service}.googleapis.com", "Google Cloud, by service"),
    read: readServiceAddress,
  },
  LIVEPLANE_GOOGLE_TOKEN_URL: {
    ...text("https://oauth2.googleapis.com/token", "where Google gives tokens for keys of service accounts"),
    read: readAddress,
  },
  LIVEPLANE_CORS_ORIGINS: {
    default: [] as readonly string[],
    help: "origins that browsers may call from, with commas",
    read: readList,
  },
  LIVEPLANE_METRICS: oneOf(["operators", "machine"], "operators", "who reads /metrics: operators, or this machine too"),
  LIVEPLANE_MAX_CONNECTIONS: whole(4096, 1, 1_000_000, "connections that are kept at once"),
  LIVEPLANE_MAX_CONNECTIONS_PER_ADDRESS: whole(
    512,
    1,
    1_000_000,
    "the same, from one address; not behind trusted proxies",
  ),
  LIVEPLANE_DRAIN_SECONDS: number(
    3,
    0,
    300,
    "how long a stopping server refuses requests by an answer before it closes",
  ),
  LIVEPLANE_LOG: oneOf(["debug", "info", "warn", "error", "silent"], "info", "how much to log"),
  LIVEPLANE_DEMO: {
    default: null as boolean | null,
    help: "a demo live system; by default in a new data folder that nobody named",
    read: flag(false, "").read,
  },
};

type Name = keyof typeof settings;
type Values = { [N in Name]: (typeof settings)[N]["default"] };

/** Where settings come from: a file of JSON first, the environment over it. */
export interface ConfigSource {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** A JSON file of the same names. */
  readonly file?: string;
}

/** Reads and checks every setting; throws `ConfigurationInvalid` that names all mistakes at once, without a value. */
export function readConfig({ environment, file }: ConfigSource): ServerConfig {
  const errors: Violation[] = [];
  const given = { ...(file === undefined ? {} : readFile(file, errors)), ...present(environment) };
  const values = Object.fromEntries(
    Object.entries(settings).map(([name, setting]) => {
      const sent = given[name];
      if (sent === undefined) return [name, setting.default];
      const read = setting.read(sent);
      if ("reason" in read) errors.push(mistake(name, read.reason));
      return [name, "value" in read ? read.value : setting.default];
    }),
  ) as Values;
  if (values.LIVEPLANE_DEMO === true && !values.LIVEPLANE_SIMULATED_CLOUDS)
    errors.push(mistake("LIVEPLANE_DEMO", "needs simulated clouds"));
  if (values.DATABASE_URL !== null && values.LIVEPLANE_MASTER_KEY === null)
    errors.push(mistake("LIVEPLANE_MASTER_KEY", "is needed with DATABASE_URL, the same for every process"));
  if (errors.length > 0) {
    const list = errors.map(({ detail }) => `  ${detail}`).join("\n");
    throw new LiveplaneError("ConfigurationInvalid", `The configuration is not valid:\n${list}`, {
      details: { errors },
    });
  }
  return configOf(values, given.LIVEPLANE_DATA === undefined);
}

/** What `--help` says of the settings. */
export function settingsHelp(): string {
  return Object.entries(settings)
    .map(([name, setting]) => `  ${`${name} `.padEnd(30)}${setting.help}${shownDefault(setting.default)}`)
    .join("\n");
}

function shownDefault(fallback: unknown): string {
  if (fallback === null || typeof fallback === "object")
    return Array.isArray(fallback) && fallback.length > 0 ? ` (${fallback.join(",")})` : "";
  return ` (${String(fallback)})`;
}

function configOf(values: Values, namelessData: boolean): ServerConfig {
  return {
    host: values.HOST,
    port: values.PORT,
    dataDir: values.LIVEPLANE_DATA,
    databaseUrl: values.DATABASE_URL,
    operatorPassword: values.LIVEPLANE_OPERATOR_PASSWORD,
    checkSeconds: values.LIVEPLANE_CHECK_SECONDS,
    openRegistration: values.LIVEPLANE_OPEN_REGISTRATION,
    rateLimits: values.LIVEPLANE_RATE_LIMITS,
    trustedProxies: values.LIVEPLANE_TRUST_PROXY,
    reveal: values.LIVEPLANE_REVEAL,
    requireIfMatch: values.LIVEPLANE_REQUIRE_IF_MATCH,
    validateAnswers: values.LIVEPLANE_VALIDATE_ANSWERS,
    mail: values.LIVEPLANE_MAIL,
    mailFrom: values.LIVEPLANE_MAIL_FROM,
    overdueHours: values.LIVEPLANE_OVERDUE_HOURS,
    restoredTag: values.LIVEPLANE_RESTORED_TAG,
    keptMutations: values.LIVEPLANE_KEPT_MUTATIONS,
    keptDefinitionBytes: values.LIVEPLANE_KEPT_DEFINITIONS * 1_048_576,
    keptEpisodes: values.LIVEPLANE_KEPT_OVERRIDES,
    episodeSeconds: values.LIVEPLANE_KEPT_OVERRIDE_DAYS * 86_400,
    simulatedClouds: values.LIVEPLANE_SIMULATED_CLOUDS,
    clouds: {
      azure: {
        managementUrl: values.LIVEPLANE_AZURE_URL,
        loginUrl: values.LIVEPLANE_AZURE_LOGIN_URL,
        clientId: values.LIVEPLANE_AZURE_CLIENT_ID,
      },
      google: { serviceUrl: values.LIVEPLANE_GOOGLE_URL, tokenUrl: values.LIVEPLANE_GOOGLE_TOKEN_URL },
    },
    corsOrigins: values.LIVEPLANE_CORS_ORIGINS,
    maxConnections: values.LIVEPLANE_MAX_CONNECTIONS,
    maxConnectionsPerAddress: values.LIVEPLANE_MAX_CONNECTIONS_PER_ADDRESS,
    metricsForMachine: values.LIVEPLANE_METRICS === "machine",
    drainSeconds: values.LIVEPLANE_DRAIN_SECONDS,
    logLevel: values.LIVEPLANE_LOG,
    masterKey: values.LIVEPLANE_MASTER_KEY,
    demo: values.LIVEPLANE_DEMO ?? (namelessData && values.DATABASE_URL === null && values.LIVEPLANE_SIMULATED_CLOUDS),
  };
}

/** An empty variable is one that isn't set. */
function present(environment: ConfigSource["environment"]): ConfigSource["environment"] {
  return Object.fromEntries(Object.entries(environment).filter(([, of]) => of !== undefined && of !== ""));
}

/** Names in the environment that look like settings and aren't: worth a warning, since others may use them. */
export function unknownSettings(environment: ConfigSource["environment"]): string[] {
  return Object.keys(environment).filter((name) => name.startsWith("LIVEPLANE_") && !Object.hasOwn(settings, name));
}

function mistake(name: string, why: string): Violation {
  return { parameter: name, code: "Format", detail: `${name} ${why}.` };
}

function readFile(file: string, errors: Violation[]): Record<string, string> {
  try {
    const parsed = JSON.parse(readFileSync(file, "utf8")) as Record<string, unknown>;
    for (const name of Object.keys(parsed)) {
      if (!Object.hasOwn(settings, name)) errors.push(mistake(name.slice(0, 64), "is no setting; see --help"));
    }
    const given = Object.entries(parsed).filter(([, of]) => of !== null && of !== "");
    return Object.fromEntries(given.map(([name, of]) => [name, asText(of)]));
  } catch {
    errors.push(mistake("--config", "must name a readable JSON file"));
    return {};
  }
}

/** What a variable of the environment would say. */
function asText(of: unknown): string {
  if (Array.isArray(of)) return of.join(",");
  return typeof of === "string" ? of : JSON.stringify(of);
}
