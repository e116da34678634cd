import { isObject } from "../descriptions/judge-members.ts";
import { isPart, shownWithParts } from "./double-parts.ts";
import type { Kept } from "./double-resources.ts";
import type { Body } from "./double-shapes.ts";

const columns = [
  "id",
  "name",
  "type",
  "tenantId",
  "kind",
  "location",
  "resourceGroup",
  "subscriptionId",
  "managedBy",
  "sku",
  "plan",
  "properties",
  "tags",
  "identity",
  "zones",
  "extendedLocation",
];
/** Which of its tables has a type: most are in that of resources, if they can have tags and a location. */
const tablesOf: readonly (readonly [RegExp, string])[] = [
  [/^Microsoft\.Resources\/resourceGroups$/, "resourcecontainers"],
  [/^Microsoft\.Authorization\/roleAssignments$/, "authorizationresources"],
  // Resource Graph documents neither NS nor CAA records.
  [/^Microsoft\.Network\/(dns|privateDns)Zones\/(A|AAAA|CNAME|MX|PTR|SRV|TXT)$/, "dnsresources"],
];
const text = "'((?:[^'\\\\]|\\\\.)*)'";
const shape = new RegExp(
  `^(resources|resourcecontainers|authorizationresources|dnsresources|resources \\| union resourcecontainers)(?: \\| where id in~ \\((.*?)\\))?(?: \\| where resourceGroup =~ ${text})?(?: \\| where type in~ \\((.*?)\\))?(?: \\| where id startswith ${text})?(?: \\| project ([\\w, =.]+?))?(?: \\| order by id asc)?$`,
  "s",
);

/** A deployment stack, and what it manages. */
export interface DeploymentStack {
  readonly id: string;
  readonly properties: { readonly resources: readonly { readonly id: string; readonly status: string }[] };
}

const ofStacks =
  "deploymentresources | where type =~ 'microsoft.resources/deploymentstacks' | project id, resources = properties.resources | order by id asc";

/** The rows of deployment stacks; `null`: the query isn't about them. */
export function stackAnswer({ query, subscriptions }: Body, stacks: readonly DeploymentStack[]): Body | null {
  if (query !== ofStacks) return null;
  const data = stacks
    .filter(({ id }) => Array.isArray(subscriptions) && subscriptions.includes(id.split("/")[2]))
    .map(({ id, properties: { resources } }) => ({ id, resources }));
  return { totalRecords: data.length, count: data.length, data, facets: [], resultTruncated: "false" };
}

/** A column of an answer: one of the table, or a member of the properties under a name. */
interface Column {
  readonly name: string;
  readonly of: (row: Body) => unknown;
}

/** The rows that Resource Graph has of resources, in its own spelling; `null`: it can't read the query. */
export function graphAnswer(request: Body, resources: readonly Kept[], page: number): Body | null {
  const { query, options = {}, subscriptions } = request;
  const [, tables = "", ids, group, types, start, projected] = shape.exec(String(query)) ?? [];
  const wanted = (projected?.split(", ") ?? columns).map(columnOf);
  if (tables === "" || !isObject(options) || wanted.includes(null)) return null;
  const among = tables.split(" | union ");
  const plain = (part = "") => part.replaceAll(/\\(.)/g, "$1").toLowerCase();
  const listed = (list: string | undefined) =>
    list === undefined ? null : new Set([...list.matchAll(new RegExp(text, "g"))].map(([, one]) => plain(one)));
  const [ofIds, ofTypes] = [listed(ids), listed(types)];
  const isWanted = ({ id, kind }: Kept) =>
    ofIds?.has(id.toLowerCase()) !== false &&
    ofTypes?.has(kind.type.toLowerCase()) !== false &&
    (group === undefined || id.split("/")[4]?.toLowerCase() === plain(group)) &&
    id.toLowerCase().startsWith(plain(start));
  const asked = new Set((Array.isArray(subscriptions) ? subscriptions : []).map((one) => String(one).toLowerCase()));
  const rows = resources
    .filter(({ underway }) => underway?.isHidden !== true)
    .filter((one) => isWanted(one) && asked.has(one.id.split("/")[2]?.toLowerCase() ?? ""))
    .filter(({ kind }) => among.includes(tableOf(kind) ?? "none"))
    .sort((a, b) => (a.id < b.id ? -1 : 1));
  const parts = resources.filter(isPart);
  const top = Math.min(Number(options.$top ?? 100), page);
  const from = Number(options.$skipToken ?? 0);
  const data = rows
    .slice(from, from + top)
    .map((one) => rowOf(one, parts))
    .map((row) =>
      Object.fromEntries(wanted.flatMap((column) => (column ? [[column.name, column.of(row) ?? null]] : []))),
    );
  const isMore = from + top < rows.length;
  return {
    totalRecords: rows.length,
    count: data.length,
    data,
    facets: [],
    resultTruncated: isMore ? "true" : "false",
    ...(isMore && { $skipToken: String(from + top) }),
  };
}

function columnOf(column: string): Column | null {
  const [name = "", place] = column.split(" = ");
  if (place === undefined) return columns.includes(name) ? { name, of: (row) => row[name] } : null;
  const member = /^properties\.(\w+)$/.exec(place)?.[1];
  const of = ({ properties }: Body) => (isObject(properties) ? properties[member ?? ""] : null);
  return member === undefined ? null : { name, of };
}

function tableOf({ type, tags, located }: Kept["kind"]): string | undefined {
  const own = tablesOf.find(([pattern]) => pattern.test(type))?.[1];
  return own ?? (tags && located ? "resources" : undefined);
}

/** Types are told in small letters, instants to seven places, and what is empty as an empty text. */
function rowOf(one: Kept, all: readonly Kept[]): Body {
  const shown = shownWithParts(one, all);
  const [, , subscriptionId, , resourceGroup] = one.id.split("/");
  const type =
    one.kind.type === "Microsoft.Resources/resourceGroups"
      ? "microsoft.resources/subscriptions/resourcegroups"
      : one.kind.type.toLowerCase();
  const own = {
    ...shown,
    type,
    subscriptionId,
    resourceGroup: resourceGroup?.toLowerCase(),
    tenantId: "72f988bf-0000-4000-8000-2d7cd011db47",
  };
  return respelled({ kind: "", managedBy: "", ...own }) as Body;
}

function respelled(value: unknown): unknown {
  if (typeof value === "string") return value.replace(/^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3})Z$/, "$10000Z");
  if (Array.isArray(value)) return value.map(respelled);
  return isObject(value)
    ? Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, respelled(inner)]))
    : value;
}
