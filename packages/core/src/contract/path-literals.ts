import { type OperationId, parseRoute, routes } from "./routes.ts";

const paths = (Object.keys(routes) as OperationId[]).map((id) => parseRoute(id).path.split("/"));

/** The literal segments that compete with a parameter in any path. The router never treats one as the parameter's value. */
export function literalsBeside(parameter: string): ReadonlySet<string> {
  const places = paths.flatMap((path) => {
    const at = path.indexOf(`{${parameter}}`);
    return at < 0 ? [] : [shapeOf(path.slice(0, at))];
  });
  return new Set(
    paths.flatMap((path) =>
      path.filter((segment, at) => isLiteral(segment) && places.includes(shapeOf(path.slice(0, at)))),
    ),
  );
}

/** The literal segments that directly follow a parameter. */
export function literalsAfter(parameter: string): ReadonlySet<string> {
  return new Set(paths.flatMap((path) => path.filter((_, at) => path[at - 1] === `{${parameter}}`)));
}

function isLiteral(segment: string): boolean {
  return !segment.startsWith("{");
}

/** The segments without the names of their parameters. */
function shapeOf(segments: readonly string[]): string {
  return segments.map((segment) => (isLiteral(segment) ? segment : "{}")).join("/");
}
