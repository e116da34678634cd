import { LiveplaneError } from "../errors.ts";

/** Versions that a write is bound to (RFC 9110): `*` or a list of versions. */
export interface Preconditions {
  /** A write over a record that is there must say If-Match. @default false */
  readonly required?: boolean;
  readonly ifMatch?: "*" | readonly string[];
  readonly ifNoneMatch?: "*" | readonly string[];
}

/**
 * Holds a write to its preconditions, given the record as it is in the same commit.
 * `creates` says that the write would make the record where there is none: If-Match is then 412, not 404.
 */
export function checkPreconditions(
  preconditions: Preconditions,
  stored: { readonly version: string } | null,
  { creates = false }: { readonly creates?: boolean } = {},
): void {
  const { required, ifMatch, ifNoneMatch } = preconditions;
  if (ifMatch !== undefined) {
    if (stored === null)
      throw creates ? failed("If-Match was sent, but the record does not exist.") : new LiveplaneError("NotFound");
    if (ifMatch !== "*" && !ifMatch.includes(stored.version))
      throw failed("The record has changed since that version. Read it again.");
  }
  if (ifNoneMatch !== undefined && stored !== null) {
    if (ifNoneMatch === "*" || ifNoneMatch.includes(stored.version)) throw failed("The record already exists.");
  }
  if (required && stored !== null && ifMatch === undefined) {
    throw new LiveplaneError("PreconditionRequired", "Send If-Match with the version you read.");
  }
}

const failed = (message: string) => new LiveplaneError("PreconditionFailed", message);

/** Holds a write that only ever makes to its preconditions, given what has that name already. */
export function requireNew(
  preconditions: Preconditions,
  stored: { readonly version: string } | null,
  message: string,
): asserts stored is null {
  checkPreconditions({ ...preconditions, required: false }, stored, { creates: true });
  if (stored !== null) throw new LiveplaneError("AlreadyExists", message);
}

/** Reads an `If-Match` or `If-None-Match` header; weak tags never match. `undefined` where the header is malformed. */
export function parseEntityTags(header: string): "*" | readonly string[] | undefined {
  if (header.trim() === "*") return "*";
  const tags = [...header.matchAll(/(?:^|,)\s*(W\/)?"([\x21\x23-\x7e\x80-\xff]*)"\s*(?=,|$)/g)];
  const rest = header.replaceAll(/(W\/)?"[\x21\x23-\x7e\x80-\xff]*"/g, "").replaceAll(/[\s,]/g, "");
  if (rest !== "") return undefined;
  return tags.filter(([, weak]) => weak === undefined).map(([, , tag]) => tag as string);
}
