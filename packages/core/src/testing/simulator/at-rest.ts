import { createEventLog } from "../../events/event-log.ts";
import { isIneffective } from "../../override/protocol/verdicts.ts";
import { type ComponentRecord, idOf } from "../../override/records/component-record.ts";
import { mutations } from "../../override/records/live-system-record.ts";
import type { Json } from "../../ports/store.ts";
import { begin } from "./hands.ts";
import { declaredOf } from "./invariants.ts";
import { differing, differs, hasReference, isAsked, oracleSaysManaged } from "./oracle.ts";
import type { SimulatedPlace } from "./places.ts";
import { checkSeconds } from "./plan.ts";
import { beginning } from "./simulated-runtime.ts";
import type { SimulatedWorld } from "./world.ts";

const cycleMs = checkSeconds * 1000;
const longestRestMs = 2 * 3_600_000;

/** Ends everything that goes wrong, lets the agent come to rest, and holds the world to what it must be then. */
export async function atRest(world: SimulatedWorld, pass: (ms: number) => Promise<void>): Promise<void> {
  const { watch, places } = world;
  world.cloudFaults.length = 0;
  world.storeFaults.length = 0;
  for (const { provider } of places) world.credentials.add(provider);
  // Whoever crashed comes back, claims of the dead run out, clocks that went back catch up.
  await pass(3 * cycleMs);
  await settled(begin(world), world, pass);
  await pass(3 * cycleMs);
  await pass(restOf(world) + 2 * cycleMs);
  if (watch.broken !== null) return;
  await judgeRest(world);
  const before = watch.written;
  await pass(2 * cycleMs);
  if (watch.broken === null && watch.written !== before)
    watch.fail("at-rest-nothing-is-written", `${watch.written - before} writes although nothing happened`);
}

/** How long the agent will leave alone what its corrections have no effect on. */
function restOf({ watch, time }: SimulatedWorld): number {
  const until = [...watch.components.values()].map(({ failures }) =>
    failures !== null && isIneffective(failures) ? failures.nextAt - beginning : 0,
  );
  return Math.max(0, Math.min(Math.max(0, ...until) - time.now(), longestRestMs));
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

async function judgeRest(world: SimulatedWorld): Promise<void> {
  const { watch, store } = world;
  for (const component of watch.components.values()) {
    const wrong = await wrongAtRest(component, world);
    if (wrong !== null) return watch.fail("at-rest-as-declared", `${idOf(component)}: ${wrong}`);
  }
  const orphans = watch.orphans();
  if (orphans.length > 0) return watch.fail("each-resource-made-once", `nobody knows of ${orphans.join(", ")}`);
  const entries = await store.list({ prefix: ["record", mutations.name], limit: 1_000 });
  const open = entries.map(({ value }) => value as unknown as { id: string; status: string });
  const waiting = open.find(({ status }) => status === "Pending" || status === "Running");
  if (waiting !== undefined) return watch.fail("at-rest-as-declared", `mutation ${waiting.id} is ${waiting.status}`);
  await judgeLog(world);
}

/** Every event that was committed has its place, once, and the chain holds. */
async function judgeLog({ watch, store, runtime }: SimulatedWorld): Promise<void> {
  const log = createEventLog({ store, runtime });
  await log.sequence();
  const { broken, waiting } = await log.verify();
  const head = await log.head();
  if (broken !== null || waiting > 0 || head !== watch.events)
    watch.fail("events-tell-each-status", `${head} of ${watch.events} events in the log, broken at ${broken}`);
}

/** What isn't as it must be once nothing goes wrong any more; `null`: nothing. */
async function wrongAtRest(component: ComponentRecord, world: SimulatedWorld): Promise<string | null> {
  if (component.leaving || component.step?.state === "failed" || component.step?.state === "blocked") return null;
  const place = world.places.find(({ provider }) => provider === component.provider);
  if (place === undefined) return "its cloud is gone";
  const { id } = component.resource;
  const there = id === null ? null : await place.hand.get(id);
  const governor = component.overrideWith === null ? null : siblingOf(component, component.overrideWith, world);
  if (component.status === "Active") {
    if (governor !== null && governor.status !== "Active") return null;
    if (there === null) return (await waitsForOthers(component, world)) ? null : "its resource isn't there";
    const wrong = differing(declaredOf(component), there, place.capabilities.tagParameter);
    if (wrong.length > 0) return `${wrong.join(", ")} differ: ${JSON.stringify(there)}`;
    if (governor !== null) return wrongReferences(component, there, world);
    if (!oracleSaysManaged(there.tags, place)) return "its management tag is off, and nobody noticed";
    if (isAsked(there.tags, place) && !(await refersToNothing(component, world)))
      return "a stray reconcile tag is still there";
    return wrongReferences(component, there, world);
  }
  // A hand-back waits for its references: a person may hold what they stand for, without the output.
  if (component.status === "ReconcileRequested")
    return (await refersToNothing(component, world)) ? null : "its hand-back never ended";
  return wrongInOverride(component, there, place, world);
}

/** What is gone isn't made anew before what it depends on is there, nor before its references stand for something. */
async function waitsForOthers(component: ComponentRecord, world: SimulatedWorld): Promise<boolean> {
  if (component.dependsOn.some((path) => siblingOf(component, path, world)?.conditions.exists.value !== true))
    return true;
  return refersToNothing(component, world);
}

/** As long as a reference stands for nothing, its component isn't in order. */
async function refersToNothing(component: ComponentRecord, world: SimulatedWorld): Promise<boolean> {
  return (await referencesOf(component, world)).some(({ wanted }) => wanted === undefined);
}

function wrongInOverride(
  component: ComponentRecord,
  there: Awaited<ReturnType<SimulatedPlace["hand"]["get"]>>,
  place: SimulatedPlace,
  { plan }: SimulatedWorld,
): string | null {
  if (there === null) return component.lost ? null : "it is gone, and not marked missing";
  const actual = differing(declaredOf(component), there, place.capabilities.tagParameter);
  const shown = Object.keys(component.observed.drift).filter((name) => !hasReference(component.parameters[name]));
  if (JSON.stringify([...shown].sort()) !== JSON.stringify([...actual].sort()))
    return `it shows the drift ${shown.join(", ")}, what differs is ${actual.join(", ")}`;
  if (component.lost || !oracleSaysManaged(there.tags, place)) return null;
  if (isAsked(there.tags, place)) return "both tags are on, and nothing came of it";
  const { restoredTag } = plan.world;
  const resumes = restoredTag === "resume" || (restoredTag === "resume-when-clean" && actual.length === 0);
  return resumes && Object.keys(component.observed.drift).length === 0
    ? "the tag is back, and nothing came of it"
    : null;
}

/** References stand for what the other component's resource shows now. */
async function wrongReferences(
  component: ComponentRecord,
  there: { readonly parameters: Readonly<Record<string, Json>> },
  world: SimulatedWorld,
): Promise<string | null> {
  for (const { name, path, wanted } of await referencesOf(component, world)) {
    if (wanted !== undefined && differs(wanted, there.parameters[name]))
      return `${name} is ${JSON.stringify(there.parameters[name])}, ${path} says ${JSON.stringify(wanted)}`;
  }
  return null;
}

/** A parameter that stands for another component's output, and what that is now. */
interface Referred {
  readonly name: string;
  readonly path: string;
  readonly wanted: Json | undefined;
}

async function referencesOf(component: ComponentRecord, world: SimulatedWorld): Promise<readonly Referred[]> {
  const references = Object.entries(declaredOf(component)).filter(([, value]) => hasReference(value));
  return Promise.all(
    references.map(async ([name, value]) => {
      const [path = "", output = ""] = String((value as { $output: string }).$output).split("#");
      const other = siblingOf(component, path, world);
      const place = world.places.find(({ provider }) => provider === other?.provider);
      const referred = other?.resource.id == null ? null : await place?.hand.get(other.resource.id);
      return { name, path, wanted: referred?.outputs[output] };
    }),
  );
}

function siblingOf({ liveSystemId }: ComponentRecord, path: string, { watch }: SimulatedWorld): ComponentRecord | null {
  return watch.components.get(`${liveSystemId}/${path}`) ?? null;
}
