import type { OperationId, Route } from "@liveplane/core/routes";
import type { Pairs } from "./arguments.ts";
import { UsageError } from "./host.ts";

/** A member of an operation's body, as a command line shows and reads it. */
interface Field {
  readonly name: string;
  readonly isRequired: boolean;
  readonly isSecret: boolean;
  /** As text: `text`, `number`, `Account|Team`, `list of text`. */
  readonly type: string;
}

/** What the API document says about an operation's body. */
export interface BodyFields {
  readonly fields: readonly Field[];
  readonly example: unknown;
}

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly writeOnly?: boolean;
}

/** Reads the fields from the contract. Its schemas are loaded only for commands that need them. */
export async function bodyFields({ methods: [method], path }: Route): Promise<BodyFields> {
  const { toOpenApi } = await import("@liveplane/core/contract");
  const document = toOpenApi();
  const schemas = Object(document.components).schemas as Readonly<Record<string, Schema>>;
  const known = (schema: Schema): Schema => schemas[schema.$ref?.split("/").at(-1) ?? ""] ?? schema;
  const { schema = {}, example } = Object(
    Object(document.paths[path])[method.toLowerCase()].requestBody?.content["application/json"],
  ) as { schema?: Schema; example?: unknown };
  const whole = known(schema);
  const { properties = {}, required = [] } = known(whole.items ?? whole);
  const fields = Object.entries(properties).map(([name, of]) => ({
    ...{ name, isRequired: required.includes(name), isSecret: isSecret(of) },
    type: typeOf(of, known),
  }));
  return { fields, example };
}

const isSecret = (schema: Schema): boolean => schema.writeOnly === true || (schema.anyOf ?? []).some(isSecret);

function typeOf(schema: Schema, known: (schema: Schema) => Schema): string {
  const { type, anyOf, items, const: only, enum: values = only === undefined ? undefined : [only] } = known(schema);
  if (values !== undefined) return values.filter((value) => value !== null).join("|");
  const [of = "JSON"] = [type ?? []].flat().filter((one) => one !== "null");
  if (anyOf !== undefined)
    return [...new Set(anyOf.map((one) => typeOf(one, known)).filter((one) => one !== ""))].join("|");
  if (of === "array") return `list of ${typeOf(items ?? {}, known)}`;
  if (type === "null") return "";
  return { string: "text", integer: "number", boolean: "true|false", object: "JSON" }[of] ?? of;
}

const dashed = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** The lines of help about a body. */
export function fieldLines({ fields, example }: BodyFields): string[] {
  if (fields.length === 0) return [];
  const lines = fields.map(({ name, isRequired, isSecret: hidden, type }) => {
    const notes = [
      ...(isRequired ? ["required"] : []),
      ...(hidden ? ["a secret: only in --body @file or --body -"] : []),
    ];
    return `  ${`--${dashed(name)} ${type}`.padEnd(40)} ${notes.join("; ")}`.trimEnd();
  });
  return [
    "",
    "Fields, as flags or as members of --body:",
    ...lines,
    ...(example === undefined ? [] : ["", `Example: --body '${JSON.stringify(example)}'`]),
  ];
}

/** Takes the flags that name fields out of the pairs, and builds a body from them. */
export async function bodyOfFlags(
  id: OperationId,
  route: Route,
  pairs: Pairs["pairs"],
): Promise<{ readonly body: Readonly<Record<string, unknown>>; readonly left: Pairs["pairs"] }> {
  const { fields } = await bodyFields(route);
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
