import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { operations, parseInput } from "@liveplane/core/contract";
import { isLiveplaneError } from "@liveplane/core/errors";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { declarationSchema, publishedAt } from "../../../../quality/declaration-schema.ts";
import { codePoint } from "../../../core/test/builders/code-points.ts";

const published = createRequire(import.meta.url).resolve("@liveplane/client/declaration.schema.json");

/** As an editor has it: from the file in the package, strictly. */
function editor() {
  const ajv = new Ajv2020({ allErrors: true, strict: true, strictTypes: false });
  addFormats.default(ajv);
  const isRight = ajv.compile(JSON.parse(readFileSync(published, "utf8")));
  return (declaration: unknown) => {
    isRight(declaration);
    return (isRight.errors ?? []).map(({ instancePath, keyword }) => `${instancePath} ${keyword}`);
  };
}

const objections = editor();
const guide = readFileSync(new URL("../../../../docs/reference/command-line.md", import.meta.url), "utf8");
/** The file that the guide shows. */
const [, right = ""] = /^```yaml\n(.+?)^```/ms.exec(guide) ?? [];

test("the schema in the package is what the contract says; after a change of it, run with -u", async () => {
  await expect(`${JSON.stringify(declarationSchema(), null, 2)}\n`).toMatchFileSnapshot(published);
});

test("an editor has nothing against a right file, and shows where a wrong one is wrong", () => {
  expect(objections(parse(right))).toEqual([]);
  expect(right.split("\n")[0]).toBe(`# yaml-language-server: $schema=${publishedAt}`);
  const changed = (from: string, to: string) => objections(parse(right.replace(from, to)));
  expect(changed("name: shop\n", "")).toEqual([" required"]);
  expect(changed("name: shop", "nmae: shop")).toEqual([" required", " additionalProperties"]);
  expect(changed("name: shop", "name: [shop]")).toEqual(["/name type"]);
  expect(changed("id: 3f0c4d1e-", "id: ")).toEqual(["/id format"]);
  expect(changed("Personal", "personal")).toEqual(["/environmentId/type enum"]);
  expect(changed("Personal", "Unknown")).toEqual(["/environmentId/type enum"]);
  expect(changed("production", "Production!")).toEqual(["/environmentId/shortName pattern"]);
  expect(changed("    provider: provider-a\n", "")).toEqual(["/components/0 required"]);
  expect(changed("Retain", "Keep")).toContain("/components/0/deletionPolicy enum");
  expect(changed("[network/vnet]", "[network/vnet, network/vnet]")).toEqual(["/components/1/dependsOn uniqueItems"]);
  expect(changed("parameters: {", "params: {")).toEqual(["/components/0 additionalProperties"]);
  expect(objections(parse("- just a list"))).toEqual([" type"]);
});

test("it says something of every member that can be typed", () => {
  const said = (schema: object): boolean[] =>
    Object.entries(schema).flatMap(([name, of]) => {
      if (typeof of !== "object" || of === null) return [];
      const own = name === "properties" ? Object.values(of).map((member) => "description" in Object(member)) : [];
      return name === "environmentId" || name === "resourceGroupId" ? [] : [...own, ...said(of)];
    });
  expect(said(declarationSchema())).toEqual(Array(22).fill(true));
});

/** Texts and values that a declaration might hold by mistake. */
const anything = fc.oneof(
  fc.constant(null),
  fc.boolean(),
  fc.integer(),
  fc.string(),
  fc.array(fc.string()),
  fc.object(),
);

test("it has nothing against what the service takes", async () => {
  const places = ["name", "description", "environmentId", "resourceGroupId", "components", "surplus"];
  const members = ["path", "provider", "type", "parameters", "dependsOn", "overrideWith", "muteDrift", "movedFrom"];
  const { id: _, ...declaration } = parse(right);
  let taken = 0;
  await fc.assert(
    fc.property(
      fc.constantFrom(...places, ...members),
      fc.oneof(anything, fc.string({ unit: codePoint }), fc.stringMatching(/^[a-z/]{1,12}$/)),
      (place, value) => {
        const [first, ...others] = declaration.components;
        const changed = places.includes(place)
          ? { ...declaration, [place]: value }
          : { ...declaration, components: [{ ...first, [place]: value }, ...others] };
        try {
          parseInput(operations.liveSystems.create.body, changed, "body");
        } catch (error) {
          if (isLiveplaneError(error)) return;
          throw error;
        }
        taken += 1;
        expect(objections(changed)).toEqual([]);
      },
    ),
    { numRuns: 500 },
  );
  expect(taken).toBeGreaterThan(50);
});
