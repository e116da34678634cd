import { createSlots } from "../../records/in-parallel.ts";
import type { Dependencies } from "../protocol/dependency-order.ts";
import type { StepEnd } from "./converge.ts";

/** How a step can have ended, for those that depend on it. */
export type Ended = Exclude<StepEnd["state"], "interrupted"> | "blocked";

/** Steps that depend on each other. */
export interface OrderedSteps {
  /** What each step waits for. */
  readonly order: Dependencies;
  /** How a step ended at an earlier try; `null`: it is still to be taken. */
  readonly endedBefore: (path: string) => Ended | null;
  readonly take: (path: string) => Promise<StepEnd>;
  /** Writes down that a step isn't begun, because one before it failed. */
  readonly block: (path: string) => Promise<void>;
}

const atOnce = 8;

/**
 * Takes steps in order, so many at a time. What is independent goes on when one fails; what depends on it isn't begun.
 * False: some were interrupted, and go on later.
 */
export async function takeInOrder({ order, endedBefore, take, block }: OrderedSteps): Promise<boolean> {
  const gate = createSlots(atOnce);
  const ends = new Map<string, Promise<Ended | "interrupted">>();
  const endOf = (path: string): Promise<Ended | "interrupted"> => {
    const begun = ends.get(path) ?? go(path);
    ends.set(path, begun);
    return begun;
  };
  const go = async (path: string): Promise<Ended | "interrupted"> => {
    await Promise.resolve();
    const done = endedBefore(path);
    if (done !== null) return done;
    const before = await Promise.all((order.get(path) ?? []).map(endOf));
    if (before.includes("interrupted")) return "interrupted";
    if (before.includes("failed") || before.includes("blocked")) {
      await block(path);
      return "blocked";
    }
    return (await gate(() => take(path))).state;
  };
  const all = await Promise.allSettled([...order.keys()].map(endOf));
  for (const end of all) if (end.status === "rejected") throw end.reason;
  return all.every((end) => end.status === "fulfilled" && end.value !== "interrupted");
}
