import { isObject } from "../descriptions/judge-members.ts";
import { type Kept, shownOf } from "./double-resources.ts";
import type { Body } from "./double-shapes.ts";

/** Types that are shown within the resource that they are in, each in the member of its properties that it ends with. */
const parts: Readonly<Record<string, string>> = {
  "microsoft.network/virtualnetworks/subnets": "subnets",
  "microsoft.network/virtualnetworks/virtualnetworkpeerings": "virtualNetworkPeerings",
  "microsoft.network/networksecuritygroups/securityrules": "securityRules",
};

const around = new Set(Object.keys(parts).map((type) => type.slice(0, type.lastIndexOf("/"))));
const memberOf = ({ kind }: Kept) => parts[kind.type.toLowerCase()];
const nameOf = (value: unknown) => String(isObject(value) ? value.name : "").toLowerCase();

function partsOf({ id }: Pick<Kept, "id">, all: readonly Kept[]): Kept[] {
  const inside = `${id.toLowerCase()}/`;
  return all.filter((one) => isPart(one) && one.id.toLowerCase().startsWith(inside));
}

/** Whether a resource is shown within the one that it is in. */
export const isPart = (one: Kept): boolean => memberOf(one) !== undefined;

/** A resource as Azure shows it: with the parts that were made by calls of their own. */
export function shownWithParts(one: Kept, all: readonly Kept[]): Body {
  const shown = shownOf(one);
  if (!around.has(one.kind.type.toLowerCase())) return shown;
  const properties: Body = isObject(shown.properties) ? { ...shown.properties } : {};
  for (const part of partsOf(one, all)) {
    const member = memberOf(part) ?? "";
    const { id, name, etag, properties: own } = shownOf(part);
    const others = Array.isArray(properties[member]) ? properties[member] : [];
    properties[member] = [
      ...others.filter((item) => nameOf(item) !== nameOf({ name })),
      { id, name, etag, properties: own },
    ];
  }
  return Object.keys(properties).length === 0 ? shown : { ...shown, properties };
}

/** The parts that a whole body leaves out: Azure removes them. */
export function partsLeftOut(one: Pick<Kept, "id">, { properties }: Body, all: readonly Kept[]): Kept[] {
  return partsOf(one, all).filter((part) => {
    const list = isObject(properties) ? properties[memberOf(part) ?? ""] : undefined;
    return !(Array.isArray(list) && list.some((item) => nameOf(item) === nameOf(shownOf(part))));
  });
}
