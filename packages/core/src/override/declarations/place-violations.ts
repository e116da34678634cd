import { outsideTarget } from "../../clouds/facts/resource-ids.ts";
import type { Violation } from "../../errors.ts";
import type { Cloud, CloudTarget, ParsedResourceId } from "../../ports/cloud.ts";
import type { ComponentRecord, ResourcePlace } from "../records/component-record.ts";
import { type DeclaredComponent, type Definition, pathKey } from "./definition.ts";

/** A cloud's offline knowledge of IDs and names. */
export type IdFacts = Pick<Cloud, "resourceType" | "resourceIdFor" | "parseResourceId">;

export interface PlacesJudged {
  readonly clouds: ReadonlyMap<string, IdFacts>;
  /** By provider, where new resources go first. None: no initialization of it is completed, and nothing can be judged yet. */
  readonly targets: ReadonlyMap<string, readonly CloudTarget[]>;
  /** The components that are there: their places are fixed. */
  readonly existing: ReadonlyMap<string, Pick<ComponentRecord, "type" | "resource">>;
}

/** The member of a component that is wrong. */
type Mistake = { readonly member: "type" | "resourceId" | "resourceName"; readonly detail: string };

const segment = /^[A-Za-z0-9][A-Za-z0-9._-]{0,89}$/;
const elsewhere = "The resource of a component is fixed at its first deploy.";

/**
 * The errors in where a definition's resources are to be. An ID outside the target is refused with the same words whether or not anything
 * exists there, before any look at the cloud.
 */
export function placeViolations({ components }: Pick<Definition, "components">, judged: PlacesJudged): Violation[] {
  const taken = new Map<string, string>();
  return components.flatMap((declared, at): Violation[] => {
    const mistake = mistakeIn(declared, judged) ?? repetition(declared, judged, taken);
    if (mistake === null) return [];
    return [{ pointer: `#/components/${at}/${mistake.member}`, code: "InvalidDeclaration", detail: mistake.detail }];
  });
}

/** The first of some targets that an ID is in, and the ID as the cloud judges it there; `null`: there are no targets. */
export function placeOfId(
  cloud: Pick<Cloud, "parseResourceId">,
  type: string,
  id: string,
  targets: readonly CloudTarget[],
): { readonly target: CloudTarget; readonly parsed: ParsedResourceId } | null {
  const judged = targets.map((target) => ({ target, parsed: cloud.parseResourceId(type, id, target) }));
  const isOutside = ({ parsed }: (typeof judged)[number]) =>
    "refused" in parsed && parsed.detail === outsideTarget.detail;
  return judged.find(({ parsed }) => "id" in parsed) ?? judged.find((one) => !isOutside(one)) ?? judged[0] ?? null;
}

/** A declared id in the cloud's own spelling; as it is where the cloud refuses it. */
function canonicalId(cloud: IdFacts | undefined, type: string, id: string, target: CloudTarget): string {
  const parsed = cloud?.parseResourceId(type, id, target);
  return parsed === undefined || "refused" in parsed ? id : parsed.id;
}

/** Whether an ID in any spelling is that of a place. */
export function isPlace(
  cloud: IdFacts | undefined,
  type: string,
  id: string,
  { id: own, target }: ResourcePlace,
): boolean {
  return [id, canonicalId(cloud, type, id, target)].some((one) => one.toLowerCase() === own?.toLowerCase());
}

function mistakeIn(declared: DeclaredComponent, { clouds, targets, existing }: PlacesJudged): Mistake | null {
  const { path, provider, type, resourceId, resourceName } = declared;
  const cloud = clouds.get(provider);
  const known = existing.get(pathKey(path));
  if (known !== undefined) {
    const moves = typeof resourceId === "string" && !isPlace(cloud, known.type, resourceId, known.resource);
    if (moves) return { member: "resourceId", detail: elsewhere };
    const renames = typeof resourceName === "string" && resourceName !== known.resource.name;
    return renames ? { member: "resourceName", detail: elsewhere } : null;
  }
  const places = targets.get(provider) ?? [];
  const [target] = places;
  if (cloud === undefined || target === undefined) return null;
  const name = resourceName ?? null;
  if (typeof resourceId === "string")
    return mistakeInId(cloud, type, resourceId, places) ?? misnamed(cloud, type, name);
  return mistakeInName(cloud, type, name, target);
}

function mistakeInId(cloud: IdFacts, type: string, id: string, places: readonly CloudTarget[]): Mistake | null {
  const parsed = placeOfId(cloud, type, id, places)?.parsed;
  return parsed !== undefined && "refused" in parsed ? { member: parsed.refused, detail: parsed.detail } : null;
}

/** A name is valid if the ID built from it contains it again. Without a name, only the type is checked. */
function mistakeInName(cloud: IdFacts, type: string, name: string | null, target: CloudTarget): Mistake | null {
  const made = cloud.resourceIdFor(type, name ?? "name", target);
  const parsed = cloud.parseResourceId(type, made ?? "", target);
  if ("refused" in parsed && parsed.refused === "type") return { member: "type", detail: parsed.detail };
  const mistake = misnamed(cloud, type, name);
  if (name === null || made === null || mistake !== null) return mistake;
  if ("refused" in parsed) return { member: "resourceName", detail: parsed.detail };
  if (parsed.name === name) return null;
  return { member: "resourceName", detail: "A name must have as many segments as its type has kinds." };
}

function misnamed(cloud: IdFacts, type: string, name: string | null): Mistake | null {
  const pattern = cloud.resourceType(type).name;
  const fits = name === null || (pattern?.test(name) ?? name.split("/").every((one) => segment.test(one)));
  return fits ? null : { member: "resourceName", detail: "This isn't a valid name for a resource of this type." };
}

/** Reports an ID that one declaration names twice in different spellings. */
function repetition(
  { path, provider, type, resourceId }: DeclaredComponent,
  { clouds, targets, existing }: PlacesJudged,
  taken: Map<string, string>,
): Mistake | null {
  const cloud = clouds.get(provider);
  const known = existing.get(pathKey(path))?.resource.target;
  const places = known === undefined ? (targets.get(provider) ?? []) : [known];
  if (typeof resourceId !== "string" || cloud === undefined || places.length === 0) return null;
  const parsed = placeOfId(cloud, type, resourceId, places)?.parsed;
  const key = `${provider} ${(parsed !== undefined && "id" in parsed ? parsed.id : resourceId).toLowerCase()}`;
  const other = taken.get(key);
  taken.set(key, resourceId.toLowerCase());
  if (other === undefined || other === resourceId.toLowerCase()) return null;
  return { member: "resourceId", detail: "Another component names the same resource." };
}
