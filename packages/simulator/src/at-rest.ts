import { createEventLog } from "@liveplane/core/testing/internal";
import { judgeCalm } from "./calm.ts";
import { begin, rotate } from "./hands.ts";
import { checkSeconds } from "./variants.ts";
import type { SimulatedWorld } from "./world.ts";

const cycleMs = checkSeconds * 1000;
/** The slowest operations, one behind the other, take this many cycles. */
const mostSlow = 40;
/** The longest pause: of an ineffective correction, whatever the clocks say, and of an activity log that couldn't be read. */
const longestRestMs = 3_600_000;

/** Nothing fails or pauses any more, and nobody waits for a write to act on it. */
export function endFaults(world: SimulatedWorld): void {
  for (const waiting of [
    world.cloudFaults,
    world.storeFaults,
    world.slowWrites,
    world.trails,
    world.crossings,
    world.slips,
    world.peeks,
  ])
    waiting.length = 0;
  for (const process of world.processes) process?.life.pauseAfter(Number.POSITIVE_INFINITY, async () => {});
  for (const { provider } of world.places) world.credentials.add(provider);
  world.isCalm = true;
}

/** Ends all faults, lets the agent come to rest, and checks the final state. */
export async function atRest(world: SimulatedWorld, pass: (ms: number) => Promise<void>): Promise<void> {
  const { watch } = world;
  endFaults(world);
  if (world.secret === null) rotate(world, "hunter-at-rest");
  // Crashed processes return, and dead ones' claims expire.
  await pass(3 * cycleMs);
  await settled(begin(world), world, pass);
  await pass(6 * cycleMs);
  // Dependent components come one after the other, and each may take time.
  for (let [turns, written] = [0, -1]; turns <= mostSlow && (isAtWork(world) || watch.written !== written); turns++) {
    written = watch.written;
    await pass(cycleMs);
  }
  const lags = unaskedMs(world);
  if (lags.length > 0) await pass(Math.max(...lags) + 2 * cycleMs);
  if (isPausing(world) || unaskedMs(world).length > 0) await pass(longestRestMs + 3 * cycleMs);
  // People are reminded of an override once it is old.
  const { overdueMs } = watch.judge.evidence.world;
  if (overdueMs !== undefined) await pass(overdueMs + 2 * cycleMs);
  if (watch.broken !== null) return;
  watch.judge.atRest();
  await judgeLog(world);
  const before = watch.written;
  await pass(2 * cycleMs);
  if (watch.broken === null && watch.written !== before)
    watch.fail("at-rest-nothing-is-written", `${watch.written - before} writes although nothing happened`);
  await judgeCalm(world, pass);
}

/** Whether a cloud still works on an earlier request, or a mutation waits for that. */
function isAtWork({ watch, liveSystemId }: SimulatedWorld): boolean {
  if (liveSystemId !== null && watch.judge.evidence.stored.openMutation(liveSystemId) !== null) return true;
  return [...watch.components.values()].some(({ operation }) => operation != null);
}

/** How long after a take-over its cloud's log is asked who did it: for each one that wasn't asked about yet. */
function unaskedMs({ watch, places }: SimulatedWorld): readonly number[] {
  return [...watch.components.values()].flatMap(({ provider, type, override }) => {
    const { capabilities, factsOf } = places.find((place) => place.provider === provider) ?? {};
    const isUnasked = override !== null && override.takenOverBy === undefined && factsOf?.(type).taggable === true;
    return isUnasked && capabilities?.recordLagMs !== undefined ? [capabilities.recordLagMs] : [];
  });
}

/** Whether a component's corrections are paused because they had no effect or somebody undid them. Where all of it is muted, it says only that. */
export function isPausing({ watch }: SimulatedWorld): boolean {
  return [...watch.components.values()].some(({ conditions: { inSync }, contested }) =>
    inSync.reason === "Muted" ? (contested?.restMs ?? 0) > 0 : ["Ineffective", "Contested"].includes(inSync.reason),
  );
}

async function settled(
  work: Promise<unknown>,
  { watch }: SimulatedWorld,
  pass: (ms: number) => Promise<void>,
): Promise<void> {
  let done = false;
  const end = () => {
    done = true;
  };
  work.then(end, end);
  for (let turns = 0; !done && turns < 100; turns++) await pass(1_000);
  if (!done) watch.fail("at-rest-as-declared", "A deploy was not accepted.");
}

/** Every committed event is sequenced exactly once, and the chain verifies. */
async function judgeLog({ watch, store, runtime }: SimulatedWorld): Promise<void> {
  const log = createEventLog({ store, runtime });
  await log.sequence();
  const { broken, waiting } = await log.verify();
  const head = await log.head();
  if (broken !== null || waiting > 0 || head !== watch.eventTimes.length)
    watch.fail(
      "events-tell-each-status",
      `${head} of ${watch.eventTimes.length} events in the log, broken at ${broken}`,
    );
}
