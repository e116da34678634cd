import { readFileSync } from "node:fs";
import { type RateBucket, ratePolicies } from "@liveplane/core";
import { LiveplaneError, type Violation } from "@liveplane/core/errors";
import { type CloudAddresses, readAddress, readClientId, readServiceAddress } from "./cloud-addresses.ts";
import type { RateLimits } from "./rate-gate.ts";

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
  readonly mail:
    | { readonly kind: "folder"; readonly folder: string }
    | { readonly kind: "smtp"; readonly url: string }
    | null;
  readonly mailFrom: string;
  readonly overdueHours: readonly number[];
  readonly restoredTag: "resume-when-clean" | "resume" | "wait";
  readonly simulatedClouds: boolean;
  /** Used where the clouds aren't simulated. */
  readonly clouds: CloudAddresses;
  readonly corsOrigins: readonly string[];
  readonly logLevel: "debug" | "info" | "warn" | "error" | "silent";
  readonly masterKey: string | null;
  readonly demo: boolean;
}

interface Setting<T> {
  readonly default: T;
  readonly help: string;
  /** Reads it, or gives the reason why it can't be. */
  readonly read: (text: string) => { readonly value: T } | { readonly reason: string };
}

const value = <T>(of: T) => ({ value: of });
const reason = (why: string) => ({ reason: why });

const text = (fallback: string, help: string): Setting<string> => ({ default: fallback, help, read: value });
const optional = (help: string): Setting<string | null> => ({ default: null, help, read: value });
const flag = (fallback: boolean, help: string): Setting<boolean> => ({
  default: fallback,
  help,
  read(word) {
    const lower = word.toLowerCase();
    if (["true", "on", "1"].includes(lower)) return value(true);
    return ["false", "off", "0"].includes(lower) ? value(false) : reason("must be true, on, 1, false, off or 0");
  },
});
const number = (fallback: number, least: number, most: number, help: string): Setting<number> => ({
  default: fallback,
  help,
  read(digits) {
    const read = digits.trim() === "" ? Number.NaN : Number(digits);
    return read >= least && read <= most ? value(read) : reason(`must be a number from ${least} to ${most}`);
  },
});
const whole = (fallback: number, least: number, most: number, help: string): Setting<number> => ({
  ...number(fallback, least, most, help),
  read(digits) {
    const read = /^\d{1,9}$/.test(digits) ? Number(digits) : Number.NaN;
    return read >= least && read <= most ? value(read) : reason(`must be a whole number from ${least} to ${most}`);
  },
});
const oneOf = <T extends string>(known: readonly T[], fallback: T, help: string): Setting<T> => ({
  default: fallback,
  help,
  read: (word) => (known.includes(word as T) ? value(word as T) : reason(`must be one of ${known.join(", ")}`)),
});

const settings = {
  HOST: text("127.0.0.1", "the address to listen at"),
  PORT: whole(8080, 0, 65_535, "the port; 0 picks a free one"),
  LIVEPLANE_DATA: text(".liveplane", "the folder for the database and the keys"),
  DATABASE_URL: {
    ...optional("a Postgres address; without it SQLite in the data folder"),
    read: (url: string) => (/^postgres(ql)?:\/\//.test(url) ? value(url) : reason("must be postgres://…")),
  },
  LIVEPLANE_OPERATOR_PASSWORD: optional("the password of the account `operator`, in place of a generated one"),
  LIVEPLANE_MASTER_KEY: {
    ...optional("the key-encryption key, 32 bytes in base64, in place of a file in the data folder"),
    read: readKeys,
  },
  LIVEPLANE_CHECK_SECONDS: number(180, 0.1, 86_400, "every component is checked within it"),
  LIVEPLANE_OPEN_REGISTRATION: flag(false, "anyone may register with a user name and a password"),
  LIVEPLANE_RATE_LIMITS: {
    default: {} as RateLimits,
    help: "off, or a JSON map of quotas a minute by bucket",
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
    default: null as ServerConfig["mail"],
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
    .map(([name, setting]) => `  ${name.padEnd(30)}${setting.help}${shownDefault(setting.default)}`)
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

function readLimits(json: string): { value: RateLimits } | { reason: string } {
  if (["off", "false", "0"].includes(json.toLowerCase())) return { value: "off" };
  const why = `must be off or a JSON map from ${Object.keys(ratePolicies).join(", ")} to whole numbers`;
  try {
    const map = JSON.parse(json) as Record<string, unknown>;
    const known = Object.entries(map).every(
      ([name, quota]) => Object.hasOwn(ratePolicies, name) && Number.isInteger(quota) && Number(quota) > 0,
    );
    return typeof map === "object" && !Array.isArray(map) && known
      ? { value: map as Partial<Record<RateBucket, number>> }
      : { reason: why };
  } catch {
    return { reason: why };
  }
}

function readProxies(word: string): { value: number } | { reason: string } {
  const lower = word.toLowerCase();
  if (["true", "on"].includes(lower)) return { value: 1 };
  if (["false", "off"].includes(lower)) return { value: 0 };
  const count = Number(word);
  return Number.isInteger(count) && count >= 0 && count <= 10
    ? { value: count }
    : { reason: "must be true, false or how many proxies, up to 10" };
}

function readMail(address: string): { value: ServerConfig["mail"] } | { reason: string } {
  if (address.startsWith("dir:") && address.length > 4) return { value: { kind: "folder", folder: address.slice(4) } };
  if (/^smtps?:\/\//.test(address) && URL.canParse(address)) return { value: { kind: "smtp", url: address } };
  return { reason: "must be smtp://…, smtps://… or dir:<folder>" };
}

function readKeys(list: string): { value: string } | { reason: string } {
  const isKey = (key: string) => Buffer.from(key, "base64").length === 32;
  return list.split(",").every(isKey) ? { value: list } : { reason: "must be keys of 32 bytes in base64, with commas" };
}

function readHours(list: string): { value: readonly number[] } | { reason: string } {
  const hours = list.split(",").map((part) => Number(part.trim() === "" ? Number.NaN : part));
  return hours.every((hour) => hour > 0 && hour <= 87_600)
    ? { value: hours.sort((a, b) => a - b) }
    : { reason: "must be hours, with commas" };
}

function readList(list: string): { value: readonly string[] } {
  return {
    value: list
      .split(",")
      .map((part) => part.trim())
      .filter(Boolean),
  };
}
