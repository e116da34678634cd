import { isObject } from "../descriptions/judge-members.ts";
import { type Kept, shownOf } from "./double-resources.ts";
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
const shape =
  /^(resources|resourcecontainers|resources \| union resourcecontainers)(?: \| where id in~ \((.*?)\))?(?: \| where resourceGroup =~ '((?:[^'\\]|\\.)*)')?(?: \| project ([\w, ]+))?(?: \| order by id asc)?$/s;

/** The rows that Resource Graph has of resources, in its own spelling; `null`: it can't read the query. */
export function graphAnswer(request: Body, resources: readonly Kept[], page: number): Body | null {
  const { query, options = {}, subscriptions } = request;
  const [, tables = "", list, group, projected] = shape.exec(String(query)) ?? [];
  const wanted = projected?.split(", ") ?? columns;
  if (tables === "" || !isObject(options) || wanted.some((name) => !columns.includes(name))) return null;
  const plain = (text = "") => text.replaceAll(/\\(.)/g, "$1").toLowerCase();
  const ids = list && new Set([...list.matchAll(/'((?:[^'\\]|\\.)*)'/g)].map(([, id]) => plain(id)));
  const isWanted = (id: string) =>
    (!ids || ids.has(id.toLowerCase())) && (group === undefined || id.split("/")[4]?.toLowerCase() === plain(group));
  const asked = new Set((Array.isArray(subscriptions) ? subscriptions : []).map((one) => String(one).toLowerCase()));
  const rows = resources
    .filter(({ underway }) => underway?.isHidden !== true)
    .filter((one) => isWanted(one.id) && asked.has(one.id.split("/")[2]?.toLowerCase() ?? ""))
    .filter(({ kind }) =>
      isGroup(kind.type)
        ? tables.includes("resourcecontainers")
        : tables.startsWith("resources") && kind.tags && kind.located,
    )
    .map(rowOf)
    .sort((a, b) => (String(a.id) < String(b.id) ? -1 : 1));
  const top = Math.min(Number(options.$top ?? 100), page);
  const from = Number(options.$skipToken ?? 0);
  const data = rows
    .slice(from, from + top)
    .map((row) => Object.fromEntries(wanted.map((name) => [name, row[name] ?? null])));
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

function isGroup(type: string): boolean {
  return type === "Microsoft.Resources/resourceGroups";
}

/** Types are told in small letters, instants to seven places, and what is empty as an empty text. */
function rowOf(one: Kept): Body {
  const shown = shownOf(one);
  const [, , subscriptionId, , resourceGroup] = one.id.split("/");
  const type = isGroup(one.kind.type)
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
