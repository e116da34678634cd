import { explore } from "../../src/testing/index.ts";
import { nightlyBounds, quickBounds } from "./bounds.ts";
import { toldSchedule } from "./told-schedule.ts";

/** What an exploration of an agent with a mistake in it came to. */
export interface Hunted {
  /** What broke, and by which schedule; `null`: nothing. */
  readonly caught: string | null;
  /** Seconds of a processor. */
  readonly seconds: number;
}

// Explores until something breaks, or until so many seconds of a processor are over, and says what broke.
Error.stackTraceLimit = 0;
const [most = 60] = process.argv.slice(2).map(Number);
const quick = quickBounds.filter(({ preemptions }) => preemptions === 0);
let caught: string | null = null;
for (const bounds of [...quick, ...nightlyBounds]) {
  if (caught !== null || seconds() > most) continue;
  const { found } = await explore(bounds, { goesOn: () => seconds() < most });
  if (found !== null) caught = `${found.broken.invariant} by ${toldSchedule(bounds.name, found.decisions)}`;
}
console.log(JSON.stringify({ caught, seconds: seconds() } satisfies Hunted));

function seconds(): number {
  return Math.round(process.cpuUsage().user / 1e6);
}
