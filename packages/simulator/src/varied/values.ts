import { isObject, type ResourceType } from "@liveplane/core/clouds";
import type { Json } from "@liveplane/core/store";

/** A parameter of the varied worlds: what is declared of it, and how a cloud may store that. */
interface VariedValue {
  /** The first, second or third value. */
  readonly declared: (at: number) => Json;
  /** How a cloud may store what it is sent: as it is, in a form that its type announces, or in one that nobody announced. */
  readonly stored?: readonly ((sent: Json, former: Json | undefined) => Json | undefined)[];
  /** What people change it to. */
  readonly edited?: readonly Json[];
}

const asSent = (sent: Json): Json => sent;
const dropped = () => undefined;
const text = (form: (sent: string) => Json | undefined) => (sent: Json) => form(String(sent));
const list = (form: (items: readonly Json[]) => Json) => (sent: Json) => (Array.isArray(sent) ? form(sent) : sent);
const items = (form: (item: Readonly<Record<string, Json>>) => Json) =>
  list((all) => all.map((item) => (isObject(item) ? form(item) : item)));
const one =
  <const T extends readonly [Json, Json, Json]>(...values: T) =>
  (at: number) =>
    values[at - 1] ?? values[0];
const named = (at: number) => ["one", "two", "three"].slice(0, at).map((name, nth) => ({ name, size: at + nth }));

/** Where `{$secret}` stands, or a plain value in its place. */
export const secretMark = "{secret}";
/** Where a reference to another component's output stands. */
export const referenceMark = "{reference}";

const values = {
  size: { declared: (at) => at, edited: [9, "2", null] },
  note: {
    declared: one("", "two", "three"),
    stored: [asSent, text((sent) => (sent === "" ? undefined : sent))],
    edited: ["by hand", ""],
  },
  flag: { declared: one(true, false, true), stored: [asSent, (sent) => sent || undefined], edited: [false, true] },
  kept: { declared: one(false, true, false), stored: [asSent, (sent) => sent || undefined], edited: [null, true] },
  group: {
    declared: (at) => ["x", "y", "z"].slice(0, at),
    stored: [asSent, list((all) => [...all].reverse())],
    edited: [["y", "x"], ["w"], []],
  },
  order: {
    declared: (at) => ["x", "y", "z"].slice(0, at),
    stored: [asSent, list((all) => [...all].reverse()), list((all) => [...all, "own"])],
    edited: [
      ["y", "x"],
      ["x", "v"],
    ],
  },
  rules: {
    declared: named,
    stored: [asSent, items((item) => ({ mode: "auto", ...item })), list((all) => [...all].reverse())],
    edited: [
      [
        { name: "two", size: 7 },
        { name: "one", size: 1 },
      ],
      [{ name: "one" }, { name: "four", size: 4 }],
      [],
    ],
  },
  codes: {
    declared: (at) => ["i", "j"].slice(0, at).map((code) => ({ code, size: at, inner: { level: at } })),
    stored: [asSent, items((item) => ({ ...item, name: "same" }))],
    edited: [
      [
        { code: "j", size: 3 },
        { code: "i", size: 3 },
      ],
    ],
  },
  city: {
    declared: one("West Europe", "North Europe", "westeurope"),
    stored: [asSent, text((sent) => sent.toLowerCase().replaceAll(" ", ""))],
    edited: ["EAST Europe", "west europe"],
  },
  link: {
    declared: (at) => `things/${at}`,
    stored: [asSent, text((sent) => `/own/${sent}`), text((sent) => `https://own/${sent}`)],
    edited: ["/own/things/2", "things/9"],
  },
  count: { declared: (at) => at * 10, stored: [asSent, (sent) => String(sent)], edited: ["10", 25] },
  port: {
    declared: one("80", "443", "80-80"),
    stored: [asSent, text((sent) => (sent.includes("-") ? sent : `${sent}-${sent}`))],
    edited: ["80-81", "443-443"],
  },
  mode: {
    declared: one("Standard", "Premium", "standard"),
    stored: [asSent, text((sent) => sent.toUpperCase())],
    edited: ["PREMIUM", "other"],
  },
  filled: {
    declared: (at) => (at === 1 ? [] : [`own-${at}`]),
    stored: [asSent, list((all) => (all.length === 0 ? ["auto"] : [...all]))],
    edited: [["else"], []],
  },
  choice: {
    declared: one("UNSPECIFIED", "choice-2", "choice-3"),
    stored: [asSent, text((sent) => (sent === "UNSPECIFIED" ? "chosen" : sent))],
    edited: ["choice-3", "chosen"],
  },
  fixed: { declared: one("here", "here", "there"), stored: [(sent, former) => former ?? sent] },
  deep: {
    declared: (at) => ({ fixed: at === 3 ? "there" : "here", free: at }),
    stored: [
      (sent, former) =>
        isObject(sent) && isObject(former) ? { ...sent, fixed: former.fixed ?? sent.fixed ?? null } : sent,
    ],
    edited: [{ free: 8 }],
  },
  version: {
    declared: one("1.2", "6", "v2"),
    stored: [asSent, text((sent) => `${sent}.0`), text((sent) => `${sent}0`)],
    edited: ["1.2.9", "60", "1.3"],
  },
  bytes: {
    declared: one("1Gi", "2000m", "512Mi"),
    stored: [asSent, text((sent) => ({ "1Gi": "1024Mi", "2000m": "2", "512Mi": 536_870_912 })[sent] ?? sent)],
    edited: ["1024Mi", "3Gi"],
  },
  span: {
    declared: one("PT1H", "P1DT1M", "90s"),
    stored: [asSent, text((sent) => ({ PT1H: "3600s", P1DT1M: "86460s", "90s": "PT1M30S" })[sent] ?? sent)],
    edited: ["3600s", "PT2H"],
  },
  moment: {
    declared: (at) => `2026-01-0${at}T00:00:00Z`,
    stored: [
      asSent,
      text((sent) => sent.replace("Z", ".000Z")),
      text((sent) => sent.replace("00:00:00Z", "01:00:00Z")),
    ],
    edited: ["2026-01-01T00:00:00.000Z", "2027-01-01T00:00:00Z"],
  },
  image: {
    declared: (at) => `projects/p/global/images/family/os-${at}`,
    stored: [
      asSent,
      text((sent) => sent.replace("family/", "").replace(/$/, "-v7")),
      text(() => "projects/p/global/images/x"),
    ],
    edited: ["projects/p/global/images/os-1-v8", "projects/q/global/images/os-1-v7"],
  },
  address: {
    declared: (at) => `10.0.0.${at}/32`,
    stored: [asSent, text((sent) => sent.replace("/32", "")), text((sent) => sent.replace(/\d+\/32/, "0/24"))],
    edited: ["10.0.0.1", "10.0.0.0/24"],
  },
  rounded: { declared: (at) => at * 7, stored: [(sent) => Math.round(Number(sent) / 10) * 10], edited: [10, 70] },
  stubborn: {
    declared: (at) => `mode-${at}`,
    stored: [asSent, (_sent, former) => former ?? "own"],
    edited: ["mode-2"],
  },
  nested: {
    declared: (at) => ({ level: at, list: [at, { inner: "a" }], empty: {} }),
    stored: [asSent, (sent) => (isObject(sent) ? { ...sent, more: { own: true } } : sent)],
    edited: [{ level: 5 }, { list: [1] }, { empty: { own: 1 } }],
  },
  nothing: { declared: one(null, {}, []), stored: [asSent, dropped], edited: [null, "something"] },
  taken: { declared: (at) => `taken-${at}`, stored: [dropped, asSent] },
  status: {
    declared: (at) => ({ level: at }),
    stored: [(sent) => (isObject(sent) ? { ...sent, state: "ready" } : sent)],
  },
  pairs: {
    declared: (at) =>
      ["a", "b", "c"].slice(0, at + 1).map((from) => ({ from, to: at, place: "Here", with: { taken: at } })),
    stored: [
      list((all) => [...all].reverse()),
      items(({ with: _, ...item }) => ({ ...item, place: "here", more: 1 })),
      list((all) => [...all, { from: "own", to: 1 }]),
    ],
    edited: [
      [
        { from: "b", to: 1 },
        { from: "a", to: 1 },
      ],
      [{ from: "a" }, { from: "a" }],
      ["a"],
    ],
  },
  mixed: {
    declared: (at) => [{ any: [at] }, { any: [at, 2] }, "text", at],
    stored: [asSent, list((all) => [...all].reverse())],
    edited: [[{ any: [2] }, "text"]],
  },
  byPlace: {
    declared: (at) => ({ "things/1": { level: at }, "things/2": {} }),
    stored: [
      asSent,
      (sent) =>
        isObject(sent) ? Object.fromEntries(Object.entries(sent).map(([name, one]) => [`/own/${name}`, one])) : sent,
    ],
    edited: [{ "/own/things/1": { level: 7 } }, { "things/2": null }],
  },
  many: {
    declared: (at) => Object.fromEntries(Array.from({ length: 110 }, (_, nth) => [`m${nth}`, nth === 7 ? null : at])),
    stored: [asSent, (sent) => (isObject(sent) ? { ...sent, m1: 0, m2: "2" } : sent)],
    edited: [{ m1: 5 }, Object.fromEntries(Array.from({ length: 105 }, (_, nth) => [`m${nth}`, 9]))],
  },
  // With secrets, or with values in their place.
  password: { declared: () => secretMark, stored: [dropped] },
  code: {
    declared: () => secretMark,
    stored: [asSent, text((sent) => `coded-${sent.length}`), text(() => "****"), text((sent) => sent.toUpperCase())],
    edited: ["by-hand", "****"],
  },
  variables: {
    declared: (at) => [
      { name: "TOKEN", value: secretMark },
      { name: "LEVEL", value: `level-${at}` },
    ],
    stored: [asSent, list((all) => [...all].reverse()), items((item) => ({ ...item, own: true }))],
    edited: [
      [{ name: "LEVEL", value: "level-1" }],
      [
        { name: "TOKEN", value: "by-hand" },
        { name: "LEVEL", value: "level-1" },
      ],
    ],
  },
  settings: {
    declared: (at) => ({ url: secretMark, level: at, words: ["plain", secretMark] }),
    stored: [asSent, (sent) => (isObject(sent) ? { ...sent, url: `own:${String(sent.url)}` } : sent)],
    edited: [{ url: "by-hand" }, { level: 9 }],
  },
  shown: { declared: (at) => ({ url: `server=${at}`, level: at }), edited: [{ url: "server=9" }, { level: 9 }] },
  // With references.
  of: { declared: () => referenceMark, edited: ["by-hand"] },
  links: {
    declared: (at) => [{ name: "first", target: referenceMark }, ...named(at).slice(1)],
    stored: [asSent, list((all) => [...all].reverse())],
    edited: [[{ name: "first", target: "by-hand" }]],
  },
  byLink: { declared: (at) => ({ [referenceMark]: { level: at } }), edited: [{ other: { level: 1 } }] },
} as const satisfies Readonly<Record<string, VariedValue>>;

/** The name of such a parameter. */
export type VariedName = keyof typeof values;
/** Each parameter. */
export const variedValues: Readonly<Record<VariedName, VariedValue>> = values;
export const variedNames = Object.keys(values) as [VariedName, ...VariedName[]];

/** What a type announces about these parameters. */
export const variedFacts: Partial<ResourceType> = {
  sets: ["/group", "/settings/words", "/pairs", "/mixed"],
  keys: { "/codes": "code" },
  caseless: ["/city", "/pairs/*/place"],
  linkOf: (link) => (/^(\/own\/)?things\//.test(link) ? link.replace(/^\/own\//, "") : null),
  wholeNumbers: ["/count", "/many/*"],
  ranges: ["/port"],
  words: /^mode$/,
  keepsEmpty: ["/kept"],
  filled: ["/filled"],
  undecided: /^UNSPECIFIED$/,
  immutable: ["fixed", "/deep/fixed"],
  writeOnly: ["password"],
  inputOnly: ["taken", "/pairs/*/with"],
  readOnly: ["/status/state"],
  sensitive: ["/shown/url"],
  sensitiveOutputs: ["shown"],
};
