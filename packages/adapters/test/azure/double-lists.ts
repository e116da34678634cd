import { type Kept, shownOf } from "./double-resources.ts";
import type { Body } from "./double-shapes.ts";

/** The plain list of a resource group or subscription: what can have tags and a location, without its properties. */
export function plainList(url: URL, resources: readonly Kept[]): Body {
  const inside = url.pathname.toLowerCase().replace(/resources$/, "");
  const all = resources
    .filter(({ id, kind }) => id.toLowerCase().startsWith(inside) && kind.tags && kind.located)
    .filter(({ kind }) => kind.type !== "Microsoft.Resources/resourceGroups");
  const most = Number(url.searchParams.get("$top") ?? 1000);
  const shown = (one: Kept) => {
    const { id, name, type, location, kind, managedBy, sku, tags, identity } = shownOf(one);
    return { id, name, type, location, kind, managedBy, sku, tags, identity };
  };
  return pageOf(url, all, { most, by: "$skiptoken", shown });
}

/** A page of a list, with a link to the next one. */
export function pageOf(
  url: URL,
  all: readonly Kept[],
  {
    most,
    by,
    shown,
  }: { readonly most: number; readonly by: "$skip" | "$skiptoken"; readonly shown: (one: Kept) => unknown },
): Body {
  const from = Number(url.searchParams.get(by) ?? 0);
  const to = from + most;
  const next = new URL(url);
  next.searchParams.set(by, String(to));
  return { value: all.slice(from, to).map(shown), ...(to < all.length && { nextLink: next.href }) };
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
