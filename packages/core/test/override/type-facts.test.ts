import fc from "fast-check";
import { expect, test } from "vitest";
import { withValueAt } from "../../src/clouds/simulated/json-edits.ts";
import type { JsonObject } from "../../src/json-pointer.ts";
import { compare, type Expected } from "../../src/override/protocol/drift.ts";
import { plainType } from "../../src/ports/resource-type.ts";
import type { Json } from "../../src/ports/store.ts";

const type = {
  ...plainType,
  omitsEmpty: true,
  keepsEmpty: ["/on"],
  words: /^mode$/,
  ranges: ["/port"],
  sets: ["/zones"],
  caseless: ["/place"],
  filled: ["/endpoints/*/locations"],
  undecided: /_UNSPECIFIED$/,
};

function differs(parameters: JsonObject, there: JsonObject): boolean {
  const expected: Expected = {
    parameters,
    type,
    ignored: [],
    secrets: [],
    tagParameter: "tags",
    caselessTagKeys: true,
    unapplied: new Set(),
    scope: "own",
    settled: new Map(),
    extraItems: {},
  };
  return compare(expected, { parameters: there, tags: {} }).changes.length > 0;
}

/** A declaration, and how a cloud shows it that changes the spelling of all that its type's facts let it change. */
const respelled = fc
  .record({
    on: fc.boolean(),
    mode: fc.constantFrom("Fast", "slow"),
    port: fc.constantFrom("80", "443-443", "1-2"),
    zones: fc.uniqueArray(fc.constantFrom("1", "2", "3"), { maxLength: 3 }),
    place: fc.constantFrom("West Europe", "eastus"),
    inner: fc.record({ count: fc.nat(2), note: fc.constantFrom("", "x"), flag: fc.boolean() }),
  })
  .map(({ inner, ...own }) => {
    const said = Object.entries(inner).filter(([, value]) => value !== false && value !== 0 && value !== "");
    const shown = {
      on: own.on,
      mode: own.mode.toUpperCase(),
      port: own.port.includes("-") ? own.port.replace(/^(\d+)-\1$/, "$1") : `${own.port}-${own.port}`,
      place: own.place.toLowerCase().replace(" ", ""),
      ...(own.zones.length > 0 && { zones: own.zones.toReversed() }),
      ...(said.length > 0 && { inner: Object.fromEntries(said) as JsonObject }),
    };
    const declared: JsonObject = { ...own, inner, any: {} };
    return { declared, shown: { ...shown, any: { filled: "in" } } as JsonObject };
  });

test("what is a fact is in sync in either direction, and every change of a leaf that is shown is drift", () => {
  fc.assert(
    fc.property(respelled, ({ declared, shown }) => {
      expect(differs(declared, shown)).toBe(false);
      expect(differs(shown, { ...declared, any: shown.any ?? {} })).toBe(false);
      for (const { pointer, value } of leavesOf({ ...shown, any: {} })) {
        const other = typeof value === "boolean" ? !value : `${value}7`;
        expect({ pointer, differs: differs(declared, withValueAt(shown, pointer, other)) }).toEqual({
          pointer,
          differs: true,
        });
      }
    }),
    { numRuns: 500 },
  );
});

function leavesOf(value: Json, pointer = ""): { pointer: string; value: Json }[] {
  if (typeof value !== "object" || value === null) return [{ pointer, value }];
  return Object.entries(value).flatMap(([name, below]) => leavesOf(below, `${pointer}/${name}`));
}

test("a word that leaves the choice to the cloud, and an empty list that it fills, are met by whatever is there", () => {
  const declared = {
    kind: "KIND_UNSPECIFIED",
    endpoints: [{ service: "sql", locations: [], level: "LEVEL_UNSPECIFIED" }],
  };
  const there = { kind: "STANDARD", endpoints: [{ service: "sql", locations: ["east", "west"], level: "LOW" }] };
  expect(differs(declared, there)).toBe(false);
  expect(differs(declared, { endpoints: [{ service: "sql" }] })).toBe(false);
  expect(differs({ ...declared, kind: "SPECIAL" }, there)).toBe(true);
  expect(differs(declared, { ...there, endpoints: [{ service: "web", locations: ["east"] }] })).toBe(true);
  expect(differs({ ...declared, endpoints: [{ service: "sql", locations: ["east"] }] }, there)).toBe(true);
  expect(differs({ zones: [], other: [] }, { zones: ["1"] })).toBe(true);
});

test("items of a list in any order are paired although one leaves a member to the cloud", () => {
  const rules = [
    { name: "a", mode: "MODE_UNSPECIFIED" },
    { name: "b", mode: "fast" },
  ];
  const shown = {
    zones: [
      { name: "b", mode: "fast" },
      { name: "a", mode: "SLOW" },
    ],
  };
  expect(differs({ zones: rules }, shown)).toBe(false);
  expect(
    differs(
      { zones: rules },
      {
        zones: [
          { name: "b", mode: "SLOW" },
          { name: "a", mode: "SLOW" },
        ],
      },
    ),
  ).toBe(true);
});
