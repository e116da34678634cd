import { EventEmitter } from "eventemitter3";
import type { EventType } from "../contract/event-types.ts";
import { LiveplaneError } from "../errors.ts";
import type { Runtime } from "../ports/runtime.ts";
import type { Store } from "../ports/store.ts";
import type { Services } from "../services.ts";
import { createEventChain, type LoggedEvent, placedAtOnce, type Verification } from "./event-chain.ts";
import { ownedEvents } from "./event-index.ts";
import type { OwnerScope } from "./event-owner.ts";

/** Where to begin: behind this sequence number; absent: at what comes next. */
export interface FollowFrom {
  readonly after?: number;
  readonly signal?: AbortSignal;
}

/** Whose events a reader reads. */
export type Heard = "everything" | readonly OwnerScope[];

/** Events that are read at once. */
export interface EventBatch {
  readonly events: readonly LoggedEvent[];
  /** Where the next one begins. */
  readonly through: number;
  /** There is no more for now. */
  readonly isLast: boolean;
}

/** How a stream reads: from where it is, as much as it wants at once. */
export interface BatchesFrom extends FollowFrom {
  readonly after: number;
  readonly read: (after: number) => Promise<EventBatch>;
}

/** What is called with an event. It may be asynchronous; nobody waits for it. */
export type EventListener = (event: LoggedEvent) => unknown;

/** The events of all changes, in the order in which they were committed. */
export interface EventLog {
  /** Sequences what waits and tells those who follow. Called after each commit with events; more often does no harm. */
  wake(): void;
  /** Gives every waiting event its place. Two processes may do it at once. */
  sequence(): Promise<void>;
  /** The sequence number of the latest event; 0: there is none yet. */
  head(): Promise<number>;
  /** The sequence number before the oldest event that is kept. */
  kept(): Promise<number>;
  /** When the oldest event that is kept happened; `null`: there is none. */
  oldest(): Promise<number | null>;
  /** Events behind a sequence number. Throws `EventsExpired` when some of them are gone already. */
  read(after: number, limit: number): Promise<LoggedEvent[]>;
  /** Events behind a sequence number, of some owners alone or of all. Throws `EventsExpired`. */
  batch(heard: Heard, after: number, limit: number): Promise<EventBatch>;
  /** Events as they come, without end, until the signal fires. */
  follow(from?: FollowFrom): AsyncIterable<LoggedEvent>;
  /** What its own reader reads, batch by batch, without end: the last of a run, then what comes. */
  batches(from: BatchesFrom): AsyncIterable<EventBatch>;
  /**
   * Listens to the events that this process gives their place: with several processes, each event is heard in one of them;
   * who must hear all follows. A listener that fails is logged and disturbs nobody. Returns how to stop.
   */
  on(type: EventType | "*", listener: EventListener): () => void;
  /** Walks the chain of hashes from its oldest entry. */
  verify(): Promise<Verification>;
  /** Removes some of the events older than an instant, from the oldest on. Answers how many; 0: none is left, or others changed the log. */
  prune(before: number): Promise<number>;
}

/** Builds the event log over a store. */
export function createEventLog({
  store,
  runtime,
  ...options
}: Pick<Services, "store" | "runtime"> & { readonly pollMs?: number }): EventLog {
  const { bell } = store;
  const { pollMs = bell === undefined ? 1000 : 5000 } = options;
  const chain = createEventChain({ store, crypto: runtime.crypto });
  const listeners = createListeners(runtime);
  const news = createNews(bell);
  const wake = createRounds(async () => {
    await sequenceAll();
    news.tell();
  });

  async function sequenceAll(): Promise<void> {
    let isNew = false;
    try {
      for (;;) {
        const placed = await chain.extend();
        if (placed === null) continue;
        isNew ||= placed.length > 0;
        for (const event of placed) listeners.tell(event);
        // Every event that was waiting has its place now: a later commit starts the next round.
        if (placed.length < placedAtOnce) break;
      }
    } catch (cause) {
      runtime.logger.warn({ cause }, "Events could not be numbered: the store failed.");
    }
    // Once for all that were placed together. Nobody here waits for it.
    if (isNew) void bell?.ring();
  }

  async function read(after: number, limit: number): Promise<LoggedEvent[]> {
    const events = await chain.after(after, limit);
    // The head last: events pruned by now may have been missing before.
    requireKept(after, await chain.head());
    return events;
  }

  async function readBatch(heard: Heard, after: number, limit: number): Promise<EventBatch> {
    if (heard === "everything") {
      const events = await read(after, limit);
      return { events, through: events.at(-1)?.sequence ?? after, isLast: events.length < limit };
    }
    const { events, through, head, pruned } = await ownedEvents({ store }, heard, { after, limit });
    requireKept(after, { pruned });
    return { events, through, isLast: through >= head };
  }

  /** Waits for news, or until it is time to look for what other processes committed. */
  async function nextChange(seen: number, signal: AbortSignal | undefined): Promise<void> {
    if (signal?.aborted) return;
    const stop = new AbortController();
    const onAbort = () => stop.abort();
    signal?.addEventListener("abort", onAbort, { once: true });
    const polled = runtime.clock.sleep(pollMs, { signal: stop.signal }).then(wake, () => {});
    await Promise.race([news.since(seen, stop.signal), polled]);
    stop.abort();
    signal?.removeEventListener("abort", onAbort);
  }

  async function* batches({ after, signal, read }: BatchesFrom): AsyncGenerator<EventBatch> {
    let position = after;
    const stopHearing = news.hear();
    try {
      while (!signal?.aborted) {
        const seen = news.count();
        const next = await read(position);
        yield next;
        position = next.through;
        if (next.isLast) await nextChange(seen, signal);
      }
    } finally {
      stopHearing();
    }
  }

  async function* follow({ after, signal }: FollowFrom = {}): AsyncGenerator<LoggedEvent> {
    const from = after ?? (await chain.head()).sequence;
    const all = (position: number) => readBatch("everything", position, placedAtOnce);
    for await (const { events } of batches({ after: from, read: all, ...(signal && { signal }) })) yield* events;
  }

  return {
    wake: () => void wake(),
    sequence: wake,
    head: async () => (await chain.head()).sequence,
    kept: async () => (await chain.head()).pruned,
    async oldest() {
      const [event] = await chain.after((await chain.head()).pruned, 1);
      return event === undefined ? null : Date.parse(event.time);
    },
    read,
    batch: readBatch,
    follow,
    batches,
    on: listeners.on,
    verify: chain.verify,
    prune: (before) => chain.prune({ before, now: runtime.clock.now() }),
  };
}

/**
 * Runs rounds of work one after another. Resolves after a round that began later than the call; calls meanwhile share the next round,
 * so that nobody waits for ever.
 */
function createRounds(round: () => Promise<void>): () => Promise<void> {
  let next: { readonly done: Promise<void>; readonly end: () => void } | null = null;
  let isRunning = false;
  async function run(): Promise<void> {
    isRunning = true;
    while (next !== null) {
      const { end } = next;
      next = null;
      await round();
      end();
    }
    // In the same turn as the check above, so that a later call starts a new run.
    isRunning = false;
  }
  return () => {
    next ??= unfinished();
    const { done } = next;
    if (!isRunning) void run();
    return done;
  };
}

function unfinished() {
  let end = () => {};
  const done = new Promise<void>((resolve) => {
    end = resolve;
  });
  return { done, end };
}

/** Tells waiting readers that the log may have grown, in this process or, as far as the bell is heard, in another. */
function createNews(bell: Store["bell"]) {
  const waiters = new Set<() => void>();
  let count = 0;
  let readers = 0;
  let stopBell: (() => void) | null = null;
  function tell(): void {
    count += 1;
    for (const wakeUp of [...waiters]) wakeUp();
  }
  return {
    tell,
    count: () => count,
    /** Hears the bell until the returned function is called. */
    hear(): () => void {
      readers += 1;
      stopBell ??= bell?.hear(tell) ?? null;
      return () => {
        readers -= 1;
        if (readers > 0) return;
        stopBell?.();
        stopBell = null;
      };
    },
    /** Resolves at once if there was news after `seen`, else at the next news or when the signal fires. */
    since(seen: number, signal: AbortSignal): Promise<void> {
      return new Promise((resolve) => {
        const wakeUp = () => {
          waiters.delete(wakeUp);
          resolve();
        };
        if (count !== seen) return resolve();
        waiters.add(wakeUp);
        signal.addEventListener("abort", wakeUp, { once: true });
      });
    },
  };
}

function requireKept(after: number, { pruned }: { readonly pruned: number }): void {
  if (after < pruned)
    throw new LiveplaneError(
      "EventsExpired",
      "Events after this point are no longer kept. Start again from the oldest event.",
    );
}

/** Listeners, each of which fails for itself alone. */
function createListeners({ logger }: Pick<Runtime, "logger">) {
  const emitter = new EventEmitter<Record<string, [LoggedEvent]>>();
  return {
    tell(event: LoggedEvent): void {
      for (const type of [event.type, "*"]) emitter.emit(type, event);
    },
    on(type: string, listener: EventListener): () => void {
      const guarded = async (event: LoggedEvent): Promise<void> => {
        try {
          await listener(event);
        } catch (cause) {
          logger.error({ type: event.type, sequence: event.sequence, cause }, "A listener failed.");
        }
      };
      emitter.on(type, guarded);
      return () => void emitter.off(type, guarded);
    },
  };
}
