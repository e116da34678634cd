import { literalsAfter } from "../../contract/path-literals.ts";
import { type OperationId, parseRoute, routes } from "../../contract/routes.ts";

/** The route of a request: an operation with its parameters, or the methods that the path allows. */
export type Routed =
  | { readonly kind: "operation"; readonly id: OperationId; readonly params: Readonly<Record<string, string>> }
  | { readonly kind: "method"; readonly allow: readonly string[] }
  /** `idless`: the first parameter that must be a uuid and isn't. */
  | { readonly kind: "unknown"; readonly idless?: string };

interface Node {
  readonly literals: Map<string, Node>;
  parameter: { readonly isUuid: boolean; readonly node: Node } | null;
  readonly operations: Map<string, Place>;
}

interface Place {
  readonly id: OperationId;
  readonly names: readonly string[];
  /** The names as members, to be copied. Adding them one by one would give each object another hidden class at first. */
  readonly params: Readonly<Record<string, string>>;
}

const uuidParameters = new Set([
  "ownerId",
  "organizationId",
  "accountId",
  "subscriptionId",
  "id",
  "mutationId",
  "sessionId",
  "secretId",
]);
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
/** What may follow a component's ID, and so can't be the last segment of its path. */
const componentActions = literalsAfter("componentId");

/**
 * Finds the operation for a method and a raw path. A literal segment is never a parameter's value, uuid parameters match only uuids, and a
 * component's ID may contain encoded or literal slashes.
 */
export function createRouting(): (method: string, path: string) => Routed {
  const root = newNode();
  for (const id of Object.keys(routes) as OperationId[]) plant(root, id);

  return (method, path) => {
    const segments = segmentsOf(path);
    const values: string[] = [];
    const reached = segments && nodeAt(root, segments, values);
    const [known] = reached?.node.operations.values() ?? [];
    if (!reached || known === undefined) return { kind: "unknown" };
    const { node, strange } = reached;
    if (strange !== null) return { kind: "unknown", idless: known.names[strange] ?? "" };
    const found = node.operations.get(method === "HEAD" ? "GET" : method);
    if (found === undefined) return { kind: "method", allow: methodsOf(node) };
    const params = { ...found.params };
    for (let at = 0; at < found.names.length; at++) params[found.names[at] ?? ""] = values[at] ?? "";
    return { kind: "operation", id: found.id, params };
  };
}

function newNode(): Node {
  return { literals: new Map(), parameter: null, operations: new Map() };
}

function plant(root: Node, id: OperationId): void {
  const { methods, path, params } = parseRoute(id);
  let node = root;
  for (const segment of path.slice(1).split("/")) {
    const name = /^\{(\w+)\}$/.exec(segment)?.[1];
    if (name === undefined) {
      const next = node.literals.get(segment) ?? newNode();
      node.literals.set(segment, next);
      node = next;
    } else {
      node.parameter ??= { isUuid: uuidParameters.has(name), node: newNode() };
      node = node.parameter.node;
    }
  }
  const place = { id, names: params, params: Object.fromEntries(params.map((name) => [name, ""])) };
  for (const method of methods) node.operations.set(method, place);
}

/** The decoded segments; `null` for a path that no operation has. A component's literal slashes become one segment. */
function segmentsOf(path: string): string[] | null {
  const sent = path.split("/");
  sent.shift();
  const segments = path.includes("%") ? decoded(sent) : sent;
  if (segments?.[0] !== "livesystems" || segments[2] !== "components" || segments.length < 5) return segments;
  const last = segments.at(-1) ?? "";
  const rest = componentActions.has(last) ? 1 : 0;
  const component = segments.slice(3, segments.length - rest).join("/");
  return [...segments.slice(0, 3), component, ...segments.slice(segments.length - rest)];
}

function decoded(segments: readonly string[]): string[] | null {
  try {
    return segments.map(decodeURIComponent);
  } catch {
    return null;
  }
}

/** Follows the segments down the tree, and collects the parameters. `strange`: the place among them of the first that is no uuid. */
function nodeAt(
  root: Node,
  segments: readonly string[],
  values: string[],
): { readonly node: Node; readonly strange: number | null } | null {
  let node = root;
  let strange: number | null = null;
  for (const segment of segments) {
    const literal = node.literals.get(segment);
    if (literal === undefined) {
      const { parameter } = node;
      if (parameter === null || segment === "") return null;
      if (parameter.isUuid && !uuid.test(segment)) strange ??= values.length;
      values.push(segment);
      node = parameter.node;
    } else node = literal;
  }
  return { node, strange };
}

function methodsOf({ operations }: Node): string[] {
  const methods = [...operations.keys()];
  return operations.has("GET") ? [...methods, "HEAD"] : methods;
}
