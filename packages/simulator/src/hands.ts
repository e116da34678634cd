import type { LiveSystemDefinition } from "@liveplane/core/contract";
import { isLiveplaneError, type LiveplaneError } from "@liveplane/core/errors";
import { carryOutExisting } from "./adoptions.ts";
import { fightOver, isCrossed, isFollowed, isSlipped, isTrailed, peekOf } from "./ambushes.ts";
import { byHand, componentCalled, whereabouts } from "./by-hand.ts";
import { isSecretUsed } from "./called-cloud.ts";
import { simulatedDefinition, simulatedName } from "./declared.ts";
import { simulatedEnvironment } from "./environments.ts";
import { wordedParameter } from "./habits.ts";
import type { Acknowledged, PlannedHandBack } from "./judge/facts.ts";
import { componentName } from "./judge/names.ts";
import type { Deed, Variant } from "./plan.ts";
import { crash, crashAt, restart } from "./process-deeds.ts";
import { firstVariant } from "./variants.ts";
import type { SimulatedProcess, SimulatedWorld } from "./world.ts";

/** Applies a deed to the world. Its effects appear over time. */
export async function carryOutDeed(world: SimulatedWorld, deed: Deed): Promise<void> {
  switch (deed.kind) {
    case "cloud-fault":
      return void world.cloudFaults.push({ cloud: deed.cloud, call: deed.call, ...deed.fault });
    case "slow":
      return void world.slowWrites.push({ cloud: deed.cloud, ...deed.writes });
    case "store-fault":
      return void world.storeFaults.push({ ...deed.fault });
    case "credentials": {
      const provider = world.places[deed.cloud]?.provider ?? "";
      return void (deed.there ? world.credentials.add(provider) : world.credentials.delete(provider));
    }
    case "clock":
      world.skewMs[deed.process] = (world.skewMs[deed.process] ?? 0) + deed.ms;
      return;
    case "crash":
      return crash(world, deed);
    case "restart":
      return restart(world, deed.process);
    case "pause":
      return world.processes[deed.process]?.life.pauseAfter(deed.after, () => world.time.sleep(deed.ms));
    case "deploy":
      return deploy(world, deed.variant);
    case "delete":
      return remove(world);
    case "claim":
      return claim(world, deed.component);
    case "rotate":
      return rotate(world, deed.value === null ? null : `hunter-${deed.value}-${world.plan.seed}`);
    case "accept":
    case "forget":
      return settle(world, deed);
    case "check":
    case "plan":
    case "annotate":
      return ask(world, deed);
    case "trail":
      return void world.trails.push((change) => isTrailed(world, deed, change));
    case "cross":
      return void world.crossings.push((cloud, sent) => isCrossed(world, deed, cloud, sent));
    case "follow":
      return void world.trails.push((change, provider) => isFollowed(world, deed, change, provider));
    case "fight":
      return void world.trails.push(fightOver(world, deed));
    case "slip": {
      const check = (component: string) => ask(world, { kind: "check", component });
      const note = (component: string) =>
        ask(world, { kind: "annotate", component, reason: `noted at ${world.time.now()}` });
      const errands = { check, note, deleteAll: () => remove(world) };
      return void world.slips.push((claimed, process) =>
        isSlipped(world, deed, claimed, { ...errands, die: () => crashAt(world, process) }),
      );
    }
    case "peek":
      return void world.peeks.push(peekOf(world, deed, () => carryOutDeed(world, deed.deed)));
    case "existing":
      return carryOutExisting(world, deed, asked);
    default:
      return byHand(world, deed);
  }
}

/** Calls whichever process is running. A refusal is final; a failure is for the caller to repeat. */
export async function asked(
  world: SimulatedWorld,
  work: (process: SimulatedProcess) => Promise<unknown>,
  onRefused: (refusal: Pick<LiveplaneError, "code" | "details">) => void = () => {},
): Promise<unknown> {
  const alive = world.processes.filter((process) => process !== null && !process.life.isOver());
  const process = alive[world.chance.below(alive.length)];
  if (process == null) return null;
  try {
    return await work(process);
  } catch (error) {
    if (!isLiveplaneError(error)) world.watch.fail("failures-have-codes", String(Object(error).stack ?? error));
    else if (error.code === "InternalError") world.watch.fail("failures-have-codes", String(error.stack));
    else {
      world.watch.tell("a person", () => `was refused: ${error.code} ${JSON.stringify(error.details)}`);
      onRefused(error);
    }
    return null;
  }
}

function deploy(world: SimulatedWorld, variant: Variant): Promise<void> {
  if (variant.plain || !isSecretUsed(world)) world.secretAt = world.time.now();
  return deployDefinition(world, simulatedDefinition(world, variant));
}

/** Declares the live system: creates it, or redeploys it. */
export async function deployDefinition(world: SimulatedWorld, body: LiveSystemDefinition): Promise<void> {
  const { liveSystemId: id } = world;
  if (id === null) {
    const made = await asked(world, ({ call }) => call("liveSystems.create", { body }));
    const [system] = made === null ? await live(world) : [{ id: (made as { livesystemId: string }).livesystemId }];
    world.liveSystemId = system?.id ?? null;
  } else await asked(world, ({ call }) => call("liveSystems.deploy", { params: { id }, body }));
}

/** Deletes the live system; the next deploy creates another. */
async function remove(world: SimulatedWorld): Promise<void> {
  const { liveSystemId: id } = world;
  if (id === null) return;
  await asked(world, ({ call }) => call("liveSystems.delete", { params: { id } }));
  const there = await live(world);
  if (!there.some((system) => system.id === id && system.status === "Active")) world.liveSystemId = null;
}

/** Another live system names a taken resource. It may have it only once nobody else does. */
async function claim(world: SimulatedWorld, component: string): Promise<void> {
  const known = whereabouts(world, component);
  if (known === null || !component.endsWith("net")) return;
  const { provider, type, resourceId } = known;
  // A cloud that chooses IDs never creates a deleted one again.
  const cloud = world.places.findIndex((place) => place.provider === provider);
  if (world.plan.world.clouds[cloud]?.choosesIds) return;
  // Only the first cloud takes an ID in other letters for the same.
  const isSpelled = cloud === 0 && world.plan.seed % 2 === 1;
  const spelled = isSpelled ? resourceId.replace(/[^/]+$/, (name) => name.toUpperCase()) : resourceId;
  const components = [{ path: "taken", provider, type, resourceId: spelled, parameters: { size: 1 } }];
  const body = { name: "another", environmentId: simulatedEnvironment, components } as LiveSystemDefinition;
  await asked(world, ({ call }) => call("liveSystems.create", { body }));
}

/** Sets the environment's secret. */
export function rotate(world: SimulatedWorld, value: string | null): void {
  world.secret = value;
  world.secretAt = world.time.now();
  if (value !== null) world.secretsEver.add(value);
  world.watch.judge.sees({ kind: "secret", name: "password", value });
}

/** Creates a live system as long as there is none. */
export async function begin(world: SimulatedWorld): Promise<void> {
  if (world.liveSystemId === null) await deploy(world, firstVariant(world.plan));
}

async function live({ store }: SimulatedWorld) {
  const entries = await store.list({ prefix: ["record", "live-system"] });
  return entries.map(({ value }) => value as unknown as FoundSystem).filter(isLive);
}

interface FoundSystem {
  readonly id: string;
  readonly name: string;
  readonly status: string;
}

/** No other one, of whichever tenant, is taken for it. */
function isLive({ status, name }: FoundSystem): boolean {
  return status === "Active" && name === simulatedName;
}

async function ask(
  world: SimulatedWorld,
  { kind, component: name, reason = "maintenance", remindInMs }: Deed & { kind: "check" | "plan" | "annotate" },
) {
  const component = componentCalled(world, name);
  if (component === null) return;
  const params = { id: component.liveSystemId, componentId: componentName(component) };
  if (kind === "check") {
    const answer = await asked(world, ({ call }) => call("liveSystems.components.check", { params }));
    if (answer !== null)
      world.watch.judge.sees({ kind: "acknowledged", id: params.componentId, answer: answer as Acknowledged });
    return;
  }
  const since = world.watch.judge.evidence.declarations.acceptedAt(component.liveSystemId);
  const answer = await asked(world, ({ call }) => {
    if (kind === "plan") return call("liveSystems.components.adoptionPlan", { params });
    const remindAt = remindInMs !== undefined && new Date(world.runtime.clock.now() + remindInMs).toISOString();
    const body = { reason, ...(remindAt && { remindAt }) };
    return call("liveSystems.components.annotateOverride", { params, body });
  });
  if (kind === "plan" && answer !== null)
    world.watch.judge.sees({ kind: "planned", id: params.componentId, plan: answer as PlannedHandBack, since });
}

/** Accepts all forms that a component's cloud shows, or forgets what is known about them. */
async function settle(world: SimulatedWorld, { kind, component }: Deed & { kind: "accept" | "forget" }) {
  const record = componentCalled(world, component);
  if (record === null) return;
  const { fingerprint = "", changes = [] } = record.observed;
  const params = { id: record.liveSystemId, componentId: componentName(record) };
  const below = `/${wordedParameter}/`;
  if (kind === "accept") {
    const pointers = changes.flatMap(({ pointer }) => (pointer.startsWith(below) ? [pointer] : []));
    if (pointers.length === 0) return;
    const body = { pointers, fingerprint };
    await asked(world, ({ call }) => call("liveSystems.components.acceptSettled", { params, body }));
    return;
  }
  const [pointer] = Object.keys(record.settled ?? {}).filter((place) => place.startsWith(below));
  if (pointer === undefined) return;
  const query = { pointers: [pointer] };
  await asked(world, ({ call }) => call("liveSystems.components.forgetSettled", { params, query }));
}
