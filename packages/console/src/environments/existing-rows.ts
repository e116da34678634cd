import type { Api } from "@liveplane/client";

/** A resource that exists in a cloud, whoever made it. */
export type FoundResource = Awaited<ReturnType<Api["environments"]["resources"]["list"]>>["items"][number];

/** Who manages resources: the choices of the filter. */
export const managers = ["nobody", "component", "marked", "tool"] as const;
export type Manager = (typeof managers)[number];

export interface ResourceFilter {
  /** Part of an ID, a type, a location or a tag; case doesn't count. */
  readonly text: string;
  readonly manager: Manager | null;
}

/** The resources of one scope and type. */
export interface ResourceBranch {
  readonly scope: string;
  readonly types: readonly { readonly type: string; readonly items: readonly FoundResource[] }[];
}

export function managerOf({ managedBy }: Pick<FoundResource, "managedBy">): Manager {
  return managedBy?.kind ?? "nobody";
}

/** Whether a declaration can name it: nobody manages it, and its type is known. */
export function isFree({ managedBy, declarable }: Pick<FoundResource, "managedBy" | "declarable">): boolean {
  return managedBy === null && declarable;
}

export function isShown(one: FoundResource, { text, manager }: ResourceFilter): boolean {
  const tags = Object.entries(one.tags).map(([key, value]) => `${key}=${value}`);
  const words = [one.id, one.type, one.location ?? "", ...tags].join("\n").toLowerCase();
  return words.includes(text.trim().toLowerCase()) && (manager === null || manager === managerOf(one));
}

/** The resource group or subscription of an Azure ID; the project, or a location in it, of a Google ID. @internal */
export function branchNameOf(id: string): string {
  const azure = /^\/subscriptions\/[^/]+(\/resourceGroups\/[^/]+)?/i.exec(id)?.[0];
  const google = /^projects\/[^/]+(\/(regions|zones|locations)\/[^/]+|\/global)?/.exec(id)?.[0];
  return azure ?? google ?? "";
}

/** Resources by scope, then by type, in the order of their names. Spellings that differ in case are one. */
export function treeOf(resources: readonly FoundResource[]): ResourceBranch[] {
  const scopes = grouped(resources, ({ id }) => branchNameOf(id));
  return scopes.map(([scope, inScope]) => ({
    scope,
    types: grouped(inScope, ({ type }) => type).map(([type, items]) => ({
      type,
      items: items.toSorted((a, b) => (a.id < b.id ? -1 : 1)),
    })),
  }));
}

function grouped(resources: readonly FoundResource[], keyOf: (one: FoundResource) => string) {
  const groups = new Map<string, [string, FoundResource[]]>();
  for (const one of resources) {
    const key = keyOf(one);
    const group = groups.get(key.toLowerCase()) ?? [key, []];
    groups.set(key.toLowerCase(), group);
    group[1].push(one);
  }
  return [...groups].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, group]) => group);
}
