import { type OperationId, parseRoute, routes, toOpenApi } from "@liveplane/core/contract";

/** A schema of the OpenAPI document, as far as a walk looks at it. */
interface Part {
  readonly $ref?: string;
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Part>>;
  readonly items?: Part;
  readonly additionalProperties?: Part | boolean;
  readonly anyOf?: readonly Part[];
  readonly oneOf?: readonly Part[];
  readonly allOf?: readonly Part[];
}

interface Described {
  readonly parameters?: readonly { readonly in?: string; readonly name?: string }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Part }>> };
}

const document = toOpenApi();
const schemas = document.components.schemas as Readonly<Record<string, Part>>;

/**
 * Everything that an operation can be told, as its schemas have it: `{shortName}` in the path, `?limit` in the query,
 * `components[].path` in the body.
 */
export function membersOf(id: OperationId): readonly string[] {
  const { path, methods, params } = parseRoute(id);
  const described = document.paths[path]?.[methods[0].toLowerCase()] as Described;
  const query = (described.parameters ?? []).filter((one) => one.in === "query").map(({ name }) => `?${name}`);
  const bodies = Object.values(described.requestBody?.content ?? {}).flatMap(({ schema }) => leavesOf(schema, ""));
  return [...params.map((name) => `{${name}}`), ...query, ...new Set(bodies)];
}

/** Every operation there is. */
export const everyOperation = Object.keys(routes) as OperationId[];

function leavesOf(part: Part, at: string): string[] {
  const { $ref, anyOf = [], oneOf = [], allOf = [], properties, items, additionalProperties } = part;
  if ($ref !== undefined) return leavesOf(schemas[$ref.split("/").at(-1) ?? ""] ?? {}, at);
  const choices = [...anyOf, ...oneOf, ...allOf];
  if (choices.length > 0) return choices.flatMap((choice) => leavesOf(choice, at));
  if (properties !== undefined)
    return Object.entries(properties).flatMap(([name, own]) => leavesOf(own, at === "" ? name : `${at}.${name}`));
  if (items !== undefined) return leavesOf(items, `${at}[]`);
  if (typeof additionalProperties === "object") return leavesOf(additionalProperties, `${at}{}`);
  return part.type === "null" ? [] : [at];
}
