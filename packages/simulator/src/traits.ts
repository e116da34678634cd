import { type Chance, chanceOf } from "./chance.ts";
import type { CloudVariation, WorldFacts } from "./plan.ts";

/** What else is special about a world, drawn separately so that a seed's other choices don't change. */
export function withTraits(seed: number, world: WorldFacts): WorldFacts {
  const chance = chanceOf(seed ^ 0x7247);
  const governsApps = chance.happens(0.35);
  const order = chance.pick([undefined, undefined, undefined, "owners-last", "members-last"]);
  const neighbours = chance.happens(0.25);
  const muted = chance.pick([undefined, undefined, undefined, ["size"], ["level", "mode"]]);
  return {
    ...world,
    ...(governsApps && { governsApps }),
    ...(order && { order }),
    ...(neighbours && { neighbours }),
    ...(muted && { muted }),
    clouds: world.clouds.map((cloud) => ({ ...cloud, ...traitsOf(chance) })),
  };
}

function traitsOf(chance: Chance): Partial<CloudVariation> {
  const [hidesPassword, hidesFailed] = [chance.happens(0.3), chance.happens(0.25)];
  const pollMs = chance.pick([undefined, undefined, undefined, 100_000]);
  return {
    ...(hidesPassword && { hidesPassword }),
    ...(hidesFailed && { hidesFailed }),
    ...(pollMs !== undefined && { pollMs }),
  };
}
