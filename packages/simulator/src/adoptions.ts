import { azureFacts, googleFacts } from "@liveplane/core/clouds";
import type { LiveSystemDefinition } from "@liveplane/core/contract";
import { type Chance, chanceOf } from "./chance.ts";
import { planOf } from "./drawn-plan.ts";
import type { SimulatedPlace } from "./places.ts";
import type { Deed, ExistingDeed, SimulationPlan } from "./plan.ts";
import { unrestMs } from "./variants.ts";
import { type SimulatedProcess, type SimulatedWorld, simulatedEnvironment } from "./world.ts";

/** Worlds in which existing resources are adopted exactly. Their seeds are apart from those of `planOf`, which stay as they are. */
export function existingPlanOf(seed: number): SimulationPlan {
  const plain = planOf(seed ^ 0x51e5, { deeds: 20, faults: 40 });
  const chance = chanceOf(seed ^ 0xad0b7);
  const deeds = [...plain.deeds, ...Array.from({ length: 10 }, () => handOver(chance)).flat()];
  return { ...plain, deeds: deeds.sort((a, b) => a.at - b.at) };
}

/** A resource is found and declared, mostly as it is, while people and crashes are in the way. */
function handOver(chance: Chance): { at: number; deed: Deed }[] {
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

/** The live systems that declare existing resources, by their names. */
const declaring = new WeakMap<SimulatedWorld, Map<string, string>>();

/** Calls whichever process is running. */
type Asked = (world: SimulatedWorld, work: (process: SimulatedProcess) => Promise<unknown>) => Promise<unknown>;

/** Carries out what happens to an existing resource. */
export async function carryOutExisting(world: SimulatedWorld, deed: ExistingDeed, asked: Asked): Promise<void> {
  const place = world.places[deed.cloud];
  // A cloud that chooses IDs has no resource with an ID that somebody thought of.
  if (place === undefined || world.plan.world.clouds[deed.cloud]?.choosesIds) return;
  const name = `existing-${deed.cloud}-${deed.nth}`;
  const resourceId = existingId(place, name);
  if (deed.what === "adopt" || deed.what === "release") return declare(world, deed, { place, name, resourceId, asked });
  const there = await place.hand.get(resourceId);
  if (deed.what === "make") {
    const parameters = { location: place.location, size: deed.size };
    if (there === null) await place.hand.put(resourceId, { type: place.types.net, tags: tagged({}, deed), parameters });
  } else if (there === null) return;
  else if (deed.what === "edit") await place.hand.patchParameters(resourceId, { size: deed.size });
  else if (deed.what === "tag") await place.hand.putTags(resourceId, tagged(there.tags, deed));
  else await place.hand.delete(resourceId);
}

function existingId({ provider, types, scope, location }: SimulatedPlace, name: string): string {
  const { resourceIdFor } = provider === "provider-a" ? azureFacts : googleFacts;
  return resourceIdFor(types.net, name, { scope, region: location, container: "dev" });
}

function tagged(tags: Readonly<Record<string, string>>, { tag }: ExistingDeed): Record<string, string> {
  const others = Object.entries(tags).filter(([key]) => key.toLowerCase() !== "managed-by");
  return { ...Object.fromEntries(others), ...(tag !== null && { "managed-by": tag }) };
}

interface Declared {
  readonly place: SimulatedPlace;
  readonly name: string;
  readonly resourceId: string;
  readonly asked: Asked;
}

async function declare(
  world: SimulatedWorld,
  deed: ExistingDeed,
  { place, name, resourceId, asked }: Declared,
): Promise<void> {
  const known = declaring.get(world) ?? new Map<string, string>();
  declaring.set(world, known);
  const id = known.get(name);
  if (deed.what === "release") {
    known.delete(name);
    if (id !== undefined) await asked(world, ({ call }) => call("liveSystems.delete", { params: { id } }));
    return;
  }
  const body = {
    name,
    environmentId: simulatedEnvironment,
    adopt: "exact",
    components: [
      {
        path: name,
        provider: place.provider,
        type: place.types.net,
        resourceId,
        parameters: { location: place.location, size: deed.size },
        deletionPolicy: "Retain",
      },
    ],
  } as unknown as LiveSystemDefinition;
  if (id !== undefined)
    return void (await asked(world, ({ call }) => call("liveSystems.deploy", { params: { id }, body })));
  const made = await asked(world, ({ call }) => call("liveSystems.create", { body }));
  if (made !== null) known.set(name, (made as { livesystemId: string }).livesystemId);
}
