import { type EnvironmentRef, environmentName } from "../contract/target.ts";
import type { CloudTarget } from "../ports/cloud.ts";
import { collection } from "../records/collection.ts";
import type { Change } from "../records/records.ts";
import { type Provider, runs, type SealedCredentials } from "./initialization-run.ts";

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
  key: ({ environment, provider }) => [environmentName(environment), provider],
});

/** Where retained credentials are sealed for. */
export function placementPlace(environment: EnvironmentRef, provider: Provider): string[] {
  return ["initialization-placement", environmentName(environment), provider];
}

/** Destroys the runs of an environment and what they left behind, in the change that deletes it. */
export function destroyRuns(change: Change, environment: EnvironmentRef): void {
  for (const provider of ["provider-a", "provider-b"]) {
    const key = [environmentName(environment), provider];
    change.delete(runs, key);
    change.delete(placements, key);
  }
}
