import { type Choice, type ChosenStep, namedDeeds } from "../../src/index.ts";
import type { worlds } from "./bounds.ts";

/** A schedule as one line: its world, then each choice behind the step at which it is made. */
export function toldSchedule(name: keyof typeof worlds, decisions: readonly ChosenStep[]): string {
  const told = decisions.map(({ step, choice }) => {
    return `${step} ${"deed" in choice ? choice.deed.name : `worker ${choice.worker}`}`;
  });
  return [name, ...told].join("; ");
}

/** Reads such a line. */
export function readSchedule(told: string): { name: keyof typeof worlds; decisions: ChosenStep[] } {
  const [name = "one", ...rest] = told.split("; ");
  const decisions = rest.map((text) => {
    const [step = "", ...words] = text.split(" ");
    return { step: Number(step), choice: choiceOf(words.join(" ")), interrupts: false };
  });
  return { name: name as keyof typeof worlds, decisions };
}

const known = (["an app", "an app in words", "a rule"] as const).flatMap(namedDeeds);

function choiceOf(text: string): Choice {
  const deed = known.find(({ name }) => name === text);
  return deed === undefined ? { worker: Number(text.replace("worker ", "")) } : { deed };
}
