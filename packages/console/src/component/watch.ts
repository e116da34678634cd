import { type Api, isLiveplaneError } from "@liveplane/client";
import type { HandOver } from "@liveplane/client/tag-lines";
import { type ReadonlySignal, signal } from "@preact/signals";

export type FoundByLook = Awaited<ReturnType<Api["liveSystems"]["components"]["check"]>>;

/** The state of checking. */
export interface WatchState {
  readonly found: FoundByLook | null;
  /** The hand-over that is waited for; `null`: none. */
  readonly awaited: HandOver | null;
  /** Whether the agent has seen the tags that are waited for. */
  readonly isSeen: boolean;
  /** How the wait ended: the awaited status has been reached, or the agent has seen the tags and can't reach it. */
  readonly end: "done" | "stuck" | null;
  readonly error: unknown;
}

/** Asks the agent for checks: once, or until a hand-over is acknowledged. */
export interface AgentWatch {
  readonly state: ReadonlySignal<WatchState>;
  look(): Promise<void>;
  /** Asks for one check, unless there was one; a caller without the permission isn't told. */
  glance(): void;
  begin(what: HandOver): void;
  /** Stops waiting. */
  stop(): void;
}

/** How often to check: often at first, then less, and rarely after a minute without news. */
const pauses = [
  { untilMs: 3_000, pauseMs: 400 },
  { untilMs: 60_000, pauseMs: 1_500 },
];
const seldomMs = 5_000;
/** After that, the person must ask again. */
const longestMs = 600_000;

/** Creates the checks of one component. `onFound` gets each result. */
export function createWatch(api: Api, componentId: string, onFound: () => void): AgentWatch {
  const at = { id: componentId.split("/")[0] ?? "", componentId };
  const state = signal<WatchState>({ found: null, awaited: null, isSeen: false, end: null, error: null });
  let turn = new AbortController();
  let isAsked = false;

  function turnTo(awaited: HandOver | null): void {
    turn.abort();
    turn = new AbortController();
    state.value = { ...state.value, awaited, isSeen: false, end: null, error: null };
  }

  async function look(): Promise<void> {
    const { signal } = turn;
    isAsked = true;
    try {
      const found = await api.liveSystems.components.check(at, { signal });
      state.value = { ...state.value, found, error: null };
      onFound();
    } catch (error) {
      if (!signal.aborted) state.value = { ...state.value, error, awaited: null };
    }
  }

  async function run(what: HandOver): Promise<void> {
    const { signal } = turn;
    const begun = Date.now();
    while (!signal.aborted && state.value.awaited !== null) {
      await look();
      const { found } = state.value;
      const end = found === null ? null : endOf(found, what);
      if (end !== null) state.value = { ...state.value, awaited: null, end };
      else if (found !== null) state.value = { ...state.value, isSeen: isSeenIn(found, what) };
      const spent = Date.now() - begun;
      if (spent > longestMs) state.value = { ...state.value, awaited: null };
      if (state.value.awaited === null) return;
      const pauseMs = pauses.find(({ untilMs }) => spent < untilMs)?.pauseMs ?? seldomMs;
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }

  return {
    state,
    look,
    glance() {
      if (isAsked) return;
      void look().then(() => {
        if (isLiveplaneError(state.value.error, "PermissionDenied")) state.value = { ...state.value, error: null };
      });
    },
    begin(what) {
      turnTo(what);
      void run(what);
    },
    stop: () => turnTo(null),
  };
}

/** How a wait ends once the agent has seen the tags and has no write of its own running; `null`: not yet. */
function endOf({ component, acknowledgement }: FoundByLook, what: HandOver): WatchState["end"] {
  if (acknowledgement.writesInFlight > 0) return null;
  const { status, health, conditions } = component;
  if (what === "take-over")
    return status === "ManualOverride" && acknowledgement.managementTag === false ? "done" : null;
  if (status === "ReconcileRequested" && health === "Uncorrectable") return "stuck";
  return status === "Active" && conditions.inSync.value === true ? "done" : null;
}

function isSeenIn({ component: { status } }: FoundByLook, what: HandOver): boolean {
  return status !== (what === "take-over" ? "Active" : "ManualOverride");
}
