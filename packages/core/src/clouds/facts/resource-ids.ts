import type { CloudTarget, ParsedResourceId } from "../../ports/cloud.ts";

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

/** The ID is outside the target, so the refusal says nothing about what exists there. */
export function outsideTarget(): ParsedResourceId {
  return refusedId("The ID is outside the environment's subscription or project.");
}

/** The ID of another type, or no ID at all. */
export function notOfType(): ParsedResourceId {
  return refusedId("The ID doesn't match this type.");
}

export function refusedType(detail: string): ParsedResourceId {
  return { refused: "type", detail };
}

/** Validates an ID; see `Cloud.parseResourceId`. */
export type ParseResourceId = (type: string, id: string, target: CloudTarget) => ParsedResourceId;
