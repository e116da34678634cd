import fc from "fast-check";
import { expect, test } from "vitest";
import { parse } from "yaml";
import {
  branchNameOf,
  type FoundResource,
  isFree,
  isShown,
  managerOf,
  treeOf,
} from "../src/environments/existing-rows.ts";
import { yamlOf } from "../src/environments/yaml-text.ts";

const one = (id: string, more: Partial<FoundResource> = {}): FoundResource => ({
  ...{ id, type: "Microsoft.Web/sites", name: id.split("/").at(-1) ?? "", location: "westeurope", tags: {} },
  ...{ managedBy: null, declarable: true },
  ...more,
});
const inGroup = (group: string, name: string) =>
  `/subscriptions/s/resourceGroups/${group}/providers/Microsoft.Web/sites/${name}`;

test.each([
  [inGroup("shop", "web"), "/subscriptions/s/resourceGroups/shop"],
  ["/subscriptions/s/providers/Microsoft.X/y/z", "/subscriptions/s"],
  ["projects/p/zones/europe-west1-b/disks/d", "projects/p/zones/europe-west1-b"],
  ["projects/p/global/networks/n", "projects/p/global"],
  ["projects/p/buckets/b", "projects/p"],
  ["else", ""],
])("the scope of %s is %s", (id, scope) => {
  expect(branchNameOf(id)).toBe(scope);
});

test("the tree has each resource once, and spellings of one scope or type are one", () => {
  const resources = [one(inGroup("B", "y")), one(inGroup("a", "z"), { type: "T/u" }), one(inGroup("b", "x"))];
  expect(treeOf(resources).map(({ scope, types }) => [scope, types.map(({ items }) => items.length)])).toEqual([
    ["/subscriptions/s/resourceGroups/a", [1]],
    ["/subscriptions/s/resourceGroups/B", [2]],
  ]);
});

test("a filter looks at names, types, locations and tags, and at who manages", () => {
  const web = one(inGroup("a", "web"), { tags: { team: "Blue" }, managedBy: { kind: "tool", name: "Terraform" } });
  const shows = (text: string, manager: Parameters<typeof isShown>[1]["manager"] = null) =>
    isShown(web, { text, manager });
  expect(["", "WEB", "sites", "west", "team=blue"].map((text) => shows(text))).toEqual(Array(5).fill(true));
  expect([shows("red"), shows("", "nobody"), shows("", "tool"), isFree(web)]).toEqual([false, false, true, false]);
  expect([managerOf(one("x")), isFree(one("x")), isFree(one("x", { declarable: false }))]).toEqual([
    "nobody",
    true,
    false,
  ]);
});

test("YAML reads back as the JSON that it was written from, and nothing in it is unseen", () => {
  const text = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.constantFrom(
      "yes",
      "null",
      "1e3",
      "0x1f",
      "~",
      "- a",
      "a: b",
      "# a",
      "a #b",
      "2026-01-01",
      "=",
      "<<",
      "é",
      "\u202e",
    ),
  );
  const { json } = fc.letrec((tie) => ({
    json: fc.oneof(
      { depthSize: "small", maxDepth: 4 },
      ...[text, fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }).filter((n) => !Object.is(n, -0))],
      ...[fc.boolean(), fc.constant(null), fc.array(tie("json")), fc.dictionary(text, tie("json"))],
    ),
  }));
  fc.assert(
    fc.property(json, (value) => {
      const yaml = yamlOf(value as Parameters<typeof yamlOf>[0]);
      expect(parse(yaml)).toEqual(JSON.parse(JSON.stringify(value)));
      expect(yaml).not.toMatch(/[^\n\P{Cc}]|[\p{Cf}\p{Zl}\p{Zp}]/u);
    }),
  );
});
