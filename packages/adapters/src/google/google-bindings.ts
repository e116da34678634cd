import { isObject, type JsonObject } from "@liveplane/core/clouds";
import { nameOf, type PlacedResource } from "./google-ids.ts";

/**
 * The bindings of an IAM policy, in the form of a list of resources. A binding is named by its role, with colons in place of slashes, and
 * by the title of its condition: `roles:storage.admin`, `roles:storage.admin@until-may`. All have the policy's etag.
 */
export function bindingsIn({ bindings, etag }: JsonObject): JsonObject[] {
  return (Array.isArray(bindings) ? bindings : [])
    .filter(isObject)
    .map((binding) => ({ ...binding, name: nameOfBinding(binding), ...(etag !== undefined && { etag }) }));
}

function nameOfBinding({ role, condition }: JsonObject): string {
  const own = String(role).replaceAll("/", ":");
  return isObject(condition) ? `${own}@${condition.title}` : own;
}

/** The binding of an ID in a policy; `null` if the policy doesn't have it. */
export function bindingIn(policy: JsonObject, { resourceId }: PlacedResource): JsonObject | null {
  return bindingsIn(policy).find(({ name }) => name === nameOf(resourceId)) ?? null;
}

/** A policy with this binding, or without it, and with all others as they are. Only version 3 can hold conditions. */
export function withBinding(policy: JsonObject, of: PlacedResource, binding: JsonObject | null): JsonObject {
  const name = nameOf(of.resourceId);
  const others = bindingsIn(policy).filter((one) => one.name !== name);
  const role = name.replace(/@.*$/, "").replaceAll(":", "/");
  const all = binding === null ? others : [...others, { ...binding, role }];
  return { ...policy, version: 3, bindings: all.map(({ name: _, etag: __, ...own }) => own) };
}
