import { type EnvironmentRef, environmentName } from "../../contract/target.ts";
import { fromUtf8 } from "../../encoding.ts";
import type { CloudCredentials, CloudTarget } from "../../ports/cloud.ts";
import { SecretValue } from "../../ports/secret-value.ts";
import { collection } from "../../records/collection.ts";
import type { Change } from "../../records/records.ts";
import type { Services } from "../../services.ts";
import type { Clouds } from "../../settings.ts";
import type { EnvironmentDirectory } from "../directory.ts";
import { findEnvironment } from "../environment-record.ts";
import { type Provider, runKey, runs, type SealedCredentials, stepOutputs } from "./initialization-run.ts";
import { actsAsHost, isServed, scopeNamed, targetIn } from "./resource-scopes.ts";

/** The result of the last completed run: where resources go, and the agent's credentials there. */
export interface Placement {
  readonly environment: EnvironmentRef;
  readonly provider: Provider;
  readonly target: CloudTarget;
  /** Kept only if the host retains them. */
  readonly credentials: SealedCredentials | null;
}

/** The placements: one for each environment and cloud. */
export const placements = collection<Placement>()("initialization-placement", {
  key: runKey,
});

/** The place that retained credentials are bound to when they are sealed. */
export function placementPlace(environment: EnvironmentRef, provider: Provider): string[] {
  return ["initialization-placement", environmentName(environment), provider];
}

/** Destroys an environment's runs and their results, in the change that deletes it. */
export async function destroyRuns(change: Change, environment: EnvironmentRef): Promise<void> {
  const keys = (["provider-a", "provider-b"] as const).map((provider) => runKey({ environment, provider }));
  await Promise.all(
    keys.map(async (key) => {
      const [run, placement] = await change.getPair([runs, key], [placements, key]);
      if (run !== null) change.delete(runs, key);
      if (placement !== null) change.delete(placements, key);
    }),
  );
}

/** The adapter uses its own identity. */
export const ownIdentity: CloudCredentials = { kind: "workload", name: null, secret: null };

/** An adapter without a host identity has none that could be lent to the wrong environment. */
function mayBeAnyones({ adapters = [] }: Partial<Clouds>, provider: string): boolean {
  return adapters.find((cloud) => cloud.provider === provider)?.capabilities.ownIdentity !== true;
}

/** Tells the directory where an environment's resources go and which credentials the agent has there. */
export function createPlacements({
  records,
  sealer,
  clouds,
}: Pick<Services, "records" | "sealer"> & { readonly clouds: Partial<Clouds> }): Pick<
  EnvironmentDirectory,
  "targets" | "initialized" | "agentCredentials"
> {
  const placementOf = (environment: EnvironmentRef, provider: string) =>
    records.get(placements, [environmentName(environment), provider]);
  const ownTarget = async (environment: EnvironmentRef, provider: string) =>
    (await placementOf(environment, provider))?.target ?? (await clouds.targetFor?.(environment, provider)) ?? null;
  return {
    async targets(environment, provider) {
      const own = await ownTarget(environment, provider);
      if (own === null) return [];
      const { resourceScopes = [] } = (await findEnvironment(records, environment)) ?? {};
      const asHost = actsAsHost({ environment, provider, own }, clouds);
      const others = resourceScopes.flatMap((id) => {
        const scope = scopeNamed(id, clouds);
        const isUsed = scope?.cloud.provider === provider && (!asHost || isServed(scope, environment, clouds));
        return isUsed ? [targetIn(scope, own)] : [];
      });
      return [own, ...others];
    },
    async initialized(environment, provider) {
      const run = await records.get(runs, [environmentName(environment), provider]);
      const ids = run === null ? [] : Object.values(stepOutputs(run)).map(({ id }) => String(id).toLowerCase());
      return new Set(ids);
    },
    async agentCredentials(environment, provider) {
      if (clouds.credentialsFor !== undefined) return clouds.credentialsFor(environment, provider);
      const kept = await placementOf(environment, provider);
      const { scope } = kept?.target ?? (await clouds.targetFor?.(environment, provider)) ?? {};
      if (scope !== undefined && clouds.hostIdentityFor?.({ environment, provider, scope })) return ownIdentity;
      if (clouds.retainProviderCredentials !== true) return mayBeAnyones(clouds, provider) ? ownIdentity : null;
      if (kept?.credentials == null) return null;
      const { sealed, ...who } = kept.credentials;
      const secret = fromUtf8(await sealer.open(sealed, placementPlace(environment, kept.provider)));
      return { ...who, secret: new SecretValue(secret) };
    },
  };
}
