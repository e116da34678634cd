import { type CloudCall, isObject, type JsonObject, type ListedResource } from "@liveplane/core/clouds";
import { isLiveplaneError } from "@liveplane/core/errors";
import { isFinalRefusal } from "../cloud-http/cloud-http.ts";
import { tagsFrom } from "../cloud-http/cloud-resource.ts";
import { apiVersionOf, type ListInside, listsInside, typesAround } from "./azure-kinds.ts";
import { type AzureRequests, isOwnPath, subscriptionOf } from "./azure-requests.ts";

type IsWanted = (type: string) => boolean;

/** A resource with lists of others inside it. */
export interface ResourceAround {
  readonly resourceId: string;
  readonly type: string;
}

/** Types that Resource Graph shows within the resource around them, in the member of its properties that they end with. */
const shownTypes = [
  "Microsoft.Network/virtualNetworks/subnets",
  "Microsoft.Network/virtualNetworks/virtualNetworkPeerings",
  "Microsoft.Network/networkSecurityGroups/securityRules",
];
export const shownMembers: readonly string[] = shownTypes.map((type) => type.slice(type.lastIndexOf("/") + 1));

/** The record types that Resource Graph has, of public and private zones. */
export const recordTypes: readonly string[] = ["dnsZones", "privateDnsZones"].flatMap((zones) =>
  ["A", "AAAA", "CNAME", "MX", "PTR", "SRV", "TXT"].map((record) => `Microsoft.Network/${zones}/${record}`),
);

/** Settings that any resource may have. */
const settings: ListInside = {
  type: "Microsoft.Insights/diagnosticSettings",
  at: "providers/Microsoft.Insights/diagnosticSettings",
};
/** A thousand items or so; who has more is told. */
const mostPages = 20;

/** Whether Resource Graph lists a type that is inside others. */
export function isGraphed(type: string): boolean {
  return shownTypes.includes(type) || recordTypes.includes(type);
}

/** The types around lists of wanted types; `null`: any type. */
export function typesAroundWanted(isWanted: IsWanted): readonly string[] | null {
  return isWanted(settings.type) ? null : typesAround.filter((type) => wantedLists(type, isWanted).length > 0);
}

/** What was found inside resources. */
interface Found {
  readonly items: ListedResource[];
  readonly warnings: string[];
}

/** Lists the wanted types inside resources: one call for each list, and for each page of it. */
export function azureNested({ sendTo }: Pick<AzureRequests, "sendTo">) {
  async function rowsIn(parent: ResourceAround, { type, at }: ListInside, call: CloudCall) {
    const rows: JsonObject[] = [];
    const first = `${parent.resourceId}/${at}?${new URLSearchParams({ "api-version": apiVersionOf(type) })}`;
    let next: string | null = first;
    for (let pages = 0; pages < mostPages && next !== null; pages++) {
      const { body } = await sendTo(subscriptionOf(parent.resourceId), { method: "GET", at: next }, call);
      rows.push(...(Array.isArray(body.value) ? body.value.filter(isObject) : []));
      next = typeof body.nextLink === "string" && body.nextLink !== "" ? body.nextLink : null;
    }
    return { rows, isCut: next !== null };
  }

  async function inside(parent: ResourceAround, lists: readonly ListInside[], isWanted: IsWanted, call: CloudCall) {
    const found: Found = { items: [], warnings: [] };
    if (!isOwnPath(parent.resourceId)) return found;
    for (const list of lists) {
      const { rows, isCut } = await rowsIn(parent, list, call).catch((error: unknown) => {
        if (!isFinalRefusal(error)) throw error;
        const isAbsent = list === settings || isLiveplaneError(error, "NotFound");
        if (!isAbsent) found.warnings.push(`Azure refuses to list ${list.type}, so some may be missing.`);
        return { rows: [], isCut: false };
      });
      if (isCut) found.warnings.push(`${parent.resourceId} has more of ${list.type} than were listed.`);
      const items = rows.flatMap((row) => listed(row, list.type));
      found.items.push(...items);
      for (const item of items) {
        const below: Found = await inside(item, wantedLists(item.type, isWanted), isWanted, call);
        found.items.push(...below.items);
        found.warnings.push(...below.warnings);
      }
    }
    return found;
  }

  return async (parents: readonly ResourceAround[], isWanted: IsWanted, call: CloudCall): Promise<Found> => {
    const all = await Promise.all(
      parents.map((parent) => {
        const lists = wantedLists(parent.type, isWanted);
        return inside(parent, isWanted(settings.type) ? [...lists, settings] : lists, isWanted, call);
      }),
    );
    const warnings = new Set(all.flatMap((one) => one.warnings));
    return { items: all.flatMap((one) => one.items), warnings: [...warnings] };
  };
}

/** The lists inside a type that are wanted, or that lead to wanted ones. */
function wantedLists(type: string, isWanted: IsWanted): readonly ListInside[] {
  return listsInside(type).filter((one) => isWanted(one.type) || wantedLists(one.type, isWanted).length > 0);
}

/** A row of a list: not a setting that nobody has set, nor a record that Azure writes for a virtual machine. */
function listed({ id, name, location, tags, properties }: JsonObject, type: string): ListedResource[] {
  if (typeof id !== "string" || typeof name !== "string") return [];
  if (isObject(properties) && (properties.source === "system-default" || properties.isAutoRegistered === true))
    return [];
  return [
    {
      resourceId: id,
      type,
      name: name.slice(name.lastIndexOf("/") + 1),
      location: typeof location === "string" && location !== "" ? location : null,
      tags: tagsFrom(tags),
    },
  ];
}
