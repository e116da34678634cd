import { isLiveplaneError, LiveplaneError, sentenceOf, type Violation } from "../errors.ts";
import { credentialHeaders, type OperationId, type Route } from "./routes.ts";

/** One call, split into its parts, as every transport receives it. */
export interface CallParts {
  readonly id: OperationId;
  readonly route: Route;
  readonly params: Readonly<Record<string, string>>;
  /** The JSON value; `undefined` if there is none. */
  readonly body: unknown;
  readonly query: Readonly<Record<string, string | readonly string[]>>;
  readonly credentials: Readonly<Record<string, string>>;
  readonly options: AllSettings;
}

/** The settings that every call accepts. */
export interface CallSettings {
  readonly signal?: AbortSignal;
  /** An id for the request: 8 to 128 letters, digits, `.`, `_` and `-`. */
  readonly requestId?: string;
  /** Time limit for one attempt of this call, instead of the client's own. Ignored in process. */
  readonly timeoutMs?: number;
  /** Called with what accompanies the answer, also for an error. */
  readonly onAnswer?: (answer: CallAnswer) => void;
}

/** The status and headers of an answer. */
export interface CallAnswer {
  readonly status: number;
  readonly requestId: string | null;
  /** In process, only the headers that depend on the call: `location`, and the `etag` of a record. */
  readonly headers: Headers;
}

/** The settings of a write to a versioned record: it runs only if the record has the expected version. */
export interface VersionSettings {
  /** The version that the record must still have, or `*` for any. */
  readonly ifMatch?: string;
  /** A version that the record must not have, or `*` if it must not exist. */
  readonly ifNoneMatch?: string;
}

/** The settings of a write that can be repeated. */
export interface RepeatSettings {
  /**
   * Repeating a call with the same key does nothing twice and returns the first answer. The client creates a key for each call by itself.
   */
  readonly idempotencyKey?: string;
}

/** Every setting that a call may take. */
export interface AllSettings extends CallSettings, VersionSettings, RepeatSettings {}

const requestIds = /^[A-Za-z0-9._-]{8,128}$/;

/** Whether a sent request ID is acceptable; if not, a new one is generated. */
export function isRequestId(sent: string): boolean {
  return requestIds.test(sent);
}

/** The header of each option: credentials and settings. */
export const optionHeaders: Readonly<Record<string, string>> = {
  ...credentialHeaders,
  ifMatch: "If-Match",
  ifNoneMatch: "If-None-Match",
  idempotencyKey: "Idempotency-Key",
  requestId: "X-Request-Id",
};

const settings: Readonly<Record<string, (value: unknown) => boolean>> = {
  signal: (value) => value instanceof AbortSignal,
  timeoutMs: (value) => typeof value === "number" && value > 0 && value < 2 ** 31,
  onAnswer: (value) => typeof value === "function",
};

/**
 * Splits a call's arguments into parameters, body and options. Plain JavaScript may pass anything, so each argument is read once, copied as
 * JSON would carry it, and refused with `ValidationFailed` if JSON can't.
 */
export function takeArguments(id: OperationId, route: Route, args: readonly unknown[]): CallParts {
  const rest = [...args];
  const params = route.params.length > 0 ? takeParams(rest.shift(), route.params) : {};
  const body = route.takes === "body" ? takeBody(rest.shift()) : undefined;
  return { id, route, params, body, ...takeOptions(rest.shift()) };
}

function takeParams(argument: unknown, [first = ""]: readonly string[]): CallParts["params"] {
  const members = membersOf(argument);
  if (members === null) throw refused({ parameter: first, code: argument === undefined ? "Required" : "Type" });
  return Object.fromEntries(
    members.map(([name, value]) => {
      if (typeof value !== "string")
        throw refused({ parameter: name, code: value === undefined ? "Required" : "Type" });
      return [name, value];
    }),
  );
}

/** Members that are `undefined` are left out, as in JSON. */
function takeBody(argument: unknown): unknown {
  if (argument === undefined) return undefined;
  const text = attempt(() => JSON.stringify(argument));
  const body = text === undefined ? undefined : attempt<unknown>(() => JSON.parse(text));
  if (body === undefined) throw refused({ pointer: "#", code: "Type" });
  return body;
}

function takeOptions(argument: unknown): Pick<CallParts, "query" | "credentials" | "options"> {
  const query: [string, string | readonly string[]][] = [];
  const credentials: Record<string, string> = {};
  const options: Record<string, unknown> = {};
  const members = membersOf(argument ?? {});
  if (members === null) throw new LiveplaneError("ValidationFailed", "The options of a call must be an object.");
  for (const [name, value] of members) {
    if (value === undefined) continue;
    const fits = Object.hasOwn(optionHeaders, name) ? isText : Object.hasOwn(settings, name) && settings[name];
    if (!fits) query.push([name, takeParameter(name, value)]);
    else if (!attempt(() => fits(value))) throw refused({ parameter: name, code: "Type" });
    else if (Object.hasOwn(credentialHeaders, name)) credentials[name] = value as string;
    else options[name] = value;
  }
  return { query: Object.fromEntries(query), credentials, options };
}

function isText(value: unknown): boolean {
  return typeof value === "string";
}

function takeParameter(parameter: string, value: unknown): string | readonly string[] {
  const list = attempt(() => (Array.isArray(value) ? Array.from<unknown>(value) : undefined));
  const texts = (list ?? [value]).map((one) => {
    if (typeof one !== "string" && typeof one !== "number" && typeof one !== "boolean")
      throw refused({ parameter, code: "Type" });
    return String(one);
  });
  return list === undefined ? (texts[0] ?? "") : texts;
}

/** The members of a plain object, each read once. `null` if it isn't one or can't be read. */
function membersOf(value: unknown): [string, unknown][] | null {
  if (typeof value !== "object" || value === null) return null;
  return attempt(() => (Array.isArray(value) ? undefined : Object.entries(value))) ?? null;
}

/** Reads a value of the caller's, whose getters may throw. The error is neither reported nor kept as a cause. */
function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/** The option for each header. */
const optionNames: ReadonlyMap<unknown, string> = new Map(
  Object.entries(optionHeaders).map(([name, header]) => [header, name]),
);

/** Makes an error name the option that the caller passed instead of its header. */
export function namingOptions(error: unknown): unknown {
  if (!isLiveplaneError(error)) return error;
  const { errors } = error.details;
  if (!errors?.some(({ header }) => optionNames.has(header))) return error;
  let { message } = error;
  const named = errors.map(({ header = "", ...violation }): Violation => {
    const parameter = optionNames.get(header) ?? header;
    message = message.replace(header, parameter);
    return { ...violation, ...(parameter !== "" && { parameter }) };
  });
  return new LiveplaneError(error.code, message, { ...error, details: { ...error.details, errors: named } });
}

function refused({ code, ...at }: Omit<Violation, "detail">): LiveplaneError {
  const detail = code === "Required" ? "This is required." : "This has the wrong type.";
  const error = { ...at, code, detail };
  return new LiveplaneError("ValidationFailed", sentenceOf(error), { details: { errors: [error] } });
}
