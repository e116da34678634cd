import { type EnvironmentRef, environmentName } from "../contract/target.ts";
import type { CloudTarget } from "../ports/cloud.ts";
import { collection } from "../records/collection.ts";
import type { Change } from "../records/records.ts";
import { type Provider, runKey, runs, type SealedCredentials } from "./initialization-run.ts";

/** What the last completed run left behind: where resources go, and what the agent may use there. */
export interface Placement {
  readonly environment: EnvironmentRef;
  readonly provider: Provider;
  readonly target: CloudTarget;
  /** Kept only where the host retains them. */
  readonly credentials: SealedCredentials | null;
}

/** The placements: one for each environment and cloud. */
export const placements = collection<Placement>()("initialization-placement", {
  key: runKey,
});

/** Where retained credentials are sealed for. */
export function placementPlace(environment: EnvironmentRef, provider: Provider): string[] {
  return ["initialization-placement", environmentName(environment), provider];
}

/** Destroys the runs of an environment and what they left behind, in the change that deletes it. */
export async function destroyRuns(change: Change, environment: EnvironmentRef): Promise<void> {
  for (const provider of ["provider-a", "provider-b"] as const) {
    const key = runKey({ environment, provider });
    if ((await change.get(runs, key)) !== null) change.delete(runs, key);
    if ((await change.get(placements, key)) !== null) change.delete(placements, key);
  }
}
