import type { CloudCall, CloudTarget } from "@liveplane/core/clouds";
import { googleKindOf, type NamedKind } from "./google-kinds.ts";
import type { SendToGoogle } from "./google-reads.ts";
import { encoded } from "./google-requests.ts";

/** What every role has that lets somebody see a project. */
const needed = "resourcemanager.projects.get";
const mostAtOnce = 100;

/** The permissions that the credentials lack in a project: to see it, and for these types. */
export async function googleRights(
  send: SendToGoogle,
  types: readonly string[],
  { scope }: CloudTarget,
  call: CloudCall,
): Promise<readonly string[]> {
  const kinds = types.flatMap((type) => googleKindOf(type) ?? []);
  const wanted = [...new Set([needed, ...kinds.flatMap(permissionsOf)])];
  const path = `/v3/projects/${encoded(scope)}:testIamPermissions`;
  const held = new Set<unknown>();
  for (let from = 0; from < wanted.length; from += mostAtOnce) {
    const body = { permissions: wanted.slice(from, from + mostAtOnce) };
    const { permissions } = await send("cloudresourcemanager", { method: "POST", path, body, changes: false }, call);
    for (const one of Array.isArray(permissions) ? permissions : []) held.add(one);
  }
  return wanted.filter((one) => !held.has(one));
}

/** Services whose permissions have another name. */
const services: Readonly<Record<string, string>> = { cloudresourcemanager: "resourcemanager", sqladmin: "cloudsql" };

/** Collections whose permissions have another name than their path: those of regions alone, and parts of clusters and zones. */
const collections: Readonly<Record<string, string>> = {
  b: "buckets",
  rrsets: "resourceRecordSets",
  compositeHealthChecks: "regionCompositeHealthChecks",
  healthAggregationPolicies: "regionHealthAggregationPolicies",
  healthCheckServices: "regionHealthCheckServices",
  healthSources: "regionHealthSources",
  notificationEndpoints: "regionNotificationEndpoints",
  resizeRequests: "instanceGroupManagers",
};

/** Kinds that are changed by other permissions than `update`. */
const unchanged = new Set([
  "compute.interconnectAttachmentGroup",
  "compute.interconnectGroup",
  "compute.targetInstance",
]);

/** What the agent calls of a kind: it reads, lists, creates, changes, labels and deletes. */
function permissionsOf(kind: NamedKind): string[] {
  const { name, paths, service, change, setters, labels, policy } = kind;
  const [path = ""] = paths;
  const collection =
    path
      .replace("/iamBindings/{}", "")
      .split("/")
      .findLast((segment) => segment !== "{}") ?? "";
  const named = (verb: string) => `${services[service] ?? service}.${collections[collection] ?? collection}.${verb}`;
  if (policy !== undefined) return ["getIamPolicy", "setIamPolicy"].map(named);
  // Node pools have no permissions of their own.
  if (name === "container.nodePool") return ["container.clusters.get", "container.clusters.update"];
  if (collection === "resizeRequests") return ["get", "update"].map(named);
  const changes = (change !== null || Object.keys(setters).length > 0) && !unchanged.has(name);
  const lists = name === "bigquery.dataset" ? [] : ["list"];
  const labelled = labels === "call" && service === "compute" ? ["setLabels"] : [];
  return ["get", ...lists, "create", ...(changes ? ["update"] : []), ...labelled, "delete"].map(named);
}
