import { z } from "zod";
import * as accountSchemas from "../account-schemas.ts";
import * as environmentSchemas from "../environment-schemas.ts";
import * as eventTypes from "../event-types.ts";
import * as liveSystemSchemas from "../live-system-schemas.ts";
import { operationsById } from "../operations.ts";
import * as organizationSchemas from "../organization-schemas.ts";
import { parseRoute } from "../routes.ts";
import type { Schema } from "../row.ts";

/** A JSON object, as documents are made of them. */
export interface JsonObject {
  readonly [member: string]: unknown;
}

type Flow = "input" | "output";
type AnySchema = Schema<unknown> & z.ZodType;

/** The names of all schemas: that of their export, with a capital. */
const names: ReadonlyMap<unknown, string> = new Map(
  [accountSchemas, environmentSchemas, eventTypes, liveSystemSchemas, organizationSchemas].flatMap((file) =>
    Object.entries(file)
      .filter(([, exported]) => exported instanceof z.ZodType)
      .map(([name, exported]) => [exported, titled(name.replace(/(Record|Answer)$/, ""))] as const),
  ),
);

/** Builds the schemas that operations name, under the names by which `refTo` reaches them. */
export function namedSchemas(): Record<string, JsonObject> {
  const rows = Object.values(operationsById);
  const bodies = rows.flatMap(({ body }) => (body === undefined ? [] : [body]));
  const results = rows.map(({ result }) => result);
  const pages = rows.filter(({ id }) => parseRoute(id).takes === "page").map(({ result }) => result);
  const named = {
    ...registered(bodies, "input"),
    ...registered(results, "output"),
    ...Object.fromEntries(pages.map(page)),
  };
  return Object.fromEntries(Object.entries(named).sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** A reference to a schema, by the name of its export. */
export function refTo(schema: Schema<unknown>, suffix = ""): JsonObject {
  return { $ref: `#/components/schemas/${names.get(schema)}${suffix}` };
}

/** The JSON Schema of an input that has no name of its own, such as a query. */
export function inlineSchema(schema: Schema<unknown>): JsonObject {
  const { $schema: _, ...inline } = z.toJSONSchema(schema as AnySchema, {
    io: "input",
    unrepresentable: "any",
    override: tidy("input"),
  });
  return inline;
}

function registered(schemas: readonly Schema<unknown>[], io: Flow): Record<string, JsonObject> {
  const registry = z.registry<{ id: string }>();
  for (const schema of new Set(schemas)) registry.add(schema as AnySchema, { id: names.get(schema) ?? "Unnamed" });
  for (const part of io === "input" ? inputParts : outputParts) {
    if (!registry.has(part as AnySchema)) registry.add(part as AnySchema, { id: names.get(part) ?? "Unnamed" });
  }
  const { schemas: built } = z.toJSONSchema(registry, {
    io,
    uri: (id) => `#/components/schemas/${id}`,
    unrepresentable: "any",
    override: tidy(io),
  });
  return Object.fromEntries(
    Object.entries(built).map(([id, { $id: _id, $schema: _schema, ...schema }]) => [id, schema]),
  );
}

/** Parts of bodies and answers that have names of their own. */
const inputParts: readonly Schema<unknown>[] = [environmentSchemas.environmentId];
const outputParts: readonly Schema<unknown>[] = [environmentSchemas.initializationRun, liveSystemSchemas.component];

function page(item: Schema<unknown>): readonly [string, JsonObject] {
  const properties = { items: { type: "array", items: refTo(item) }, nextCursor: { type: ["string", "null"] } };
  return [`${names.get(item)}Page`, { type: "object", properties, required: ["items", "nextCursor"] }];
}

/** Answers are open; limits that only JavaScript has, and what says nothing, are left out. */
function tidy(io: Flow) {
  return ({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }) => {
    if (io === "output" && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
    if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
    if (JSON.stringify(jsonSchema.propertyNames) === '{"type":"string"}') delete jsonSchema.propertyNames;
    if (jsonSchema.const !== undefined) jsonSchema.type ??= typeof jsonSchema.const as "string" | "boolean";
    nullableInOne(jsonSchema);
  };
}

/** Writes "a plain type or null" as one type instead of a choice of two. */
function nullableInOne(jsonSchema: z.core.JSONSchema.BaseSchema): void {
  const [one, other, ...rest] = jsonSchema.anyOf ?? [];
  if (typeof one !== "object" || typeof other !== "object" || rest.length > 0 || other.type !== "null") return;
  if (typeof one.type !== "string" || one.enum !== undefined || one.const !== undefined) return;
  delete jsonSchema.anyOf;
  Object.assign(jsonSchema, one, { type: [one.type, "null"] });
}

function titled(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}
