import { isLiveplaneError, LiveplaneError, sentenceOf, type Violation } from "../errors.ts";
import { credentialHeaders, type OperationId, type Route } from "./routes.ts";

/** One call, taken apart from its arguments: what every transport is given. */
export interface CallParts {
  readonly id: OperationId;
  readonly route: Route;
  readonly params: Readonly<Record<string, string>>;
  /** What JSON makes of it; `undefined`: there is none. */
  readonly body: unknown;
  readonly query: Readonly<Record<string, string | readonly string[]>>;
  readonly credentials: Readonly<Record<string, string>>;
  readonly options: AllSettings;
}

/** What every call may be given next to its own members. */
export interface CallSettings {
  readonly signal?: AbortSignal;
  /** An id for the request: 8 to 128 letters, digits, `.`, `_` and `-`. */
  readonly requestId?: string;
  /** How long one try of this call may take, instead of the client's own time. In process there is no way to be lost on: it isn't looked at. */
  readonly timeoutMs?: number;
  /** Told what comes with the answer, also with a refusal. */
  readonly onAnswer?: (answer: CallAnswer) => void;
}

/** What comes with an answer. */
export interface CallAnswer {
  readonly status: number;
  readonly requestId: string | null;
  /** In process those alone that say something of the call: `location`, and the `etag` of a record. */
  readonly headers: Headers;
}

/** What a write of a versioned record may be given: it is carried out only on the version that the caller knows. */
export interface VersionSettings {
  /** The version that the record must still have, or `*`. */
  readonly ifMatch?: string;
  /** A version that the record must not have; `*`: there must be none. */
  readonly ifNoneMatch?: string;
}

/** What a write may be given that can be repeated. */
export interface RepeatSettings {
  /** Repeating a call under its key does nothing twice, and is answered as the first was. A client makes one for each call by itself. */
  readonly idempotencyKey?: string;
}

/** Every setting that a call may be given. */
export interface AllSettings extends CallSettings, VersionSettings, RepeatSettings {}

const requestIds = /^[A-Za-z0-9._-]{8,128}$/;

/** Whether a request may go by that id: another is put out by one that is made for it. */
export function isRequestId(sent: string): boolean {
  return requestIds.test(sent);
}

/** The headers that options travel as: credentials and settings, by the option. */
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
 * Takes a call's arguments apart: parameters, body, options, as the route has them. Plain JavaScript may pass anything, so
 * each is read once, copied as the wire would carry it, and refused with `ValidationFailed` where no wire could.
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

/** Members that are `undefined` are not there, as in JSON. */
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

/** The members of a plain object, each read once. `null`: it is none, or can't be read. */
function membersOf(value: unknown): [string, unknown][] | null {
  if (typeof value !== "object" || value === null) return null;
  return attempt(() => (Array.isArray(value) ? undefined : Object.entries(value))) ?? null;
}

/** Reads something of a caller's that may throw what it likes: none of that is told, nor kept as a cause. */
function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/** The options that travel as headers, by the header. */
const optionNames: ReadonlyMap<unknown, string> = new Map(
  Object.entries(optionHeaders).map(([name, header]) => [header, name]),
);

/** Has a refusal name the option that a caller gave, where it names the header that the option travels as. */
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
