import { type OperationId, parseRoute, routes } from "../../contract/routes.ts";

/** Where a request goes: an operation with its parameters, or the methods that the path would take. */
export type Routed =
  | { readonly kind: "operation"; readonly id: OperationId; readonly params: Readonly<Record<string, string>> }
  | { readonly kind: "method"; readonly allow: readonly string[] }
  | { readonly kind: "unknown" };

interface Node {
  readonly literals: Map<string, Node>;
  parameter: { readonly isUuid: boolean; readonly node: Node } | null;
  readonly operations: Map<string, Place>;
}

interface Place {
  readonly id: OperationId;
  readonly names: readonly string[];
  /** The names as members, to be copied: filled in one by one, every answer's would be of a shape of its own at first. */
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
/** What may follow a component's id, and so is refused as a segment of it. */
const componentActions = new Set(["check", "adoption-plan", "overrides", "override-note", "dependents"]);

/**
 * Finds the operation for a method and a raw path. Literal segments win over parameters, uuid parameters match only uuids,
 * and a component's id takes its slashes encoded or as they are.
 */
export function createRouting(): (method: string, path: string) => Routed {
  const root = newNode();
  for (const id of Object.keys(routes) as OperationId[]) plant(root, id);

  return (method, path) => {
    const segments = segmentsOf(path);
    if (segments === null) return { kind: "unknown" };
    const search: Search = { method: method === "HEAD" ? "GET" : method, segments, values: [], passed: [] };
    const found = walk(root, 0, search);
    if (found === null)
      return search.passed.length === 0 ? { kind: "unknown" } : { kind: "method", allow: allowed(search.passed) };
    const params = { ...found.params };
    for (let at = 0; at < found.names.length; at++) params[found.names[at] ?? ""] = search.values[at] ?? "";
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

/** The segments, decoded; `null` for a path that no operation has. A component's literal slashes become one segment. */
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

interface Search {
  readonly method: string;
  readonly segments: readonly string[];
  /** The parameters' values on the way. */
  readonly values: string[];
  /** Places that the path leads to, but that don't take the method. */
  readonly passed: Node[];
}

/** Walks down the tree, literals first. A name that is a literal somewhere (`bulk`) is still one for the other methods. */
function walk(node: Node, at: number, search: Search): Place | null {
  const segment = search.segments[at];
  if (segment === undefined) {
    const place = node.operations.get(search.method) ?? null;
    if (place === null && node.operations.size > 0) search.passed.push(node);
    return place;
  }
  const literal = node.literals.get(segment);
  const byLiteral = literal && walk(literal, at + 1, search);
  if (byLiteral) return byLiteral;
  const { parameter } = node;
  if (parameter === null || segment === "" || (parameter.isUuid && !uuid.test(segment))) return null;
  search.values.push(segment);
  const found = walk(parameter.node, at + 1, search);
  if (found === null) search.values.pop();
  return found;
}

function allowed(nodes: readonly Node[]): string[] {
  const methods = new Set(nodes.flatMap(({ operations }) => [...operations.keys()]));
  if (methods.has("GET")) methods.add("HEAD");
  return [...methods];
}
