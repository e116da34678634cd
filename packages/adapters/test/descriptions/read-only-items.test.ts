import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { DescribedApi, MemberType } from "../../tables/described-api.ts";

const tables = join(import.meta.dirname, "../../tables");
const read = <T>(name: string) => JSON.parse(readFileSync(join(tables, name), "utf8")) as T;
const { operations, schemas } = read<DescribedApi>("azure-api.json");
const kinds = read<Readonly<Record<string, { readonly path: string }>>>("azure.json");

/** Deeper than this only resources are described that the one refers to. */
const mostSchemas = 3;

/** The read-only members in the lists and maps of a body. The identities that a map names are told apart by its keys alone. */
function readOnlyIn(type: MemberType, pointer = "", within: readonly string[] = []): readonly string[] {
  if (typeof type === "object")
    return Object.entries(type).flatMap(([name, member]) =>
      name === "*" ? [] : readOnlyIn(member, `${pointer}/${name}`, within),
    );
  const bare = type.replace(/[!\-=*]+$/, "");
  if (type.slice(bare.length).includes("-")) return pointer.includes("*") ? [pointer] : [];
  if (/^(\[\]|\{\})/.test(bare))
    return pointer === "/identity/userAssignedIdentities" ? [] : readOnlyIn(bare.slice(2), `${pointer}/*`, within);
  const schema = bare.startsWith("#") ? bare.slice(1) : null;
  if (schema === null || within.length === mostSchemas || within.includes(schema)) return [];
  return readOnlyIn(schemas[schema] ?? {}, pointer, [...within, schema]);
}

test("the table of what only Azure sets in lists and maps is what its descriptions say", async () => {
  const lines = Object.entries(kinds).flatMap(([type, { path }]) => {
    const at = path.replaceAll(/\{[^}]*\}/g, "{}").toLowerCase();
    const get = operations.find((one) => one.method === "GET" && one.path.toLowerCase() === at);
    const pointers = readOnlyIn(get?.answers["200"] ?? "any").toSorted();
    return pointers.length === 0 ? [] : [`${JSON.stringify(type)}:${JSON.stringify(pointers)}`];
  });
  expect(lines.length).toBeGreaterThan(20);
  await expect(`{\n${lines.join(",\n")}\n}\n`).toMatchFileSnapshot(join(tables, "azure-read-only-items.json"));
});
