import type { CloudCredentials, ResourceRef } from "@liveplane/core/clouds";
import type { Landed, ResourceChanged } from "./judge/facts.ts";
import { lateCloud, mortalCloud, type SentWrite } from "./mortal-ports.ts";
import { sayingCloud, toldCloud } from "./odd-clouds.ts";
import type { SimulatedPlace } from "./places.ts";
import type { CloudFault, SimulationPlan } from "./plan.ts";
import type { VirtualTime } from "./virtual-time.ts";
import type { Watch } from "./watch.ts";

/** The parts of a world by which its clouds behave. */
export interface CalledWorld {
  readonly plan: SimulationPlan;
  readonly time: VirtualTime;
  readonly watch: Watch;
  /** The faults of the next calls. */
  readonly cloudFaults: { readonly cloud: number; readonly call: string; what: CloudFault["what"]; times: number }[];
  /** What people do right after a process's next change of a resource. Each says whether that was it. */
  readonly trails: ((change: ResourceChanged, provider: string) => boolean)[];
  /** What people do right after a process has sent a write. Each says whether that was it. */
  readonly crossings: ((cloud: number, sent: SentWrite) => boolean)[];
  /** When a process created each resource. */
  readonly madeAt: Map<string, number>;
  /** The value of the environment's secret; `null` if there is none. */
  secret: string | null;
  /** When that value was set, or a declaration began to use it or stopped. */
  secretAt: number;
  /** Every value that the secret has had. */
  readonly secretsEver: Set<string>;
  /** Nothing fails any more. */
  isCalm: boolean;
}

/** Until a new secret has been read by everybody, no cloud repeats it. */
const knownMs = 60_000;

/** Who reaches which cloud, and through what. */
interface CallerOf {
  readonly place: SimulatedPlace;
  readonly cloud: number;
  readonly name: string;
  readonly passage: Parameters<typeof mortalCloud>[1];
  readonly runtime: Parameters<SimulatedPlace["open"]>[0]["runtime"];
}

/** A cloud as a process reaches it. */
export function calledCloud(
  world: CalledWorld,
  { place, cloud, name, passage, runtime }: CallerOf,
): ReturnType<typeof mortalCloud> {
  const { plan, time, watch } = world;
  let lastMade = "";
  const onChange = (change: ResourceChanged) => {
    if (change.before === null) lastMade = change.resourceId.toLowerCase();
    watch.sawChange(name, place.provider, change);
    tellWaiting(world.trails, change, place.provider);
  };
  const { lateMs = 0, hidesFailed } = plan.world.clouds[cloud] ?? {};
  const isLate = (id: string) => (world.madeAt.get(id.toLowerCase()) ?? -lateMs) + lateMs > time.now();
  const onLanding = (change: Landed) => {
    // What nobody has seen while it was being made may appear late. Once the world is calm, it did so long before somebody looked.
    if (change.wasHidden && !change.failed && !world.isCalm)
      world.madeAt.set(change.resourceId.toLowerCase(), time.now());
    watch.sawLanding(place.provider, change);
  };
  const sayings = {
    secret({ type, resourceId }: Pick<ResourceRef, "type" | "resourceId">) {
      const { secret, secretAt, secretsEver } = world;
      if (place.sentWith !== undefined) return place.sentWith(resourceId, secretsEver);
      if (secret === null) return null;
      const isKnown = type === place.types.app && time.now() > secretAt + knownMs && isSecretUsed(world);
      return isKnown ? secret : null;
    },
    isShy: () => hidesFailed === true && !world.isCalm,
  };
  const behindOf = (sent: SentWrite) => {
    const straggler = watch.sawStraggling(name, place.provider, sent);
    return place.open({ runtime, onChange: (change) => onChange({ ...change, straggler }), onLanding });
  };
  const opened = sayingCloud(place.open({ runtime, onChange, onLanding }), sayings);
  const onCall = (names: readonly string[], { secret }: CloudCredentials) =>
    watch.judge.sees({
      kind: "called",
      process: name,
      provider: place.provider,
      names,
      key: secret?.reveal() ?? null,
    });
  const told = plan.world.neighbours ? toldCloud(lateCloud(opened, isLate), onCall) : lateCloud(opened, isLate);
  return mortalCloud(told, passage, {
    behindOf,
    faultOf: (call) => nextOf(world.cloudFaults, (one) => one.cloud === cloud && one.call === call)?.what ?? null,
    onAsk: (resourceId) => watch.judge.sees({ kind: "asks", process: name, name: resourceId }),
    onEnd: (resourceId) => watch.judge.sees({ kind: "followed", process: name, name: resourceId }),
    onReading: (resourceId, reading) => watch.sawReading(name, resourceId, reading),
    onSent(sent) {
      watch.sawSent(name, place.provider, sent);
      tellWaiting(world.crossings, cloud, sent);
    },
    onAnswer({ operation, resourceId, became, isLost }) {
      // A process that doesn't know of the creation has no reason to wait.
      if (operation === "create" && became !== null) world.madeAt.set(lastMade, time.now());
      watch.sawAnswer(name, { provider: place.provider, resourceId, made: became === "made", isLost });
    },
  });
}

/** Whether every app is declared with the secret, so that a cloud was sent no other password. */
export function isSecretUsed({ watch: { judge } }: Pick<CalledWorld, "watch">): boolean {
  const { declarations } = judge.evidence;
  const declared = judge.evidence.components().map((one) => declarations.last(one.liveSystemId, one.path));
  return declared.every((one) => typeof one?.parameters?.password !== "string");
}

/** The first match, once for each of its remaining times. */
export function nextOf<F extends { times: number }>(waiting: F[], fits: (one: F) => boolean): F | null {
  const at = waiting.findIndex(fits);
  const one = waiting[at];
  if (one === undefined) return null;
  one.times -= 1;
  if (one.times === 0) waiting.splice(at, 1);
  return one;
}

/** Tells those who wait what happens. The first for whom that is the moment waits no longer. */
export function tellWaiting<What extends readonly unknown[]>(
  waiting: ((...what: What) => boolean)[],
  ...what: What
): void {
  const at = waiting.findIndex((one) => one(...what));
  if (at !== -1) waiting.splice(at, 1);
}
