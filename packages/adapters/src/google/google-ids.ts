import {
  type CloudTarget,
  googleFacts,
  isInGoogleTarget,
  outsideTarget,
  type ParsedResourceId,
  type ResourceRef,
  resourceIdRefusal,
} from "@liveplane/core/clouds";
import { elsewhere } from "../cloud-http/cloud-http.ts";
import {
  googleKindOf,
  knownKind,
  knownKinds,
  type NamedKind,
  partsOfName,
  typeOf,
  unknownType,
} from "./google-kinds.ts";

/** Where resources of a kind are: the form of their IDs, and their paths in the service. */
interface Place {
  /** `projects/{}/zones/{}/disks/{}` */
  readonly id: string;
  /** As in the table. */
  readonly path: string;
}

/** A resource at a place. */
export interface PlacedResource {
  readonly kind: NamedKind;
  readonly resourceId: string;
  /** The kind's path for its place, as in the table. */
  readonly path: string;
  /** The values for each `{}` of the ID: the project, the place, the names. */
  readonly values: readonly string[];
}

const placesBy = new Map<NamedKind, readonly Place[]>();

/** IDs name the service after the place, which distinguishes collections of the same name. Bucket paths leave out the project. */
function placesOf(kind: NamedKind): readonly Place[] {
  const known = placesBy.get(kind);
  if (known !== undefined) return known;
  const places = kind.paths.map((path) => {
    const own = path.replace(new RegExp(`^/${kind.service}/(${kind.service}/)?v\\d+/`), "");
    if (kind.service === "storage") return { id: own.replace(/^b\//, "projects/{}/buckets/"), path };
    return { id: own.replace("/locations/{}/", `/locations/{}/${kind.service}/`), path };
  });
  placesBy.set(kind, places);
  return places;
}

/** The resource for an ID; `null` if this kind has none with it. The short form without the service is accepted. */
export function placedIn(kind: NamedKind, id: string): PlacedResource | null {
  if (resourceIdRefusal(id) !== null) return null;
  for (const { id: pattern, path } of placesOf(kind)) {
    for (const own of [pattern, pattern.replace(`/${kind.service}/`, "/")]) {
      const values = valuesIn(own, id);
      if (values !== null) return { kind, path, values, resourceId: filled(pattern, values) };
    }
  }
  return null;
}

/** The type for an ID. A name without its service may fit several kinds; the one for which it is canonical comes first. */
export function googleTypeOf(id: string): string | null {
  const found = knownKinds.filter((kind) => placedIn(kind, id) !== null);
  const kind = found.find((one) => placedIn(one, id)?.resourceId === id) ?? found[0];
  return kind === undefined ? null : typeOf(kind);
}

/** The canonical ID of a resource of a kind; `null` if it isn't one. */
export function googleIdIn(kind: NamedKind, id: string): string | null {
  return placedIn(kind, id)?.resourceId ?? null;
}

/** The resource of a reference. IDs outside any project, or of another kind, are refused. */
export function placed(ref: ResourceRef): PlacedResource {
  const kind = knownKind(ref);
  const found = placedIn(kind, ref.resourceId);
  if (found === null) throw elsewhere();
  return found;
}

function valuesIn(pattern: string, id: string): string[] | null {
  const [wanted, given] = [pattern.split("/"), id.split("/")];
  if (wanted.length !== given.length) return null;
  const values: string[] = [];
  for (const [at, segment] of given.entries()) {
    if (wanted[at] === "{}") values.push(segment);
    else if (wanted[at] !== segment) return null;
  }
  return values;
}

/** A pattern with its values filled in. */
export function filled(pattern: string, values: readonly string[]): string {
  let at = 0;
  return pattern.replaceAll("{}", () => values[at++] ?? "");
}

/**
 * A made-up resource in each collection of a kind that a project has: one for all places where a single call lists them, otherwise one for
 * each of these locations. Collections inside other resources are left out, and the few of zones without such a call.
 */
export function collectionsOf(kind: NamedKind, scope: string, locations: readonly string[]): PlacedResource[] {
  const all = placesOf(kind).flatMap(({ id }) => {
    const sort = /\/(zones|regions|locations)\/\{\}/.exec(id)?.[1];
    if (id.split("{}").length !== (sort === undefined ? 3 : 4)) return [];
    const each = sort === "locations" ? locations : locations.filter((one) => sort === "regions" && one !== "global");
    const where = kind.list?.everywhere === undefined ? each : ["-"];
    const ids = sort === undefined ? [filled(id, [scope, "-"])] : where.map((place) => filled(id, [scope, place, "-"]));
    return ids.flatMap((one) => placedIn(kind, one) ?? []);
  });
  return kind.list?.everywhere === "aggregated" ? all.slice(0, 1) : all;
}

/** Kinds that can lie in several places lie in the region, but disks in a zone. */
const order = ["/regions/", "/global/", "/zones/", ""];
const zonesFirst: ReadonlySet<string> = new Set(["compute.disk"]);

/** Where new resources of a kind go. */
function homeOf(kind: NamedKind): string {
  const places = placesOf(kind).map(({ id }) => id);
  const wanted = zonesFirst.has(kind.name.replace(/IamBinding$/, "")) ? ["/zones/"] : order;
  const found = wanted.map((part) => places.find((place) => place.includes(part))).find((place) => place !== undefined);
  return found ?? places[0] ?? "";
}

/** Whether Google chooses the names of new resources of a kind. */
export function isNameChosen({ create }: NamedKind): boolean {
  return create?.name === "chosen";
}

/** The ID for a new resource; `null` if Google chooses it, or if it needs a zone and none is known. */
export function googleIdFor(type: string, name: string, target: CloudTarget): string | null {
  const kind = googleKindOf(type);
  if (kind === null) return "";
  return isNameChosen(kind) ? null : idFor(kind, fittedTo(type, name), target);
}

/** A new resource whose name Google will choose. */
export function unnamed(type: string, target: CloudTarget): PlacedResource | null {
  const kind = googleKindOf(type);
  const id = kind !== null && isNameChosen(kind) ? idFor(kind, "-", target) : null;
  return kind === null || id === null ? null : placedIn(kind, id);
}

/** The ID of another resource in the same collection, by its name as the service writes it. */
export function idIn({ resourceId }: PlacedResource, name: string): string {
  return `${resourceId.slice(0, resourceId.lastIndexOf("/"))}/${nameOf(name)}`;
}

function idFor(kind: NamedKind, name: string, target: CloudTarget): string | null {
  const home = homeOf(kind);
  const zone = target.zone ?? null;
  if (home.includes("/zones/{}") && zone === null) return null;
  const place = /\/(zones|regions|locations)\/\{\}/.exec(home)?.[1];
  const where = place === undefined ? [] : [place === "zones" ? (zone ?? "") : target.region];
  return filled(home, [target.scope, ...where, ...namesFor(kind, name, target.scope)]);
}

/** A name derived from a component's path, adjusted to its type's naming rules. Its end, which makes it unique, stays. */
function fittedTo(type: string, name: string): string {
  const { name: pattern } = googleFacts.resourceType(type);
  if (pattern === undefined || pattern.test(name)) return name;
  const shortened = [49, 30].map((most) => shortenedTo(name, most));
  return [name.replaceAll("-", "_"), ...shortened].find((one) => pattern.test(one)) ?? name;
}

function shortenedTo(name: string, most: number): string {
  const end = name.slice(name.lastIndexOf("-") + 1);
  return `${name.slice(0, Math.max(0, most - end.length - 1)).replace(/-+$/, "")}-${end}`;
}

/** A service account's ID ends in its e-mail address. */
function namesFor(kind: NamedKind, name: string, scope: string): readonly string[] {
  if (kind.name === "iam.serviceAccount" && !name.includes("@")) return [`${name}@${scope}.iam.gserviceaccount.com`];
  return name.split("/");
}

const plainBinding = /^((projects|organizations):[a-z0-9-]+:)?roles:[A-Za-z0-9_.]+(@[A-Za-z0-9._-]+)?$/;

/** Whether a binding has a name that an ID can end in. */
export function isBindingName(name: string): boolean {
  return plainBinding.test(name);
}

/** The name of a binding with its parents. */
export const bindingName = new RegExp(`^([A-Za-z0-9._@-]+/)*${plainBinding.source.slice(1)}`);

/** The name of a resource with its parents, without the place: `ring/key`. */
function googleNameOf({ kind, path, values }: PlacedResource): string {
  const isPlaced = /\/(zones|regions|locations)\/\{\}/.test(path);
  const name = values.slice(isPlaced ? 2 : 1).join("/");
  return kind.name === "iam.serviceAccount" ? name.replace(`@${values[0]}.iam.gserviceaccount.com`, "") : name;
}

/** Validates an ID; see the cloud port. */
export function judgeGoogleId(type: string, id: string, target: CloudTarget): ParsedResourceId {
  const kind = googleKindOf(type);
  if (kind === null) return { refused: "type", detail: unknownType(type) };
  if (id === "" && idFor(kind, "name", target) === null) return { refused: "type", detail: noZone };
  const refusal = resourceIdRefusal(id);
  if (refusal !== null) return { refused: "resourceId", detail: refusal };
  const found = placedIn(kind, id);
  if (found === null) return { refused: "resourceId", detail: "The ID doesn't match this type." };
  if (!isInGoogleTarget(found.resourceId, target)) return outsideTarget;
  const isNamed = isBindingName(nameOf(found.resourceId));
  if (kind.policy !== undefined && !isNamed) return { refused: "type", detail: namedByRole };
  return { id: found.resourceId, name: googleNameOf(found) };
}

const namedByRole =
  "A binding is named by its role, and by the title of its condition if it has one. Give a resourceName such as shop/roles:storage.objectViewer, or the resourceId.";

const noZone =
  "This type needs a zone, and the environment was initialized without one. Initialize it again, or give the resource's full ID.";

/** The service's own name of a resource: `projects/p/locations/l/services/web`. */
export function ownNameOf({ kind, resourceId }: PlacedResource): string {
  return resourceId.replace(new RegExp(`^(projects/[^/]+/locations/[^/]+)/${kind.service}/`), "$1/");
}

/** A resource's own name; one of two parts as `www.example.com./A`. */
export function listedName({ kind, values }: PlacedResource): string {
  return values.slice(-partsOfName(kind)).join("/");
}

/** The last part of an id. */
export function nameOf(resourceId: string): string {
  return resourceId.slice(resourceId.lastIndexOf("/") + 1);
}

/** The project of an id. */
export function projectOf(resourceId: string): string {
  return googleFacts.throttleScope(resourceId).replace(/^projects\//, "");
}
