import type { Cloud } from "@liveplane/core/clouds";
import { LiveplaneError } from "@liveplane/core/errors";
import { endFaults } from "./at-rest.ts";
import { byHand } from "./by-hand.ts";
import { type Chance, chanceOf } from "./chance.ts";
import { simulatedDefinition } from "./declared.ts";
import { asked, begin, carryOutDeed, deployDefinition } from "./hands.ts";
import type { Broken, StoredComponent } from "./judge/facts.ts";
import { componentName } from "./judge/names.ts";
import { beginOther } from "./neighbours.ts";
import { type NewPlaces, simulatedPlaces } from "./places.ts";
import type { SimulationPlan } from "./plan.ts";
import { deliveredMs, type SimulatedReceivers, simulatedReceivers } from "./receivers.ts";
import { passUntil } from "./simulate.ts";
import { checkSeconds, firstVariant, unrestMs } from "./variants.ts";
import { endWorld, newWorld, type SimulatedWorld, stageOf, startProcess } from "./world.ts";

/** What breaks and never heals. */
interface Affliction {
  /** The cloud's position; `null`: all that another tenant has, in each cloud. */
  readonly cloud: number | null;
  /** All its resources, or only those with this in their name. */
  readonly name: string | null;
  readonly how: "fails" | "hangs" | "throttles" | "rejects";
  /** When it begins, in milliseconds. */
  readonly from: number;
}

/** The result of a simulation with something that never heals. */
export interface ForeverSimulation {
  readonly broken: Broken | null;
  /** How many components were held to their times although something else was broken. */
  readonly judged: number;
}

const cycleMs = checkSeconds * 1000;

/** How many components the other tenant has in each cloud: more than run at once. */
const othersInCloud = 12;

/** How long a call to what is broken takes, at the longest. */
const hangsMs = 20_000;

/**
 * Runs a plan in which one cloud, one component or another tenant breaks and never heals. Everything else keeps its times: each of its components is looked
 * at, corrected, handed over and handed back, and a deploy of it ends. The deeds are those of the plan.
 */
export async function simulateForever(drawnPlan: SimulationPlan): Promise<ForeverSimulation> {
  // Another tenant has scopes of its own here.
  const { neighbours: _, ...alone } = drawnPlan.world;
  const plan = { ...drawnPlan, world: alone };
  // A fork: the plan's own choices stay as they are.
  const affliction = drawn(chanceOf(plan.seed ^ 0xf04e7e4), plan);
  const lookedAt = new Map<string, number>();
  let now = () => 0;
  const isBroken = (cloud: number, id: string, otherScope: string) => {
    if (now() < affliction.from) return false;
    if (affliction.cloud === null) return id.toLowerCase().includes(otherScope);
    return cloud === affliction.cloud && isNamed(affliction, id);
  };
  const newPlaces: NewPlaces = (variations, runtime, slownessOf) =>
    simulatedPlaces(variations, runtime, slownessOf).map((place, at) => ({
      ...place,
      open: (user) => {
        const looks = (id: string) => void lookedAt.set(id.toLowerCase(), now());
        const fails = async () => {
          if (affliction.how === "hangs") await user.runtime.clock.sleep(hangsMs);
          throw failureOf(affliction);
        };
        return afflicted(place.open(user), {
          isBroken: (id) => isBroken(at, id, place.otherScope ?? place.scope),
          fails,
          looks,
        });
      },
    }));
  const stage = stageOf(plan);
  const receivers = simulatedReceivers(plan.seed, stage.time);
  const world = newWorld(plan, { newPlaces, stage, sender: receivers.sender });
  now = world.time.now;
  const pass = (ms: number) => passUntil(world, world.time.now() + ms);
  const inBackground = (work: Promise<unknown>) =>
    void work.catch((error: unknown) => world.watch.fail("failures-have-codes", String(error)));
  try {
    for (let slot = 0; slot < plan.world.processes; slot++) inBackground(startProcess(world, slot));
    inBackground(begin(world));
    if (affliction.cloud === null) inBackground(beginOther(world, othersInCloud));
    for (const { at, deed } of plan.deeds) inBackground(world.time.sleep(at).then(() => carryOutDeed(world, deed)));
    await pass(unrestMs);
    const judged = await judgeOthers(world, { affliction, pass, lookedAt, inBackground, receivers });
    return { broken: world.watch.broken, judged };
  } finally {
    endWorld(world);
  }
}

/** A person creates a webhook for each receiver. */
async function createWebhooks(world: SimulatedWorld, { addresses }: SimulatedReceivers): Promise<void> {
  for (const url of addresses) {
    let made: unknown = null;
    for (let times = 0; made === null && times < 20; times++) {
      const making = asked(world, ({ call }) => call("accounts.webhooks.create", { body: { name: "receiver", url } }));
      // Its process may die meanwhile.
      made = await Promise.race([making, world.time.sleep(10_000).then(() => null)]);
      if (made === null) await world.time.sleep(1_000);
    }
  }
}

function isNamed({ name }: Affliction, id: string): boolean {
  return name === null || id.toLowerCase().includes(`/${name}-`);
}

function drawn(chance: Chance, { world }: SimulationPlan): Affliction {
  const name = chance.happens(0.5) ? null : chance.pick(["net", "app", "rule"]);
  const cloud = chance.below(world.clouds.length);
  return {
    cloud: chanceOf(chance.below(1_000_000)).happens(0.3) ? null : cloud,
    name,
    how: chance.pick(["fails", "hangs", "throttles", "rejects"]),
    from: chance.below(unrestMs),
  };
}

function failureOf({ how, cloud }: Affliction): LiveplaneError {
  if (how === "rejects") return new LiveplaneError("ProviderCredentialsRejected");
  if (how === "throttles")
    return new LiveplaneError("RateLimited", "The cloud is throttling requests.", {
      // Only a scope of its own may be left alone for long without harm to others.
      details: { retryAfterSeconds: cloud === null ? 120 : 5 },
    });
  return new LiveplaneError("ProviderError", "The cloud is broken.", { retryable: true });
}

interface Breaking {
  readonly isBroken: (resourceId: string) => boolean;
  readonly fails: () => Promise<never>;
  readonly looks: (resourceId: string) => void;
}

/** A cloud whose calls about what is broken fail. */
function afflicted(cloud: Cloud, { isBroken, fails, looks }: Breaking): Cloud {
  const about =
    <Args extends [{ readonly resourceId: string }, ...unknown[]], T>(call: (...args: Args) => Promise<T>) =>
    (...args: Args): Promise<T> =>
      isBroken(args[0].resourceId) ? fails() : call(...args);
  return {
    ...cloud,
    create: (resource, call) =>
      isBroken(resource.resourceId ?? `${resource.target.scope}/${resource.name}-`)
        ? fails()
        : cloud.create(resource, call),
    update: about(cloud.update),
    remove: about(cloud.remove),
    removeTag: about(cloud.removeTag),
    ...(cloud.follow && { follow: about(cloud.follow) }),
    read: async (ref, call) => {
      if (isBroken(ref.resourceId)) return fails();
      looks(ref.resourceId);
      return cloud.read(ref, call);
    },
    readMany: async (refs, call) => {
      if (refs.every(({ resourceId }) => isBroken(resourceId))) return fails();
      const readings = await cloud.readMany(refs, call);
      return readings.map((reading, at) => {
        const { resourceId = "" } = refs[at] ?? {};
        if (isBroken(resourceId)) return { state: "unreadable", reason: "ProviderError" } as const;
        looks(resourceId);
        return reading;
      });
    },
  };
}

interface Trial {
  readonly affliction: Affliction;
  readonly pass: (ms: number) => Promise<void>;
  readonly lookedAt: ReadonlyMap<string, number>;
  readonly receivers: SimulatedReceivers;
  readonly inBackground: (work: Promise<unknown>) => void;
}

/** Ends all other faults, and holds everything that the broken part doesn't touch to its times. */
async function judgeOthers(world: SimulatedWorld, trial: Trial): Promise<number> {
  const { watch, plan } = world;
  const { affliction, pass, lookedAt, receivers, inBackground } = trial;
  endFaults(world);
  inBackground(begin(world));
  inBackground(createWebhooks(world, receivers));
  const lags = plan.world.clouds.map(({ lagMs, lateMs = 0 }) => lagMs + lateMs);
  // One sweep waits for the slowest call of what is broken, and the next one sees what happened meanwhile.
  const boundMs = 3 * cycleMs + Math.max(...lags) + 2 * hangsMs;
  await pass(12 * cycleMs + boundMs);
  inBackground(deployDefinition(world, simulatedDefinition(world, firstVariant(plan))));
  await pass(6 * boundMs);
  const others = [...watch.components.values()].filter((one) => isUntouched(one, affliction, world));
  for (const one of others) {
    const name = componentName(one);
    const seen = lookedAt.get(one.resource.id?.toLowerCase() ?? "") ?? 0;
    if (world.time.now() - seen > boundMs)
      watch.fail("broken-delays-nobody", `${name} wasn't looked at for ${world.time.now() - seen} ms`);
    if (one.step?.state === "pending" || one.step?.state === "begun")
      watch.fail("broken-delays-nobody", `the deploy of ${name} is still ${one.step.state}`);
  }
  for (const one of others.filter((component) => isTakeable(component, world))) {
    const now = () => watch.component(componentName(one));
    const expectStatus = (status: string, what: string) => {
      if (watch.broken === null && now()?.status !== status)
        watch.fail(
          "broken-delays-nobody",
          `${componentName(one)} was ${what}, and is ${now()?.status} ${boundMs} ms later`,
        );
    };
    await byHand(world, { kind: "tag", component: one.path, key: "managed-by", value: null });
    await pass(boundMs);
    expectStatus("ManualOverride", "taken over");
    await byHand(world, { kind: "hand-back", component: one.path });
    await pass(2 * boundMs);
    expectStatus("Active", "handed back");
  }
  const told = watch.eventTimes.length;
  await pass(deliveredMs);
  const wrong = receivers.wrongAmong(watch.eventTimes.slice(0, told));
  if (wrong !== null) watch.fail("broken-delays-nobody", wrong);
  return others.length;
}

/** Whether a component is none of what is broken, and needs none of it. */
function isUntouched(component: StoredComponent, { cloud, name }: Affliction, world: SimulatedWorld): boolean {
  const { evidence } = world.watch.judge;
  const broken = cloud === null ? null : world.places[cloud]?.provider;
  const isHit = (one: StoredComponent) =>
    one.provider === broken && (name === null || (one.resource.id ?? one.path).toLowerCase().includes(`/${name}-`));
  const known = new Set<string>();
  const reaches = (one: StoredComponent): boolean => {
    if (known.has(one.path)) return false;
    known.add(one.path);
    const { needs = [], overrideWith = null } = evidence.declared(one) ?? {};
    const above = [...needs, overrideWith, one.governedBy ?? null].flatMap((path) => {
      const found = path === null ? null : evidence.sibling(one.liveSystemId, path);
      return found === null ? [] : [found];
    });
    return isHit(one) || one.resource.id === null || above.some(reaches);
  };
  const isOwn = component.liveSystemId === world.liveSystemId && evidence.declared(component) !== null;
  return isOwn && !component.leaving && !reaches(component);
}

/** Whether a component is in order, and its own tags hand it over. */
function isTakeable(component: StoredComponent, { watch }: SimulatedWorld): boolean {
  const { status, conditions } = component;
  return status === "Active" && conditions.inSync.value === true && !watch.judge.evidence.isGoverned(component);
}
