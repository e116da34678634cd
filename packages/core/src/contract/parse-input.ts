import type * as z from "zod";
import { LiveplaneError, type Violation } from "../errors.ts";
import { fragmentOf } from "../json-pointer.ts";
import type { UnreadItems } from "./handler.ts";
import { invalid, mostPlaces } from "./invalid.ts";
import type { Schema } from "./row.ts";
import { scanJson } from "./scan-json.ts";

/** The part of a request that is parsed; it decides how an error names the place. */
export type InputPart = "body" | "query" | "path";

/** Parses a part of a request, or throws `ValidationFailed` with the wrong places. Values are never echoed. */
export function parseInput<T>(schema: Schema<T>, value: unknown, place: InputPart): T {
  const result = judge(schema, value, place);
  if (result.success) return result.data;
  throw refusal(result.error.issues, value, place);
}

/** Parses a list item by item: returns the valid items, and what is wrong with the others. */
export function parseItems<T>(
  schema: Schema<readonly T[]>,
  value: unknown,
): { items: readonly T[]; unread?: UnreadItems } {
  const result = judge(schema, value, "body");
  if (result.success) return { items: result.data };
  const { issues } = result.error;
  const wrong = new Set(issues.map(({ path }) => path[0]));
  if (!Array.isArray(value) || ![...wrong].every((at) => typeof at === "number")) throw refusal(issues, value, "body");
  const places = value.map((_, at) => at).filter((at) => !wrong.has(at));
  const items = parseInput(
    schema,
    places.map((at) => value[at]),
    "body",
  );
  return { items, unread: { places, sent: value, violations: named(issues, value, "body") } };
}

function judge<T>(schema: Schema<T>, value: unknown, place: InputPart): z.ZodSafeParseResult<T> {
  if (place === "body") {
    if (value === undefined) throw invalid([{ pointer: "#", code: "Required", detail: "A body is required." }]);
    const hostile = scanJson(value);
    if (hostile !== null) throw invalid([hostile]);
  }
  return (schema as unknown as z.ZodType<T>).safeParse(value);
}

function refusal(issues: readonly Issue[], value: unknown, place: InputPart): LiveplaneError {
  const [first, ...rest] = named(issues, value, place);
  if (first === undefined) return new LiveplaneError("ValidationFailed");
  const all = issues.reduce((count, issue) => count + (issue.code === "unrecognized_keys" ? issue.keys.length : 1), 0);
  return invalid([first, ...rest], { unnamed: Math.max(0, all - mostPlaces) });
}

/** Only as many places as an error names are built. */
function named(issues: readonly Issue[], value: unknown, place: InputPart): Violation[] {
  const found: Violation[] = [];
  for (const issue of issues) {
    if (found.length >= mostPlaces) break;
    found.push(...violations(issue, value, place));
  }
  return found.slice(0, mostPlaces);
}

type Issue = z.core.$ZodIssue;

function violations(issue: Issue, value: unknown, place: InputPart): Violation[] {
  if (issue.code === "unrecognized_keys") {
    return issue.keys.slice(0, mostPlaces).map((key) => at([...issue.path, key], place, "Unknown", nothingSuch[place]));
  }
  if (issue.code === "invalid_union") {
    const branches = issue.errors.map((branch) =>
      branch.map((inner) => ({ ...inner, path: [...issue.path, ...inner.path] }) as Issue),
    );
    const deepest = branches.filter((branch) => branch.length > 0).sort((a, b) => depth(b) - depth(a))[0];
    if (deepest !== undefined) return deepest.flatMap((inner) => violations(inner, value, place));
  }
  if (issue.code === "invalid_key")
    return [at(issue.path, place, "Format", "A member has a name that is not allowed.")];
  const code = codeOf(issue, valueAt(value, issue.path));
  return [at(issue.path, place, code, sentence(code, issue))];
}

function depth(branch: readonly Issue[]): number {
  return Math.max(...branch.map(({ path, code }) => path.length + (code === "invalid_type" ? 0 : 0.5)));
}

function at(path: readonly PropertyKey[], place: InputPart, code: Violation["code"], detail: string): Violation {
  if (place === "body") return { pointer: fragmentOf(path), code, detail };
  return { parameter: [...String(path[0] ?? "")].slice(0, 64).join(""), code, detail };
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let node = value;
  for (const part of path) node = (node as Record<PropertyKey, unknown> | undefined | null)?.[part];
  return node;
}

function codeOf(issue: Issue, value: unknown): Violation["code"] {
  switch (issue.code) {
    case "invalid_type":
      return value === undefined ? "Required" : "Type";
    case "invalid_value":
      if (value === undefined) return "Required";
      return issue.values.some((known) => typeof known === typeof value) ? "Enum" : "Type";
    case "too_small":
      return issue.origin === "string" ? "TooShort" : "TooSmall";
    case "too_big":
      return issue.origin === "string" ? "TooLong" : "TooBig";
    case "invalid_format":
      return value === "" ? "TooShort" : "Format";
    case "custom":
      return (issue.params?.code as Violation["code"] | undefined) ?? "Format";
    case "not_multiple_of":
      return "Format";
    default:
      return "Type";
  }
}

const nothingSuch: Readonly<Record<InputPart, string>> = {
  body: "This member is unknown.",
  query: "This parameter is unknown.",
  path: "This parameter is unknown.",
};

/** The expected type, in JSON's terms. */
const types: Readonly<Partial<Record<string, string>>> = {
  string: "a string",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  object: "an object",
  record: "an object",
  array: "a list",
};

const formats: Readonly<Partial<Record<string, string>>> = {
  guid: "This must be a UUID.",
  uuid: "This must be a UUID.",
  datetime: "This must be a date and time with a time zone, such as 2026-01-31T09:00:00Z.",
};

/** A longer pattern doesn't help anyone reading the error. */
const longestPattern = 80;

const sentences: Readonly<Partial<Record<Violation["code"], string>>> = {
  Required: "This is required.",
  Type: "This has the wrong type.",
  TooShort: "This must not be empty.",
  Format: "This has the wrong format.",
  Enum: "This isn't one of the allowed values.",
  Duplicate: "This occurs twice.",
};

function sentence(code: Violation["code"], issue: Issue): string {
  if (issue.code === "too_big") return sizeOf(issue.origin, `at most ${issue.maximum}`);
  if (issue.code === "too_small") return sizeOf(issue.origin, `at least ${issue.minimum}`);
  const wanted = code === "Required" || code === "TooShort" ? undefined : wantedBy(issue);
  if (wanted !== undefined) return wanted;
  if (issue.code === "custom" && issue.message !== "Invalid input") return `This ${issue.message}.`;
  return sentences[code] ?? "This is not valid.";
}

function sizeOf(origin: string, bound: string): string {
  const counted = { string: " characters", array: " entries" }[origin];
  return `This must ${counted === undefined ? "be" : "have"} ${bound}${counted ?? ""}.`;
}

/** What the schema expects, if that fits in a few words. Never contains sent values. */
function wantedBy(issue: Issue): string | undefined {
  if (issue.code === "invalid_type") {
    const type = types[issue.expected];
    return type === undefined ? undefined : `This must be ${type}.`;
  }
  if (issue.code === "invalid_value") {
    // "Unknown" can be read, and is refused wherever it is sent.
    const wanted = issue.values.filter((value) => value !== "Unknown");
    const [only, ...others] = wanted.map((value) => JSON.stringify(value));
    return others.length === 0 ? `This must be ${only}.` : `This must be one of ${[only, ...others].join(", ")}.`;
  }
  if (issue.code !== "invalid_format") return undefined;
  const { format, pattern, message } = issue;
  // A schema's own message takes precedence over what can be derived from it; zod's generic message doesn't.
  if (!message.startsWith("Invalid")) return `This ${message}.`;
  if (formats[format] !== undefined) return formats[format];
  const source = pattern?.replace(/^\/|\/[a-z]*$/g, "");
  return source === undefined || source.length > longestPattern ? undefined : `This must match ${source}`;
}
