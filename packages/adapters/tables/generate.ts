import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { awsTables } from "./aws-tables.ts";
import { azureTables } from "./azure-tables.ts";
import { chosenOn, descriptionPackages } from "./description-packages.ts";
import { googleTables } from "./google-tables.ts";

/**
 * Writes the tables from the vendors' descriptions: `aws.json`, `azure.json` and `google.json` contain what is known about each type,
 * `aws-members.json` the properties that AWS's types may declare, and `sources.json` the origin of all of it. Tests use the rest:
 * `aws-schemas.json`, `azure-api.json` and `google-api.json` are the schemas and operations that they check requests and answers against,
 * and `aws-defaults.json` what AWS sets by itself.
 */
const { values } = parseArgs({
  options: {
    // A folder whose node_modules holds the packages: nothing is downloaded then.
    packages: { type: "string" },
    // Writes nothing; fails where a table would be another.
    check: { type: "boolean", default: false },
  },
});
const packages = descriptionPackages({ from: values.packages ?? null });
const azure = await azureTables(packages);
const google = googleTables(packages);
const aws = awsTables(packages);
const tables = {
  "aws.json": lines(aws.kinds),
  "aws-members.json": lines(aws.members),
  "aws-defaults.json": lines(aws.defaults),
  "aws-schemas.json": lines(aws.schemas),
  "azure.json": lines(azure.kinds),
  "azure-api.json": `{"operations":[\n${azure.api.operations.map(line).join(",\n")}\n],\n"schemas":${lines(azure.api.schemas)}}\n`,
  "google.json": lines(google.kinds),
  "google-api.json": `{"operations":[\n${google.api.operations.map(line).join(",\n")}\n],\n"schemas":${lines(google.api.schemas)}}\n`,
};
const sources = {
  chosenOn,
  packages: packages.sources(),
  skipped: aws.skipped,
  tables: Object.fromEntries(Object.entries(tables).map(([name, text]) => [name, digest(text)])),
};
for (const [name, text] of Object.entries({ ...tables, "sources.json": `${JSON.stringify(sources, null, 1)}\n` })) {
  const file = join(import.meta.dirname, name);
  if (!values.check) writeFileSync(file, text);
  else if (readFileSync(file, "utf8") !== text) throw new RangeError(`${name} would be another: run pnpm tables.`);
}

/** A record a line, so that a change of the descriptions reads as one. */
function lines(records: Readonly<Record<string, unknown>>): string {
  const written = Object.entries(records).map(([name, record]) => `${line(name)}:${line(record)}`);
  return `{\n${written.join(",\n")}\n}\n`;
}

function line(value: unknown): string {
  return JSON.stringify(value);
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
