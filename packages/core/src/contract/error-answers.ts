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
  "SecondFactorRequired",
  "AccountNotActive",
  "ServiceAccountDisabled",
];
const bodies: readonly ErrorCode[] = ["InvalidJson", "PayloadTooLarge", "UnsupportedMediaType"];

/** Every code that an operation may answer over HTTP: those implied by its access, method and body, and its own. */
export function errorCodesOf(row: Operation): ReadonlySet<ErrorCode> {
  const { methods, params, takes } = parseRoute(row.id);
  const writes = !methods.includes("GET");
  return new Set([
    ...always,
    ...accessCodes(row.access),
    ...codes(writes && !methods.includes("DELETE") && "on" in row.access, "SubscriptionExpired"),
    ...codes(row.fresh === true, "SignInNotFresh"),
    ...codes(params.length > 0, "NotFound"),
    ...codes(takes === "page", "InvalidCursor"),
    ...(row.body === undefined ? [] : bodies),
    ...codes(writes, "Conflict"),
    ...codes(takesPreconditions(row), "PreconditionFailed"),
    // An operation that always creates something new has no version to check.
    ...codes(takesPreconditions(row) && methods.some((method) => method !== "POST"), "PreconditionRequired"),
    ...codes(takesIdempotencyKey(row), "IdempotencyInFlight", "IdempotencyKeyReused", "AlreadyExists"),
    ...codes(row.credentials !== undefined, "ProviderCredentialsMissing"),
    ...(row.errors ?? []),
    ...(row.badRequests ?? []),
  ]);
}

/** The codes of an operation, by HTTP status. */
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
 * Whether an operation accepts an idempotency key. It needs a known caller, so that nobody gets another caller's answer, and an answer
 * without a one-time secret.
 */
export function takesIdempotencyKey(row: Operation): boolean {
  return row.secretResult !== true && couldTakeKey(row);
}

/** Whether every caller is known, so that an idempotency key has a meaning, if only in a refusal. */
export function couldTakeKey({ id, access }: Operation): boolean {
  const isOpen = "who" in access && (access.who === "anyone" || access.who === "challenge");
  return !isOpen && !parseRoute(id).methods.includes("GET");
}

/** Whether an operation honours preconditions. */
export function takesPreconditions({ id, versioned, unconditional }: Operation): boolean {
  return versioned === true && unconditional !== true && !parseRoute(id).methods.includes("GET");
}

function accessCodes(access: CallerRule): readonly ErrorCode[] {
  if ("on" in access)
    return [...tokens, ...tokenStates, "NotFound", "PermissionDenied", "OrganizationRequiresSecondFactor"];
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
