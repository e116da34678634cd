import { canonicalJson, isObject } from "../../json-pointer.ts";
import type { Json } from "../../ports/store.ts";

/**
 * Whether a cloud shows the sent value in another spelling: case, unit, a completed version, an absolute ID. A creation has no earlier
 * value, so it can prove only this: any other difference may mean that the cloud ignored the value. Pure.
 */
export function isSpellingOf(sent: Json, shown: Json | undefined): boolean {
  if (shown === undefined || shown === null) return isEmptyValue(sent);
  if (Array.isArray(sent)) return Array.isArray(shown) && listIsSpelling(sent, shown);
  if (isObject(sent)) return isObject(shown) && Object.keys(sent).every((name) => memberIsSpelling(sent, shown, name));
  if (typeof shown === "object") return false;
  if (typeof sent === "string") return textIsSpelling(sent, String(shown));
  return String(sent) === plain(String(shown));
}

/** A value that clouds omit because it is empty. */
function isEmptyValue(value: Json): boolean {
  if (Array.isArray(value)) return value.length === 0;
  if (isObject(value)) return Object.values(value).every(isEmptyValue);
  return value === null || value === false || value === 0 || value === "";
}

function memberIsSpelling(
  sent: Readonly<Record<string, Json>>,
  shown: Readonly<Record<string, Json>>,
  name: string,
): boolean {
  return isSpellingOf(sent[name] ?? null, Object.hasOwn(shown, name) ? shown[name] : undefined);
}

/** Longer lists are compared in order, because pairing items in any order takes quadratic time. */
const mostPaired = 100;

function listIsSpelling(sent: readonly Json[], shown: readonly Json[]): boolean {
  if (sent.length !== shown.length) return false;
  if (sent.every((item, at) => isSpellingOf(item, shown[at]))) return true;
  if (sent.length > mostPaired) return false;
  const left = [...shown];
  return sent.every((item) => {
    const text = canonicalJson(item);
    const same = left.findIndex((one) => canonicalJson(one) === text);
    const at = same === -1 ? left.findIndex((one) => isSpellingOf(item, one)) : same;
    if (at !== -1) left.splice(at, 1);
    return at !== -1;
  });
}

function textIsSpelling(sent: string, shown: string): boolean {
  const [one, other] = [plain(sent), plain(shown)];
  if (one === other) return true;
  return [completesVersion, isSameRange, isSameAddress, isSameAmount, isSameInstant, isSameLink, isOfFamily].some(
    (isSame) => isSame(one, other),
  );
}

const plain = (text: string) => text.replaceAll(/\s/g, "").toLowerCase();

/** `6` and `6.0`, `1.29` and `1.29.4`. */
function completesVersion(sent: string, shown: string): boolean {
  return /^v?\d+(\.\d+)*$/.test(sent) && shown.startsWith(`${sent}.`) && /^[\d.]+$/.test(shown.slice(sent.length));
}

/** `80` and `80-80`. */
function isSameRange(sent: string, shown: string): boolean {
  return /^\d+$/.test(sent) && shown === `${sent}-${sent}`;
}

/** `203.0.113.7` and `203.0.113.7/32`: one address, and the range with only that address. */
function isSameAddress(sent: string, shown: string): boolean {
  const [one, other] = [sent, shown].map((text) => text.replace(/^(\d+(?:\.\d+){3})\/32$|^([\da-f:]+)\/128$/, "$1$2"));
  return one === other;
}

const seconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };
const bytes: Readonly<Record<string, number>> = {
  ki: 2 ** 10,
  mi: 2 ** 20,
  gi: 2 ** 30,
  ti: 2 ** 40,
  k: 1e3,
  m: 1e6,
  g: 1e9,
  t: 1e12,
  kb: 1e3,
  mb: 1e6,
  gb: 1e9,
  tb: 1e12,
};

/** `1` and `1000m` of CPU, `1gi` and `1024mi` of memory, `300s` and `pt5m` of time. */
function isSameAmount(sent: string, shown: string): boolean {
  return [cores, amountIn(bytes), durationSeconds].some((read) => {
    const amount = read(sent);
    return amount !== null && amount === read(shown);
  });
}

function cores(text: string): number | null {
  const [, amount, milli] = /^(\d+(?:\.\d+)?)(m?)$/.exec(text) ?? [];
  if (amount === undefined) return null;
  return milli === "m" ? Number(amount) : Math.round(Number(amount) * 1e6) / 1e3;
}

function amountIn(units: Readonly<Record<string, number>>): (text: string) => number | null {
  return (text) => {
    const [, amount, unit = ""] = /^(\d+(?:\.\d+)?)([a-z]+)$/.exec(text) ?? [];
    const size = units[unit];
    return amount === undefined || size === undefined ? null : Number(amount) * size;
  };
}

function durationSeconds(text: string): number | null {
  const simple = amountIn(seconds)(text);
  if (simple !== null) return simple;
  const [whole, days, hours, minutes, rest] =
    /^p(?:(\d+)d)?(?:t(?:(\d+)h)?(?:(\d+)m)?(?:(\d+(?:\.\d+)?)s)?)?$/.exec(text) ?? [];
  if (whole === undefined || whole.length < 3) return null;
  const parts = [Number(days ?? 0) * 86_400, Number(hours ?? 0) * 3600, Number(minutes ?? 0) * 60, Number(rest ?? 0)];
  return parts.reduce((sum, part) => sum + part, 0);
}

/** The same instant, with or without fractions of a second. */
function isSameInstant(sent: string, shown: string): boolean {
  const isInstant = /^\d{4}-\d\d-\d\dt\d\d:\d\d/;
  return isInstant.test(sent) && isInstant.test(shown) && Date.parse(sent) === Date.parse(shown);
}

/** A relative ID and the absolute one that ends with it after a slash, so that `b` isn't the end of `a/ab`. A trailing slash is ignored. */
function isSameLink(sent: string, shown: string): boolean {
  const [one, other] = [sent.replace(/^\/+|\/+$/g, ""), shown.replace(/\/+$/, "")];
  return one.length > 0 && other.includes("/") && (other === one || other.endsWith(`/${one}`));
}

/** An image family and the image that it resolves to. */
function isOfFamily(sent: string, shown: string): boolean {
  const [, project = "", family] = /^(.*?)\/?global\/images\/family\/([^/]+)$/.exec(sent) ?? [];
  const [, other = "", image] = /^(.*?)\/?global\/images\/([^/]+)$/.exec(shown) ?? [];
  if (family === undefined || image === undefined) return false;
  return other.endsWith(project) && (image === family || image.startsWith(`${family}-`));
}
