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

/** In some worlds, lists of apps may hold more items than are declared, or a reference is ignored. Drawn separately again. */
export function withExtras(seed: number, world: WorldFacts): WorldFacts {
  const ignores = chanceOf(seed ^ 0x1ea7e5).happens(0.4) ? { ignoresReference: true as const } : {};
  const drawn = chanceOf(seed ^ 0xe87a5).pick([[], [], ["/zones"], ["/rules"], ["/zones", "/rules"]]);
  const extras = drawn.filter((pointer) => pointer === "/zones" || world.items);
  return { ...world, ...ignores, ...(extras.length > 0 && { extras }) };
}

/** In some worlds, tags are bound in another way than properties, reads lack an etag now and then, or operations move. Drawn separately again. */
export function withOddBindings(seed: number, world: WorldFacts): WorldFacts {
  const [chance, ofMoves] = [chanceOf(seed ^ 0xb1d5), chanceOf(seed ^ 0x30be5)];
  const clouds = world.clouds.map((cloud) => {
    const [differs, forgetsEtags] = [chance.happens(0.3), chance.happens(0.2)];
    const kinds = (["net", "app", "rule"] as const).filter(() => chance.happens(0.6));
    const tagBindings = Object.fromEntries(kinds.map((kind) => [kind, chance.pick(["etag", "etag", "mask"])] as const));
    const movesOperations = ofMoves.happens(0.3);
    return {
      ...cloud,
      ...(differs && { tagBindings }),
      ...(forgetsEtags && { forgetsEtags }),
      ...(movesOperations && { movesOperations }),
    };
  });
  return { ...world, clouds };
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
