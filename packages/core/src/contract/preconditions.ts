import { LiveplaneError } from "../errors.ts";

/** The versions that a write requires (RFC 9110): `*` or a list. */
export interface Preconditions {
  /** Overwriting an existing record requires If-Match. @default false */
  readonly required?: boolean;
  readonly ifMatch?: "*" | readonly string[];
  readonly ifNoneMatch?: "*" | readonly string[];
}

/**
 * Checks a write's preconditions against the record in the same commit. With `creates`, the write would create a missing record, so
 * If-Match is 412 instead of 404.
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

/** Checks the preconditions of a write that only creates, given any record of that name. */
export function requireNew(
  preconditions: Preconditions,
  stored: { readonly version: string } | null,
  message: string,
): asserts stored is null {
  checkPreconditions({ ...preconditions, required: false }, stored, { creates: true });
  if (stored !== null) throw new LiveplaneError("AlreadyExists", message);
}

/** Parses an `If-Match` or `If-None-Match` header; weak tags never match. `undefined` if the header is malformed. */
export function parseEntityTags(header: string): "*" | readonly string[] | undefined {
  if (header.trim() === "*") return "*";
  const tags = [...header.matchAll(/(?:^|,)\s*(W\/)?"([\x21\x23-\x7e\x80-\xff]*)"\s*(?=,|$)/g)];
  const rest = header.replaceAll(/(W\/)?"[\x21\x23-\x7e\x80-\xff]*"/g, "").replaceAll(/[\s,]/g, "");
  if (rest !== "") return undefined;
  return tags.filter(([, weak]) => weak === undefined).map(([, , tag]) => tag as string);
}
