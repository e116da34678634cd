import type { CloudTarget, ParsedResourceId } from "../../ports/cloud.ts";

/** Why a text can be the id of no resource, in any cloud whose ids are paths; `null`: it can. */
export function resourceIdRefusal(id: string): string | null {
  if (!/^[A-Za-z0-9._~!$&'()*+,;=:@/-]+$/.test(id))
    return "An id is made of letters, digits and . _ ~ ! $ & ' ( ) * + , ; = : @ - in segments, with a slash between two.";
  if (id.endsWith("/") || id.includes("//")) return "An id has no doubled slash and none at its end.";
  if (id.split("/").some((segment) => segment === "." || segment === "..")) return "No segment of an id is . or ..";
  return null;
}

/** An id that is refused. */
export function refusedId(detail: string): ParsedResourceId {
  return { refused: "resourceId", detail };
}

/** An id that lies somewhere else: nothing is said of what is there. */
export function outsideTarget(): ParsedResourceId {
  return refusedId("The id lies outside of where the environment's resources go.");
}

/** An id of something else, or of nothing. */
export function notOfType(): ParsedResourceId {
  return refusedId("The id isn't one of this type.");
}

/** A type that makes no id. */
export function refusedType(detail: string): ParsedResourceId {
  return { refused: "type", detail };
}

/** Judges an id, as `Cloud.parseResourceId` does. */
export type ParseResourceId = (type: string, id: string, target: CloudTarget) => ParsedResourceId;
