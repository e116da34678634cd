import { describe, expect, test } from "vitest";
import { withValuesAt } from "../../src/clouds/simulated/json-edits.ts";
import type { JsonObject } from "../../src/json-pointer.ts";
import { unknownValue } from "../../src/override/declarations/references.ts";
import { compare, correctionOf, type Expected } from "../../src/override/protocol/drift.ts";
import { plainType, type ResourceType } from "../../src/ports/resource-type.ts";

const type: ResourceType = {
  ...plainType,
  wholeBody: true,
  immutable: ["/mode", "/rules/*/once"],
  writeOnly: ["password", "/certificates/*/data", "/rules/*/key"],
  inputOnly: ["mode", "/rules/*/once"],
};

function expected(parameters: JsonObject, more: Partial<Expected> = {}): Expected {
  const plain = { ignored: [], secrets: [], extraItems: {}, settled: new Map(), unapplied: new Set<string>() };
  return { parameters, type, tagParameter: "tags", caselessTagKeys: true, scope: "own", ...plain, ...more };
}

const declared = {
  size: 2,
  mode: "Create",
  password: "secret",
  certificates: [
    { name: "a", data: "data of a" },
    { name: "b", data: "data of b" },
  ],
  rules: [
    { port: 80, key: "key of 80", once: "first" },
    { port: 443, key: "key of 443" },
  ],
};
const there = {
  size: 1,
  certificates: [
    { name: "b", state: "up" },
    { name: "a", state: "up" },
  ],
  rules: [
    { port: 80, state: "up" },
    { port: 443, state: "up" },
  ],
};

/** What is there once a correction was sent. */
function written(wanted: Expected, actual: JsonObject = there): JsonObject {
  const now = { parameters: actual, tags: {} };
  return withValuesAt(actual, correctionOf(compare(wanted, now).corrections, wanted, actual).change.parameters);
}

describe("a correction that is sent as the whole body", () => {
  const whole = {
    size: 2,
    password: "secret",
    certificates: [
      { name: "b", state: "up", data: "data of b" },
      { name: "a", state: "up", data: "data of a" },
    ],
    rules: [
      { port: 80, state: "up", key: "key of 80" },
      { port: 443, state: "up", key: "key of 443" },
    ],
  };

  test("holds what the cloud never shows, in lists with keys and without, but for what counts at a creation alone", () => {
    expect(written(expected(declared, { type: { ...type, sets: ["/certificates"] } }))).toEqual(whole);
  });

  test("finds items without a key wherever they are, if their order means nothing", () => {
    const rules = there.rules.toReversed();
    const anyOrder = expected(declared, { type: { ...type, sets: ["/certificates", "/rules"] } });
    expect(written(anyOrder, { ...there, rules })).toEqual({
      ...whole,
      rules: [...whole.rules],
    });
  });

  test("holds nothing that is ignored, isn't known, or was declared for nothing", () => {
    const wanted = expected(
      { size: 2, password: unknownValue, certificates: declared.certificates, rules: [{ port: 80, key: null }] },
      { ignored: ["/certificates/name=a/data"], type: { ...type, sets: ["/certificates"] } },
    );
    const actual = { ...there, rules: [{ port: 80 }] };
    expect(written(wanted, actual)).toEqual({
      ...actual,
      size: 2,
      certificates: [{ name: "b", state: "up", data: "data of b" }, there.certificates[1]],
    });
  });

  test("is none where only tags differ, and holds it where a resource that failed is written again as it is", () => {
    const wanted = expected(
      { ...declared, size: 1, tags: { team: "shop" } },
      { type: { ...type, sets: ["/certificates"] } },
    );
    const onlyTags = compare(wanted, { parameters: there, tags: {} }).corrections;
    expect(correctionOf(onlyTags, wanted, there).change).toEqual({ parameters: [], tags: { team: "shop" } });
    const again = correctionOf([], wanted, there).change.parameters;
    expect(withValuesAt(there, again)).toEqual({ ...whole, size: 1 });
  });
});

test("a correction that names what it changes leaves the rest alone", () => {
  const named = expected(declared, { type: { ...type, wholeBody: false, sets: ["/certificates"] } });
  expect(written(named)).toEqual({ ...there, size: 2 });
});

test("items of a list that is written keep what isn't declared of them, wherever they are", () => {
  const sets = { ...type, wholeBody: false, sets: ["/rules"] };
  const wanted = expected({ rules: [...declared.rules, { port: 22 }] }, { type: sets });
  const actual = { rules: there.rules.toReversed() };
  expect(written(wanted, actual).rules).toEqual([
    { port: 80, state: "up", key: "key of 80" },
    { port: 443, state: "up", key: "key of 443" },
    { port: 22 },
  ]);
});

test("what counts at a creation alone and is declared otherwise differs at its own place, and can't be written", () => {
  const rules = [{ port: 80, once: "second" }, { port: 443 }];
  const wanted = expected({ rules }, { unapplied: new Set(["/rules/*/once"]) });
  const actual = { rules: [{ port: 80 }, { port: 443 }] };
  const { changes, corrections } = compare(wanted, { parameters: actual, tags: {} });
  expect(changes).toEqual([{ parameter: "rules", pointer: "/rules/0/once", declared: "second", actual: null }]);
  expect(correctionOf(corrections, wanted, actual)).toMatchObject({
    change: { parameters: [] },
    immutable: ["/rules/*/once"],
  });
});
