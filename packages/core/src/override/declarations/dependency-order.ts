import { pathKey } from "./definition.ts";

/** What each path depends on. */
export type Dependencies = ReadonlyMap<string, readonly string[]>;

/** A cycle of dependencies, from its first path back to it; `null` if there is none. */
export function findCycle(dependencies: Dependencies): string[] | null {
  const done = new Set<string>();
  for (const start of dependencies.keys()) {
    const cycle = walk(start, dependencies, done);
    if (cycle !== null) return cycle;
  }
  return null;
}

/** The paths, each after what it depends on. */
export function runOrder(dependencies: Dependencies): string[] {
  const done = new Set<string>();
  for (const start of dependencies.keys()) walk(start, dependencies, done);
  return [...done];
}

/** A path and everything that it depends on, directly or not. */
export function neededFor(path: string, dependencies: Dependencies): ReadonlySet<string> {
  const done = new Set<string>();
  walk(path, dependencies, done);
  return done;
}

/** Whether a declared component depends on another one, directly or not. */
export function reliesOn(
  dependent: string,
  path: string,
  declared: ReadonlyMap<string, { readonly dependsOn: readonly string[] }>,
): boolean {
  const dependencies = new Map([...declared].map(([key, { dependsOn }]) => [key, dependsOn.map(pathKey)]));
  return neededFor(pathKey(dependent), dependencies).has(pathKey(path));
}

/** Depth first without recursion, because a declaration may be one long chain. */
function walk(start: string, dependencies: Dependencies, done: Set<string>): string[] | null {
  const trail: { path: string; next: number }[] = [{ path: start, next: 0 }];
  const open = new Set([start]);
  for (let top = trail.at(-1); top !== undefined; top = trail.at(-1)) {
    const child = done.has(top.path) ? undefined : dependencies.get(top.path)?.[top.next];
    top.next += 1;
    if (child === undefined) {
      done.add(top.path);
      open.delete(top.path);
      trail.pop();
    } else if (open.has(child)) {
      const from = trail.findIndex(({ path }) => path === child);
      return [...trail.slice(from).map(({ path }) => path), child];
    } else if (!done.has(child)) {
      open.add(child);
      trail.push({ path: child, next: 0 });
    }
  }
  return null;
}

/** What depends on each path: the inverse of the dependencies. */
export function dependentsOf(dependencies: Dependencies): Map<string, string[]> {
  const dependents = new Map<string, string[]>([...dependencies.keys()].map((path) => [path, []]));
  for (const [path, needed] of dependencies) for (const other of needed) dependents.get(other)?.push(path);
  return dependents;
}
