import { isPlanLimits, type PlanLimits, type RateBucket, ratePolicies } from "@liveplane/core";
import type { RateLimits } from "@liveplane/core/http";

export type MailTarget =
  | { readonly kind: "folder"; readonly folder: string }
  | { readonly kind: "smtp"; readonly url: string };

/** The value that was read, or why it is invalid. */
export type Read<T> = { readonly value: T } | { readonly reason: string };

/** One setting of the server. */
export interface Setting<T> {
  readonly default: T;
  /** The default in written form; empty if there is none. */
  readonly shown: string;
  readonly help: string;
  readonly read: (text: string) => Read<T>;
}

const value = <T>(of: T) => ({ value: of });
const reason = (why: string) => ({ reason: why });

export function text(fallback: string, help: string, read: (text: string) => Read<string> = value): Setting<string> {
  return { default: fallback, shown: fallback, help, read };
}

/** An optional setting. */
export function optional<T = string>(
  help: string,
  read: (text: string) => Read<T> = value as (text: string) => Read<T>,
): Setting<T | null> {
  return { default: null, shown: "", help, read };
}

export function flag(fallback: boolean, help: string): Setting<boolean> {
  return { default: fallback, shown: String(fallback), help, read: readFlag };
}

/** A number within bounds. */
export function number(fallback: number, [least, most]: readonly [number, number], help: string): Setting<number> {
  const read = (digits: string) => {
    const read = digits.trim() === "" ? Number.NaN : Number(digits);
    return read >= least && read <= most ? value(read) : reason(`must be a number from ${least} to ${most}`);
  };
  return { default: fallback, shown: String(fallback), help, read };
}

/** A whole number within bounds. */
export function whole(fallback: number, [least, most]: readonly [number, number], help: string): Setting<number> {
  const read = (digits: string) => {
    const read = /^\d{1,9}$/.test(digits) ? Number(digits) : Number.NaN;
    return read >= least && read <= most ? value(read) : reason(`must be a whole number from ${least} to ${most}`);
  };
  return { ...number(fallback, [least, most], help), read };
}

export function oneOf<const T extends string>(known: readonly T[], fallback: NoInfer<T>, help: string): Setting<T> {
  const read = (word: string) =>
    known.includes(word as T) ? value(word as T) : reason(`must be one of ${known.join(", ")}`);
  return { default: fallback, shown: fallback, help, read };
}

export function list<T>(
  fallback: readonly T[],
  help: string,
  read: (text: string) => Read<readonly T[]>,
): Setting<readonly T[]> {
  return { default: fallback, shown: fallback.join(","), help, read };
}

/** A setting whose written form differs from its value. */
export function mapped<T, V>(setting: Setting<T>, to: (of: T) => V): Setting<V> {
  const read = (text: string) => {
    const read = setting.read(text);
    return "value" in read ? value(to(read.value)) : read;
  };
  return { ...setting, default: to(setting.default), read };
}

/** A setting written in larger units than it is used in. */
export function inUnitsOf(
  unit: number,
  fallback: number,
  written: (fallback: number) => Setting<number>,
): Setting<number> {
  return mapped(written(fallback / unit), (units) => units * unit);
}

/** A setting with its environment variable's name. */
export function named<T>(name: string, setting: Setting<T>): Setting<T> & { readonly name: string } {
  return { ...setting, name };
}

export function readFlag(word: string): Read<boolean> {
  const lower = word.toLowerCase();
  if (["true", "on", "1"].includes(lower)) return value(true);
  return ["false", "off", "0"].includes(lower) ? value(false) : reason("must be true, on, 1, false, off or 0");
}

export function readLimits(json: string): Read<RateLimits> {
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

export function readPlans(json: string): Read<PlanLimits> {
  const limits = fromJson(json);
  if (isPlanLimits(limits)) return { value: limits };
  return {
    reason:
      'must be a JSON map such as {"discover":{"organizations":1}}: discover and workgroup, each with whole numbers of ' +
      "accounts, organizations, liveSystems and components",
  };
}

function fromJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}

/** Reads the number of proxies in front. */
export function readProxies(word: string): Read<number> {
  const lower = word.toLowerCase();
  if (["true", "on"].includes(lower)) return { value: 1 };
  if (["false", "off"].includes(lower)) return { value: 0 };
  return /^([0-9]|10)$/.test(word)
    ? { value: Number(word) }
    : { reason: "must be true, false or the number of proxies, at most 10" };
}

export function readMail(address: string): Read<MailTarget> {
  if (address.startsWith("dir:") && address.length > 4) return { value: { kind: "folder", folder: address.slice(4) } };
  if (/^smtps?:\/\//.test(address) && URL.canParse(address)) return { value: { kind: "smtp", url: address } };
  return { reason: "must be smtp://…, smtps://… or dir:<folder>" };
}

export function readKeys(list: string): Read<string> {
  const isKey = (key: string) => Buffer.from(key, "base64").length === 32;
  return list.split(",").every(isKey)
    ? { value: list }
    : { reason: "must be 32-byte keys in base64, separated by commas" };
}

/** Reads the scrapers' token, which must be long enough not to be guessed. */
export function readMetricsToken(token: string): Read<string> {
  return /^[\w.~+/=-]{20,512}$/.test(token)
    ? { value: token }
    : { reason: "must be 20 to 512 letters, digits or any of -._~+/=" };
}

export function readHours(list: string): Read<readonly number[]> {
  const hours = list.split(",").map((part) => Number(part.trim() === "" ? Number.NaN : part));
  return hours.every((hour) => hour > 0 && hour <= 87_600)
    ? { value: hours.sort((a, b) => a - b) }
    : { reason: "must be hours, separated by commas" };
}

export function readList(list: string): { value: readonly string[] } {
  return {
    value: list
      .split(",")
      .map((part) => part.trim())
      .filter(Boolean),
  };
}

/** Reads values of an ID token's claim: words without spaces. */
export function readClaimValues(list: string): Read<readonly string[]> {
  const values = readList(list).value;
  return values.every((word) => /^[\x21-\x7e]+$/.test(word))
    ? value(values)
    : reason("must be words without spaces, separated by commas");
}

export function readOrigins(list: string): Read<readonly string[]> {
  // A copied address ends with a slash.
  const origins = readList(list).value.map((origin) => origin.replace(/\/$/, ""));
  return origins.every((origin) => /^https?:\/\/[^/]+$/.test(origin) && URL.canParse(origin))
    ? { value: origins }
    : { reason: "must be origins such as https://hooks.example.com, separated by commas" };
}

export function readPage(url: string): Read<string> {
  return /^https?:\/\//.test(url) && URL.canParse(url) ? value(url) : reason("must be a URL such as https://…");
}

/** Reads the `Contact` of RFC 9116. */
export function readContact(address: string): Read<string> {
  return /^(mailto:|https:\/\/)[\x21-\x7e]+$/.test(address) ? value(address) : reason("must be mailto:… or https://…");
}

export function readDatabase(url: string): Read<string> {
  return /^postgres(ql)?:\/\//.test(url) ? value(url) : reason("must be postgres://…");
}

/** The system's code for a failure, in brackets; empty if there is none. */
export function codeOf(cause: unknown): string {
  const code = cause instanceof Error ? Reflect.get(cause, "code") : undefined;
  return typeof code === "string" ? ` (${code})` : "";
}
