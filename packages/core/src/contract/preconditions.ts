import { LiveplaneError } from "../errors.ts";

/** Versions that a write is bound to (RFC 9110): `*` or a list of versions. */
export interface Preconditions {
  readonly ifMatch?: "*" | readonly string[];
  readonly ifNoneMatch?: "*" | readonly string[];
}

/**
 * Holds a write to its preconditions, given the record as it stands in the same commit.
 * `creates` says that the write would make the record where there is none: If-Match is then 412, not 404.
 */
export function checkPreconditions(
  preconditions: Preconditions,
  stored: { readonly version: string } | null,
  { creates = false }: { readonly creates?: boolean } = {},
): void {
  const { ifMatch, ifNoneMatch } = preconditions;
  if (ifMatch !== undefined) {
    if (stored === null) throw new LiveplaneError(creates ? "PreconditionFailed" : "NotFound");
    if (ifMatch !== "*" && !ifMatch.includes(stored.version)) throw new LiveplaneError("PreconditionFailed");
  }
  if (ifNoneMatch !== undefined && stored !== null) {
    if (ifNoneMatch === "*" || ifNoneMatch.includes(stored.version)) throw new LiveplaneError("PreconditionFailed");
  }
}

/** Reads an `If-Match` or `If-None-Match` header; weak tags never match. `undefined` where the header is malformed. */
export function parseEntityTags(header: string): "*" | readonly string[] | undefined {
  if (header.trim() === "*") return "*";
  const tags = [...header.matchAll(/(?:^|,)\s*(W\/)?"([\x21\x23-\x7e\x80-\xff]*)"\s*(?=,|$)/g)];
  const rest = header.replaceAll(/(W\/)?"[\x21\x23-\x7e\x80-\xff]*"/g, "").replaceAll(/[\s,]/g, "");
  if (rest !== "") return undefined;
  return tags.filter(([, weak]) => weak === undefined).map(([, , tag]) => tag as string);
}
