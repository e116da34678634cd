import { nowText } from "../../encoding.ts";
import type { Key } from "../../ports/store.ts";
import { growingRest } from "../../records/rest.ts";
import type { AgentDeps } from "../agent/agent-deps.ts";
import { components, type StepWaiting } from "../records/component-record.ts";

/** What a step waits for now, and how long the cloud asks to be left alone. */
export interface Wait extends Pick<StepWaiting, "why" | "detail"> {
  readonly afterMs?: number;
}

/** The patience of the steps that this process takes. */
export interface Patience {
  /** Shows what a step waits for, and says for how long it is to be let be; `null`: it has waited for too long. */
  pauseMs(key: Key, wait: Wait): Promise<number | null>;
  /** For how long it is to be let be still, since it was last said; 0: not any more. */
  leftMs(key: Key, mutationId: string): number;
  /** Whether this process has waited for a mutation's step. */
  knows(key: Key, mutationId: string): boolean;
}

const shortestPauseMs = 200;
/** Pauses grow to this where the cloud doesn't say how long it is to be left alone. */
const longestPauseMs = { working: 10_000, failing: 30_000 };
const longestPollMs = 120_000;
/** This many steps are watched; one that was forgotten is counted from what is written down of it. */
const mostWatched = 10_000;

/** One wait of a step, as this process has watched it. */
interface Watched {
  readonly mark: string;
  readonly mutationId: string;
  readonly startedAt: number;
  readonly dueAt: number;
  /** This many pauses were taken. */
  readonly times: number;
}

/**
 * A cloud that is working on it isn't failing, and one that fails for now may not a minute later. Nothing is held meanwhile but what is written
 * down in the component's step: since when it waits survives anyone who waited.
 */
export function createPatience(deps: AgentDeps): Patience {
  const { clock } = deps.runtime;
  const { stepWaitSeconds, stepRetrySeconds } = deps.settings;
  const limitsMs = { working: stepWaitSeconds * 1000, failing: stepRetrySeconds * 1000 };
  const watched = new Map<string, Watched>();
  const nameOf = (key: Key) => key.join(" ");

  return {
    async pauseMs(key, wait) {
      const { why, afterMs } = wait;
      const known = watched.get(nameOf(key));
      const { mutationId, mark, waitedMs } = await noteWaiting({ known, deps }, key, wait);
      const now = clock.monotonic();
      const leftMs = limitsMs[why] - waitedMs;
      if (leftMs <= 0) return null;
      const times = known?.mark === mark ? known.times + 1 : 1;
      const growing = growingRest(times, { firstMs: shortestPauseMs, longestMs: longestPauseMs[why] });
      const asked = why === "failing" ? Math.max(growing, afterMs ?? 0) : (afterMs ?? growing);
      const pauseMs = Math.min(Math.max(shortestPauseMs, asked), longestPollMs, leftMs);
      if (watched.size >= mostWatched) watched.clear();
      watched.set(nameOf(key), { mark, mutationId, startedAt: now - waitedMs, dueAt: now + pauseMs, times });
      return pauseMs;
    },
    leftMs(key, mutationId) {
      const known = watched.get(nameOf(key));
      return known?.mutationId === mutationId ? Math.max(0, known.dueAt - clock.monotonic()) : 0;
    },
    knows: (key, mutationId) => watched.get(nameOf(key))?.mutationId === mutationId,
  };
}

/** How long a step has waited is written down this often: anyone who continues with it counts from there. */
const notedEveryMs = 60_000;

/**
 * Shows what a step waits for; how long it has waited for that already, by whichever process. It is told by lengths that each has measured
 * itself: the clocks of two need not agree.
 */
async function noteWaiting(
  { known: watched, deps }: { readonly known: Watched | undefined; readonly deps: AgentDeps },
  key: Key,
  { why, detail }: Wait,
): Promise<Pick<Watched, "mark" | "mutationId"> & { readonly waitedMs: number }> {
  const { records, runtime } = deps;
  const cause = { actor: "agent", requestId: runtime.newId() };
  const known = (await records.get(components, key))?.step ?? null;
  if (known === null || known.state !== "begun") return { mark: "", mutationId: "", waitedMs: 0 };
  const { mutationId } = known;
  const before = known.waiting?.why === why ? known.waiting : null;
  const since = before?.since ?? nowText(deps);
  const mark = `${mutationId} ${why} ${since}`;
  const knownMs = before?.waitedMs ?? 0;
  const ownMs = watched?.mark === mark ? runtime.clock.monotonic() - watched.startedAt : 0;
  const waitedMs = Math.max(knownMs, ownMs);
  const told = { mark, mutationId, waitedMs };
  if (before?.detail === detail && waitedMs < knownMs + notedEveryMs) return told;
  await records.change(cause, async (change) => {
    const current = await change.get(components, key);
    if (current?.step == null || current.step.mutationId !== mutationId || current.step.state !== "begun") return;
    change.put(components, { ...current, step: { ...current.step, waiting: { why, detail, since, waitedMs } } });
  });
  return told;
}
