import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { DescribedApi, DescribedOperation } from "../../tables/described-api.ts";

/** Whose description a request is judged by. */
export type Vendor = "azure" | "google";

/** A description, and which of its operations a request is. */
export interface Description {
  readonly schemas: DescribedApi["schemas"];
  /** Operations at a path, the most particular first; none: the description has no such path. */
  at(path: string): readonly DescribedOperation[];
}

const tables = join(import.meta.dirname, "../../tables");
const loaded = new Map<Vendor, Description>();

/** The tables of a vendor, read once. */
export function descriptionOf(vendor: Vendor): Description {
  const known = loaded.get(vendor) ?? load(vendor);
  loaded.set(vendor, known);
  return known;
}

function load(vendor: Vendor): Description {
  const api = JSON.parse(readFileSync(join(tables, `${vendor}-api.json`), "utf8")) as DescribedApi;
  const places = [...Map.groupBy(api.operations, ({ path }) => path)]
    .map(([path, operations]) => ({ operations, fixed: fixed(path), pattern: patternOf(path, vendor) }))
    .sort((a, b) => b.fixed - a.fixed);
  const known = new Map<string, readonly DescribedOperation[]>();
  const find = (path: string) => {
    const found = places.filter(({ pattern }) => pattern.test(path));
    return found.filter(({ fixed }) => fixed === found[0]?.fixed).flatMap(({ operations }) => operations);
  };
  return {
    schemas: api.schemas,
    at(path) {
      const found = known.get(path) ?? find(path);
      if (known.size >= mostKnown) known.clear();
      known.set(path, found);
      return found;
    },
  };
}

/** Paths that are asked for again and again: a sweep's. */
const mostKnown = 10_000;

function fixed(path: string): number {
  return path.split("/").filter((segment) => segment !== "{}").length;
}

/** Azure compares paths without case, and takes any scope where a path begins with one; Google puts verbs behind a colon. */
function patternOf(path: string, vendor: Vendor): RegExp {
  const segment = vendor === "azure" ? "[^/]+" : "[^/:]+";
  const literal = path.replaceAll(/[.*+?^$()|[\]\\]/g, "\\$&").replace(/^\/\{\}\/providers/, "/(?<scope>.+)/providers");
  return new RegExp(`^${literal.replaceAll("{}", segment)}$`, vendor === "azure" ? "i" : "");
}
