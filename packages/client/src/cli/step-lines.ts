import type { Mutation } from "@liveplane/core/contract";
import { pathIn } from "./find-component.ts";

const stepWords = {
  pending: "not started yet",
  begun: "in progress",
  converged: "done",
  held: "left alone: a person controls it",
  failed: "failed",
  blocked: "not started, because a component that it needs failed",
} as const satisfies Record<Mutation["steps"][number]["state"], string>;

/** Reports each step of a mutation when it changes, and each minute of a wait; a failing one with the cloud's words. */
export function tellSteps(say: (line: string) => void): (mutation: Pick<Mutation, "steps">) => void {
  const told = new Map<string, string>();
  return ({ steps }) => {
    for (const { componentId, state, waiting, error } of steps) {
      const why =
        error === null ? waiting && waitWords(waiting) : `${error.code}: ${error.providerMessage ?? error.detail}`;
      const now = `${pathIn(componentId)}: ${stepWords[state]}${why === null ? "" : ` (${why})`}`;
      if (told.get(componentId) !== now && (state !== "pending" || told.has(componentId))) say(now);
      told.set(componentId, now);
    }
  };
}

/** What a step waits for, and for how many minutes. */
function waitWords({ detail, since }: NonNullable<Mutation["steps"][number]["waiting"]>): string {
  const minutes = Math.floor((Date.now() - Date.parse(since)) / 60_000);
  return minutes < 1 ? detail : `${detail} This began ${minutes} min ago.`;
}
