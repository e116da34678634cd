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

/** In some worlds, lists of apps may hold more items than are declared. Drawn separately again. */
export function withExtras(seed: number, world: WorldFacts): WorldFacts {
  const drawn = chanceOf(seed ^ 0xe87a5).pick([[], [], ["/zones"], ["/rules"], ["/zones", "/rules"]]);
  const extras = drawn.filter((pointer) => pointer === "/zones" || world.items);
  return extras.length === 0 ? world : { ...world, extras };
}

/** What is special about fewer worlds, drawn separately again. */
export function withRareTraits(seed: number, world: WorldFacts): WorldFacts {
  const chance = chanceOf(seed ^ 0x2a4e);
  const [twins, items, waits] = [chance.happens(0.5), chance.happens(0.5), chance.happens(0.3)];
  const logs = chance.happens(0.4);
  return {
    ...world,
    ...(twins && { twins }),
    ...(items && { items }),
    ...(waits && { waits: { workingSeconds: 45, failingSeconds: 20 } }),
    clouds: world.clouds.map((cloud) => ({ ...cloud, ...(logs && { logMs: chance.pick([0, 5_000, 60_000]) }) })),
  };
}
