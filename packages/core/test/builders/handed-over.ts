import type { LiveSystemDefinition } from "../../src/contract/schemas/live-system-schemas.ts";
import { adoptionPlan } from "../../src/contract/schemas/override-schemas.ts";
import { isLiveplaneError } from "../../src/errors.ts";
import type { Cloud, Reading } from "../../src/ports/cloud.ts";
import { environmentId, overrideWorld, type World, type WorldOptions } from "./override.ts";

/** The tags of what is managed, and of what is given back. */
export const managed = { "managed-by": "platform" };
export const both = { "managed-by": "platform", platform: "reconcile" };

/** What is declared where nothing else is said. */
export const vm = { provider: "provider-a", type: "Microsoft.Compute/virtualMachines@2024-03-01" };

type Declared = { path: string; [member: string]: unknown };

/** A declaration of virtual machines of size 1, or of what is said of each. */
export function definition(components: readonly Declared[]): LiveSystemDefinition {
  const whole = components.map((one) => ({ ...vm, parameters: { size: 1 }, ...one }));
  return { name: "shop", environmentId, components: whole } as unknown as LiveSystemDefinition;
}

/** A world with one component in it, `app`. */
export async function deployed(
  component: Record<string, unknown> = {},
  options: WorldOptions & { secrets?: Record<string, string> } = {},
) {
  const world = overrideWorld(options);
  for (const [name, value] of Object.entries(options.secrets ?? {})) world.secrets.set(name, value);
  const mutation = await world.create(definition([{ path: "app", ...component }]));
  const [first] = mutation.components;
  if (first?.resourceId == null) throw new Error(`not deployed: ${mutation.error?.detail}`);
  const console = world.consoles[first.provider as "provider-a" | "provider-b"];
  const params = { id: mutation.livesystemId, componentId: first.id };
  return { world, id: first.id, system: mutation.livesystemId, resourceId: first.resourceId, console, params };
}

/** Clouds whose resources have failed for as long as there is a code. */
export function failingBy(code: () => string | null): (clouds: readonly Cloud[]) => readonly Cloud[] {
  const failing = (reading: Reading): Reading => {
    const now = code();
    if (now === null || reading.state !== "present") return reading;
    return { state: "failed", code: now, message: `It says ${now}.`, resource: reading };
  };
  const failed = (cloud: Cloud): Cloud => ({
    ...cloud,
    read: async (...call) => failing(await cloud.read(...call)),
    readMany: async (...call) => (await cloud.readMany(...call)).map(failing),
  });
  return (clouds) => clouds.map(failed);
}

/** The same, in a person's hands. */
export async function overridden(...args: Parameters<typeof deployed>) {
  const made = await deployed(...args);
  await made.console.putTags(made.resourceId, {});
  await made.world.cycle();
  return made;
}

interface Plan {
  fingerprint: string;
  possible: boolean;
  reason: string | null;
  changes: { pointer: string; cause: string; declared: unknown; actual: unknown; declaredAtOverride: unknown }[];
  keepPatch: { op: string; path: string; value: unknown }[];
  unobservable: string[];
  dependents: unknown[];
}

/** The plan of a hand-back, as it is served. */
export async function planOf(world: World, params: { id: string; componentId: string }): Promise<Plan> {
  const plan = await world.call("liveSystems.components.adoptionPlan", { params });
  adoptionPlan.parse(plan);
  return plan as unknown as Plan;
}

/** How many calls of a kind clouds were asked for. */
export function callsOf(world: World, kind: string): number {
  let total = 0;
  for (const [name, count] of world.metrics.counts)
    if (name.startsWith("liveplane_cloud_calls_total") && name.includes(`"${kind}"`)) total += count;
  return total;
}

/** What a call is refused with, and the places at fault; `null`: it isn't refused. */
export async function refusal(work: Promise<unknown>) {
  const error = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  return isLiveplaneError(error) ? { code: error.code, errors: error.details.errors } : null;
}

/** The code of what a call is refused with. */
export async function code(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => "no error",
    (error: { code: string }) => error.code,
  );
}

/** Makes clouds say that they work on whatever exists, while they are busy. */
export function busyWhile(isBusy: () => boolean) {
  return (all: readonly Cloud[]): Cloud[] =>
    all.map((cloud) => ({
      ...cloud,
      read: async (...call): Promise<Reading> => {
        const reading = await cloud.read(...call);
        return isBusy() && reading.state === "present" ? { state: "working", resource: reading } : reading;
      },
    }));
}
