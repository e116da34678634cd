import { type ErrorCode, errorCodes } from "../errors.ts";
import { parseRoute } from "./routes.ts";
import type { CallerRule, Operation } from "./row.ts";

const always: readonly ErrorCode[] = [
  "ValidationFailed",
  "UnsupportedApiVersion",
  "NotAcceptable",
  "UriTooLong",
  "RateLimited",
  "InternalError",
  "Unavailable",
];
const tokens: readonly ErrorCode[] = ["Unauthenticated", "TokenExpired", "TokenRevoked"];
const tokenStates: readonly ErrorCode[] = [
  "InsufficientScope",
  "PasswordChangeRequired",
  "AccountNotActive",
  "ServiceAccountDisabled",
];
const bodies: readonly ErrorCode[] = ["InvalidJson", "PayloadTooLarge", "UnsupportedMediaType"];

/** Every code that an operation may answer over HTTP: those that its access, method and body imply, and its own. */
export function errorCodesOf(row: Operation): ReadonlySet<ErrorCode> {
  const { methods, params, takes } = parseRoute(row.id);
  const writes = !methods.includes("GET");
  return new Set([
    ...always,
    ...accessCodes(row.access),
    ...codes(writes && !methods.includes("DELETE") && "on" in row.access, "SubscriptionExpired"),
    ...codes(params.length > 0, "NotFound"),
    ...codes(takes === "page", "InvalidCursor"),
    ...(row.body === undefined ? [] : bodies),
    ...codes(writes, "Conflict"),
    ...codes(takesPreconditions(row), "PreconditionFailed"),
    // What only ever makes something new has nothing that a version could be demanded of.
    ...codes(takesPreconditions(row) && methods.some((method) => method !== "POST"), "PreconditionRequired"),
    ...codes(takesIdempotencyKey(row), "IdempotencyInFlight", "IdempotencyKeyReused", "AlreadyExists"),
    ...codes(row.credentials !== undefined, "ProviderCredentialsMissing"),
    ...(row.errors ?? []),
    ...(row.badRequests ?? []),
  ]);
}

/** The codes of an operation by the status that each comes with. */
export function errorStatusesOf(row: Operation): ReadonlyMap<number, readonly ErrorCode[]> {
  const statuses = new Map<number, ErrorCode[]>();
  const add = (status: number, code: ErrorCode) => statuses.set(status, [...(statuses.get(status) ?? []), code]);
  for (const code of errorCodesOf(row)) {
    const [status] = errorCodes[code];
    const only400 = row.badRequests?.includes(code) === true;
    if (only400) add(400, code);
    if (!only400 || row.errors?.includes(code) === true) add(status, code);
  }
  return new Map([...statuses].sort(([one], [other]) => one - other));
}

/**
 * Whether an operation is a write that can be repeated under a key: not where nobody has to be known by name, who could be
 * answered what somebody else was, nor where a secret is answered once.
 */
export function takesIdempotencyKey(row: Operation): boolean {
  return row.secretResult !== true && couldTakeKey(row);
}

/** Whether anyone who writes is known by name, so that a key of theirs means something, if only a refusal. */
export function couldTakeKey({ id, access }: Operation): boolean {
  const isOpen = "who" in access && (access.who === "anyone" || access.who === "challenge");
  return !isOpen && !parseRoute(id).methods.includes("GET");
}

/** Whether an operation is a write that honours preconditions. */
export function takesPreconditions({ id, versioned, unconditional }: Operation): boolean {
  return versioned === true && unconditional !== true && !parseRoute(id).methods.includes("GET");
}

function accessCodes(access: CallerRule): readonly ErrorCode[] {
  if ("on" in access) return [...tokens, ...tokenStates, "NotFound", "PermissionDenied"];
  switch (access.who) {
    case "anyone":
      return [];
    case "challenge":
      return ["Unauthenticated", "ChallengeInvalid"];
    case "operator":
      return [...tokens, ...tokenStates, "PermissionDenied"];
    case "account":
      return [...tokens, ...tokenStates, "PermissionDenied"];
    case "principal":
      return [...tokens, ...tokenStates];
  }
}

function codes(applies: boolean, ...some: readonly ErrorCode[]): readonly ErrorCode[] {
  return applies ? some : [];
}
