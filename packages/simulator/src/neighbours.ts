import type { LiveSystemDefinition } from "@liveplane/core/contract";
import { otherEnvironment } from "./environments.ts";
import { asked } from "./hands.ts";
import type { SimulatedWorld } from "./world.ts";

/** Another tenant declares a live system of its own, with this many components in each cloud. */
export async function beginOther(world: SimulatedWorld, count: number): Promise<void> {
  const components = world.places.flatMap(({ provider, types }) =>
    Array.from({ length: count }, (_, at) => ({
      path: `${provider}/other-${at}`,
      provider,
      type: types.net,
      parameters: { size: 1 },
    })),
  );
  const body = { name: "other", environmentId: otherEnvironment, components } as LiveSystemDefinition;
  await asked(world, ({ call }) => call("liveSystems.create", { body }));
}
