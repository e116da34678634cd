import type { Api } from "@liveplane/client";

type Components = Api["liveSystems"]["components"];
/** A component, as the service shows it. */
export type ConsoleComponent = Awaited<ReturnType<Components["get"]>>;
/** What a hand-back would do. */
export type HandBackPlan = Awaited<ReturnType<Components["adoptionPlan"]>>;
/** The differences that a hand-back can't put back. */
export const stuckIn = ({ changes }: Pick<HandBackPlan, "changes">) =>
  changes.filter(({ unwritable }) => unwritable !== null);

export type DeployedDefinition = Parameters<Api["liveSystems"]["deploy"]>[1];

/**
 * The definition with the plan's changes; `null` if it has changed, so the patch doesn't apply. The patch has two operations: a test of the
 * component's position, and replacements in its parameters.
 */
export function withKept(definition: DeployedDefinition, patch: HandBackPlan["keepPatch"]): DeployedDefinition | null {
  let kept: unknown = definition;
  for (const { op, path, value } of patch) {
    const steps = path.split("/").slice(1);
    const names = steps.map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
    if (op === "test") {
      if (JSON.stringify(names.reduce(childOf, kept)) !== JSON.stringify(value)) return null;
    } else kept = replaced(kept, names, value);
  }
  return kept as DeployedDefinition;
}

function childOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? Reflect.get(value, name)
    : undefined;
}

function replaced(value: unknown, [name, ...rest]: readonly string[], by: unknown): unknown {
  if (name === undefined) return by;
  const child = replaced(childOf(value, name), rest, by);
  if (Array.isArray(value)) return value.map((item: unknown, at) => (String(at) === name ? child : item));
  return Object.fromEntries([...Object.entries(Object(value)).filter(([own]) => own !== name), [name, child]]);
}

export function parametersText({ components }: DeployedDefinition, path: string): string {
  const { parameters = {} } = components.find((component) => component.path === path) ?? {};
  return JSON.stringify(parameters, undefined, 2);
}

/** The definition with other parameters for a component. The service validates them. */
export function withParameters(definition: DeployedDefinition, path: string, typed: unknown): DeployedDefinition {
  const parameters = typed as DeployedDefinition["components"][number]["parameters"] & object;
  const components = definition.components.map((one) => (one.path === path ? { ...one, parameters } : one));
  return { ...definition, components };
}

/** The definition in which differences of a component's parameter raise no alert, or do so again. */
export function withMuted(
  definition: DeployedDefinition,
  path: string,
  { parameter, isMuted }: { readonly parameter: string; readonly isMuted: boolean },
): DeployedDefinition {
  const components = definition.components.map((one) => {
    const others = (one.muteDrift ?? []).filter((name) => name !== parameter);
    return one.path === path ? { ...one, muteDrift: [...others, ...(isMuted ? [parameter] : [])] } : one;
  });
  return { ...definition, components };
}
