import type { DeclaredResources } from "@liveplane/core/contract";
import { UsageError } from "../usage-error.ts";
import { listOf, ownMember } from "./own-member.ts";

type Definition = DeclaredResources["definition"];

/** The resources in the output of `terraform show -json`: a path from each address, by resource ID. */
export function terraformResources(state: unknown): Map<string, string> {
  const found = new Map<string, string>();
  const values = ownMember(state, "values");
  if (values === undefined) throw new UsageError("This isn't the output of terraform show -json.");
  const visit = (module: unknown): void => {
    for (const one of listOf(ownMember(module, "resources"))) {
      const id = resourceIdOf(one);
      if (ownMember(one, "mode") === "managed" && id !== null) found.set(id, pathOf(String(ownMember(one, "address"))));
    }
    for (const child of listOf(ownMember(module, "child_modules"))) visit(child);
  };
  visit(ownMember(values, "root_module"));
  return found;
}

/** A definition whose components get these paths, unless the names are taken. */
export function withPaths(definition: Definition, paths: ReadonlyMap<string, string>): Definition {
  const byId = new Map([...paths].map(([id, path]) => [id.toLowerCase(), path]));
  const taken = new Set<string>();
  const next = new Map(
    definition.components.map(({ path, resourceId }) => {
      const wanted = byId.get(resourceId?.toLowerCase() ?? "") ?? path;
      const free = taken.has(wanted.toLowerCase()) ? path : wanted;
      taken.add(free.toLowerCase());
      return [path, free] as const;
    }),
  );
  const referring = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(referring);
    if (typeof value !== "object" || value === null) return value;
    const reference = ownMember(value, "$output");
    if (typeof reference === "string") {
      const [path = "", output] = reference.split("#");
      return { $output: `${next.get(path) ?? path}#${output}` };
    }
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, referring(one)]));
  };
  const components = definition.components.map((component) => {
    const { path, overrideWith, parameters } = component;
    const own = { ...component, path: next.get(path) ?? path, parameters: referring(parameters) as typeof parameters };
    return typeof overrideWith === "string" ? { ...own, overrideWith: next.get(overrideWith) ?? overrideWith } : own;
  });
  return { ...definition, components };
}

/** The cloud's ID of a resource in a state: Azure's and most of Google's are Terraform's own. */
function resourceIdOf(resource: unknown): string | null {
  const values = ownMember(resource, "values");
  const [id, project] = [ownMember(values, "id"), ownMember(values, "project")];
  if (typeof id !== "string") return null;
  if (ownMember(resource, "type") === "google_storage_bucket") return `projects/${String(project)}/buckets/${id}`;
  return id.includes("/") ? id : null;
}

/** `module.net.azurerm_subnet.a[0]` becomes `net/azurerm-subnet/a-0`. */
function pathOf(address: string): string {
  const segments = address.replaceAll(/(^|\.)module\./g, "$1").split(".");
  return segments
    .map((segment) =>
      segment
        .replaceAll(/[^A-Za-z0-9]+/g, "-")
        .slice(0, 60)
        .replaceAll(/^-+|-+$/g, ""),
    )
    .filter((segment) => segment !== "")
    .slice(-10)
    .join("/");
}
