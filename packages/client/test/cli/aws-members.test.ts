import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { expect, onTestFinished, test } from "vitest";
import editor from "vscode-json-languageservice";
import { runCli } from "../../src/cli/cli.ts";
import type { CliHost } from "../../src/cli/host.ts";

/** As AWS's registry describes a type. */
const table = {
  typeName: "AWS::Shop::Table",
  definitions: {
    Column: {
      type: "object",
      properties: { Name: { type: "string", pattern: "^[a-z]+$" }, Kind: { $ref: "#/definitions/Kind" } },
      required: ["Name"],
      additionalProperties: false,
    },
    Kind: { type: "string", enum: ["TEXT", "NUMBER"] },
    Tag: { type: "object", properties: { Key: { type: "string" }, Value: { type: "string" } } },
  },
  properties: {
    TableName: { type: "string", description: "The name.", pattern: "(?i)not of every editor" },
    Columns: { type: "array", insertionOrder: false, minItems: 1, items: { $ref: "#/definitions/Column" } },
    Size: { type: "integer", format: "int64", maximum: 100 },
    Rules: { oneOf: [{ type: "object", properties: { A: { type: "string" } } }, { $ref: "#/definitions/Kind" }] },
    Labels: { type: "object", patternProperties: { "^[a-z]$": { type: "string" } }, additionalProperties: false },
    Other: { $ref: "#/properties/Arn" },
    Arn: { type: "string" },
    Tags: { type: "array", items: { $ref: "#/definitions/Tag" } },
  },
  additionalProperties: false,
  required: ["TableName", "Columns", "Tags"],
  readOnlyProperties: ["/properties/Arn"],
  primaryIdentifier: ["/properties/TableName"],
  tagging: { taggable: true, tagProperty: "/properties/Tags" },
};

function schemaWith(files: Readonly<Record<string, string>>) {
  const folder = mkdtempSync(join(tmpdir(), "liveplane-schemas-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return schemaOf(folder);
}

async function schemaOf(folder: string) {
  const [out, said]: [string[], string[]] = [[], []];
  const code = await runCli({
    args: ["schema", "--schemas", folder],
    print: (lines: string | readonly string[]) => out.push([lines].flat().join("\n")),
    say: (lines: string | readonly string[]) => said.push([lines].flat().join("\n")),
    signal: new AbortController().signal,
  } as unknown as CliHost);
  return { code, text: out.join("\n"), said: said.join("\n") };
}

const declared = (type: string, parameters: object) => ({
  name: "shop",
  environmentId: { type: "Personal", ownerId: "me", shortName: "production" },
  components: [{ path: "data", provider: "aws", type, parameters }],
});

test("with AWS's schemas, an editor knows the members of a type, and takes references and other types", async () => {
  const { code, text } = await schemaWith({ "aws-shop-table.json": JSON.stringify(table), "README.md": "not read" });
  expect(code).toBe(0);
  const ajv = new Ajv2020({ allErrors: true, strict: true, strictTypes: false, allowUnionTypes: true });
  addFormats.default(ajv);
  const isRight = ajv.compile(JSON.parse(text));
  const objections = (parameters: object, type = table.typeName) => {
    isRight(declared(type, parameters));
    const own = (isRight.errors ?? []).filter(({ schemaPath }) => !/anyOf$|if$|reference/.test(schemaPath));
    return own.map(
      ({ instancePath, keyword }) => `${instancePath.slice("/components/0/parameters".length)} ${keyword}`,
    );
  };
  const Columns = [{ Name: "id", Kind: "TEXT" }];
  expect(
    objections({ Columns, Size: 5, Rules: "TEXT", Labels: { "$output:a#b": "x" }, Tags: { team: "blue" } }),
  ).toEqual([]);
  expect(objections({ Columns: { $output: "a#columns" }, Size: { $secret: "size" }, Rules: { A: "x" } })).toEqual([]);
  expect(objections({ Columns: [{ Name: { $output: "a#b" } }], Other: "x" })).toEqual([]);
  expect(objections({})).toEqual([" required"]);
  expect(objections({ Columns, Colums: [] })).toEqual([" additionalProperties"]);
  expect(objections({ Columns, Arn: "x" })).toEqual([" additionalProperties"]);
  expect(objections({ Columns: [{ Name: "ID", Kind: "text" }] })).toEqual([
    "/Columns/0/Name pattern",
    "/Columns/0/Kind enum",
  ]);
  expect(objections({ Columns, Size: 101 })).toEqual(["/Size maximum"]);
  expect(objections({ Columns, Tags: [{ Key: "team", Value: "blue" }] })).toEqual(["/Tags type"]);
  expect(objections({ Anything: 1 }, "AWS::Shop::Shelf")).toEqual([]);
});

test.each([
  ["types", '{ "components": [{ "type": | }] }', ["Microsoft.Network/virtualNetworks@2024-05-01", "AWS::Shop::Table"]],
  ["members", '"parameters": { | }', ["TableName", "Columns", "Size", "Rules", "Labels", "Other", "Tags"]],
  ["members in lists", '"parameters": { "Columns": [{ | }] }', ["Name", "Kind", "$output", "$secret"]],
  ["words", '"parameters": { "Columns": [{ "Kind": | }] }', ["TEXT", "NUMBER"]],
])("Visual Studio Code completes %s", async (_, marked, words) => {
  const { text } = await schemaWith({ "aws-shop-table.json": JSON.stringify(table) });
  const service = editor.getLanguageService({});
  service.configure({ schemas: [{ uri: "file:///shop", fileMatch: ["*"], schema: JSON.parse(text) }] });
  const whole = marked.startsWith("{") ? marked : `{ "components": [{ "type": "AWS::Shop::Table", ${marked} }] }`;
  const document = editor.TextDocument.create("file:///shop.json", "json", 1, whole.replace("|", ""));
  const position = document.positionAt(whole.indexOf("|"));
  const found = await service.doComplete(document, position, service.parseJSONDocument(document));
  expect(found?.items.map(({ label }) => label.replaceAll('"', ""))).toEqual(words);
});

test("it is no longer the published schema", async () => {
  const { text } = await schemaWith({ "one.json": JSON.stringify(table) });
  expect(JSON.parse(text)).not.toHaveProperty("$id");
});

test("a folder without schemas of types is refused with the file's name", async () => {
  for (const content of ["{}", "not JSON", '{"typeName":"AWS::Shop::Table"}'])
    expect(await schemaWith({ "wrong.json": content })).toMatchObject({
      code: 2,
      text: "",
      said: expect.stringContaining("wrong.json isn't the schema of a type"),
    });
  expect(await schemaOf("/none")).toMatchObject({ code: 2, said: expect.stringContaining("/none can't be read") });
});
