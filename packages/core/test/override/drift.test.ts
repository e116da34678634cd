import fc from "fast-check";
import { expect, test } from "vitest";
import { isObject, type JsonObject } from "../../src/json-pointer.ts";
import { unknownValue } from "../../src/override/declarations/references.ts";
import {
  type Actual,
  compare,
  compareMissing,
  correctionOf,
  type Expected,
} from "../../src/override/protocol/drift.ts";
import { keepPatch } from "../../src/override/protocol/keep-patch.ts";
import type { ResourceType } from "../../src/ports/resource-type.ts";
import type { Json } from "../../src/ports/store.ts";
import { applyPatch } from "../builders/json-patch.ts";

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
    ...more,
  };
}

function actual(parameters: JsonObject, tags: Record<string, string> = {}): Actual {
  return { parameters, tags };
}

test("says nothing of what isn't declared", () => {
  expect(compare(expected({ size: 1 }), actual({ size: 1, extra: true }, { owner: "x" })).changes).toEqual([]);
  expect(compare(expected({ sku: { tier: "a" } }), actual({ sku: { tier: "a", more: 1 } })).changes).toEqual([]);
});

test("shows both sides of a top-level parameter whole and names the place of the change", () => {
  const found = compare(expected({ sku: { tier: "a", size: 1 } }), actual({ sku: { tier: "b", size: 1, extra: 2 } }));
  expect(found.drift).toEqual({ sku: { declared: { tier: "a", size: 1 }, actual: { tier: "b", size: 1, extra: 2 } } });
  expect(found.changes).toEqual([{ parameter: "sku", pointer: "/sku/tier", declared: "a", actual: "b" }]);
  expect(found.corrections).toEqual([{ parameter: "sku", pointer: "/sku/tier", value: "a" }]);
});

test("takes declared null and absence for the same", () => {
  expect(compare(expected({ note: null }), actual({})).changes).toEqual([]);
  expect(compare(expected({ note: null }), actual({ note: null })).changes).toEqual([]);
  expect(compare(expected({ note: null }), actual({ note: "x" })).drift).toEqual({
    note: { declared: null, actual: "x" },
  });
  expect(compare(expected({ toString: null }), actual({})).changes).toEqual([]);
});

test("takes an empty container for a leaf", () => {
  expect(compare(expected({ map: {}, list: [] }), actual({ map: {}, list: [] })).changes).toEqual([]);
  expect(compare(expected({ map: {} }), actual({ map: { a: 1 } })).changes).toHaveLength(1);
  expect(compare(expected({ list: [] }), actual({ list: [1] })).changes).toHaveLength(1);
  expect(compare(expected({ map: {} }), actual({})).changes).toHaveLength(1);
});

test("compares arrays by length and element, over declared leaves", () => {
  const declared = expected({ rules: [{ port: 80 }, { port: 443 }] });
  expect(
    compare(
      declared,
      actual({
        rules: [
          { port: 80, id: 1 },
          { port: 443, id: 2 },
        ],
      }),
    ).changes,
  ).toEqual([]);
  expect(
    compare(declared, actual({ rules: [{ port: 80 }, { port: 444 }] })).changes.map(({ pointer }) => pointer),
  ).toEqual(["/rules/1/port"]);
  expect(compare(declared, actual({ rules: [{ port: 80 }] })).changes.map(({ pointer }) => pointer)).toEqual([
    "/rules",
  ]);
});

test("compares sets in any order, by the type's table", () => {
  const type = { ...plain, sets: ["/prefixes"] };
  expect(compare(expected({ prefixes: ["a", "b"] }, { type }), actual({ prefixes: ["b", "a"] })).changes).toEqual([]);
  expect(compare(expected({ prefixes: ["a", "a"] }, { type }), actual({ prefixes: ["a", "b"] })).changes).toHaveLength(
    1,
  );
  expect(compare(expected({ prefixes: ["a", "b"] }), actual({ prefixes: ["b", "a"] })).changes).toHaveLength(2);
});

test("compares location names without case and spaces, and nothing else", () => {
  const type = { ...plain, caseless: ["/location"] };
  expect(compare(expected({ location: "westeurope" }, { type }), actual({ location: "West Europe" })).changes).toEqual(
    [],
  );
  expect(compare(expected({ size: "a" }, { type }), actual({ size: "A" })).changes).toHaveLength(1);
});

test("tells numbers from numeric strings", () => {
  expect(compare(expected({ size: 1 }), actual({ size: "1" })).changes).toHaveLength(1);
});

test("takes a whole number and its text for one where the type's table says so, and no other number", () => {
  const type = { ...plain, wholeNumbers: ["/size", "/disks/*/size"] };
  const differs = (declared: Json, there: Json) =>
    compare(expected({ size: declared }, { type }), actual({ size: there })).changes.length > 0;
  expect([differs(10, "10"), differs("10", 10), differs("010", "10"), differs(-1, "-1")]).not.toContain(true);
  expect([differs(10, "11"), differs(10, "1e1"), differs(10.5, "10"), differs(10, null)]).not.toContain(false);
  const disks = expected({ disks: [{ size: 10 }, { size: 20 }] }, { type });
  expect(compare(disks, actual({ disks: [{ size: "10" }, { size: "20" }] })).changes).toEqual([]);
  expect(compare(disks, actual({ disks: [{ size: "10" }, { size: "21" }] })).corrections).toEqual([
    { parameter: "disks", pointer: "/disks/1/size", value: 20 },
  ]);
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

test("takes what is left out for a value that says nothing where the cloud leaves such out, and for no other", () => {
  const type = { ...plain, omitsEmpty: true, wholeNumbers: ["/count"] };
  const empty = { flag: false, size: 0, note: "", list: [], count: "0" };
  expect(compare(expected(empty, { type }), actual({})).changes).toEqual([]);
  expect(compare(expected(empty), actual({})).changes).toHaveLength(5);
  const said = { flag: true, size: 1, note: "a", list: [0], count: "1", inner: {} };
  expect(compare(expected(said, { type }), actual({})).changes).toHaveLength(6);
});

test("pairs the elements of sets off as far as any pairing does", () => {
  const type = { ...plain, sets: ["/rules"] };
  const declared = expected({ rules: [{ port: 1 }, { port: 1, name: "b" }] }, { type });
  const there = (...names: string[]) => actual({ rules: names.map((name) => ({ port: 1, name })) });
  expect(compare(declared, there("b", "c")).changes).toEqual([]);
  expect(compare(declared, there("c", "d")).changes).toHaveLength(1);
});

test("compares tags key by key as the cloud compares keys, and values exactly", () => {
  const declared = expected({ tags: { Env: "prod" } });
  expect(compare(declared, actual({}, { env: "prod", "managed-by": "platform", other: "x" })).changes).toEqual([]);
  expect(compare({ ...declared, caselessTagKeys: false }, actual({}, { env: "prod" })).changes).toHaveLength(1);
  const found = compare(declared, actual({}, { env: "Prod", "managed-by": "platform", platform: "reconcile" }));
  expect(found.drift).toEqual({ tags: { declared: { Env: "prod" }, actual: { env: "Prod" } } });
  expect(correctionOf(found.corrections, declared)).toEqual({
    change: { parameters: [], tags: { Env: "prod" } },
    removedTags: [],
    immutable: [],
  });
});

test("never corrects an immutable parameter", () => {
  const declared = expected({ location: "a", size: 1 }, { type: { ...plain, immutable: ["location"] } });
  const correction = correctionOf(compare(declared, actual({ location: "b", size: 2 })).corrections, declared);
  expect(correction).toEqual({
    change: { parameters: [{ pointer: "/size", value: 1 }], tags: {} },
    removedTags: [],
    immutable: ["location"],
  });
});

test("never corrects what is immutable deeper down, and corrects what stands beside it", () => {
  const declared = expected(
    { properties: { zone: "a", size: 1 } },
    { type: { ...plain, immutable: ["/properties/zone"] } },
  );
  const correction = correctionOf(
    compare(declared, actual({ properties: { zone: "b", size: 2 } })).corrections,
    declared,
  );
  expect(correction).toEqual({
    change: { parameters: [{ pointer: "/properties/size", value: 1 }], tags: {} },
    removedTags: [],
    immutable: ["/properties/zone"],
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

test("compares what the cloud never gives back by what was last applied", () => {
  const type = { ...plain, writeOnly: ["password"] };
  expect(compare(expected({ password: "x" }, { type }), actual({})).changes).toEqual([]);
  const found = compare(expected({ password: "x" }, { type, unapplied: new Set(["password"]) }), actual({}));
  expect(found.drift).toEqual({ password: { declared: "[redacted]", actual: null } });
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

const scalar = fc.oneof(
  fc.integer({ min: 0, max: 3 }),
  fc.constantFrom("a", "b", "A b"),
  fc.boolean(),
  fc.constant(null),
);
const json = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    scalar,
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom("x", "y", "z/~"), tie("value"), { maxKeys: 3 }),
  ),
})).value;
const parameters = fc.dictionary(fc.constantFrom("one", "two", "three"), json, {
  maxKeys: 3,
}) as fc.Arbitrary<JsonObject>;
const shapedType: ResourceType = { ...plain, sets: ["/one", "/two/x"], caseless: ["/three", "/two/y"] };

function written(target: JsonObject, found: ReturnType<typeof compare>): JsonObject {
  const operations = found.corrections.map(({ pointer, value }) => ({ op: "replace" as const, path: pointer, value }));
  const result = applyPatch(target, operations);
  return isObject(result) ? result : {};
}

test("finds nothing once its corrections are written", () => {
  fc.assert(
    fc.property(parameters, parameters, (declared, there) => {
      const wanted = expected(declared, { type: shapedType });
      const found = compare(wanted, actual(there));
      expect(compare(wanted, actual(written(there, found))).changes).toEqual([]);
    }),
    { numRuns: 2000 },
  );
});

test("finds nothing once the patch that keeps what is there is applied to the declaration", () => {
  fc.assert(
    fc.property(parameters, parameters, (declared, there) => {
      const component = { path: "a", provider: "p", type: "t", parameters: declared };
      const { changes } = compare(expected(declared, { type: shapedType }), actual(there));
      const kept = keepPatch([component], 0, changes, []);
      expect(kept.leftOut).toEqual([]);
      const after = applyPatch({ components: [component] } as unknown as Json, kept.patch) as unknown as {
        components: [{ parameters: JsonObject }];
      };
      expect(compare(expected(after.components[0].parameters, { type: shapedType }), actual(there)).changes).toEqual(
        [],
      );
    }),
    { numRuns: 2000 },
  );
});

test("agrees with itself: changes, drift and corrections are empty together", () => {
  fc.assert(
    fc.property(parameters, parameters, (declared, there) => {
      const { changes, drift, corrections } = compare(expected(declared), actual(there));
      expect(new Set(changes.map(({ parameter }) => parameter))).toEqual(new Set(Object.keys(drift)));
      expect(corrections).toHaveLength(changes.length);
    }),
  );
});
