import { managementTag } from "./observation.ts";
import { type TagKeys, type Tags, tagValue } from "./tags.ts";

/** What manages a resource, by its own marks; `null` if nothing known does. */
export type Marked = { readonly kind: "marked" } | { readonly kind: "tool"; readonly name: string } | null;

/** Tags that tools leave on what they manage: a key, or a prefix of one. */
const toolTags: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/^aws:cloudformation:/, "CloudFormation"],
  [/^goog-terraform-provisioned$/, "Terraform"],
  [/^managed-by-cnrm$/, "Config Connector"],
  [/^goog-dm$/, "Deployment Manager"],
  [/^(goog-gke-|goog-k8s-)/, "GKE"],
  [/^aks-managed-/, "AKS"],
  [/^crossplane-(kind|name|providerconfig)$/, "Crossplane"],
  [/^azd-(env|service)-name$/, "Azure Developer CLI"],
  [/^pulumi[:-]/, "Pulumi"],
];
const managedByKeys = [managementTag.key, "managed_by", "app.kubernetes.io/managed-by"];

/** Tells by a resource's marks what manages it. Pure. */
export function markedBy(
  { tags, managedBy }: { readonly tags: Tags; readonly managedBy?: string },
  keys: TagKeys,
): Marked {
  if (tagValue(tags, managementTag.key, keys) === managementTag.value) return { kind: "marked" };
  const named = managedByKeys
    .map((key) => tagValue(tags, key, keys))
    .find((value) => value !== undefined && value !== "");
  const name = named ?? toolOf(Object.keys(tags)) ?? managedBy;
  return name === undefined ? null : { kind: "tool", name };
}

function toolOf(keys: readonly string[]): string | undefined {
  return toolTags.find(([pattern]) => keys.some((key) => pattern.test(key.toLowerCase())))?.[1];
}
