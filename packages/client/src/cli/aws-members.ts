import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { UsageError } from "../usage-error.ts";

interface Schema {
  readonly [keyword: string]: unknown;
}

/** A type's schema, as AWS's registry has it. */
interface TypeSchema extends Schema {
  readonly typeName: string;
  readonly properties: Schema;
}

/** The schemas of types in a folder. */
export async function typeSchemasIn(folder: string): Promise<readonly TypeSchema[]> {
  const found = await readdir(folder).catch((cause: unknown) => {
    throw new UsageError(`The folder ${folder} can't be read.`, { cause });
  });
  const names = found.filter((name) => name.endsWith(".json")).sort();
  return Promise.all(names.map(async (name) => typeSchemaOf(await readFile(join(folder, name), "utf8"), name)));
}

function typeSchemaOf(text: string, name: string): TypeSchema {
  try {
    const schema: unknown = JSON.parse(text);
    if (isSchema(schema) && typeof schema.typeName === "string" && isSchema(schema.properties))
      return schema as TypeSchema;
  } catch {}
  throw new UsageError(`${name} isn't the schema of a type: it has no typeName and properties.`);
}

/** The schema of a declaration, with the members of these types where a component of such a type has its parameters. */
export function withTypes({ $id: _, ...declaration }: Schema, types: readonly TypeSchema[]): Schema {
  const { components } = declaration.properties as { readonly components: Schema };
  const items = components.items as { readonly properties: Schema };
  const type = items.properties.type as Schema;
  const names = types.map(({ typeName }) => typeName);
  const component = {
    ...items,
    properties: { ...items.properties, type: { ...type, examples: [type.examples ?? [], names].flat() } },
    // An object with `then` would count as a promise.
    allOf: types.map(({ typeName }) => ({
      if: { not: { properties: { type: { const: typeName } }, required: ["type"] } },
      else: { properties: { parameters: { $ref: `#/$defs/${typeName}` } } },
    })),
  };
  return {
    ...declaration,
    properties: { ...(declaration.properties as Schema), components: { ...components, items: component } },
    $defs: { [referenced]: reference, ...Object.fromEntries(types.map((one) => [one.typeName, parametersOf(one)])) },
  };
}

const referenced = "reference";

/** What may be declared in place of any value. */
const reference: Schema = {
  type: "object",
  propertyNames: { enum: ["$output", "$secret"] },
  minProperties: 1,
  maxProperties: 1,
};

const tags = {
  description: "The tags, by key, whatever form the type has.",
  type: "object",
  additionalProperties: orReference({ type: "string" }),
};

/** The parameters of a type: its properties, without those that only AWS sets. The name comes from the component. */
function parametersOf({ typeName, properties, definitions, tagging, ...schema }: TypeSchema): Schema {
  const { taggable = true, tagProperty = "/properties/Tags" } = isSchema(tagging) ? tagging : {};
  const hidden = new Set([...textsIn(schema.readOnlyProperties), String(tagProperty)].map(memberAt));
  const identifiers = textsIn(schema.primaryIdentifier).map(memberAt);
  const given = new Set([...hidden, ...(identifiers.length === 1 ? identifiers : [])]);
  const at = `#/$defs/${typeName}/definitions/`;
  const own = Object.entries(properties).filter(([name]) => !hidden.has(name));
  return {
    type: ["object", "null"],
    properties: { ...valuesIn(Object.fromEntries(own), at), ...(taggable !== false && { Tags: tags }) },
    required: textsIn(schema.required).filter((name) => !given.has(name)),
    additionalProperties: false,
    definitions: mapped(definitions, (one) => keptOf(one, at)),
  };
}

/** The keywords that an editor needs, and that every editor knows. */
const plain = new Set(
  `additionalProperties const default description enum examples exclusiveMaximum exclusiveMinimum maxItems maxLength maximum minItems
  minLength minimum multipleOf required title type uniqueItems`.split(/\s+/),
);

/** A schema without what editors read in different ways. Each value in it may be a reference. */
function keptOf(schema: unknown, at: string): unknown {
  if (!isSchema(schema)) return schema;
  const { pattern, patternProperties, properties, items, $ref } = schema;
  // A reference lets several alternatives fit.
  const alternatives = [schema.anyOf, schema.oneOf].find(Array.isArray);
  const name = /^#\/definitions\/(.+)$/.exec(String($ref))?.[1];
  return {
    ...Object.fromEntries(Object.entries(schema).filter(([keyword]) => plain.has(keyword))),
    ...(isSchema(properties) && { properties: valuesIn(properties, at) }),
    // The name of a member may be a reference too.
    ...(isSchema(patternProperties) && { additionalProperties: true }),
    ...(isSchema(schema.additionalProperties) && { additionalProperties: valueIn(schema.additionalProperties, at) }),
    ...(isSchema(items) && { items: valueIn(items, at) }),
    ...(alternatives && { anyOf: alternatives.map((one) => keptOf(one, at)) }),
    ...(isPattern(pattern) && { pattern }),
    ...(name !== undefined && { $ref: `${at}${name}` }),
  };
}

function valuesIn(schemas: unknown, at: string): Schema {
  return mapped(schemas, (one) => valueIn(one, at));
}

function valueIn(schema: unknown, at: string): Schema {
  return orReference(keptOf(schema, at));
}

function orReference(schema: unknown): Schema {
  return { anyOf: [schema, { $ref: `#/$defs/${referenced}` }] };
}

function mapped(schemas: unknown, change: (schema: unknown) => unknown): Schema {
  const entries = isSchema(schemas) ? Object.entries(schemas) : [];
  return Object.fromEntries(entries.map(([name, one]) => [name, change(one)]));
}

function isPattern(pattern: unknown): pattern is string {
  try {
    return typeof pattern === "string" && new RegExp(pattern, "u") instanceof RegExp;
  } catch {
    return false;
  }
}

/** The member at a pointer like `/properties/Arn`. Of a place inside a member, nothing. */
function memberAt(pointer: string): string {
  return /^\/properties\/([^/]+)$/.exec(pointer)?.[1] ?? "";
}

function textsIn(list: unknown): string[] {
  return Array.isArray(list) ? list.filter((one) => typeof one === "string") : [];
}

function isSchema(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
