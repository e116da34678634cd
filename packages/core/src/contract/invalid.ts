import { type ErrorCode, errorCodes, LiveplaneError, sentenceOf, type Violation } from "../errors.ts";

/** An error names at most this many places. */
export const mostPlaces = 100;

/** How an error about places is worded. */
interface InvalidOptions {
  readonly message?: string;
  /** How many further places were already left out. @default 0 */
  readonly unnamed?: number;
}

/** An error that names each wrong place once. Its code is the one that all places share, otherwise `ValidationFailed`. */
export function invalid(
  errors: readonly [Violation, ...Violation[]],
  { message, unnamed = 0 }: InvalidOptions = {},
): LiveplaneError {
  const places = new Map<string, Violation>();
  for (const one of errors) places.set(placeOf(one), places.get(placeOf(one)) ?? one);
  const shared = errors.every((entry) => entry.code === errors[0].code) ? errors[0].code : undefined;
  const code = shared !== undefined && shared in errorCodes ? (shared as ErrorCode) : "ValidationFailed";
  const said = code === "ValidationFailed" ? firstOf(errors[0], places.size - 1 + unnamed) : errors[0].detail;
  return new LiveplaneError(code, message ?? said, { details: { errors: [...places.values()].slice(0, mostPlaces) } });
}

/** The body names an environment that doesn't exist or that the caller can't see: the answer is the same. */
export function noEnvironment(): LiveplaneError {
  const detail = "There is no such environment, or you may not view it.";
  return invalid([{ pointer: "#/environmentId", code: "NotFound", detail }]);
}

/** A JSON pointer begins with `#`; no parameter ends with a colon. */
function placeOf({ pointer, parameter, header }: Violation): string {
  return pointer ?? parameter ?? `${header}:`;
}

/** The first violation, and the number of others. */
function firstOf(first: Violation, others: number): string {
  return others === 0 ? sentenceOf(first) : `${sentenceOf(first)} (and ${others} more)`;
}
