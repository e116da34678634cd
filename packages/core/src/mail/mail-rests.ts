import { growingRest } from "../records/rest.ts";

const minuteMs = 60_000;
const dayMs = 86_400_000;

/** The longest pause between two attempts at a mail. */
export const longestRestMs = 4 * 60 * minuteMs;

/** The longest time that a mail is retried: a day, and the pause in which the day ends. */
export const longestWaitMs = dayMs + longestRestMs;

/** How long a mail waits after this many attempts, from a minute to hours; `null`: it was tried for a day and is dropped. */
export function restAfter(attempts: number): number | null {
  let rested = 0;
  for (let attempt = 1; attempt < attempts; attempt++) rested += lengthOf(attempt);
  return rested < dayMs ? lengthOf(attempts) : null;
}

function lengthOf(attempt: number): number {
  return growingRest(attempt - 1, { firstMs: minuteMs, longestMs: longestRestMs });
}
