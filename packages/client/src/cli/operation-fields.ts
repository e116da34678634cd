import type { OpenApiDocument } from "@liveplane/core/contract";
import { credentialHeaders, type OperationId, optionHeaders, type Route } from "@liveplane/core/routes";
import { UsageError } from "../usage-error.ts";
import type { Pairs } from "./arguments.ts";
import { suggestion } from "./mistyped.ts";

/** A member of an operation's body, as a command line shows and reads it. */
interface Field {
  readonly name: string;
  readonly isRequired: boolean;
  readonly isSecret: boolean;
  /** As text: `text`, `number`, `Account|Team`, `list of text`. */
  readonly type: string;
}

/** What the API document says about an operation. */
export interface OperationHelp {
  /** One sentence, without a full stop. */
  readonly summary: string;
  readonly query: readonly Field[];
  /** The members of its body. */
  readonly fields: readonly Field[];
  readonly example: unknown;
  /** The cloud credentials that it takes, by the names of the client's options. */
  readonly credentials: readonly string[];
}

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly writeOnly?: boolean;
}

/** A member's name as a flag. */
export const dashed = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

let document: OpenApiDocument | undefined;

/** Reads an operation from the contract. Its schemas are loaded only for commands that need them. */
export async function helpOf({ methods: [method], path }: Route): Promise<OperationHelp> {
  document ??= (await import("@liveplane/core/contract")).toOpenApi();
  const schemas = Object(document.components).schemas as Readonly<Record<string, Schema>>;
  const known = (schema: Schema): Schema => schemas[schema.$ref?.split("/").at(-1) ?? ""] ?? schema;
  const fieldOf = (name: string, of: Schema) => ({ name, isSecret: isSecret(of), type: typeOf(of, known) });
  const { summary, parameters = [], requestBody } = Object(document.paths[path])[method.toLowerCase()] as Described;
  const { schema = {}, example } = requestBody?.content["application/json"] ?? {};
  const whole = known(schema);
  const { properties = {}, required = [] } = known(whole.items ?? whole);
  const inQuery = parameters.filter((one) => one.in === "query");
  return {
    summary,
    query: inQuery.map((one) => ({ ...fieldOf(one.name, one.schema), isRequired: one.required === true })),
    fields: Object.entries(properties).map(([name, of]) => ({
      ...fieldOf(name, of),
      isRequired: required.includes(name),
    })),
    example,
    credentials: Object.keys(credentialHeaders).filter((name) =>
      parameters.some(({ $ref }) => $ref?.split("/").at(-1) === name),
    ),
  };
}

/** An operation in the API document, as far as it is read here. */
interface Described {
  readonly summary: string;
  readonly parameters?: readonly {
    readonly $ref?: string;
    readonly in?: string;
    readonly name: string;
    readonly schema: Schema;
    readonly required?: boolean;
  }[];
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly schema: Schema; readonly example?: unknown }>>;
  };
}

const isSecret = (schema: Schema): boolean => schema.writeOnly === true || (schema.anyOf ?? []).some(isSecret);

function typeOf(schema: Schema, known: (schema: Schema) => Schema): string {
  const {
    type,
    format,
    anyOf,
    items,
    const: only,
    enum: values = only === undefined ? undefined : [only],
  } = known(schema);
  if (values !== undefined) return values.filter((value) => value !== null).join("|");
  const [of = "JSON"] = [type ?? []].flat().filter((one) => one !== "null");
  if (anyOf !== undefined)
    return [...new Set(anyOf.map((one) => typeOf(one, known)).filter((one) => one !== ""))].join("|");
  if (of === "array") return `list of ${typeOf(items ?? {}, known)}`;
  if (type === "null") return "";
  if (format === "date-time") return "time";
  return { string: "text", integer: "number", boolean: "true|false", object: "JSON" }[of] ?? of;
}

/** The lines of help about an operation's query and body. A body that may contain a secret isn't shown on a command line. */
export function fieldLines(
  { query, fields, example, credentials }: OperationHelp,
  { isInline }: { readonly isInline: boolean },
): string[] {
  const body = JSON.stringify(example);
  const inFile = ["Example: --body @body.json, or --body - for standard input. It contains:", `  ${body}`];
  return [
    ...(query.length === 0 ? [] : ["", "Flags:", ...query.flatMap(linesOf)]),
    ...(fields.length === 0 ? [] : ["", "Fields, as flags or as members of --body:", ...fields.flatMap(linesOf)]),
    ...(credentials.length === 0
      ? []
      : ["", "Cloud credentials, from a JSON file:", `  --credentials <file>  with ${credentials.join(", ")}`]),
    ...(example === undefined ? [] : ["", ...(isInline ? [`Example: --body '${body}'`] : inFile)]),
  ];
}

function linesOf({ name, isRequired, isSecret: hidden, type }: Field): string[] {
  const notes = [
    ...(isRequired ? ["required"] : []),
    ...(type === "time" ? ["such as 2027-01-31T09:30:00Z"] : []),
    ...(hidden ? ["a secret: only in --body @file or --body -"] : []),
  ];
  const flag = `  --${dashed(name)} ${shortened(type)}`;
  if (notes.length === 0) return [flag];
  const said = notes.join("; ");
  return flag.length < noteColumn ? [`${flag.padEnd(noteColumn)}${said}`] : [flag, `${" ".repeat(noteColumn)}${said}`];
}

const noteColumn = 44;

/** Of many words, the first ones and how many there are. */
function shortened(type: string): string {
  const words = type.split("|");
  return words.length > mostWords ? `${words.slice(0, 3).join("|")}|… (${words.length} in all)` : type;
}

const mostWords = 8;

/** Refuses flags that neither the operation nor a call knows, before anything is sent. */
export async function requireKnownFlags(route: Route, flags: readonly string[]): Promise<void> {
  const strange = flags.map(dashed).filter((flag) => !ofEveryCall.has(flag));
  if (strange.length === 0) return;
  const { query, fields } = await helpOf(route);
  const own = [...query, ...fields].map(({ name }) => dashed(name));
  const unknown = strange.find((flag) => !own.includes(flag));
  if (unknown === undefined) return;
  const meant = await suggestion(
    `--${unknown}`,
    [...own, ...ofEveryCall, "json", "ids", "help"].map((name) => `--${name}`),
  );
  throw new UsageError(`There is no flag --${unknown}${meant || ". --help lists the flags."}`);
}

/** Flags that any operation takes; the service says where one is of no use. */
const ofEveryCall: ReadonlySet<string> = new Set(
  ["body", "credentials", "timeoutMs", "limit", "cursor", ...Object.keys(optionHeaders)].map(dashed),
);

/** Takes the flags that name fields out of the pairs, and builds a body from them. */
export async function bodyOfFlags(
  id: OperationId,
  route: Route,
  pairs: Pairs["pairs"],
): Promise<{ readonly body: Readonly<Record<string, unknown>>; readonly left: Pairs["pairs"] }> {
  const { fields } = await helpOf(route);
  const body: Record<string, unknown> = {};
  const left: Record<string, string | readonly string[]> = {};
  for (const [flag, value] of Object.entries(pairs)) {
    const field = fields.find(({ name }) => dashed(name) === dashed(flag));
    if (field === undefined) left[flag] = value;
    else if (field.isSecret)
      throw new UsageError(
        `--${flag} is a secret, and the shell would keep it in its history. Use --body @file, or --body - for standard input.`,
      );
    else body[field.name] = readValue(flag, value, field.type);
  }
  if (id.endsWith("Many") && Object.keys(body).length > 0)
    throw new UsageError("This operation needs a list. Pass it as --body.");
  return { body, left };
}

function readValue(flag: string, value: string | readonly string[], type: string): unknown {
  if (type.startsWith("list of "))
    return [value].flat().map((one) => readValue(flag, one, type.slice("list of ".length)));
  if (typeof value !== "string") throw new UsageError(`Pass --${flag} only once.`);
  const isText = !/^(?:number|true\|false|JSON)/.test(type);
  if (isText) return value;
  try {
    return JSON.parse(value);
  } catch (cause) {
    throw new UsageError(`--${flag} needs ${type === "JSON" ? "JSON" : `a value of ${type}`}.`, { cause });
  }
}
