import { type Kept, shownOf } from "./double-resources.ts";
import type { Body } from "./double-shapes.ts";

/** The plain list of a resource group or subscription: what can have tags and a location, without its properties. */
export function plainList(url: URL, resources: readonly Kept[]): Body {
  const inside = url.pathname.toLowerCase().replace(/resources$/, "");
  const all = resources
    .filter(({ id, kind }) => id.toLowerCase().startsWith(inside) && kind.tags && kind.located)
    .filter(({ kind }) => kind.type !== "Microsoft.Resources/resourceGroups");
  const from = Number(url.searchParams.get("$skiptoken") ?? 0);
  const to = from + Number(url.searchParams.get("$top") ?? 1000);
  const value = all.slice(from, to).map((one) => {
    const { id, name, type, location, kind, managedBy, sku, tags, identity } = shownOf(one);
    return { id, name, type, location, kind, managedBy, sku, tags, identity };
  });
  const next = new URL(url);
  next.searchParams.set("$skiptoken", String(to));
  return { value, ...(to < all.length && { nextLink: next.href }) };
}

/** All role assignments that count at a scope: those of the scopes around it and inside it, too. */
export function grantsAt(scope: string, resources: readonly Kept[]): Kept[] {
  const at = `${scope.toLowerCase()}/`;
  return resources.filter(({ id, kind }) => {
    if (kind.type !== "Microsoft.Authorization/roleAssignments") return false;
    const own = id.toLowerCase().replace(/providers\/microsoft\.authorization\/roleassignments\/[^/]+$/, "");
    return own.startsWith(at) || at.startsWith(own);
  });
}
