import { azureFacts, googleFacts } from "@liveplane/core/clouds";
import type { LiveSystemDefinition } from "@liveplane/core/contract";
import { chanceOf } from "./chance.ts";
import { planOf } from "./drawn-plan.ts";
import { simulatedEnvironment } from "./environments.ts";
import { handOver } from "./hand-overs.ts";
import type { SimulatedPlace } from "./places.ts";
import type { ExistingDeed, SimulationPlan } from "./plan.ts";
import type { SimulatedProcess, SimulatedWorld } from "./world.ts";

/** Worlds in which existing resources are adopted exactly. Their seeds are apart from those of `planOf`, which stay as they are. */
export function existingPlanOf(seed: number): SimulationPlan {
  const plain = planOf(seed ^ 0x51e5, { deeds: 20, faults: 40 });
  const chance = chanceOf(seed ^ 0xad0b7);
  const deeds = [...plain.deeds, ...Array.from({ length: 10 }, () => handOver(chance)).flat()];
  return { ...plain, deeds: deeds.sort((a, b) => a.at - b.at) };
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

/** The ID of a network that somebody made under a name. */
export function existingId({ provider, types, scope, location }: SimulatedPlace, name: string): string {
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
