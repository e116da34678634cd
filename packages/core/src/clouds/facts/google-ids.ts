import {
  notOfType,
  outsideTarget,
  type ParseResourceId,
  refusedId,
  refusedType,
  resourceIdRefusal,
} from "./resource-ids.ts";

const typePattern = /^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$/;

/** Kinds that lie in no region. */
export const globalKinds: ReadonlySet<string> = new Set(["compute.network", "compute.firewall", "compute.route"]);
/** Kinds that lie in a project itself. */
export const projectKinds: ReadonlySet<string> = new Set([
  "storage.bucket",
  "iam.serviceAccount",
  "iam.role",
  "serviceusage.service",
  "sqladmin.instance",
]);
/** Kinds that lie in a zone. */
export const zonalKinds: ReadonlySet<string> = new Set(["compute.instance", "compute.disk"]);

/** `storage.v1.bucket` in its parts; a type of another shape is a kind of its own. */
export function typeParts(type: string): { readonly service: string; readonly kind: string } {
  const [service = "", ...rest] = type.split(".").filter((part) => !/^v\d+((alpha|beta)\d*)?$/.test(part));
  return rest.length === 0 ? { service: "", kind: service } : { service, kind: rest.join(".") };
}

/**
 * Google compares ids with case. A service's own name of a resource, which leaves the service out, is the same id. Any place in the
 * project will do: a target's region is where new resources go.
 */
export const parseGoogleId: ParseResourceId = (type, id, { scope }) => {
  const { service, kind } = typeParts(type);
  if (!typePattern.test(type) || kind === "")
    return refusedType("A type of Google's is a service, a version and a kind: storage.v1.bucket.");
  const refusal = resourceIdRefusal(id);
  if (refusal !== null) return refusedId(refusal);
  const segments = id.split("/");
  const [name = "", collection = ""] = [segments.at(-1), segments.at(-2)];
  const [projects, project, ...place] = segments.slice(0, -2);
  if (projects !== "projects" || project === undefined || !collectionsOf(kind).includes(collection)) return notOfType();
  if (project !== scope) return outsideTarget();
  const canonical = placeOf(service, kind, place);
  if (canonical === null) return notOfType();
  return { id: ["projects", project, ...canonical, collection, name].join("/"), name };
};

/** What stands between project and collection, as ids have it; `null`: nothing of this type lies there. */
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

/** How a kind may be called in the plural: `buckets`; `addresses`, `policies` too, which `resourceIdFor` doesn't know yet. */
function collectionsOf(kind: string): readonly string[] {
  if (kind.endsWith("s")) return [kind, `${kind}es`];
  return kind.endsWith("y") ? [`${kind}s`, kind.replace(/y$/, "ies")] : [`${kind}s`];
}
