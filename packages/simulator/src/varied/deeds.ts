import type { OperationId } from "@liveplane/core";
import { isObject } from "@liveplane/core/clouds";
import type { LiveSystemDefinition } from "@liveplane/core/contract";
import type { Json } from "@liveplane/core/store";
import { existingId } from "../adoptions.ts";
import { setTags } from "../by-hand.ts";
import { owner, simulatedEnvironment } from "../environments.ts";
import { asked, rotate } from "../hands.ts";
import type { StoredComponent } from "../judge/facts.ts";
import { componentName } from "../judge/names.ts";
import type { SimulatedPlace } from "../places.ts";
import type { SentByPerson, SimulatedProcess, SimulatedWorld } from "../world.ts";
import { isPathOf, type Mistake, type VariedStates, variedComponents, variedDefinition } from "./declarations.ts";
import type { VariedDeed } from "./plan.ts";
import { variedValues } from "./values.ts";

/** What the deeds of a varied world remember. */
export interface VariedWorld {
  readonly world: SimulatedWorld;
  /** The live systems, by their names. */
  readonly systems: Map<string, string>;
  /** The resources of components that were fenced: when, and of which live system. */
  readonly fenced: Map<string, { readonly at: number; readonly liveSystemId: string }>;
  /** How often each component has gone, and whether it was there at the last deed. */
  readonly lives: { generation: number; wasThere: boolean }[];
}

const other = "3f2504e0-4f89-41d3-9a0c-0305e82c3399";

/** Carries out a deed, and lets the judge see what whoever calls is answered. */
export async function carryOutVaried(varied: VariedWorld, deed: VariedDeed): Promise<void> {
  const { world } = varied;
  noteLives(varied);
  switch (deed.kind) {
    case "declare":
      return declare(varied, definitionOf(varied, deed.states));
    case "plan-new":
      return void (await said(world, "liveSystems.plan", { body: definitionOf(varied, deed.states) }));
    case "plan": {
      const body = definitionOf(varied, deed.states, deed.mistake);
      const id = varied.systems.get(body.name);
      return void (id === undefined
        ? await said(world, "liveSystems.plan", { body })
        : await said(world, "liveSystems.planDeploy", { params: { id }, body }));
    }
    case "rotate":
      return rotate(world, deed.value);
    case "fault":
      return void world.cloudFaults.push({ cloud: deed.cloud, call: deed.call, what: deed.what, times: 2 });
    case "slow":
      return void world.slowWrites.push({ cloud: deed.cloud, ...deed.writes });
    case "delete":
      for (const id of varied.systems.values()) await said(world, "liveSystems.delete", { params: { id } });
      return varied.systems.clear();
    case "release":
      return release(varied, deed);
    case "adopt":
      return adopt(varied, deed);
    case "read":
      return readAll(varied);
    default:
      return actOn(varied, deed, componentOf(varied, deed.component));
  }
}

/** What people declare. Nobody knows which secrets the resource of what has gone still holds, so what comes back is another resource. */
function definitionOf(varied: VariedWorld, states: VariedStates, mistake: Mistake | null = null): LiveSystemDefinition {
  const { world, lives } = varied;
  const generations = lives.map(({ generation }) => generation);
  return variedDefinition(states, { places: world.places, generations, mistake });
}

/** Counts what has gone since the last deed. */
function noteLives(varied: VariedWorld): void {
  for (const [at, life] of varied.lives.entries()) {
    const isThere = componentOf(varied, at) !== null;
    if (life.wasThere && !isThere) life.generation += 1;
    life.wasThere = isThere;
  }
}

async function declare({ world, systems }: VariedWorld, body: LiveSystemDefinition): Promise<void> {
  const id = systems.get(body.name);
  if (id !== undefined) return void (await said(world, "liveSystems.deploy", { params: { id }, body }));
  const made = await said(world, "liveSystems.create", { body });
  if (made !== null) systems.set(body.name, (made as { livesystemId: string }).livesystemId);
}

/** A resource that exists is declared by a live system of its own. */
async function adopt(varied: VariedWorld, deed: VariedDeed & { kind: "adopt" }): Promise<void> {
  const { world, systems } = varied;
  const { exact, size, refers, hides } = deed;
  const place = world.places[0] as SimulatedPlace;
  if (world.plan.world.clouds[0]?.choosesIds) return;
  const path = hides ? "hidden" : "existing";
  const name = `with ${path}`;
  const resourceId = existingId(place, path);
  const { provider, location, types } = place;
  const own = { location, size: 1, note: "two" };
  const made = { ...own, ...(hides && { code: world.secret ?? "nothing" }) };
  if (!systems.has(name) && (await place.hand.get(resourceId)) === null)
    await place.hand.put(resourceId, { type: types.net, tags: { team: "t1" }, parameters: made });
  const parameters = {
    ...{ ...own, size },
    ...(refers && { note: { $output: "source#absent" } }),
    ...(hides && { code: { $secret: "password" } }),
  };
  const adopted = { path, provider, type: types.net, resourceId, deletionPolicy: "Retain" as const, parameters };
  const source = { path: "source", provider, type: types.net, parameters: { size: 1 } };
  await declare(varied, {
    ...{ name, environmentId: simulatedEnvironment },
    ...(exact && { adopt: "exact" as const }),
    components: [adopted, ...(refers ? [source] : [])],
  });
}

function componentOf({ world, systems }: VariedWorld, at: number): StoredComponent | null {
  const id = systems.get("varied");
  const component = variedComponents[at];
  const all = [...world.watch.components.values()];
  return all.findLast((one) => one.liveSystemId === id && component && isPathOf(component, one.path)) ?? null;
}

type OfComponent = Extract<VariedDeed, { readonly component: number }>;

async function actOn(varied: VariedWorld, deed: OfComponent, record: StoredComponent | null): Promise<void> {
  const { world } = varied;
  if (record === null) return;
  const params = { id: record.liveSystemId, componentId: componentName(record) };
  switch (deed.kind) {
    case "check":
      return void (await said(world, "liveSystems.components.check", { params }));
    case "plan-hand-back":
      return void (await said(world, "liveSystems.components.adoptionPlan", { params }));
    case "annotate": {
      const { note, remindInMs, isOther } = deed;
      const remindAt =
        remindInMs === null ? {} : { remindAt: new Date(world.runtime.clock.now() + remindInMs).toISOString() };
      const parts = { params, body: { ...note, ...remindAt }, by: isOther ? other : owner };
      return void (await said(world, "liveSystems.components.annotateOverride", parts));
    }
    case "accept": {
      const { fingerprint = "", changes = [] } = record.observed;
      const pointers = changes.map(({ pointer }) => pointer).filter((_, at) => at % deed.every === 0);
      const body = { pointers, fingerprint };
      return void (await said(world, "liveSystems.components.acceptSettled", { params, body }));
    }
    case "forget": {
      const pointers = Object.keys(record.settled ?? {}).filter((_, at) => at % deed.every === 0);
      return void (await said(world, "liveSystems.components.forgetSettled", { params, query: { pointers } }));
    }
    case "cross":
      return cross(world, deed, record);
    default:
      return byHand(world, deed, record);
  }
}

type ByHand = Exclude<
  OfComponent,
  { readonly kind: "check" | "plan-hand-back" | "annotate" | "accept" | "forget" | "cross" }
>;

/** A person acts at the moment of the agent's next write. */
function cross(
  world: SimulatedWorld,
  { component, when, does }: OfComponent & { kind: "cross" },
  record: StoredComponent,
): void {
  const act = () => {
    const deed: ByHand =
      does === "edit" ? { kind: "edit", component, name: "size", nth: 0 } : { kind: does, component };
    byHand(world, deed, record).catch((error: unknown) => world.watch.fail("failures-have-codes", String(error)));
    return true;
  };
  const { id } = record.resource;
  if (when === "claimed") world.slips.push((claimed) => claimed.path === record.path && act());
  else world.crossings.push((_, { resourceId }) => resourceId.toLowerCase() === id?.toLowerCase() && act());
}

/** What a person does in the cloud's console. */
async function byHand({ places }: SimulatedWorld, deed: ByHand, record: StoredComponent): Promise<void> {
  const place = places.find(({ provider }) => provider === record.provider);
  const { id } = record.resource;
  if (place === undefined || id === null) return;
  const { hand } = place;
  const there = await hand.get(id);
  const isTaggable = record.type !== place.types.rule;
  const managed = { "managed-by": "platform" };
  if (deed.kind === "recreate") {
    if (there !== null) return;
    const tags = isTaggable && deed.isManaged ? managed : {};
    return void (await hand.put(id, { type: record.type, tags, parameters: { location: place.location, size: 1 } }));
  }
  if (there === null) return;
  switch (deed.kind) {
    case "edit": {
      const { edited = [] } = variedValues[deed.name];
      const value = edited[deed.nth % Math.max(1, edited.length)];
      return void (value !== undefined && (await hand.patchParameters(id, { [deed.name]: value })));
    }
    case "take-over":
      return void (isTaggable && (await setTags(hand, id, there.tags, { "managed-by": null, platform: null })));
    case "hand-back":
      return void (isTaggable && (await setTags(hand, id, there.tags, { ...managed, platform: "reconcile" })));
    case "tag":
      return void (isTaggable && (await setTags(hand, id, there.tags, { [deed.key]: deed.value })));
    case "remove":
      return void (await hand.delete(id));
  }
}

/** An owner's live systems are fenced, people change what they had, and then they are released. What is left is read, and forgotten. */
async function release(
  { world, systems, fenced }: VariedWorld,
  { afterMs }: VariedDeed & { kind: "release" },
): Promise<void> {
  systems.clear();
  const { records, override } = world.processes[0] as SimulatedProcess;
  const own = { type: "Personal", ownerId: owner } as const;
  await records.change({ actor: "system", requestId: world.runtime.newId() }, async (change) => {
    await override.holdings.fence(change, own, { at: new Date(world.runtime.clock.now()).toISOString(), by: "system" });
  });
  for (const { resource, provider, liveSystemId } of world.watch.components.values()) {
    if (resource.id === null) continue;
    fenced.set(resource.id.toLowerCase(), { at: world.time.now(), liveSystemId });
    await world.places.find((place) => place.provider === provider)?.hand.patchParameters(resource.id, { size: 9 });
  }
  await world.time.sleep(afterMs);
  for (let turns = 0; turns < 20 && !(await override.holdings.release(own, () => false)); turns++);
  const left = await override.holdings.left(records, owner, 100);
  world.watch.judge.sees({ kind: "said", operation: "left behind", answer: plain(left) });
  await override.holdings.forget(owner);
}

/** Reads everything that anybody can be shown. */
export async function readAll(varied: VariedWorld): Promise<void> {
  const { world, systems } = varied;
  for (const id of systems.values()) {
    const ask = (operation: OperationId, more: object = {}, query: object = {}) =>
      said(world, operation, { params: { id, ...more }, query });
    await ask("liveSystems.get");
    const page = await ask("liveSystems.components.list");
    await ask("liveSystems.components.list", {}, { status: ["ManualOverride"], drift: true });
    const mutations = await ask("liveSystems.mutations.list", {}, { limit: 2 });
    for (const { id: mutationId } of itemsIn(mutations)) await ask("liveSystems.mutations.get", { mutationId });
    for (const { id: componentId } of itemsIn(page)) {
      await ask("liveSystems.components.get", { componentId });
      await ask("liveSystems.components.overrides", { componentId });
      await ask("liveSystems.components.dependents", { componentId });
      await ask("liveSystems.components.adoptionPlan", { componentId });
    }
  }
  await readExisting(varied);
  await readAsHost(varied);
  for (const operation of ["liveSystems.list", "liveSystems.health", "overrides.list", "overrides.digest"] as const)
    await said(world, operation, {});
}

/** What the clouds have is listed, and declared. */
async function readExisting({ world }: VariedWorld): Promise<void> {
  for (const { provider } of world.places) {
    const params = simulatedEnvironment;
    const page = await said(world, "environments.resources.list", { params, query: { provider, limit: 50 } });
    const resourceIds = itemsIn(page).map(({ id }) => id);
    if (resourceIds.length > 0) await said(world, "environments.resources.declare", { params, body: { resourceIds } });
  }
}

/** What other parts of a host ask. */
async function readAsHost({ world, systems }: VariedWorld): Promise<void> {
  const { override, records } = world.processes[0] as SimulatedProcess;
  const ids = [...systems.values()];
  const known = [...world.watch.components.values()].flatMap((one) => (ids.includes(one.liveSystemId) ? [one] : []));
  const answers = {
    scopes: await Promise.all(ids.map((id) => override.liveSystemScope(id))),
    components: await Promise.all(known.map((one) => override.knownComponent(componentName(one)))),
    uses: await override.secretUses(simulatedEnvironment, "password"),
    names: await override.namesOf(records, ids),
    of: await Promise.all(
      world.places.map(({ provider }) =>
        override.componentsOf(
          provider,
          known.flatMap(({ resource }) => resource.id ?? []),
        ),
      ),
    ),
    resources: await override.resourcesOf(records, { type: "Personal", id: owner }),
  };
  await override.housekeep();
  world.watch.judge.sees({ kind: "said", operation: "host", answer: plain(answers) });
}

function itemsIn(page: Json): { readonly id: string }[] {
  return isObject(page) && Array.isArray(page.items) ? (page.items as { id: string }[]) : [];
}

/** Calls an operation, and lets the judge see its answer or refusal; `null` if it was refused. */
async function said(world: SimulatedWorld, operation: OperationId, parts: SentByPerson): Promise<Json> {
  const hear = (answer: Json) => {
    world.watch.tell("a person", () => `${operation}: ${JSON.stringify(answer)}`);
    world.watch.judge.sees({ kind: "said", operation, answer });
  };
  const refused = ({ code, details }: { readonly code: string; readonly details: object }) =>
    hear({ code, details: plain(details) });
  const answer = await asked(world, ({ call }) => call(operation, parts), refused);
  if (answer === null) return null;
  hear(plain(answer));
  return plain(answer);
}

/** A value as it is sent. */
function plain(value: unknown): Json {
  return JSON.parse(JSON.stringify(value)) as Json;
}
