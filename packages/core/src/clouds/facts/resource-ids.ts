import type { CloudTarget, ParsedResourceId, ParsedScope } from "../../ports/cloud.ts";

/** Why a text can't be a resource ID in any cloud whose IDs are paths; `null` if it can. */
export function resourceIdRefusal(id: string): string | null {
  if (!/^[A-Za-z0-9._~!$&'()*+,;=:@/-]+$/.test(id))
    return "An ID must consist of segments separated by slashes, of letters, digits and . _ ~ ! $ & ' ( ) * + , ; = : @ -";
  if (id.endsWith("/") || id.includes("//")) return "An ID must not contain a double slash or end with a slash.";
  if (id.split("/").some((segment) => segment === "." || segment === ".."))
    return "A segment of an ID must not be . or ..";
  return null;
}

export function refusedId(detail: string): ParsedResourceId {
  return { refused: "resourceId", detail };
}

/** Why an ID somewhere else is refused, whatever is there. */
export const outsideTarget = {
  refused: "resourceId",
  detail:
    "The ID is outside the environment's own resource group or project, and outside its resourceScopes. An Admin can add a scope there.",
} as const satisfies ParsedResourceId;

/** The ID of another type, or no ID at all. */
export function notOfType(): ParsedResourceId {
  return refusedId("The ID doesn't match this type.");
}

export function refusedType(detail: string): ParsedResourceId {
  return { refused: "type", detail };
}

/** Reads the ID of a place, as `Cloud.parseScope` does. */
export type ParseScope = (id: string) => ParsedScope | null;

/** Judges an id, as `Cloud.parseResourceId` does. */
export type ParseResourceId = (type: string, id: string, target: CloudTarget) => ParsedResourceId;
