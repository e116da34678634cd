import { type Chance, chanceOf } from "./chance.ts";
import type { Deed, ExistingDeed } from "./plan.ts";
import { unrestMs } from "./variants.ts";

/** In some worlds existing resources are adopted too. Drawn separately, so that a seed's other choices don't change. */
export function handOvers(seed: number, count: number): { at: number; deed: Deed }[] {
  const chance = chanceOf(seed ^ 0xad0f7);
  if (chance.happens(0.6)) return [];
  return Array.from({ length: count }, () => handOver(chance)).flat();
}

/** A resource is found and declared, mostly as it is, while people and crashes are in the way. */
export function handOver(chance: Chance): { at: number; deed: Deed }[] {
  const start = chance.below(unrestMs - 200_000);
  const [cloud, nth, size] = [chance.below(2), chance.below(3), chance.between(1, 2)];
  const existing = (what: ExistingDeed["what"], more: Partial<ExistingDeed> = {}): Deed => ({
    ...{ kind: "existing", cloud, nth, what, size, tag: null },
    ...more,
  });
  const after = (ms: number, deed: Deed) => ({ at: start + ms, deed });
  const slow: Deed = { kind: "slow", cloud, writes: { takesMs: 40_000, times: 2, ends: "done", hidden: false } };
  const soon = () => 3_000 + chance.below(6_000);
  const tag = (): string | null => chance.pick([null, null, "platform", "me"]);
  const beside: readonly [() => Deed, ...(() => Deed)[]] = [
    () => existing("tag", { tag: tag() }),
    () => existing("edit", { size: chance.between(1, 3) }),
    () => existing("remove"),
    () => ({ kind: "crash", process: 0, afterCalls: chance.below(14), downMs: 15_000 }),
    () => ({ kind: "cloud-fault", cloud, call: "write", fault: { what: "lose-answer", times: 1 } }),
    () => ({ kind: "cloud-fault", cloud, call: "write", fault: { what: "late", times: 1 } }),
  ];
  return [
    after(0, existing("make", { tag: tag() })),
    ...(chance.happens(0.4) ? [after(1_000, existing("tag", { tag: tag() }))] : []),
    after(3_000, existing("adopt", { size: chance.happens(0.8) ? size : chance.between(1, 3) })),
    ...(chance.happens(0.3) ? [after(2_900, slow), after(20_000, existing("tag"))] : []),
    ...Array.from({ length: chance.below(3) }, () => after(soon(), chance.pick(beside)())),
    ...(chance.happens(0.5) ? [after(60_000, existing("tag", { tag: tag() }))] : []),
    ...(chance.happens(0.7) ? [after(90_000, existing("adopt"))] : []),
    ...(chance.happens(0.2) ? [after(150_000, existing("release"))] : []),
  ];
}
