import { invalid } from "../../contract/invalid.ts";
import type { EnvironmentRef } from "../../contract/target.ts";
import { isLiveplaneError, LiveplaneError, type Violation } from "../../errors.ts";
import type { Cloud, CloudCall, CloudTarget, ParsedScope } from "../../ports/cloud.ts";
import type { Clouds } from "../../settings.ts";
import type { EnvironmentDirectory } from "../directory.ts";

/** A scope, and the cloud that has it. */
interface CloudScope extends ParsedScope {
  readonly cloud: Cloud;
}

/** The scope that an ID names in one of the clouds; `null`: none has it. */
export function scopeNamed(id: string, { adapters = [] }: Partial<Clouds>): CloudScope | null {
  for (const cloud of adapters) {
    const parsed = cloud.parseScope?.(id) ?? null;
    if (parsed !== null) return { ...parsed, cloud };
  }
  return null;
}

/** A scope as a target. Its region and tenant are those of the environment's own target. */
export function targetIn({ scope, container, location }: ParsedScope, own: Partial<CloudTarget>): CloudTarget {
  return {
    scope,
    region: location ?? own.region ?? "",
    ...(own.tenantId !== undefined && { tenantId: own.tenantId }),
    ...(container !== undefined && { container }),
    ...(location !== undefined && { location }),
  };
}

/** Throws unless the credentials may read and tag resources in a scope. */
export async function requireRights(scope: CloudScope, own: Partial<CloudTarget>, call: CloudCall): Promise<void> {
  const rejected = (lacking: string) =>
    new LiveplaneError(
      "ProviderCredentialsRejected",
      `The credentials can't read and tag resources in ${scope.id}${lacking}. Grant them rights there, or remove it from resourceScopes.`,
    );
  const asked = scope.cloud.missingRights?.([], targetIn(scope, own), call).catch((error) => {
    throw isLiveplaneError(error) && !error.retryable ? rejected("") : error;
  });
  const missing = (await asked) ?? [];
  if (missing.length > 0) throw rejected(`: they lack ${missing.join(" and ")}`);
}

/** Whether the host's own identity acts in a scope; without that identity, the cloud alone decides. */
export function isServed(
  { id, scope, cloud: { provider } }: CloudScope,
  environment: EnvironmentRef,
  { hostIdentityFor }: Pick<Partial<Clouds>, "hostIdentityFor">,
): boolean {
  return hostIdentityFor?.({ environment, provider, scope, resourceScope: id }) === true;
}

export type JudgeScopes = (
  environment: EnvironmentRef,
  given: readonly string[],
  known: readonly string[],
) => Promise<string[]>;

/**
 * Reads the `resourceScopes` of a body as their clouds write them. New ones are tried with the agent's credentials, where the environment
 * is initialized in that cloud; its initialization tries them all.
 */
export function createJudgeScopes(
  clouds: Partial<Clouds>,
  directory: Pick<EnvironmentDirectory, "targets" | "agentCredentials">,
): JudgeScopes {
  return async (environment, given, known) => {
    const errors: Violation[] = [];
    const found: string[] = [];
    for (const [at, id] of given.entries()) {
      const scope = scopeNamed(id, clouds);
      const isNew = scope !== null && !known.includes(scope.id);
      const unknown = scope === null ? unknownScope : null;
      const detail = isNew ? await refusal(environment, scope) : unknown;
      if (detail !== null) errors.push({ pointer: `#/resourceScopes/${at}`, code: "Enum", detail });
      if (scope !== null) found.push(scope.id);
    }
    const [first, ...others] = errors;
    if (first !== undefined) throw invalid([first, ...others]);
    return [...new Set(found)];
  };

  async function refusal(environment: EnvironmentRef, scope: CloudScope): Promise<string | null> {
    const { provider } = scope.cloud;
    const [own] = await directory.targets(environment, provider);
    const credentials = own === undefined ? null : await directory.agentCredentials(environment, provider);
    if (own === undefined || credentials === null) return null;
    if (actsAsHost({ environment, provider, own }, clouds) && !isServed(scope, environment, clouds))
      return "The server's own identity doesn't serve this environment there. Ask the operator of the server.";
    try {
      await requireRights(scope, own, { credentials });
      return null;
    } catch (error) {
      if (isLiveplaneError(error, "ProviderCredentialsRejected")) return error.message;
      throw error;
    }
  }
}

const unknownScope =
  "No cloud here has such a scope. Examples: /subscriptions/<id>/resourceGroups/<name>, /subscriptions/<id>, projects/<id>, projects/<id>/locations/<name>.";

/** Whether the agent proves itself with the host's own identity, because the host lists the environment's own place. */
export function actsAsHost(
  at: { readonly environment: EnvironmentRef; readonly provider: string; readonly own: CloudTarget },
  { credentialsFor, hostIdentityFor }: Partial<Clouds>,
): boolean {
  const { environment, provider, own } = at;
  return credentialsFor === undefined && hostIdentityFor?.({ environment, provider, scope: own.scope }) === true;
}
