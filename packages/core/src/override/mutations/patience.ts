import { nowText } from "../../encoding.ts";
import type { Lease } from "../../ports/scheduler.ts";
import type { Key } from "../../ports/store.ts";
import type { AgentDeps } from "../agent/agent-deps.ts";
import { components, type StepWaiting } from "../records/component-record.ts";

/** What a step waits for now, and how long the cloud asks to be left alone. */
export interface Wait extends Pick<StepWaiting, "why" | "detail"> {
  readonly afterMs?: number;
}

/** The patience of one step of a mutation. */
export interface Patience {
  /** Waits, and shows what for. False: it has waited for too long. Throws when the lease ends. */
  wait(wait: Wait): Promise<boolean>;
}

const shortestPauseMs = 200;
/** Pauses grow to this where the cloud doesn't say how long it is to be left alone. */
const longestPauseMs = { working: 10_000, failing: 30_000 };
const longestPollMs = 120_000;

/**
 * A cloud that is at it isn't failing, and one that fails for now may not a minute later. Nothing is held meanwhile but what is written
 * down in the component's step: since when it waits survives whoever waited.
 */
export function patienceOf(key: Key, { deps, lease }: { readonly deps: AgentDeps; readonly lease?: Lease }): Patience {
  const { clock } = deps.runtime;
  const { stepWaitSeconds, stepRetrySeconds } = deps.settings;
  const limitsMs = { working: stepWaitSeconds * 1000, failing: stepRetrySeconds * 1000 };
  let why: StepWaiting["why"] | null = null;
  let until = 0;
  let times = 0;

  return {
    async wait(wait) {
      const isNew = wait.why !== why;
      const ownMs = isNew ? 0 : limitsMs[wait.why] - (until - clock.monotonic());
      const waitedMs = await noteWaiting(key, { ...wait, ownMs }, deps);
      if (isNew) until = clock.monotonic() + limitsMs[wait.why] - waitedMs;
      why = wait.why;
      const now = clock.monotonic();
      if (now >= until) return false;
      times = isNew ? 1 : times + 1;
      const growing = Math.min(shortestPauseMs * 2 ** Math.min(times, 10), longestPauseMs[wait.why]);
      const pauseMs = wait.why === "failing" ? Math.max(growing, wait.afterMs ?? 0) : (wait.afterMs ?? growing);
      const longest = Math.min(Math.max(shortestPauseMs, pauseMs), longestPollMs, until - now);
      await clock.sleep(longest, lease && { signal: lease.signal });
      return true;
    },
  };
}

/** How long a step has waited is written down this often: whoever goes on with it counts from there. */
const notedEveryMs = 60_000;

/**
 * Shows what a step waits for; how long it has waited for that already, by whichever process. It is told by lengths that each has measured
 * itself: the clocks of two need not agree.
 */
async function noteWaiting(
  key: Key,
  { why, detail, ownMs }: Wait & { readonly ownMs: number },
  deps: AgentDeps,
): Promise<number> {
  const { records, runtime } = deps;
  const cause = { actor: "agent", requestId: runtime.newId() };
  const known = (await records.get(components, key))?.step ?? null;
  if (known === null || known.state !== "begun") return ownMs;
  const before = known.waiting?.why === why ? known.waiting : null;
  const knownMs = before?.waitedMs ?? 0;
  const waitedMs = Math.max(knownMs, ownMs);
  if (before?.detail === detail && waitedMs < knownMs + notedEveryMs) return waitedMs;
  await records.change(cause, async (change) => {
    const current = await change.get(components, key);
    if (current?.step == null || current.step.mutationId !== known.mutationId || current.step.state !== "begun") return;
    const since = before?.since ?? nowText(deps);
    change.put(components, { ...current, step: { ...current.step, waiting: { why, detail, since, waitedMs } } });
  });
  return waitedMs;
}
