import {
  notOfType,
  outsideTarget,
  type ParseResourceId,
  type ParseScope,
  refusedId,
  refusedType,
  resourceIdRefusal,
} from "./resource-ids.ts";

const typePattern = /^[A-Za-z0-9]+(\.[A-Za-z0-9-]+)*(\/[A-Za-z0-9][A-Za-z0-9_-]*)+(@\d{4}-\d\d-\d\d(-[a-z]+)?)?$/;
const groups = "Microsoft.Resources/resourceGroups";

/** A type without its API version. */
export function bareType(type: string): string {
  return type.split("@", 1)[0] ?? type;
}

/**
 * Azure compares IDs without case. Azure's own words and the target's words get their usual spelling; a resource's name keeps the spelling
 * it was written in, compared without case.
 */
export const parseAzureId: ParseResourceId = (type, id, { scope, container }) => {
  if (!typePattern.test(type))
    return refusedType(
      "An Azure type is a namespace and at least one kind, optionally with an API version: Microsoft.Web/sites@2024-04-01.",
    );
  const refusal = resourceIdRefusal(id);
  if (refusal !== null) return refusedId(refusal);
  const [root = "", subscriptions, subscription, resourceGroups, group, ...rest] = id.split("/");
  const shape = [root, subscriptions, resourceGroups].join("/");
  if (!isSame(shape, "/subscriptions/resourceGroups") || group === undefined) return notOfType();
  if (!isSame(subscription, scope) || (container !== undefined && !isSame(group, container))) return outsideTarget;
  const place = `/subscriptions/${scope}/resourceGroups/${container ?? group}`;
  if (isSame(bareType(type), groups)) return rest.length === 0 ? { id: place, name: container ?? group } : notOfType();
  const own = ownPart(rest);
  const names = own === null ? null : namesOf(own.part, bareType(type));
  if (own === null || names === null) return notOfType();
  const [namespace, ...kinds] = bareType(type).split("/");
  const path = kinds.map((kind, at) => `${kind}/${names[at]}`).join("/");
  return { id: [place, ...own.before, "providers", namespace, path].join("/"), name: names.join("/") };
};

/** A subscription or a resource group. */
export const parseAzureScope: ParseScope = (id) => {
  const [, subscription, group] =
    /^\/subscriptions\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?:\/resourceGroups\/([\w.()-]{0,89}[\w()-]))?$/i.exec(
      id,
    ) ?? [];
  if (subscription === undefined) return null;
  const scope = subscription.toLowerCase();
  const own = `/subscriptions/${scope}`;
  return group === undefined ? { id: own, scope } : { id: `${own}/resourceGroups/${group}`, scope, container: group };
};

/** The last `providers/…` of an id, and what it is on: a lock, say, on a site. `null`: it isn't pairs of kind and name. */
function ownPart(
  rest: readonly string[],
): { readonly before: readonly string[]; readonly part: readonly string[] } | null {
  let start = 0;
  for (let at = 0; at < rest.length; ) {
    if (!isSame(rest[at], "providers")) return null;
    start = at;
    at += 2;
    const first = at;
    while (at < rest.length && !isSame(rest[at], "providers")) at += 2;
    if (at === first || at > rest.length) return null;
  }
  return rest.length === 0 ? null : { before: rest.slice(0, start), part: rest.slice(start + 1) };
}

/** The names between the kinds of a type; `null` if the ID is of another type. */
function namesOf([namespace, ...pairs]: readonly string[], type: string): string[] | null {
  const kinds = pairs.filter((_, at) => at % 2 === 0);
  return isSame([namespace, ...kinds].join("/"), type) ? pairs.filter((_, at) => at % 2 === 1) : null;
}

function isSame(a: string | undefined, b: string): boolean {
  return a?.toLowerCase() === b.toLowerCase();
}
