import { nowText } from "../../encoding.ts";
import type { Key } from "../../ports/store.ts";
import { growingRest } from "../../records/rest.ts";
import type { AgentDeps } from "../agent/agent-deps.ts";
import { components, type StepWaiting } from "../records/component-record.ts";

/** What a step waits for, and how long the cloud asks to be left alone. */
export interface Wait extends Pick<StepWaiting, "why" | "detail"> {
  readonly afterMs?: number;
}

/** The patience with the steps that this process runs. */
export interface Patience {
  /** Shows what a step waits for and returns how long to pause; `null`: it has waited too long. */
  pauseMs(key: Key, wait: Wait): Promise<number | null>;
  /** How much of the pause is left; 0 if none. */
  leftMs(key: Key, mutationId: string): number;
  /** Whether this process has waited for a mutation's step. */
  knows(key: Key, mutationId: string): boolean;
}

const shortestPauseMs = 200;
/** The longest pauses, if the cloud doesn't say how long to wait. */
const longestPauseMs = { working: 10_000, failing: 30_000 };
const longestPollMs = 120_000;
/** The most steps timed in memory; a forgotten one is timed from its stored wait. */
const mostWatched = 10_000;

/** One wait of a step, as timed by this process. */
interface Watched {
  readonly mark: string;
  readonly mutationId: string;
  readonly startedAt: number;
  readonly dueAt: number;
  /** The number of pauses so far. */
  readonly times: number;
}

/**
 * A cloud that is still working hasn't failed, and a temporary failure may be over a minute later. Nothing is held meanwhile: the
 * component's step records how long it has waited, which survives a crash.
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

/** How often the length of a wait is recorded, for whoever continues. */
const notedEveryMs = 60_000;

/**
 * Records what a step waits for, and how long it has waited in all processes. Each process measures its own time, so their clocks needn't
 * agree.
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
    // Another process may have begun to wait meanwhile; its wait goes on, and is read at the next pause.
    const stored = current.step.waiting ?? null;
    if (stored?.why !== known.waiting?.why || stored?.since !== known.waiting?.since) return;
    change.put(components, { ...current, step: { ...current.step, waiting: { why, detail, since, waitedMs } } });
  });
  return told;
}
