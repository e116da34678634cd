import { type DescribedSchema, nameIn } from "./described.ts";

type Schemas = Readonly<Record<string, DescribedSchema>>;

/** Creates an example for a schema: only the `required` members, as sent, or `all`, as answered. */
export function exampleOf(schema: DescribedSchema, schemas: Schemas, members: "required" | "all"): unknown {
  if (schema.$ref !== undefined) return exampleOf(schemas[nameIn(schema.$ref)] ?? {}, schemas, members);
  if (schema.const !== undefined) return schema.const;
  if (schema.examples?.[0] !== undefined) return schema.examples[0];
  if (schema.enum !== undefined) return schema.enum.find((value) => value !== "Unknown") ?? schema.enum[0];
  if (schema.anyOf?.[0] !== undefined) return exampleOf(schema.anyOf[0], schemas, members);
  switch (firstType(schema)) {
    case "object":
      return exampleObject(schema, schemas, members);
    case "array":
      return schema.items === undefined ? [] : [exampleOf(schema.items, schemas, members)];
    case "integer":
    case "number":
      return schema.minimum ?? 1;
    case "boolean":
      return true;
    case "string":
      return exampleText(schema);
    default:
      return null;
  }
}

/** A schema's first type other than null. */
export function firstType({ type, properties }: DescribedSchema): string | undefined {
  if (typeof type === "string") return type;
  return type?.find((name) => name !== "null") ?? (properties && "object");
}

function exampleObject(schema: DescribedSchema, schemas: Schemas, members: "required" | "all"): unknown {
  const { properties = {}, required = [], additionalProperties } = schema;
  const shown = Object.entries(properties).filter(([name]) => members === "all" || required.includes(name));
  const named = shown.map(([name, property]) => [name, exampleOf(property, schemas, members)] as const);
  if (named.length > 0 || typeof additionalProperties !== "object" || additionalProperties.type === undefined)
    return Object.fromEntries(named);
  return { name: exampleOf(additionalProperties, schemas, members) };
}

const byFormat: Readonly<Record<string, string>> = {
  uuid: "3f0c4d1e-8a57-4b62-9d1f-6c2e5a7b9041",
  "date-time": "2026-01-31T09:30:00.000Z",
  email: "ada@example.com",
  uri: "https://example.com/",
};

function exampleText({ format = "", minLength = 0 }: DescribedSchema): string {
  return byFormat[format] ?? "text".padEnd(minLength, "-");
}
