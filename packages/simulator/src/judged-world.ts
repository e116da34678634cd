import { boundByOf } from "@liveplane/core/testing/internal";
import { otherEnvironment, secretKeyOf, simulatedEnvironment } from "./environments.ts";
import type { JudgedWorld } from "./judge/facts.ts";
import type { SimulatedPlace } from "./places.ts";
import type { SimulationPlan } from "./plan.ts";

/** How old an override is that people are reminded of. */
export const overdueMs = 90_000;

/** How long another process's claim counts. */
export const claimMs = 20_000;
/** How long a write may take. */
export const callTimeoutMs = 5_000;

/** The world as the judge knows it. */
export function judgedWorld(plan: SimulationPlan, places: readonly SimulatedPlace[], now: () => number): JudgedWorld {
  const { waits } = plan.world;
  return {
    restoredTag: plan.world.restoredTag,
    claimMs: plan.world.processes > 1 ? claimMs : null,
    ...(plan.world.leases && { leasedClaimMs: callTimeoutMs }),
    now,
    ...(plan.world.muted && { overdueMs }),
    ...(waits && { waitsMs: { working: waits.workingSeconds * 1000, failing: waits.failingSeconds * 1000 } }),
    clouds: places.map(({ provider, capabilities, factsOf, words, logMs }, at) => ({
      provider,
      choosesIds: plan.world.clouds[at]?.choosesIds === true,
      unseenOf: (type) => factsOf(type).writeOnly ?? [],
      ...(plan.world.neighbours && {
        keyFor: (name: string) =>
          secretKeyOf((name.includes("/other-") ? otherEnvironment : simulatedEnvironment).shortName),
      }),
      bindingsOf: (type) => boundByOf({ capabilities, resourceType: factsOf }, type),
      caselessTagKeys: capabilities.caselessTagKeys,
      ...(logMs !== undefined && { logMs }),
      tagParameter: capabilities.tagParameter,
      isTaggable: (type) => factsOf(type).taggable,
      setsOf: (type) => factsOf(type).sets,
      ...(words && { words }),
    })),
  };
}
