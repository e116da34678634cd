import { type OperationId, parseRoute, routes } from "@liveplane/core/routes";

/** Where a request goes: an operation with its parameters, or the methods that the path would take. */
export type Routed =
  | { readonly kind: "operation"; readonly id: OperationId; readonly params: Readonly<Record<string, string>> }
  | { readonly kind: "method"; readonly allow: readonly string[] }
  | { readonly kind: "unknown" };

interface Node {
  readonly literals: Map<string, Node>;
  parameter: { readonly name: string; readonly node: Node } | null;
  readonly operations: Map<string, { readonly id: OperationId; readonly names: readonly string[] }>;
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
    const found = walk(root, segments, 0, []);
    if (found === null) return { kind: "unknown" };
    const operation =
      found.node.operations.get(method) ?? (method === "HEAD" ? found.node.operations.get("GET") : undefined);
    if (operation === undefined) return { kind: "method", allow: allowed(found.node) };
    const params = Object.fromEntries(operation.names.map((name, at) => [name, found.values[at] ?? ""]));
    return { kind: "operation", id: operation.id, params };
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
      node.parameter ??= { name, node: newNode() };
      node = node.parameter.node;
    }
  }
  for (const method of methods) node.operations.set(method, { id, names: params });
}

/** The segments, decoded; `null` for a path that no operation has. A component's literal slashes become one segment. */
function segmentsOf(path: string): string[] | null {
  try {
    const segments = path.split("/").slice(1).map(decodeURIComponent);
    if (segments[0] !== "livesystems" || segments[2] !== "components" || segments.length < 5) return segments;
    const last = segments.at(-1) ?? "";
    const rest = componentActions.has(last) ? 1 : 0;
    const component = segments.slice(3, segments.length - rest).join("/");
    return [...segments.slice(0, 3), component, ...segments.slice(segments.length - rest)];
  } catch {
    return null;
  }
}

interface Found {
  readonly node: Node;
  readonly values: readonly string[];
}

function walk(node: Node, segments: readonly string[], at: number, values: readonly string[]): Found | null {
  const segment = segments[at];
  if (segment === undefined) return node.operations.size > 0 ? { node, values } : null;
  const literal = node.literals.get(segment);
  const byLiteral = literal && walk(literal, segments, at + 1, values);
  if (byLiteral) return byLiteral;
  const { parameter } = node;
  if (parameter === null || segment === "") return null;
  if (uuidParameters.has(parameter.name) && !uuid.test(segment)) return null;
  return walk(parameter.node, segments, at + 1, [...values, segment]);
}

function allowed({ operations }: Node): string[] {
  const methods = [...operations.keys()];
  return methods.includes("GET") ? [...methods, "HEAD"] : methods;
}
