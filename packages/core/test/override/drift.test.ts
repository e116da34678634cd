import { expect, test } from "vitest";
import type { JsonObject } from "../../src/json-pointer.ts";
import { unknownValue } from "../../src/override/declarations/references.ts";
import {
  type Actual,
  compare,
  compareMissing,
  correctionOf,
  type Expected,
} from "../../src/override/protocol/drift.ts";
import type { ResourceType } from "../../src/ports/resource-type.ts";

const plain: ResourceType = {
  taggable: true,
  sets: [],
  caseless: [],
  immutable: [],
  writeOnly: [],
  sensitiveOutputs: [],
};

function expected(parameters: JsonObject, more: Partial<Expected> = {}): Expected {
  return {
    parameters,
    secrets: [],
    type: plain,
    tagParameter: "tags",
    caselessTagKeys: true,
    unapplied: new Set(),
    ignored: [],
    scope: "own",
    settled: new Map(),
    extraItems: {},
    ...more,
  };
}

function actual(parameters: JsonObject, tags: Record<string, string> = {}): Actual {
  return { parameters, tags };
}

const named = (name: string) => ({ port: 1, name });
const partly = { all: [{ port: 1 }, named("b")] };
const twins = { all: [named("b"), { port: 1, size: 1 }] };
const hidden = {
  all: [
    { a: 1, secret: "x" },
    { a: 2, secret: "y" },
  ],
};
const setOfHidden = { sets: ["/all"], writeOnly: ["/all/*"] };
const whole = { wholeNumbers: ["/a", "/b", "/c", "/d"] };
const empty = { flag: false, size: 0, note: "", list: [], count: "0" };
const words = { words: /^tier$|Type$/ };
const ranges = { ranges: ["/port", "/ports/*"], sets: ["/ports"] };
const said = { flag: true, size: 1, note: "a", list: [0], count: "1", inner: {} };

/** How many places differ, of what is declared and what is there. */
const comparisons: readonly (readonly [
  what: string,
  declared: JsonObject,
  there: JsonObject,
  places: readonly string[],
  type?: Partial<ResourceType>,
])[] = [
  ["what isn't declared", { size: 1 }, { size: 1, extra: true }, []],
  ["what isn't declared deeper down", { sku: { tier: "a" } }, { sku: { tier: "a", more: 1 } }, []],
  ["declared null and absence", { note: null, toString: null }, {}, []],
  ["declared null and null", { note: null }, { note: null }, []],
  ["declared null and a value", { note: null }, { note: "x" }, ["/note"]],
  ["empty containers", { map: {}, list: [] }, { map: {}, list: [] }, []],
  ["empty containers and full ones", { map: {}, list: [] }, { map: { a: 1 }, list: [1] }, ["/list"]],
  ["an empty container and absence", { map: {} }, {}, ["/map"]],
  [
    "arrays, over declared leaves",
    { all: [{ a: 1 }, { a: 2 }] },
    {
      all: [
        { a: 1, id: 1 },
        { a: 2, id: 2 },
      ],
    },
    [],
  ],
  ["an element of an array", { all: [{ a: 1 }, { a: 2 }] }, { all: [{ a: 1 }, { a: 3 }] }, ["/all"]],
  ["arrays of different lengths", { all: [{ a: 1 }, { a: 2 }] }, { all: [{ a: 1 }] }, ["/all"]],
  ["arrays in another order", { all: ["a", "b"] }, { all: ["b", "a"] }, ["/all"]],
  ["sets in another order", { all: ["a", "b"] }, { all: ["b", "a"] }, [], { sets: ["/all"] }],
  ["sets with doubles", { all: ["a", "a"] }, { all: ["a", "b"] }, ["/all"], { sets: ["/all"] }],
  ["sets whose elements may pair", partly, { all: [named("b"), named("c")] }, [], { sets: ["/all"] }],
  ["sets whose elements can't all pair", partly, { all: [named("c"), named("d")] }, ["/all"], { sets: ["/all"] }],
  [
    "sets in which two elements fit the same one alone",
    twins,
    { all: [{ ...named("b"), size: 1 }, named("c")] },
    ["/all"],
    { sets: ["/all"] },
  ],
  [
    "sets in which one element fits two",
    twins,
    {
      all: [
        { ...named("b"), size: 1 },
        { ...named("b"), more: 1 },
      ],
    },
    [],
    { sets: ["/all"] },
  ],
  ["an unread list, as far as it is shown", hidden, { all: [{ a: 1 }, { a: 2 }] }, [], { inputOnly: ["/all"] }],
  [
    "an unread list that shows something else",
    hidden,
    { all: [{ a: 1 }, { a: 3 }] },
    ["/all"],
    { inputOnly: ["/all"] },
  ],
  ["sets of what is never shown", { all: ["a", "b"] }, { all: ["*", "*"] }, [], setOfHidden],
  ["sets of what is never shown, one of which lacks", { all: ["a", "b"] }, { all: ["*"] }, ["/all"], setOfHidden],
  ["names of locations", { at: "westeurope" }, { at: "West Europe" }, [], { caseless: ["/at"] }],
  ["other text in another case", { size: "a" }, { size: "A" }, ["/size"], { caseless: ["/at"] }],
  ["a number and its text", { size: 1 }, { size: "1" }, ["/size"]],
  [
    "whole numbers and their text",
    { a: 10, b: "10", c: "010", d: -1 },
    { a: "10", b: 10, c: "10", d: "-1" },
    [],
    whole,
  ],
  [
    "other numbers",
    { a: 10, b: 10, c: 10.5, d: 10 },
    { a: "11", b: "1e1", c: 10, d: null },
    ["/a", "/b", "/c", "/d"],
    whole,
  ],
  ["what says nothing and is left out", empty, {}, [], { omitsEmpty: true, wholeNumbers: ["/count"] }],
  ["a number that is left out", { count: "7" }, {}, ["/count"], { omitsEmpty: true, wholeNumbers: ["/count"] }],
  ["what says nothing, elsewhere", empty, {}, ["/flag", "/size", "/note", "/list", "/count"]],
  ["what says nothing and is null", { list: [], flag: false }, { list: null, flag: null }, [], { omitsEmpty: true }],
  ["an object that says nothing", { backup: { on: false, days: [] } }, {}, [], { omitsEmpty: true }],
  ["an empty object that is left out", { backup: {} }, {}, ["/backup"], { omitsEmpty: true }],
  ["what has another default", { on: false, size: 0 }, {}, ["/on"], { omitsEmpty: true, keepsEmpty: ["/on"] }],
  ["words in another case", { tier: "Hot", disk: { osType: "A" } }, { tier: "hot", disk: { osType: "a" } }, [], words],
  ["other words and names", { tier: "Hot", name: "Hot" }, { tier: "Cold", name: "hot" }, ["/tier", "/name"], words],
  ["ranges of one", { port: "80", ports: ["443-443", "80"] }, { port: "80-80", ports: ["80-80", "443"] }, [], ranges],
  ["other ranges and texts", { port: "80", name: "80" }, { port: "80-81", name: "80-80" }, ["/port", "/name"], ranges],
  ["what says something and is left out", said, {}, Object.keys(said).map((name) => `/${name}`), { omitsEmpty: true }],
];

test.for(comparisons)("compares %s", ([_, declared, there, places, type = {}]) => {
  const { changes } = compare(expected(declared, { type: { ...plain, ...type } }), actual(there));
  expect(changes.map(({ pointer }) => pointer)).toEqual(places);
});

test("shows both sides of a top-level parameter whole and names the place of the change", () => {
  const found = compare(expected({ sku: { tier: "a", size: 1 } }), actual({ sku: { tier: "b", size: 1, extra: 2 } }));
  expect(found.drift).toEqual({ sku: { declared: { tier: "a", size: 1 }, actual: { tier: "b", size: 1, extra: 2 } } });
  expect(found.changes).toEqual([{ parameter: "sku", pointer: "/sku/tier", declared: "a", actual: "b" }]);
  expect(found.corrections).toEqual([{ parameter: "sku", pointer: "/sku/tier", value: "a" }]);
});

test("takes a whole number and its text for one in every element of a list, and corrects by the declared one", () => {
  const type = { ...plain, wholeNumbers: ["/disks/*/size"] };
  const { corrections } = compare(
    expected({ disks: [{ size: 10 }, { size: 20 }] }, { type }),
    actual({ disks: [{ size: "10" }, { size: "21" }] }),
  );
  expect(corrections).toEqual([{ parameter: "disks", pointer: "/disks", value: [{ size: 10 }, { size: 20 }] }]);
});

test("takes links for one where the cloud says that they name one resource, as values and as names", () => {
  const linkOf = (text: string, scope: string) => text.replace(/^own/, scope).toLowerCase();
  const type = { ...plain, linkOf };
  const declared = expected({ net: "own/net", users: { "own/a": { role: "x" }, "own/b": {} } }, { type, scope: "my" });
  const there = { net: "my/NET", users: { "MY/a": { role: "x" }, "my/b": {} } };
  expect(compare(declared, actual(there)).changes).toEqual([]);
  expect(compare(declared, actual({ ...there, net: "other/net" })).changes).toHaveLength(1);
  const found = compare(declared, actual({ ...there, users: { ...there.users, "MY/a": { role: "y" } } }));
  expect(found.changes.map(({ pointer }) => pointer)).toEqual(["/users/own~1a/role"]);
});

test("compares tags key by key as the cloud compares keys, and values exactly", () => {
  const declared = expected({ tags: { Env: "prod" } });
  expect(compare(declared, actual({}, { env: "prod", "managed-by": "platform", other: "x" })).changes).toEqual([]);
  expect(compare({ ...declared, caselessTagKeys: false }, actual({}, { env: "prod" })).changes).toHaveLength(1);
  const found = compare(declared, actual({}, { env: "Prod", "managed-by": "platform", platform: "reconcile" }));
  expect(found.drift).toEqual({ tags: { declared: { Env: "prod" }, actual: { env: "Prod" } } });
  expect(correctionOf(found.corrections, declared, {})).toEqual({
    change: { parameters: [], tags: { Env: "prod" } },
    removedTags: [],
    immutable: [],
  });
});

test("never corrects what is immutable, at whatever depth, and corrects what stands beside it", () => {
  const parameters = (zone: string, size: number) => ({ location: zone, properties: { zone, size } });
  const type = { ...plain, immutable: ["location", "/properties/zone"] };
  const declared = expected(parameters("a", 1), { type });
  const there = parameters("b", 2);
  const correction = correctionOf(compare(declared, actual(there)).corrections, declared, there);
  expect(correction).toEqual({
    change: { parameters: [{ pointer: "/properties/size", value: 1 }], tags: {} },
    removedTags: [],
    immutable: ["location", "/properties/zone"],
  });
});

test("hides secrets on both sides and wherever their value occurs, and still corrects with the value", () => {
  const declared = expected(
    { login: { password: "hunter22", user: "a" }, uri: "db://hunter22@host" },
    { secrets: ["/login/password"] },
  );
  const found = compare(declared, actual({ login: { password: "changed!", user: "a" }, uri: "db://hunter22@other" }));
  expect(JSON.stringify([found.changes, found.drift])).not.toMatch(/hunter22|changed!/);
  expect(found.drift.uri).toEqual({ declared: "db://[redacted]@host", actual: "db://[redacted]@other" });
  expect(found.corrections).toContainEqual({ parameter: "login", pointer: "/login/password", value: "hunter22" });
});

test("hides each value of an object that is where a secret is declared, wherever the value occurs", () => {
  const there = { password: { old: "hunter22", others: [{ value: "hunter23" }] }, note: "was hunter22, then hunter23" };
  const { drift } = compare(expected({ password: "x", note: "none" }, { secrets: ["/password"] }), actual(there));
  expect(drift.note).toEqual({ declared: "none", actual: "was [redacted], then [redacted]" });
  expect(JSON.stringify(drift)).not.toContain("hunter2");
});

test("shows what stands beside a secret, though its name looks like an item's", () => {
  const of = (mode: string) => ({ settings: { key1: "hunter22", "mode=a": mode } });
  const { changes } = compare(expected(of("on"), { secrets: ["/settings/key1"] }), actual(of("off")));
  expect(changes).toEqual([{ parameter: "settings", pointer: "/settings/mode=a", declared: "on", actual: "off" }]);
});

test("compares what the cloud never gives back by what was last applied", () => {
  const type = { ...plain, writeOnly: ["password"] };
  expect(compare(expected({ password: "x" }, { type }), actual({})).changes).toEqual([]);
  const found = compare(expected({ password: "x" }, { type, unapplied: new Set(["password"]) }), actual({}));
  expect(found.drift).toEqual({ password: { declared: "[redacted]", actual: null } });
});

test("compares a set of what the cloud never gives back by what was last applied", () => {
  const type = { ...plain, ...setOfHidden };
  const [declared, there] = [{ all: ["a", "b"] }, actual({ all: ["*", "*"] })];
  expect(compare(expected(declared, { type }), there).changes).toEqual([]);
  const { changes } = compare(expected(declared, { type, unapplied: new Set(["/all/*"]) }), there);
  expect(changes.map(({ pointer }) => pointer)).toEqual(["/all"]);
});

test("compares by what was last applied what the cloud never gives back deeper down, and shows it nowhere", () => {
  const type = { ...plain, writeOnly: ["/login/password"] };
  const parameters = { login: { name: "ada", password: "hunter22" } };
  const there = actual({ login: { name: "ada" } });
  expect(compare(expected(parameters, { type }), there).changes).toEqual([]);
  const unapplied = new Set(["/login/password"]);
  const found = compare(expected(parameters, { type, unapplied }), there);
  const hidden = { name: "ada", password: "[redacted]" };
  expect(found.drift).toEqual({ login: { declared: hidden, actual: { name: "ada" } } });
  expect(found.corrections).toEqual([{ parameter: "login", pointer: "/login/password", value: "hunter22" }]);
  expect(JSON.stringify(compareMissing(expected(parameters, { type })))).not.toContain("hunter22");
});

test("what is missing differs in its hidden values, too: whoever creates it again sets them", () => {
  const type = { ...plain, writeOnly: ["password", "/login/password"] };
  const found = compareMissing(expected({ password: "hunter22", login: { password: "hunter22" } }, { type }));
  expect(found.drift).toEqual({
    password: { declared: "[redacted]", actual: null },
    login: { declared: { password: "[redacted]" }, actual: null },
  });
});

test("neither reports nor writes what isn't known yet", () => {
  expect(compare(expected({ subnet: unknownValue }), actual({ subnet: "x" })).changes).toEqual([]);
  const found = compare(expected({ ip: { subnet: unknownValue, size: 1 } }), actual({}));
  expect(found.changes).toHaveLength(1);
  expect(found.corrections).toEqual([]);
});

test("drifts in every declared parameter when the resource is missing", () => {
  const found = compareMissing(expected({ a: 1, b: { c: [] }, none: null, tags: { env: "x" } }));
  expect(found.drift).toEqual({
    a: { declared: 1, actual: null },
    b: { declared: { c: [] }, actual: null },
    tags: { declared: { env: "x" }, actual: {} },
  });
});

test("a change in a settled list of any order is seen, whichever item declares the member", () => {
  const type = { ...plain, sets: ["/policies"] };
  const policies = [{ for: "a" }, { for: "b", keys: ["get"] }];
  const form = [
    { for: "B", keys: ["GET"], addedByItself: 1 },
    { for: "A", addedByItself: 1 },
  ];
  const differs = (there: JsonObject[]) =>
    compare(expected({ policies }, { type, settled: new Map([["/policies", form]]) }), actual({ policies: there }))
      .changes.length > 0;
  expect(differs(form)).toBe(false);
  expect(differs(form.map((item) => ({ ...item, addedByItself: 2 })))).toBe(false);
  expect(differs([{ for: "B", keys: ["GET", "LIST"] }, { for: "A" }])).toBe(true);
});

test("a cloud that shows what it isn't said to show is compared there, and secrets never are", () => {
  const type = {
    ...plain,
    omitsEmpty: true,
    inputOnly: ["/disks/*/made"],
    writeOnly: ["key"],
    wholeNumbers: ["/disks/*/made/size"],
  };
  const parameters = { key: "k", disks: [{ made: { image: "a", size: 10, hidden: "h" } }] };
  const differing = (there: JsonObject, unapplied: readonly string[] = []) =>
    compare(expected(parameters, { type, unapplied: new Set(unapplied) }), actual(there)).changes;
  expect(differing({ disks: [{}] })).toEqual([]);
  expect(differing({ key: "other", disks: [{ made: { image: "a", size: "10" } }] })).toEqual([]);
  expect(differing({ disks: [{ made: { image: "b", size: "10" } }] })).toMatchObject([
    { pointer: "/disks", actual: [{ made: { image: "b", size: "10" } }] },
  ]);
  expect(differing({ disks: [{ made: { image: "a" } }] }, ["/disks/*/made"])).toHaveLength(1);
});
