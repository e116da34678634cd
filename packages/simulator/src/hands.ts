import type { LiveSystemDefinition } from "@liveplane/core/contract";
import { isLiveplaneError } from "@liveplane/core/errors";
import type { Json } from "@liveplane/core/store";
import { carryOutExisting } from "./adoptions.ts";
import { pathsOf, simulatedDefinition, zonesOf } from "./declared.ts";
import { allHabits, type Habit, rewordedTo, wordedParameter } from "./habits.ts";
import { referencesOf } from "./judge/comparison.ts";
import type { Acknowledged, ResourceChanged, StoredComponent } from "./judge/facts.ts";
import { componentName } from "./judge/names.ts";
import type { SentWrite } from "./mortal-ports.ts";
import type { Hand, SimulatedPlace } from "./places.ts";
import type { Deed, Variant } from "./plan.ts";
import { crash, restart } from "./process-deeds.ts";
import { firstVariant } from "./variants.ts";
import type { Whereabouts } from "./watch.ts";
import { type SimulatedProcess, type SimulatedWorld, simulatedEnvironment } from "./world.ts";

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
    case "slip":
      return void world.slips.push((claimed) => isSlipped(world, deed, claimed));
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
): Promise<unknown> {
  const alive = world.processes.filter((process) => process !== null && !process.life.isOver());
  const process = alive[world.chance.below(alive.length)];
  if (process == null) return null;
  try {
    return await work(process);
  } catch (error) {
    if (!isLiveplaneError(error)) world.watch.fail("failures-have-codes", String(Object(error).stack ?? error));
    else if (error.code === "InternalError") world.watch.fail("failures-have-codes", String(error.stack));
    else world.watch.tell("a person", () => `was refused: ${error.code} ${JSON.stringify(error.details)}`);
    return null;
  }
}

function deploy(world: SimulatedWorld, variant: Variant): Promise<void> {
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
  readonly status: string;
  readonly environmentId: { readonly shortName: string };
}

/** Another tenant's isn't taken for one's own. */
function isLive({ status, environmentId: { shortName } }: FoundSystem): boolean {
  return status === "Active" && shortName === simulatedEnvironment.shortName;
}

async function ask(world: SimulatedWorld, { kind, component: name }: Deed & { kind: "check" | "plan" | "annotate" }) {
  const component = componentCalled(world, name);
  if (component === null) return;
  const params = { id: component.liveSystemId, componentId: componentName(component) };
  if (kind === "check") {
    const answer = await asked(world, ({ call }) => call("liveSystems.components.check", { params }));
    if (answer !== null)
      world.watch.judge.sees({ kind: "acknowledged", id: params.componentId, answer: answer as Acknowledged });
    return;
  }
  await asked(world, ({ call }) => {
    if (kind === "plan") return call("liveSystems.components.adoptionPlan", { params });
    return call("liveSystems.components.annotateOverride", { params, body: { reason: "maintenance" } });
  });
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

/** A component by its first path, whichever it has now; the declared one takes precedence. */
function componentCalled({ watch, liveSystemId }: SimulatedWorld, name: string): StoredComponent | null {
  const there = pathsOf(name).flatMap((path) => watch.components.get(`${liveSystemId}/${path}`) ?? []);
  const { declarations } = watch.judge.evidence;
  const declared = there.find(({ path }) => declarations.newest(liveSystemId ?? "", path) !== null);
  return declared ?? there[0] ?? null;
}

/** Where a component's resource is, or was last. */
function whereabouts(world: SimulatedWorld, name: string): Omit<Whereabouts, "order"> | null {
  const { resources } = world.watch;
  const component = componentCalled(world, name);
  // Another live system that is still being deleted may have the same path.
  const resourceId = component?.resource.id ?? null;
  if (component !== null && resourceId !== null)
    return { provider: component.provider, type: component.type, resourceId };
  const own = resources.get(component?.path ?? "");
  if (own !== undefined) return own;
  const known = pathsOf(name).flatMap((path) => resources.get(path) ?? []);
  return known.sort((a, b) => a.order - b.order).at(-1) ?? null;
}

type Handiwork = Extract<
  Deed,
  { readonly kind: "tag" | "hand-back" | "edit" | "reword" | "restore" | "remove" | "recreate" }
>;

/** What a person does to a resource in the cloud's own console. */
export async function byHand(world: SimulatedWorld, deed: Handiwork): Promise<void> {
  const known = whereabouts(world, deed.component);
  const place = world.places.find(({ provider }) => provider === known?.provider);
  if (known === null || place === undefined) return;
  const component = componentCalled(world, deed.component);
  const { resourceId, type } = known;
  const there = await place.hand.get(resourceId);
  if (deed.kind === "recreate") {
    if (there === null) await recreate(world, place, { resourceId, type, component, tags: deed.tags });
  } else if (there !== null) await edit(world, place, deed, { resourceId, type, ...there, component });
}

interface Found {
  readonly resourceId: string;
  readonly type: string;
  readonly tags: Readonly<Record<string, string>>;
  readonly parameters: Readonly<Record<string, Json>>;
  readonly component: StoredComponent | null;
}

async function edit(
  world: SimulatedWorld,
  { hand, capabilities, types }: SimulatedPlace,
  deed: Handiwork,
  { resourceId, type, tags, parameters: shown, component }: Found,
) {
  const isTaggable = type !== types.rule;
  switch (deed.kind) {
    case "tag":
      return isTaggable && isSpellable(deed, capabilities)
        ? setTags(hand, resourceId, tags, { [deed.key]: deed.value })
        : null;
    case "hand-back": {
      const both = { "managed-by": "platform", platform: "reconcile" };
      return isTaggable ? setTags(hand, resourceId, tags, both) : null;
    }
    case "edit":
      if (deed.parameter === "team")
        return isTaggable ? setTags(hand, resourceId, tags, { team: `t${deed.value}` }) : null;
      return hand.patchParameters(resourceId, { [deed.parameter]: editedTo(deed.parameter, deed.value) });
    case "reword": {
      const change = reworded(shown, deed);
      return change && hand.patchParameters(resourceId, change);
    }
    case "restore": {
      const parameters = plainParameters(world, component, capabilities.tagParameter);
      return hand.patchParameters(resourceId, parameters);
    }
    case "remove":
      return hand.delete(resourceId);
    default:
      return null;
  }
}

/** Whether a cloud accepts the spelling of a tag. Where case counts in keys, only lower case is allowed. */
function isSpellable(
  { key, value }: Deed & { kind: "tag" },
  { caselessTagKeys }: SimulatedPlace["capabilities"],
): boolean {
  const text = `${key}${value ?? ""}`;
  return caselessTagKeys || text === text.toLowerCase();
}

/** The next form of one of the cloud's worded places; `null` if none. */
function reworded(shown: Found["parameters"], deed: Deed & { kind: "reword" }): Record<string, Json> | null {
  const config = (shown[wordedParameter] ?? {}) as Readonly<Record<string, Json>>;
  const members = allHabits.filter((habit) => Object.hasOwn(config, habit));
  const member = deed.member ?? members[deed.value % members.length];
  const change = member === undefined ? null : rewordedTo(member, config, deed);
  return change && { [wordedParameter]: change };
}

/** Rewords what a process has just sent to a component's resource, if it did. */
function isTrailed(
  world: SimulatedWorld,
  { component, value }: Deed & { kind: "trail" },
  { operation, resourceId, sent = [] }: ResourceChanged,
): boolean {
  const member = sent[value % sent.length] as Habit | undefined;
  if (operation !== "update" || member === undefined || whereabouts(world, component)?.resourceId !== resourceId)
    return false;
  byHand(world, { kind: "reword", component, by: "person", value, member }).catch((error: unknown) =>
    world.watch.fail("failures-have-codes", String(error)),
  );
  return true;
}

/** Takes the resource over that a process has just sent an update to, if it is the component's. */
function isCrossed(
  world: SimulatedWorld,
  { component, then }: Deed & { kind: "cross" },
  cloud: number,
  { operation, resourceId }: SentWrite,
): boolean {
  if (operation !== "update" || whereabouts(world, component)?.resourceId !== resourceId) return false;
  if (then === "lose-answer") world.cloudFaults.push({ cloud, call: "write", what: "lose-answer", times: 1 });
  if (then === "fail-read") world.cloudFaults.push({ cloud, call: "read", what: "fail", times: 1 });
  byHand(world, { kind: "tag", component, key: "managed-by", value: null }).catch((error: unknown) =>
    world.watch.fail("failures-have-codes", String(error)),
  );
  return true;
}

/** Does what a person does between the decision about a component and its write, if this is the component. */
function isSlipped(
  world: SimulatedWorld,
  { component, then }: Deed & { kind: "slip" },
  claimed: StoredComponent,
): boolean {
  const known = componentCalled(world, component);
  if (known === null || componentName(known) !== componentName(claimed) || claimed.work?.kind !== "correct")
    return false;
  const key = then === "withdraw" ? "platform" : "managed-by";
  const deeds: Handiwork[] =
    then === "replace"
      ? [
          { kind: "remove", component },
          { kind: "recreate", component, tags: 2 },
        ]
      : [{ kind: "tag", component, key, value: null }];
  const inTurn = async () => {
    for (const deed of deeds) await byHand(world, deed);
  };
  inTurn().catch((error: unknown) => world.watch.fail("failures-have-codes", String(error)));
  return true;
}

/** What a person changes a parameter to. A nested one is merged; a list gets another length. */
function editedTo(parameter: string, value: number): Json {
  if (parameter === "mode") return { level: value };
  if (parameter === "zones") return zonesOf(value);
  return parameter === "password" ? `by-hand-${value}` : value;
}

async function setTags(
  hand: Hand,
  resourceId: string,
  tags: Readonly<Record<string, string>>,
  edits: Readonly<Record<string, string | null>>,
): Promise<unknown> {
  const names = new Set(Object.keys(edits).map((key) => key.toLowerCase()));
  const kept = Object.entries(tags).filter(([key]) => !names.has(key.toLowerCase()));
  const set = Object.entries(edits).filter((edit): edit is [string, string] => edit[1] !== null);
  return hand.putTags(resourceId, Object.fromEntries([...kept, ...set]));
}

/** Recreates a resource from memory: without tags, with one, or with both. */
async function recreate(
  world: SimulatedWorld,
  { hand, capabilities, types, location }: SimulatedPlace,
  made: { resourceId: string; type: string; component: StoredComponent | null; tags: number },
): Promise<void> {
  const { resourceId, type, component } = made;
  const managed = made.tags > 0 ? { "managed-by": "platform" } : {};
  const asked = made.tags > 1 ? { platform: "reconcile" } : {};
  const tags = type === types.rule ? {} : { ...managed, ...asked };
  const parameters = { location, ...plainParameters(world, component, capabilities.tagParameter) };
  await hand.put(resourceId, { type, tags, parameters });
}

/** The declared parameters of a component without references. */
function plainParameters(
  { watch }: SimulatedWorld,
  component: StoredComponent | null,
  tagParameter: string,
): Record<string, Json> {
  const declared = component && watch.judge.evidence.declarations.last(component.liveSystemId, component.path);
  const values = Object.entries(declared?.parameters ?? {});
  return Object.fromEntries(
    values.filter(([name, value]) => name !== tagParameter && referencesOf(value).length === 0),
  );
}
