import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { azureCloud } from "@liveplane/adapters/azure-cloud";
import { expect, test } from "vitest";
import type { AzureKind } from "../../tables/azure-tables.ts";

const guide = join(import.meta.dirname, "../../../../docs/how-to/azure.md");
const kinds = JSON.parse(readFileSync(join(import.meta.dirname, "../../tables/azure.json"), "utf8")) as Readonly<
  Record<string, AzureKind>
>;

/** What binds the writes of each type, as the adapter says it. */
function table(): string {
  const cloud = azureCloud();
  const rows = Object.entries(kinds).map(([type, { version, tags }]) => {
    const { create, properties } = cloud.resourceType(type).boundBy ?? { create: "?", properties: "?" };
    return `| `.concat(`\`${type}\` | ${version} | ${create} | ${properties} | ${tags ? "its own" : "none"} |`);
  });
  return ["| type | version | creation | properties | tags |", "| --- | --- | --- | --- | --- |", ...rows].join("\n");
}

test("the guide's table is what the adapter goes by", () => {
  const text = readFileSync(guide, "utf8");
  const made = text.replace(
    /(<!-- generated: [^\n]*-->\n)[\s\S]*?(\n<!-- end -->)/,
    (_, before, after) => `${before}${table()}${after}`,
  );
  if (process.argv.includes("-u")) writeFileSync(guide, made);
  else expect(text).toBe(made);
});
