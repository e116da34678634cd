import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { azureTables } from "./azure-tables.ts";
import { chosenOn, descriptionPackages } from "./description-packages.ts";
import { googleTables } from "./google-tables.ts";

/**
 * Writes the tables from the vendors' descriptions: `azure.json` and `google.json` hold what is known of each type, `azure-api.json` and
 * `google-api.json` the operations and schemas that tests judge requests and answers by, `sources.json` where all of it comes from.
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
const tables = {
  "azure.json": lines(azure.kinds),
  "azure-api.json": `{"operations":[\n${azure.api.operations.map(line).join(",\n")}\n],\n"schemas":${lines(azure.api.schemas)}}\n`,
  "google.json": lines(google.kinds),
  "google-api.json": `{"operations":[\n${google.api.operations.map(line).join(",\n")}\n],\n"schemas":${lines(google.api.schemas)}}\n`,
};
const sources = {
  chosenOn,
  packages: packages.sources(),
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
