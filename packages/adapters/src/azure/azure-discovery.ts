import {
  type Cloud,
  type CloudCall,
  type CloudTarget,
  type DiscoveryPage,
  isObject,
  type JsonObject,
  type ListedResource,
  type ListedResources,
} from "@liveplane/core/clouds";
import { isFinalRefusal } from "../cloud-http/cloud-http.ts";
import { tagsFrom } from "../cloud-http/cloud-resource.ts";
import { apiVersionOf, azureTypeOf, spelledType } from "./azure-kinds.ts";
import {
  azureNested,
  isGraphed,
  type ResourceAround,
  recordTypes,
  shownMembers,
  typesAroundWanted,
} from "./azure-nested.ts";
import type { AzureRequests } from "./azure-requests.ts";
import { readsEverything } from "./azure-rights.ts";

const graphVersion = "2021-03-01";
const listVersion = "2021-04-01";
const mostOnAPage = 1000;
const mostPages = 20;
const parentsAtOnce = 10;
const grants = "Microsoft.Authorization/roleAssignments";

/** A list that is read page by page. `next` is its own place; the list that follows it begins when it is `null`. */
interface Source {
  readonly read: (target: CloudTarget, page: DiscoveryPage, call: CloudCall) => Promise<ListedResources>;
  readonly followedBy: string | null;
  /** Resource Graph isn't used, because it was refused. @default false */
  readonly isPlain?: true;
}

interface Rows {
  readonly rows: readonly JsonObject[];
  readonly next: string | null;
}

/**
 * Lists resources by Resource Graph, up to a thousand per call: resources, role assignments and DNS records. Subnets, peerings and security
 * rules come with the resource that shows them. If Resource Graph refuses the first page, the plain lists of the resource group or
 * subscription are used. Other resources inside these are listed on request, parent by parent.
 */
export function azureDiscovery({ sendTo }: Pick<AzureRequests, "sendTo">): NonNullable<Cloud["discover"]> {
  const nestedIn = azureNested({ sendTo });

  async function graphRows(
    query: string,
    { scope }: CloudTarget,
    { after, limit }: DiscoveryPage,
    call: CloudCall,
  ): Promise<Rows> {
    const page = { $top: Math.min(limit, mostOnAPage), ...(after !== null && { $skipToken: after }) };
    const body = { subscriptions: [scope], query, options: { resultFormat: "objectArray", ...page } };
    const at = `/providers/Microsoft.ResourceGraph/resources?api-version=${graphVersion}`;
    const answer = await sendTo(scope, { method: "POST", at, body, changes: false }, call);
    return { rows: objectsIn(answer.body.data), next: nextIn(answer.body.$skipToken) };
  }

  async function plainRows(target: CloudTarget, { after, limit }: DiscoveryPage, call: CloudCall): Promise<Rows> {
    const page = new URLSearchParams({ "api-version": listVersion, $top: String(Math.min(limit, mostOnAPage)) });
    const at = after ?? `${placeOf(target)}/resources?${page}`;
    const { body } = await sendTo(target.scope, { method: "GET", at }, call);
    return { rows: objectsIn(body.value), next: nextIn(body.nextLink) };
  }

  async function plainGrants(target: CloudTarget, { after }: DiscoveryPage, call: CloudCall): Promise<ListedResources> {
    const at = after ?? `${placeOf(target)}/providers/${grants}?api-version=${apiVersionOf(grants)}`;
    try {
      const { body } = await sendTo(target.scope, { method: "GET", at }, call);
      const items = objectsIn(body.value).flatMap(listed);
      // The list also has those of the scopes around this one.
      return { items: items.filter(({ resourceId }) => isWithin(resourceId, target)), next: nextIn(body.nextLink) };
    } catch (error) {
      if (!isFinalRefusal(error)) throw error;
      return { items: [], next: null, warnings: [`The credentials can't list ${grants}.`] };
    }
  }

  /** The resources that deployment stacks of the subscription manage, in lower case, with the stack's ID. */
  async function managedByStacks(target: CloudTarget, call: CloudCall): Promise<ReadonlyMap<string, string>> {
    const managed = new Map<string, string>();
    for (let after: string | null = null, pages = 0; pages < mostPages; pages++) {
      const { rows, next }: Rows = await graphRows(stacks, target, { after, limit: mostOnAPage }, call);
      for (const { id, resources } of rows)
        for (const one of objectsIn(resources))
          if (one.status === "managed") managed.set(String(one.id).toLowerCase(), String(id));
      after = next;
      if (after === null) break;
    }
    return managed;
  }

  const graph = (queryFor: (target: CloudTarget, page: DiscoveryPage) => string): Source["read"] => {
    return async (target, page, call) => {
      const { rows, next } = await graphRows(queryFor(target, page), target, page, call);
      return { items: rows.flatMap((row) => [...listed(row), ...shownIn(row)]), next };
    };
  };
  const nested = (isInBulk: (type: string) => boolean, rowsOf: typeof plainRows): Source["read"] => {
    return async (target, page, call) => {
      const { rows, next } = await rowsOf(target, { ...page, limit: parentsAtOnce }, call);
      const isWanted = (type: string) => !isInBulk(type) && page.nested?.(type) === true;
      return { ...(await nestedIn(rows.flatMap(around), isWanted, call)), next };
    };
  };
  const sources: Readonly<Record<string, Source>> = {
    graph: { read: graph(resourcesIn), followedBy: "roles" },
    roles: { read: graph(grantsIn), followedBy: "records" },
    records: { read: graph(recordsIn), followedBy: "inside" },
    inside: {
      read: nested(isGraphed, (target, page, call) => graphRows(parentsIn(target, page), target, page, call)),
      followedBy: null,
    },
    list: {
      read: async (target, page, call) => {
        const { rows, next } = await plainRows(target, page, call);
        return { items: rows.flatMap(listed), next };
      },
      followedBy: "grants",
      isPlain: true,
    },
    grants: { read: plainGrants, followedBy: "each", isPlain: true },
    each: { read: nested(() => false, plainRows), followedBy: null, isPlain: true },
  };

  async function read(
    name: string,
    target: CloudTarget,
    page: DiscoveryPage,
    call: CloudCall,
  ): Promise<ListedResources> {
    const source = sources[name];
    if (source === undefined) return { items: [], next: null };
    const [found, managed] = await Promise.all([
      source.read(target, page, call),
      source.isPlain ? null : managedByStacks(target, call),
    ]);
    const { followedBy } = source;
    const isLast = followedBy === null || (sources[followedBy]?.followedBy === null && page.nested === undefined);
    const following = isLast ? null : `${followedBy} `;
    const items = found.items.map((one) => {
      const stack = managed?.get(one.resourceId.toLowerCase());
      return stack === undefined ? one : { ...one, managedBy: stack };
    });
    return { ...found, items, next: found.next === null ? following : `${name} ${found.next}` };
  }

  return async (target, page, call) => {
    const [, source, token] = /^(\w+) (.*)$/s.exec(page.after ?? "") ?? [];
    if (source !== undefined) return read(source, target, { ...page, after: token || null }, call);
    const first = { ...page, after: null };
    const found = await read("graph", target, first, call).catch(async (error: unknown) => {
      if (!isFinalRefusal(error)) throw error;
      const plain = await read("list", target, first, call);
      return { ...plain, warnings: page.nested === undefined ? [withoutGraph, withoutParts] : [withoutGraph] };
    });
    const sees = await readsEverything({ sendTo }, target, call);
    const sight = sees === true ? [] : [sees === null ? unknownSight : partialSight];
    return { ...found, warnings: [...(found.warnings ?? []), ...sight] };
  };
}

const withoutGraph =
  "Azure Resource Graph can't be used, so the plain lists are read. They don't tell what deployment stacks manage.";
const withoutParts =
  "Subnets, peerings, security rules and DNS records are left out without Resource Graph. They are listed with nested.";
const partialSight =
  "The credentials may read only some types here, so resources of other types are missing. The role Reader sees all of them.";
const unknownSight =
  "Azure doesn't say which types the credentials may read here, so some may be missing. Grant Microsoft.Authorization/permissions/read to know.";

/** The columns of a row of any table. */
const columns = "id, name, type, location, managedBy, tags";

function resourcesIn({ container }: CloudTarget): string {
  const shown = shownMembers.map((member) => `${member} = properties.${member}`).join(", ");
  return `resources${inGroup(container)} | project ${columns}, ${shown} | order by id asc`;
}

const stacks =
  "deploymentresources | where type =~ 'microsoft.resources/deploymentstacks' | project id, resources = properties.resources | order by id asc";

/** Only resources with lists inside them that are wanted. */
function parentsIn({ container }: CloudTarget, { nested = () => false }: DiscoveryPage): string {
  const types = typesAroundWanted((type) => !isGraphed(type) && nested(type));
  const ofTypes = types === null ? "" : ` | where type in~ (${types.map((type) => `'${quoted(type)}'`).join(", ")})`;
  return `resources${inGroup(container)}${ofTypes} | project id, type | order by id asc`;
}

function grantsIn(target: CloudTarget): string {
  return inTable("authorizationresources", [grants], target, columns);
}

function recordsIn(target: CloudTarget): string {
  return inTable("dnsresources", recordTypes, target, `${columns}, isAutoRegistered = properties.isAutoRegistered`);
}

function inTable(table: string, types: readonly string[], target: CloudTarget, shown: string): string {
  const ofTypes = types.map((type) => `'${type.toLowerCase()}'`).join(", ");
  const within = `where id startswith '${quoted(groupsOf(target))}'`;
  return `${table} | where type in~ (${ofTypes}) | ${within} | project ${shown} | order by id asc`;
}

function inGroup(container: string | undefined): string {
  return container === undefined ? "" : ` | where resourceGroup =~ '${quoted(container)}'`;
}

function placeOf({ scope, container }: CloudTarget): string {
  const group = container === undefined ? "" : `/resourceGroups/${encodeURIComponent(container)}`;
  return `/subscriptions/${encodeURIComponent(scope)}${group}`;
}

/** How the IDs of everything in a target's resource groups begin. */
function groupsOf({ scope, container }: CloudTarget): string {
  return `/subscriptions/${scope}/resourceGroups/${container === undefined ? "" : `${container}/`}`;
}

function isWithin(resourceId: string, target: CloudTarget): boolean {
  return resourceId.toLowerCase().startsWith(groupsOf(target).toLowerCase());
}

function objectsIn(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

function nextIn(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

function listed({ id, name, type, location, managedBy, tags, isAutoRegistered }: JsonObject): ListedResource[] {
  if (typeof id !== "string" || typeof name !== "string" || typeof type !== "string") return [];
  // Azure writes and removes the records of virtual machines itself.
  if (isAutoRegistered === true) return [];
  const place = typeof location === "string" && location !== "" ? location : null;
  const manager = typeof managedBy === "string" && managedBy !== "" ? { managedBy } : {};
  return [{ resourceId: id, type: spelledType(type), name, location: place, tags: tagsFrom(tags), ...manager }];
}

/** The resources that another one shows inside itself. Its other lists only refer to resources elsewhere. */
function shownIn(row: JsonObject): ListedResource[] {
  return shownMembers.flatMap((member) =>
    objectsIn(row[member]).flatMap(({ id, name }) => {
      const isInside = typeof id === "string" && id.toLowerCase().startsWith(`${String(row.id).toLowerCase()}/`);
      return isInside ? listed({ id, name: name ?? null, type: azureTypeOf(id) }) : [];
    }),
  );
}

function around({ id, type }: JsonObject): ResourceAround[] {
  return typeof id === "string" && typeof type === "string" ? [{ resourceId: id, type }] : [];
}

function quoted(text: string): string {
  return text.replaceAll(/['\\]/g, "\\$&");
}
