import { isObject } from "@liveplane/core/clouds";
import kinds from "../../tables/google.json" with { type: "json" };
import type { Body } from "./google-answers.ts";
import { type KeptResource, ownNameOf, shownAs, typeAt } from "./google-bodies.ts";
import { bindingsAt } from "./google-policies.ts";

/** A resource as Cloud Asset Inventory finds it. */
export function assetOf(path: string, kept: KeptResource): Body {
  const [, service = ""] = path.split("/");
  const own = ownNameOf(path);
  const collection = own.split("/").at(-2) ?? "";
  const [name = `${service}.${collection}`] =
    Object.entries(kinds).find(
      ([known, { paths }]) => known.startsWith(`${service}.`) && paths.some((one) => isAt(one, path)),
    ) ?? [];
  const kind = name.slice(service.length + 1);
  const shown = shownAs(typeAt(path), path, kept);
  const settings = isObject(shown.settings) ? shown.settings : {};
  const labels = shown.labels ?? shown.resourceLabels ?? shown.userLabels ?? settings.userLabels;
  // A cluster is named by the sort of its place.
  const placed = own.replace(/\/locations\/([^/]+-[a-z]\/clusters)/, "/zones/$1");
  const named = service === "storage" ? own.replace(/^b\//, "") : placed;
  const host = service === "sqladmin" ? "cloudsql" : service;
  return {
    name: `//${host}.googleapis.com/${named}`,
    assetType: `${service}.googleapis.com/${kind.charAt(0).toUpperCase()}${kind.slice(1)}`,
    project: "projects/1017",
    displayName: named.split("/").at(-1) ?? "",
    location: /\/(?:zones|regions|locations)\/([^/]+)/.exec(own)?.[1] ?? "global",
    ...(isObject(labels) && { labels }),
    ...(service === "iam" && { additionalAttributes: { email: named.split("/").at(-1) ?? "" } }),
  };
}

/** The IAM policies on resources, as Cloud Asset Inventory finds them. Service accounts have their numbers in their names there. */
export function policiesIn(all: ReadonlyMap<string, KeptResource>, project: string): Body[] {
  const holders = new Set(
    [...all.keys()].flatMap((path) => /^(.*)\/iamBindings\/[^/]+$/.exec(path)?.slice(1, 2) ?? []),
  );
  return [...holders].sort().map((holder) => {
    const policy = { bindings: [...bindingsAt(holder, { all }).values()], etag: "BwY=" };
    const kept = all.get(holder);
    if (kept === undefined)
      return {
        resource: `//cloudresourcemanager.googleapis.com/projects/${project}`,
        assetType: "cloudresourcemanager.googleapis.com/Project",
        policy,
      };
    const { name, assetType } = assetOf(holder, kept);
    const resource = String(name).replace(/(serviceAccounts\/).*$/, `$1${1000 + kept.made}`);
    return { resource, assetType, policy };
  });
}

function isAt(pattern: string, path: string): boolean {
  return new RegExp(`^${pattern.replaceAll("{}", "[^/]+")}$`).test(path);
}
