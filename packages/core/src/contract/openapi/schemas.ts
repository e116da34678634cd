import * as z from "zod";
import * as eventTypes from "../event-types.ts";
import { operationsById } from "../operations/operations.ts";
import { parseRoute } from "../routes.ts";
import type { Schema } from "../row.ts";
import * as accountSchemas from "../schemas/account-schemas.ts";
import * as environmentSchemas from "../schemas/environment-schemas.ts";
import * as factorSchemas from "../schemas/factor-schemas.ts";
import * as identitySchemas from "../schemas/identity-schemas.ts";
import * as initializationSchemas from "../schemas/initialization-schemas.ts";
import * as liveSystemSchemas from "../schemas/live-system-schemas.ts";
import * as nameSchemas from "../schemas/name-schemas.ts";
import * as organizationSchemas from "../schemas/organization-schemas.ts";
import * as overrideSchemas from "../schemas/override-schemas.ts";
import * as passkeySchemas from "../schemas/passkey-schemas.ts";
import * as resourceGroupSchemas from "../schemas/resource-group-schemas.ts";
import * as resourceSchemas from "../schemas/resource-schemas.ts";
import * as webhookSchemas from "../schemas/webhook-schemas.ts";

/** A JSON object of the document. */
export interface DocumentObject {
  readonly [member: string]: unknown;
}

type Flow = "input" | "output";
type AnySchema = Schema<unknown> & z.ZodType;

/** The names of all schemas: their export names, capitalized. */
const names: ReadonlyMap<unknown, string> = new Map(
  [
    accountSchemas,
    environmentSchemas,
    eventTypes,
    factorSchemas,
    identitySchemas,
    initializationSchemas,
    liveSystemSchemas,
    nameSchemas,
    organizationSchemas,
    overrideSchemas,
    passkeySchemas,
    resourceGroupSchemas,
    resourceSchemas,
    webhookSchemas,
  ].flatMap((file) =>
    Object.entries(file)
      .filter(([, exported]) => exported instanceof z.ZodType)
      .map(([name, exported]) => [exported, titled(name.replace(/(Record|Answer)$/, ""))] as const),
  ),
);

/** The named schemas of all operations, under the names that `refTo` uses. */
export function namedSchemas(): Record<string, DocumentObject> {
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

/** A reference to a schema by name. */
export function refTo(schema: Schema<unknown>, suffix = ""): DocumentObject {
  return { $ref: `#/components/schemas/${names.get(schema)}${suffix}` };
}

/** The JSON Schema of something without a name, such as a query. */
export function inlineSchema(schema: Schema<unknown>, io: Flow = "input"): DocumentObject {
  const { $schema: _, ...inline } = z.toJSONSchema(schema as AnySchema, { io, unrepresentable: "any" });
  return tidied(inline, io) as DocumentObject;
}

function registered(schemas: readonly Schema<unknown>[], io: Flow): Record<string, DocumentObject> {
  const registry = z.registry<{ id: string }>();
  for (const schema of new Set(schemas)) registry.add(schema as AnySchema, { id: names.get(schema) ?? "Unnamed" });
  for (const part of io === "input" ? inputParts : outputParts) {
    if (!registry.has(part as AnySchema)) registry.add(part as AnySchema, { id: names.get(part) ?? "Unnamed" });
  }
  const { schemas: built } = z.toJSONSchema(registry, {
    io,
    uri: (id) => `#/components/schemas/${id}`,
    unrepresentable: "any",
  });
  return Object.fromEntries(
    Object.entries(built).map(([id, { $id: _id, $schema: _schema, ...schema }]) => [
      id,
      tidied(schema, io) as DocumentObject,
    ]),
  );
}

/** Parts of bodies and answers that have their own names. */
const inputParts: readonly Schema<unknown>[] = [environmentSchemas.environmentId];
const outputParts: readonly Schema<unknown>[] = [initializationSchemas.initializationRun, liveSystemSchemas.component];

function page(item: Schema<unknown>): readonly [string, DocumentObject] {
  const warnings = { type: "array", items: { type: "string" } };
  const properties = {
    items: { type: "array", items: refTo(item) },
    nextCursor: { type: ["string", "null"] },
    ...(item === resourceSchemas.existingResource && { warnings }),
  };
  return [`${names.get(item)}Page`, { type: "object", properties, required: ["items", "nextCursor"] }];
}

/** Drops what carries no information: what only TypeScript or JavaScript knows, and `additionalProperties: false` on answers, which may grow. */
function tidied(schema: unknown, io: Flow): unknown {
  if (Array.isArray(schema)) return schema.map((item) => tidied(item, io));
  if (typeof schema !== "object" || schema === null) return schema;
  const kept = Object.entries(schema).filter(([name, value]) => {
    if (name === "additionalProperties") return io === "input" || value !== false;
    if (name === "readOnly") return false;
    if (name === "maximum") return value !== Number.MAX_SAFE_INTEGER;
    return name !== "propertyNames" || JSON.stringify(value) !== '{"type":"string"}';
  });
  return nullableInOne(Object.fromEntries(kept.map(([name, value]) => [name, tidied(value, io)])));
}

/** Writes "a plain type or null" as one type with two names. */
function nullableInOne(schema: DocumentObject): DocumentObject {
  const { anyOf, ...rest } = schema;
  const [one, other, ...more] = Array.isArray(anyOf) ? (anyOf as DocumentObject[]) : [];
  if (one === undefined || other?.type !== "null" || more.length > 0) return schema;
  if (typeof one.type !== "string" || one.enum !== undefined || one.const !== undefined) return schema;
  return { ...rest, ...one, type: [one.type, "null"] };
}

function titled(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}
