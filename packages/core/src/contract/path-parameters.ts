import * as z from "zod";
import { LiveplaneError } from "../errors.ts";
import { parseInput } from "./parse-input.ts";
import { type OperationId, parseRoute } from "./routes.ts";
import {
  canonicalUuid,
  environmentNamePattern,
  environmentShortName,
  environmentType,
  namePattern,
  shortName,
  uuid,
} from "./schemas/values.ts";

const byName: Readonly<Record<string, z.ZodType<string>>> = {
  type: environmentType,
  ownerId: uuid,
  profileShortName: shortName,
  secretShortName: shortName,
  principalId: uuid,
  organizationId: uuid,
  accountId: uuid,
  subscriptionId: uuid,
  mutationId: uuid,
  sessionId: uuid,
  factorId: uuid,
  identityId: uuid,
  secretId: uuid,
  webhookId: uuid,
  deliveryId: uuid,
  id: uuid,
  componentId: z.string().min(1).max(1024),
};

export function pathParameter(id: OperationId, name: string): z.ZodType<string> {
  if (name === "shortName") return id.startsWith("environments.") ? environmentShortName : shortName;
  return byName[name] ?? z.string().min(1).max(128);
}

/**
 * Checks path parameters, with uuids in lower case. A malformed one is refused by name on a write; on a read or a delete, nothing with that
 * name can exist.
 */
export function pathParameters(id: OperationId, sent: Readonly<Record<string, string>>): Record<string, string> {
  if (isCanonical(id, sent)) return { ...sent };
  try {
    return parseInput(schemaOf(id), sent, "path");
  } catch (cause) {
    const { methods } = parseRoute(id);
    if (methods[0] === "GET" || methods[0] === "DELETE") throw new LiveplaneError("NotFound", undefined, { cause });
    throw cause;
  }
}

const canonicalByName: Readonly<Record<string, RegExp>> = {
  type: /^(?:Personal|Organizational)$/,
  ownerId: canonicalUuid,
  organizationId: canonicalUuid,
  accountId: canonicalUuid,
  principalId: canonicalUuid,
  subscriptionId: canonicalUuid,
  id: canonicalUuid,
};

/** Whether parameters already have the form that their schema would return: most do and needn't be parsed. */
export function isCanonical(id: OperationId, sent: Readonly<Record<string, string>>): boolean {
  const { params } = parseRoute(id);
  for (const name of params) {
    const named = id.startsWith("environments.") ? environmentNamePattern : namePattern;
    const pattern = name === "shortName" ? named : canonicalByName[name];
    const value = sent[name];
    if (typeof value !== "string" || pattern?.test(value) !== true) return false;
  }
  return Object.keys(sent).length === params.length;
}

const schemas = new Map<OperationId, z.ZodType<Record<string, string>>>();

/** Built once per operation, because building a schema costs far more than using it. */
function schemaOf(id: OperationId): z.ZodType<Record<string, string>> {
  const known = schemas.get(id);
  if (known !== undefined) return known;
  const { params } = parseRoute(id);
  const schema = z.strictObject(Object.fromEntries(params.map((name) => [name, pathParameter(id, name)])));
  schemas.set(id, schema);
  return schema;
}
