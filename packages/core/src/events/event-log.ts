import { EventEmitter } from "eventemitter3";
import type { EventType } from "../contract/event-types.ts";
import { LiveplaneError } from "../errors.ts";
import type { Runtime } from "../ports/runtime.ts";
import type { Store } from "../ports/store.ts";
import type { Services } from "../services.ts";
import { createEventChain, type LoggedEvent, placedAtOnce, type Verification } from "./event-chain.ts";
import { ownedEvents } from "./event-index.ts";
import type { OwnerScope } from "./event-owner.ts";

/** The sequence number to start after. @default only new events */
export interface FollowFrom {
  readonly after?: number;
  readonly signal?: AbortSignal;
}

/** The owners whose events a reader gets. */
export type Heard = "everything" | readonly OwnerScope[];

/** Events of one read. */
export interface EventBatch {
  readonly events: readonly LoggedEvent[];
  /** Where the next read begins. */
  readonly through: number;
  /** There are no more for now. */
  readonly isLast: boolean;
}

/** Where a stream reads, and how much it wants at once. */
export interface BatchesFrom extends FollowFrom {
  readonly after: number;
  readonly read: (after: number) => Promise<EventBatch>;
}

/** Called with each event. It may be async; nobody waits for it. */
export type EventListener = (event: LoggedEvent) => unknown;

/** The events of all changes, in the order of their commits. */
export interface EventLog {
  /** Sequences pending events and notifies readers. Called after each commit with events; extra calls are harmless. */
  wake(): void;
  /** Sequences every pending event. Two processes may do so at once. */
  sequence(): Promise<void>;
  /** The sequence number of the latest event; 0 if there is none. */
  head(): Promise<number>;
  /** The sequence number before the oldest event that is kept. */
  kept(): Promise<number>;
  /** When the oldest kept event happened; `null` if there is none. */
  oldest(): Promise<number | null>;
  /** Events after a sequence number. Throws `EventsExpired` if some are no longer kept. */
  read(after: number, limit: number): Promise<LoggedEvent[]>;
  /** Events after a sequence number, of some owners or of all. Throws `EventsExpired`. */
  batch(heard: Heard, after: number, limit: number): Promise<EventBatch>;
  /** Events as they happen, until the signal aborts. */
  follow(from?: FollowFrom): AsyncIterable<LoggedEvent>;
  /** Batches of events as its reader asks for them: first the backlog, then new ones. */
  batches(from: BatchesFrom): AsyncIterable<EventBatch>;
  /**
   * Listens to the events that this process sequences. With several processes, each event is heard in only one of them; use `follow` to
   * hear all. A failing listener is logged and affects no other. Returns a function that stops listening.
   */
  on(type: EventType | "*", listener: EventListener): () => void;
  /** Verifies the chain of hashes from its oldest entry. */
  verify(): Promise<Verification>;
  /** Removes some of the events older than an instant, oldest first. Returns how many; 0 if none is left or others changed the log. */
  prune(before: number): Promise<number>;
}

type LogOptions = Pick<Services, "store" | "runtime"> &
  Pick<Parameters<typeof createEventChain>[0], "format"> & { readonly pollMs?: number };

/** Creates the event log over a store. */
export function createEventLog({ store, runtime, ...options }: LogOptions): EventLog {
  const { bell } = store;
  const { pollMs = bell === undefined ? 1000 : 5000 } = options;
  const chain = createEventChain({ store, crypto: runtime.crypto, ...options });
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
        // Every pending event is sequenced now; a later commit starts the next round.
        if (placed.length < placedAtOnce) break;
      }
    } catch (cause) {
      runtime.logger.warn({ cause }, "Events could not be numbered: the store failed.");
    }
    // Once for all events sequenced together. Nobody here waits for it.
    if (isNew) void bell?.ring();
  }

  async function read(after: number, limit: number): Promise<LoggedEvent[]> {
    const events = await chain.after(after, limit);
    // The head is read last, because events pruned by now may have been missing before.
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

  /** Waits for news, or until it is time to look for other processes' commits. */
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
 * Runs rounds of work one after another. Resolves after a round that began after the call. Calls during a round share the next one, so
 * nobody waits for ever.
 */
function createRounds(round: () => Promise<void>): () => Promise<void> {
  let next: { readonly done: Promise<void>; readonly end: () => void } | null = null;
  let isRunning = false;
  async function run(): Promise<void> {
    isRunning = true;
    // The commits of one statement are answered at once, and each calls.
    await null;
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

/** Tells waiting readers that the log may have grown, in this process or, through the bell, in another. */
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
    /** Listens to the bell until the returned function is called. */
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
    /** Resolves at once if there was news after `seen`; otherwise at the next news or when the signal aborts. */
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

/** Listeners that can't affect each other by failing. */
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
