import type { Broken } from "../judge/facts.ts";
import { type NamedDeed, namedDeeds } from "./deeds.ts";
import { type ChosenStep, type ExploredWorld, followSchedule, type Moment } from "./schedule.ts";

/** The crashes to explore. */
export interface EndingBounds {
  readonly world: ExploredWorld;
  /** Deeds done before, by name, each after the world has come to rest. @default none */
  readonly after?: readonly string[];
  /** The deeds to interrupt, by name. @default all except interruptions */
  readonly among?: (name: string) => boolean;
}

/** The result of exploring crashes. */
export interface ExploredEndings {
  readonly schedules: number;
  /** The first crash that led to another end; `null` if none did. */
  readonly found: { readonly broken: Broken; readonly decisions: readonly ChosenStep[] } | null;
}

/** Deeds that end a process and should not change the final state. */
const interruptions: ReadonlySet<string> = new Set([
  "crash worker 0",
  "crash worker 1",
  "restart worker 0",
  "restart worker 1",
]);

/** Does each deed, and lets a worker crash or stop at each call that follows: the world must end as it does without the crash. */
export async function exploreEndings(bounds: EndingBounds): Promise<ExploredEndings> {
  const { world, after = [], among = () => true } = bounds;
  const all = namedDeeds(world.beside);
  const deeds = all.filter(({ name }) => among(name) && !interruptions.has(name));
  const ends = all.filter(({ name }) => interruptions.has(name));
  const before = await stepsOf(
    world,
    after.map((name) => all.find((one) => one.name === name)),
  );
  let schedules = 0;
  for (const deed of deeds) {
    const done = [...before.decisions, decision(before.restsAt, deed)];
    const undisturbed = await endingOf(world, done);
    schedules += 1;
    for (const { step, isRest } of undisturbed.moments) {
      for (const end of ends) {
        const decisions = [...done, decision(step, end, { interrupts: !isRest })];
        const { broken, ending } = await endingOf(world, decisions);
        schedules += 1;
        // A request to a worker that ends before accepting it was never made.
        const wasAsked =
          !end.name.endsWith(`worker ${asked}`) || mutationsIn(ending) === mutationsIn(undisturbed.ending);
        const found = broken ?? (wasAsked ? anotherEnd(undisturbed.ending, ending) : null);
        if (found !== null) return { schedules, found: { broken: found, decisions } };
      }
    }
  }
  return { schedules, found: null };
}

/** Deeds, each at the rest after the ones before it, and the step at which all are done. */
async function stepsOf(world: ExploredWorld, deeds: readonly (NamedDeed | undefined)[]) {
  let [decisions, restsAt]: [readonly ChosenStep[], number] = [[], 0];
  for (const deed of deeds) {
    if (deed === undefined) continue;
    decisions = [...decisions, decision(restsAt, deed)];
    const { moments } = await endingOf(world, decisions);
    restsAt = moments.findLast(({ isRest }) => isRest)?.step ?? restsAt;
  }
  return { decisions, restsAt };
}

/** The process that people call. */
const asked = 1;

function mutationsIn(ending: string): number {
  return ending.split("\n").filter((line) => line.startsWith('["mutation"')).length;
}

function decision(step: number, deed: NamedDeed, { interrupts = false } = {}): ChosenStep {
  return { step, choice: { deed }, interrupts };
}

/** The final state of a schedule, and the moments after its last decision, each state once. */
async function endingOf(world: ExploredWorld, decisions: readonly ChosenStep[]) {
  let ending = "";
  const moments = new Map<number, Moment>();
  const { broken } = await followSchedule({
    world,
    decisions,
    visit: (moment) => {
      if (!moments.has(moment.digest)) moments.set(moment.digest, moment);
      return true;
    },
    onEnding: (text) => {
      ending = text;
    },
  });
  return { broken, ending, moments: [...moments.values()] };
}

function anotherEnd(wanted: string, came: string): Broken | null {
  if (wanted === came) return null;
  const [some, others] = [wanted.split("\n"), came.split("\n")];
  const at = some.findIndex((line, nth) => line !== others[nth]);
  const detail = `it came to ${others[at] ?? "less"}, and without the crash to ${some[at] ?? "less"}`;
  return { invariant: "ends-as-if-nobody-crashed", detail };
}
