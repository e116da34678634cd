import type { Violation } from "../../errors.ts";
import { sameJson } from "../../json-pointer.ts";
import type { TypeDescription } from "../../ports/resource-type.ts";
import type { Services } from "../../services.ts";
import { type DeclaredComponent, type Definition, pathKey } from "../declarations/definition.ts";
import { untaggableBeside } from "../declarations/tag-owners.ts";
import type { ComponentRecord } from "../records/component-record.ts";
import type { Deployment } from "./deployment.ts";

/**
 * What clouds say about the types of new components: each cloud is asked once for all types, after all other checks. Existing components
 * are never refused for a type that their cloud has removed since.
 */
export async function typeViolations(
  {
    existing,
    deps,
  }: {
    readonly existing: ReadonlyMap<string, ComponentRecord>;
    readonly deps: Pick<Services, "runtime" | "environments" | "clouds">;
  },
  { definition, targets }: Pick<Deployment, "definition" | "targets">,
): Promise<Violation[]> {
  const coming = definition.components.filter(({ path }) => !existing.has(pathKey(path)));
  const described = new Map<string, TypeDescription>();
  for (const [provider, declared] of Map.groupBy(coming, ({ provider }) => provider)) {
    const cloud = deps.clouds.get(provider);
    const [target] = targets.get(provider) ?? [];
    if (cloud?.describeTypes === undefined || target === undefined) continue;
    const credentials = await deps.environments.agentCredentials(definition.environmentId, provider);
    if (credentials === null) continue;
    const types = [...new Set(declared.map(({ type }) => type))];
    const found = await cloud.describeTypes(types, target, { credentials });
    for (const [at, type] of types.entries()) {
      const own = found[at];
      if (own !== undefined) described.set(`${provider} ${type}`, own);
    }
  }
  const untagged = (declared: DeclaredComponent) => untaggableBeside(declared, definition.components, deps.clouds);
  return definition.components.flatMap((declared, at): Violation[] => {
    const own = described.get(`${declared.provider} ${declared.type}`);
    const detail =
      own === undefined || existing.has(pathKey(declared.path)) ? null : mistakeIn(declared, own, untagged);
    return detail === null ? [] : [{ pointer: `#/components/${at}/type`, code: "InvalidDeclaration", detail }];
  });
}

/** What clouds say about the parameters of new components, and of those whose parameters change. */
export async function parameterViolations(
  { before, clouds }: { readonly before: Definition | null } & Pick<Services, "clouds">,
  { components }: Definition,
): Promise<Violation[]> {
  const known = new Map(before?.components.map((one) => [pathKey(one.path), one.parameters]));
  const judged = components.map(async ({ provider, type, path, movedFrom, parameters = {} }, at) => {
    const cloud = clouds.get(provider);
    const own = known.get(pathKey(movedFrom ?? path)) ?? known.get(pathKey(path));
    if (cloud?.judgeParameters === undefined || (own !== undefined && sameJson(own, parameters))) return [];
    const mistakes = await cloud.judgeParameters(type, parameters);
    return mistakes.map(({ pointer, detail }): Violation => {
      return { pointer: `#/components/${at}/parameters${pointer}`, code: "InvalidDeclaration", detail };
    });
  });
  return (await Promise.all(judged)).flat();
}

function mistakeIn(
  declared: DeclaredComponent,
  described: TypeDescription,
  untagged: (declared: DeclaredComponent) => string,
): string | null {
  if ("refused" in described) return described.refused;
  return described.taggable || typeof declared.overrideWith === "string" ? null : untagged(declared);
}
