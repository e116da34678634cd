import type { CloudTarget } from "../../ports/cloud.ts";
import {
  notOfType,
  outsideTarget,
  type ParseResourceId,
  type ParseScope,
  refusedId,
  refusedType,
  resourceIdRefusal,
} from "./resource-ids.ts";

const typePattern = /^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$/;

/** Kinds of Compute Engine that belong to no region. */
export const globalKinds: ReadonlySet<string> = new Set([
  "compute.crossSiteNetwork",
  "compute.externalVpnGateway",
  "compute.firewall",
  "compute.httpHealthCheck",
  "compute.httpsHealthCheck",
  "compute.image",
  "compute.interconnect",
  "compute.interconnectAttachmentGroup",
  "compute.interconnectGroup",
  "compute.license",
  "compute.machineImage",
  "compute.network",
  "compute.publicAdvertisedPrefix",
  "compute.rolloutPlan",
  "compute.route",
  "compute.targetGrpcProxy",
  "compute.targetSslProxy",
]);
/** Kinds that belong directly to a project. */
export const projectKinds: ReadonlySet<string> = new Set([
  "storage.bucket",
  "iam.serviceAccount",
  "iam.role",
  "serviceusage.service",
  "sqladmin.instance",
  "bigquery.dataset",
  "dns.managedZone",
]);
/** Kinds that belong to a zone. */
export const zonalKinds: ReadonlySet<string> = new Set([
  "compute.disk",
  "compute.futureReservation",
  "compute.instance",
  "compute.instanceGroup",
  "compute.nodeGroup",
  "compute.reservation",
  "compute.storagePool",
  "compute.targetInstance",
  "compute.vmExtensionPolicy",
]);
/** Kinds of Compute Engine that carry no labels. */
export const unlabelledKinds: readonly string[] = [
  "compute.autoscaler",
  "compute.backendBucket",
  "compute.backendService",
  "compute.compositeHealthCheck",
  "compute.crossSiteNetwork",
  "compute.firewallPolicy",
  "compute.futureReservation",
  "compute.healthAggregationPolicy",
  "compute.healthCheck",
  "compute.healthCheckService",
  "compute.healthSource",
  "compute.httpHealthCheck",
  "compute.httpsHealthCheck",
  "compute.instanceGroup",
  "compute.instanceGroupManager",
  "compute.instanceTemplate",
  "compute.instantSnapshotGroup",
  "compute.interconnectAttachmentGroup",
  "compute.interconnectGroup",
  "compute.license",
  "compute.network",
  "compute.networkAttachment",
  "compute.networkEdgeSecurityService",
  "compute.networkEndpointGroup",
  "compute.nodeGroup",
  "compute.nodeTemplate",
  "compute.notificationEndpoint",
  "compute.packetMirroring",
  "compute.publicAdvertisedPrefix",
  "compute.publicDelegatedPrefix",
  "compute.reservation",
  "compute.resizeRequest",
  "compute.resourcePolicy",
  "compute.rolloutPlan",
  "compute.route",
  "compute.router",
  "compute.serviceAttachment",
  "compute.sslCertificate",
  "compute.sslPolicy",
  "compute.subnetwork",
  "compute.targetGrpcProxy",
  "compute.targetHttpProxy",
  "compute.targetHttpsProxy",
  "compute.targetInstance",
  "compute.targetPool",
  "compute.targetSslProxy",
  "compute.targetTcpProxy",
  "compute.urlMap",
  "compute.vmExtensionPolicy",
  "compute.wireGroup",
];

/** `storage.v1.bucket` in its parts. A type of another form is its own kind. */
export function typeParts(type: string): { readonly service: string; readonly kind: string } {
  const [service = "", ...rest] = type.split(".").filter((part) => !/^v\d+((alpha|beta)\d*)?$/.test(part));
  return rest.length === 0 ? { service: "", kind: service } : { service, kind: rest.join(".") };
}

/**
 * Google compares IDs with case. The short form without the service is the same ID. Any place in the project is accepted; a target's region
 * only says where new resources go.
 */
export const parseGoogleId: ParseResourceId = (type, id, target) => {
  const { service, kind } = typeParts(type);
  if (!typePattern.test(type) || kind === "")
    return refusedType("A Google type is a service, a version and a kind: storage.v1.bucket.");
  const refusal = resourceIdRefusal(id);
  if (refusal !== null) return refusedId(refusal);
  const segments = id.split("/");
  const [name = "", collection = ""] = [segments.at(-1), segments.at(-2)];
  const [projects, project, ...place] = segments.slice(0, -2);
  if (projects !== "projects" || project === undefined || collectionOf(kind) !== collection) return notOfType();
  if (!isInGoogleTarget(id, target)) return outsideTarget;
  const canonical = placeOf(service, kind, place);
  if (canonical === null) return notOfType();
  return { id: ["projects", project, ...canonical, collection, name].join("/"), name };
};

/** A project, or a location in it. */
export const parseGoogleScope: ParseScope = (id) => {
  const [, scope, location] =
    /^projects\/([a-z][a-z0-9.:-]{4,61}[a-z0-9])(?:\/locations\/([a-z0-9-]{1,63}))?$/.exec(id) ?? [];
  if (scope === undefined) return null;
  return location === undefined ? { id, scope } : { id, scope, location };
};

/** Whether an ID is in a target: in its project, and in its location where it has one. Zones are in their region. */
export function isInGoogleTarget(id: string, { scope, location }: Pick<CloudTarget, "scope" | "location">): boolean {
  const [projects, project, kind = "", where = ""] = id.split("/");
  if (projects !== "projects" || project !== scope) return false;
  if (location === undefined) return true;
  if (kind === "global") return location === "global";
  // A cluster's location may be a zone.
  const region = kind === "regions" ? where : where.replace(/-[a-z]$/, "");
  return ["locations", "regions", "zones"].includes(kind) && [where, region].includes(location);
}

/** What stands between project and collection, as ids have it; `null`: nothing of this type is there. */
function placeOf(service: string, kind: string, place: readonly string[]): readonly string[] | null {
  const known = `${service}.${kind}`;
  const [kindOfPlace, where, own, ...more] = place;
  if (projectKinds.has(known)) return place.length === 0 ? place : null;
  if (service === "compute") {
    if (kindOfPlace === "global") return place.length === 1 ? place : null;
    const isPlace = place.length === 2 && (kindOfPlace === "regions" || kindOfPlace === "zones");
    return isPlace && !globalKinds.has(known) ? place : null;
  }
  if (kindOfPlace !== "locations" || where === undefined || more.length > 0) return null;
  if (own !== undefined && own !== service) return null;
  return service === "" ? ["locations", where] : ["locations", where, service];
}

/** The name of a kind's collection: `buckets`, `addresses`, `policies`. A plural stays as it is. */
export function collectionOf(kind: string): string {
  if (/(ss|x|ch)$/.test(kind)) return `${kind}es`;
  if (/[^aeiou]y$/.test(kind)) return kind.replace(/y$/, "ies");
  return kind.endsWith("s") ? kind : `${kind}s`;
}
