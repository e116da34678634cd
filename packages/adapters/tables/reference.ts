import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ResourceType } from "@liveplane/core/clouds";
import { awsKinds } from "../src/aws/aws-kinds.ts";
import { awsType } from "../src/aws/aws-types.ts";
import { azureResourceType } from "../src/azure/azure-kinds.ts";
import { googleType } from "../src/google/google-types.ts";
import { awsDeclarations } from "../test/realistic/aws-declarations.ts";
import { azureDeclarations } from "../test/realistic/azure-declarations.ts";
import type { Declaration } from "../test/realistic/declarations.ts";
import { googleDeclarations } from "../test/realistic/google-declarations.ts";
import { serviceDeclarations } from "../test/realistic/service-declarations.ts";
import awsSchemas from "./aws-schemas.json" with { type: "json" };
import azure from "./azure.json" with { type: "json" };
import azureApi from "./azure-api.json" with { type: "json" };
import { type DescribedApi, type MemberType, type MemberTypes, marks } from "./described-api.ts";
import google from "./google.json" with { type: "json" };
import googleApi from "./google-api.json" with { type: "json" };

/** What a page says of one type. */
interface Described {
  readonly name: string;
  readonly facts: ResourceType;
  readonly body: string | null;
  readonly required: readonly string[];
}

const examples: ReadonlyMap<string, Declaration> = new Map(
  [...awsDeclarations, ...azureDeclarations, ...googleDeclarations, ...serviceDeclarations]
    .toReversed()
    .map((one) => [one.type, one]),
);

/** The pages of the reference of types, by file name: one for Azure, one for Google Cloud, and one for each service of AWS. */
export function typePages(): Readonly<Record<string, string>> {
  return {
    ...awsPages(),
    "azure.md": page("Azure", azureDescribed(), azureApi as unknown as DescribedApi),
    "google-cloud.md": page("Google Cloud", googleDescribed(), googleApi as unknown as DescribedApi),
  };
}

/** A page for each service, and a list of them. The members of types without tags aren't in the tables. */
function awsPages(): Readonly<Record<string, string>> {
  const schemas = awsSchemas as unknown as DescribedApi["schemas"];
  const types = awsKinds.map(({ type, required = [] }): Described => {
    return { name: type, facts: awsType(type), body: type, required: required.map((name) => `/${name}`) };
  });
  const services = Map.groupBy(types, ({ name }) => name.split("::")[1] ?? "");
  const own = [...services].map(([service, held]) => [
    `aws/${service}.md`,
    page(`AWS ${service}`, held, { operations: [], schemas }),
  ]);
  const list = [...services].map(([service, held]) => `- [${service}](aws/${service}.md): ${held.length}`);
  return { "aws.md": ["# Types of AWS", ...list].join("\n").concat("\n"), ...Object.fromEntries(own) };
}

function azureDescribed(): Described[] {
  const bodyAt = bodies(azureApi as unknown as DescribedApi, "PUT");
  return Object.entries(azure).map(([type, { version, path, required }]) => ({
    name: `${type}@${version}`,
    facts: azureResourceType(type),
    body: bodyAt(path) ?? bodyAt(path.replace(/\/[A-Z]+\/(\{\w+\})$/, "/{}/$1")),
    required,
  }));
}

function googleDescribed(): Described[] {
  const bodyAt = bodies(googleApi as unknown as DescribedApi, "GET");
  return Object.entries(google).map(([kind, { version, paths, required }]) => {
    const name = kind.replace(".", `.${version}.`);
    const body = kind.endsWith("IamBinding") ? "iam.Binding" : bodyAt(paths[0] ?? "");
    return { name, facts: googleType(name), body, required };
  });
}

/** The schema of what an operation at a path takes, or answers. */
function bodies({ operations }: DescribedApi, method: "PUT" | "GET"): (path: string) => string | null {
  const plain = (path: string) => path.toLowerCase().replaceAll(/\{[^}]*\}/g, "{}");
  const known = new Map(
    operations
      .filter((one) => one.method === method)
      .map(({ path, body, answers }) => [plain(path), method === "PUT" ? body : answers["200"]]),
  );
  return (path) => {
    const found = known.get(plain(path));
    return typeof found === "string" ? bare(found) : null;
  };
}

function page(cloud: string, types: readonly Described[], { schemas }: DescribedApi): string {
  return [`# Types of ${cloud}`, ...types.map((one) => section(one, schemas))].join("\n\n").concat("\n");
}

function section({ name, facts, body, required }: Described, schemas: DescribedApi["schemas"]): string {
  const { immutable, writeOnly, boundBy, taggable, inputOnly = [], readOnly = [] } = facts;
  const listed = (title: string, pointers: readonly string[]) =>
    pointers.length === 0 ? [] : [`${title}: ${pointers.map((one) => `\`${one}\``).join(", ")}`];
  const example = examples.get(name.split("@")[0] ?? "");
  return [
    `## ${name}`,
    taggable ? "Carries tags." : "Carries no tags: declare it with `overrideWith`.",
    `What binds a write: ${boundBy?.properties ?? "nothing"}.`,
    ...listed("Required", required),
    ...listed("Can't change after creation", immutable),
    ...listed("Never shown, and secret", writeOnly),
    ...listed("Never shown", inputOnly),
    ...members(schemas[body ?? ""] ?? {}, readOnly),
    ...(example === undefined ? [] : ["Example, which a test deploys:", fenced(example)]),
  ].join("\n\n");
}

function fenced({ type, name, declared }: Declaration): string {
  const component = { path: "app", type, ...(name !== undefined && { resourceName: name }), parameters: declared };
  return `\`\`\`json\n${JSON.stringify(component, null, 2)}\n\`\`\``;
}

/** The members that may be declared, with those of `properties`. A schema may not say that only the cloud sets one. */
function members(types: MemberTypes, readOnly: readonly string[]): string[] {
  const rows = (of: MemberTypes, above: string): string[] =>
    Object.entries(of).flatMap(([name, type]) => {
      const isMarked = typeof type === "string" && type.endsWith(marks.readOnly);
      if (isMarked || readOnly.includes(`/${above.replaceAll(".", "/")}${name}`)) return [];
      const nested = typeof type === "object" && type !== null ? rows(type, `${above}${name}.`) : [];
      return [`| \`${above}${name}\` | ${shown(type)} |`, ...nested];
    });
  const found = rows(types, "");
  return found.length === 0 ? [] : [["| member | type |", "| --- | --- |", ...found].join("\n")];
}

function shown(type: MemberType): string {
  if (typeof type !== "string") return "object";
  if (type.startsWith("[]")) return `list of ${shown(type.slice(2))}`;
  if (type.startsWith("{}")) return `map of ${shown(type.slice(2))}`;
  return type.startsWith("#") ? "object" : bare(type);
}

function bare(type: string): string {
  return type.replace(/[!\-=*]+$/, "").replace(/^#/, "");
}

if (import.meta.main) {
  const folder = join(import.meta.dirname, "../../../docs/reference/types");
  mkdirSync(join(folder, "aws"), { recursive: true });
  for (const [file, text] of Object.entries(typePages())) writeFileSync(join(folder, file), text);
}
