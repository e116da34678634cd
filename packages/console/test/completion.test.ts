import schema from "@liveplane/client/declaration.schema.json" with { type: "json" };
import { expect, test } from "vitest";
import type { DescribedSchema } from "../src/api/described.ts";
import { suggestionsAt } from "../src/live-systems/declaration-completion.ts";

const clouds = { "provider-a": "Azure", "provider-b": "Google Cloud" };

/** What is suggested where `|` is, and the text once the first suggestion is written. */
function at(marked: string) {
  const caret = marked.indexOf("|");
  const text = marked.replace("|", "");
  const all = suggestionsAt(text, caret, schema as DescribedSchema, clouds);
  if (all === null) return null;
  const words = all.found.map(({ word }) => word);
  return { words, first: `${text.slice(0, all.from)}${all.found[0]?.written}${text.slice(all.to)}` };
}

test.each([
  ['{ "na|', ["name"], '{ "name": '],
  ['{ "na|" }', ["name"], '{ "name":  }'],
  ['{ "na|": "x" }', ["name"], '{ "name": "x" }'],
  ["{ na|", ["name"], '{ "name": '],
  ['{\n  "name": "x",\n  "env|\n}', ["environmentId"], '{\n  "name": "x",\n  "environmentId": \n}'],
  ['{ "environmentId": { "ty|', ["type"], '{ "environmentId": { "type": '],
  ['{ "environmentId": { "type": "P|" } }', ["Personal"], '{ "environmentId": { "type": "Personal" } }'],
  ['{ "components": [{ "path": "a" }, { "pa|', ["path", "parameters"], '{ "components": [{ "path": "a" }, { "path": '],
  ['{ "components": [{ "pa|", "path": "a" }]}', ["parameters"], '{ "components": [{ "parameters": , "path": "a" }]}'],
  ['{ "components": [{ "provider": |', ["provider-a", "provider-b"], '{ "components": [{ "provider": "provider-a"'],
  ['{ "components": [{ "unconditionalWrites": t|', ["true"], '{ "components": [{ "unconditionalWrites": true'],
  ['{ "components": [{ "deletionPolicy": "|"', ["Delete", "Retain"], '{ "components": [{ "deletionPolicy": "Delete"'],
  ['{ "components": [{ "parameters": { "a": [1] }, "dep|', ["dependsOn"], null],
])("in JSON, %j suggests %j", (marked, words, first) => {
  const found = at(marked);
  expect(found?.words).toEqual(words);
  if (first !== null) expect(found?.first).toBe(first);
});

test.each([
  ["na|", ["name"], "name: "],
  ["name: x\nenv|", ["environmentId"], "name: x\nenvironmentId: "],
  ["environmentId:\n  ty|", ["type"], "environmentId:\n  type: "],
  ["environmentId:\n  type: P|", ["Personal"], "environmentId:\n  type: Personal"],
  ["environmentId: { type: P|", ["Personal"], "environmentId: { type: Personal"],
  ["components:\n  - pa|", ["path", "parameters"], "components:\n  - path: "],
  ["components:\n- pa|", ["path", "parameters"], "components:\n- path: "],
  ["components:\n  - path: a\n    pa|", ["parameters"], "components:\n  - path: a\n    parameters: "],
  ["components:\n  - path: a\n  - pa|", ["path", "parameters"], "components:\n  - path: a\n  - path: "],
  ["components:\n  - path: a\n    parameters:\n      x: 1\n    dep|", ["dependsOn"], null],
  ["components:\n  - { path: a, prov|", ["provider"], "components:\n  - { path: a, provider: "],
  ["components:\n  - path: a\n    provider: |", ["provider-a", "provider-b"], null],
  ["components:\n  - path: a\ndes|\nname: x", ["description"], "components:\n  - path: a\ndescription: \nname: x"],
])("in YAML, %j suggests %j", (marked, words, first) => {
  const found = at(marked);
  expect(found?.words).toEqual(words);
  if (first !== null) expect(found?.first).toBe(first);
});

test.each([
  ["within parameters, which the cloud defines", '{ "components": [{ "parameters": { "a|'],
  ["in a text", '{ "name": "a|'],
  ["after a finished value", '{ "name": "a"|'],
  ["for a member that is complete", '{ "name|'],
  ["in a comment", "# na|"],
  ["in parameters of YAML", "components:\n  - parameters:\n      na|"],
])("nothing is suggested %s", (_where, marked) => {
  expect(at(marked)).toBeNull();
});

test("what the schema requires comes first; what is there, and what only files have, isn't suggested", () => {
  expect(at('{ "name": "a", | }')?.words.slice(0, 2)).toEqual(["environmentId", "components"]);
  const all = at("{ |")?.words ?? [];
  expect(all).not.toEqual(expect.arrayContaining(["id"]));
  expect(at('{ "environmentId": { "type": |')?.words).toEqual(["Personal", "Organizational"]);
});

test.each(["", "{", "[", '{"a', "a: [", "- - -", ": :", '{ "a": "\\', "}}}]"])(
  "%j is read without an end or an error",
  (text) => {
    for (let caret = 0; caret <= text.length; caret++)
      expect(() => suggestionsAt(text, caret, schema as DescribedSchema, clouds)).not.toThrow();
  },
);
