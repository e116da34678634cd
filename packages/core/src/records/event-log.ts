import { EventEmitter } from "eventemitter3";
import type { EventType } from "../contract/event-types.ts";
import { LiveplaneError } from "../errors.ts";
import type { Runtime } from "../ports/runtime.ts";
import type { Store } from "../ports/store.ts";
import { createEventChain, type LoggedEvent, type Verification } from "./event-chain.ts";

/** Where to begin: behind this sequence number; absent: at what comes next. */
export interface FollowFrom {
  readonly after?: number;
  readonly signal?: AbortSignal;
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
  /** Events behind a sequence number. Throws `EventsExpired` when some of them are gone already. */
  read(after: number, limit: number): Promise<LoggedEvent[]>;
  /** Events as they come, without end, until the signal fires. */
  follow(from?: FollowFrom): AsyncIterable<LoggedEvent>;
  /**
   * Listens to the events that this process gives their place: with several processes, each event is heard in one of them;
   * who must hear all follows. A listener that fails is logged and disturbs nobody. Gives back how to stop.
   */
  on(type: EventType | "*", listener: EventListener): () => void;
  /** Walks the chain of hashes from its oldest entry. */
  verify(): Promise<Verification>;
  /** Removes some of the events older than an instant, from the oldest on. Answers how many; 0: none is left, or others changed the log. */
  prune(before: number): Promise<number>;
}

/** What the log needs. */
export interface EventLogDeps {
  readonly store: Store;
  readonly runtime: Runtime;
  /** How often to look for events of other processes while somebody follows. @default 1000 */
  readonly pollMs?: number;
}

const batch = 200;

/** Builds the event log over a store. */
export function createEventLog({ store, runtime, pollMs = 1000 }: EventLogDeps): EventLog {
  const chain = createEventChain({ store, crypto: runtime.crypto });
  const listeners = createListeners(runtime);
  const waiters = new Set<() => void>();
  let running: Promise<void> | null = null;
  let again = false;
  /** Moves on whenever something may have been sequenced, so that whoever read before it doesn't wait. */
  let generation = 0;

  function wake(): Promise<void> {
    again = true;
    running ??= drain();
    return running;
  }

  async function drain(): Promise<void> {
    while (again) {
      again = false;
      await sequenceAll();
      generation += 1;
      for (const wakeUp of [...waiters]) wakeUp();
    }
    // At once with the last look at `again`: whoever wakes from here on begins anew.
    running = null;
  }

  async function sequenceAll(): Promise<void> {
    try {
      for (;;) {
        const placed = await chain.extend();
        if (placed?.length === 0) return;
        for (const event of placed ?? []) listeners.tell(event);
      }
    } catch (cause) {
      runtime.logger.warn({ cause }, "Events wait for their place: the store failed.");
    }
  }

  async function read(after: number, limit: number): Promise<LoggedEvent[]> {
    const events = await chain.after(after, limit);
    // The head last: what is pruned by now may have been missing before.
    if (after < (await chain.head()).pruned)
      throw new LiveplaneError("EventsExpired", "Events behind this point are no longer kept. Begin anew.");
    return events;
  }

  async function* follow({ after, signal }: FollowFrom = {}): AsyncGenerator<LoggedEvent> {
    let position = after ?? (await chain.head()).sequence;
    while (!signal?.aborted) {
      const seen = generation;
      const events = await read(position, batch);
      for (const event of events) {
        yield event;
        position = event.sequence;
      }
      if (events.length < batch && generation === seen) await nextChange(signal);
    }
  }

  /** Waits until this process sequenced something, or until it is time to look what others did. */
  async function nextChange(signal: AbortSignal | undefined): Promise<void> {
    const stop = new AbortController();
    const onAbort = () => stop.abort();
    signal?.addEventListener("abort", onAbort, { once: true });
    const woken = new Promise<void>((resolve) => {
      const wakeUp = () => {
        waiters.delete(wakeUp);
        resolve();
      };
      waiters.add(wakeUp);
      stop.signal.addEventListener("abort", wakeUp, { once: true });
    });
    const polled = runtime.clock.sleep(pollMs, { signal: stop.signal }).then(wake, () => {});
    await Promise.race([woken, polled]);
    stop.abort();
    signal?.removeEventListener("abort", onAbort);
  }

  return {
    wake: () => void wake(),
    sequence: () => wake(),
    head: async () => (await chain.head()).sequence,
    read,
    follow,
    on: listeners.on,
    verify: chain.verify,
    prune: chain.prune,
  };
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
