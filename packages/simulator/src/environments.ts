import type { EnvironmentRef } from "@liveplane/core";
import { SecretValue } from "@liveplane/core/clouds";
import type { EnvironmentDirectory } from "@liveplane/core/testing/internal";
import type { SimulatedPlace } from "./places.ts";
import type { SimulationPlan } from "./plan.ts";

/** The owner of the environment. */
export const owner = "3f2504e0-4f89-41d3-9a0c-0305e82c3301";
export const simulatedEnvironment: EnvironmentRef = { type: "Personal", ownerId: owner, shortName: "dev" };
/** The environment of another tenant, with scopes of its own in each cloud. */
export const otherEnvironment: EnvironmentRef = { ...simulatedEnvironment, shortName: "other" };

/** What environments are made of. */
interface Surroundings {
  readonly plan: SimulationPlan;
  readonly places: readonly SimulatedPlace[];
  readonly credentials: ReadonlySet<string>;
  readonly secret: string | null;
}

/** The environments, with what the agent knows of each. */
export function simulatedEnvironments(world: Surroundings): EnvironmentDirectory {
  const { places, credentials, plan } = world;
  return {
    groups: async () => [],
    secretVersion: async () => (world.secret === null ? null : 1),
    openSecret: async () => (world.secret === null ? null : new SecretValue(world.secret)),
    initialized: async () => new Set(),
    targets: async ({ shortName }, provider) => {
      const place = places.find((one) => one.provider === provider);
      if (place === undefined) return [];
      // Neighbours have the same subscription, and nothing else in common.
      const isOther = shortName === otherEnvironment.shortName && !plan.world.neighbours;
      const scope = isOther ? (place.otherScope ?? place.scope) : place.scope;
      return [{ scope, region: place.location, container: "dev" }];
    },
    agentCredentials: async ({ shortName }, provider) => {
      if (!credentials.has(provider)) return null;
      // Each adapter accepts this kind, and ignores the secret.
      return {
        kind: "workload",
        name: null,
        secret: plan.world.neighbours ? new SecretValue(secretKeyOf(shortName)) : null,
      };
    },
  };
}

/** The secret of an environment's credentials. */
export function secretKeyOf(shortName: string): string {
  return `key-of-${shortName}`;
}
