import { EventEmitter } from "eventemitter3";
import type { Target } from "../contract/target.ts";
import { toHex, utf8 } from "../encoding.ts";
import { LiveplaneError } from "../errors.ts";
import type { Runtime } from "../ports/runtime.ts";
import type { Entry, Json, Key, Store } from "../ports/store.ts";
import { pendingEvents } from "./layout.ts";

/** An event in its place: CloudEvents attributes, a gapless sequence, and whose View shows it. */
export interface LoggedEvent {
  readonly specversion: "1.0";
  readonly id: string;
  readonly source: string;
  readonly type: string;
  readonly subject: string;
  readonly time: string;
  readonly datacontenttype: "application/json";
  readonly sequence: number;
  readonly actor: string;
  readonly requestid: string;
  readonly data: Readonly<Record<string, Json>>;
  readonly about: Target;
}

/** Where to begin: behind this sequence number; absent: at what comes next. */
export interface FollowFrom {
  readonly after?: number;
  readonly signal?: AbortSignal;
}

/** What a walk along the chain found. */
export interface Verification {
  /** How many entries were walked. */
  readonly verified: number;
  /** The sequence number of the first entry that isn't what its hash says; `null`: none. */
  readonly broken: number | null;
  /** How many events still wait for their place. */
  readonly waiting: number;
}

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
  /** Listens to events in this process. A listener that throws is logged and disturbs nobody. Gives back how to stop. */
  on(type: string | "*", listener: (event: LoggedEvent) => void): () => void;
  /** Walks the chain of hashes from its oldest entry. */
  verify(): Promise<Verification>;
  /** Removes events older than an instant, from the oldest on. Answers how many. */
  prune(before: number): Promise<number>;
}

/** What the log needs. */
export interface EventLogDeps {
  readonly store: Store;
  readonly runtime: Runtime;
  /** How often to look for events of other processes while somebody follows. @default 1000 */
  readonly pollMs?: number;
}

interface Head {
  readonly sequence: number;
  readonly hash: string;
  /** The sequence number before the oldest event that is kept, and its hash. */
  readonly pruned: number;
  readonly prunedHash: string;
}

interface Chained {
  readonly event: LoggedEvent;
  readonly hash: string;
}

interface Pending {
  readonly id: string;
  readonly type: string;
  readonly subject: string;
  readonly about: Target;
  readonly data: Readonly<Record<string, Json>>;
  readonly actor: string;
  readonly requestId: string;
  readonly time: number;
}

const headKey: Key = ["event", "head"];
const logged: Key = ["event", "log"];
const batch = 200;
const noHead: Head = { sequence: 0, hash: "", pruned: 0, prunedHash: "" };

/** Builds the event log over a store. */
export function createEventLog({ store, runtime, pollMs = 1000 }: EventLogDeps): EventLog {
  const emitter = new EventEmitter<Record<string, [LoggedEvent]>>();
  const waiters = new Set<() => void>();
  let running: Promise<void> | null = null;
  let again = false;
  /** Moves on whenever something may have been sequenced, so that whoever read before it doesn't wait. */
  let generation = 0;

  async function sequenceAll(): Promise<void> {
    while ((await sequenceBatch()) > 0);
  }

  /** Moves one batch from waiting to its place. The head is compared and set, so a second sequencer loses and looks again. */
  async function sequenceBatch(): Promise<number> {
    // The head first: if it hasn't moved by the commit, nobody else placed what is listed after it.
    const { head, version } = await readHead();
    const pending = await store.list({ prefix: pendingEvents, limit: batch });
    if (pending.length === 0) return 0;
    const chained = await chain(head, pending);
    const last = chained.at(-1) as Chained;
    const next: Head = { ...head, sequence: last.event.sequence, hash: last.hash };
    const committed = await store.commit({
      checks: [{ key: headKey, version }],
      sets: [
        { key: headKey, value: { ...next } },
        ...chained.map((entry) => ({ key: placeOf(entry.event.sequence), value: entry as unknown as Json })),
      ],
      deletes: pending.map(({ key }) => key),
    });
    if (committed !== null) for (const { event } of chained) tell(event);
    return pending.length;
  }

  async function readHead(): Promise<{ head: Head; version: number | null }> {
    const [entry] = await store.get([headKey]);
    return { head: (entry?.value as unknown as Head | undefined) ?? noHead, version: entry?.version ?? null };
  }

  async function chain(head: Head, pending: readonly Entry[]): Promise<Chained[]> {
    const chained: Chained[] = [];
    let { sequence, hash } = head;
    for (const { value } of pending) {
      sequence += 1;
      const event = toEvent(value as unknown as Pending, sequence);
      hash = await hashOf(hash, event);
      chained.push({ event, hash });
    }
    return chained;
  }

  async function hashOf(before: string, event: LoggedEvent): Promise<string> {
    return toHex(await runtime.crypto.digest(utf8(before + JSON.stringify(event))));
  }

  function tell(event: LoggedEvent): void {
    for (const type of [event.type, "*"]) {
      for (const listener of emitter.listeners(type)) {
        try {
          listener(event);
        } catch (cause) {
          runtime.logger.error({ type: event.type, sequence: event.sequence, cause }, "A listener failed.");
        }
      }
    }
  }

  async function read(after: number, limit: number): Promise<LoggedEvent[]> {
    const { head } = await readHead();
    if (after < head.pruned)
      throw new LiveplaneError("EventsExpired", "Events behind this point are no longer kept. Begin anew.");
    const entries = await store.list({ prefix: logged, after: placeOf(after), limit });
    return entries.map(({ value }) => (value as unknown as Chained).event);
  }

  const log: EventLog = {
    head: async () => (await readHead()).head.sequence,
    read,
    wake() {
      again = true;
      running ??= drain().finally(() => {
        running = null;
      });
    },
    async sequence() {
      log.wake();
      await running;
    },
    async *follow({ after, signal } = {}) {
      let position = after ?? (await log.head());
      while (!signal?.aborted) {
        const seen = generation;
        const events = await read(position, batch);
        for (const event of events) {
          yield event;
          position = event.sequence;
        }
        if (events.length < batch && generation === seen) await nextChange(signal);
      }
    },
    on(type, listener) {
      emitter.on(type, listener);
      return () => void emitter.off(type, listener);
    },
    verify: () => verify(),
    prune: (before) => prune(before),
  };

  async function drain(): Promise<void> {
    while (again) {
      again = false;
      try {
        await sequenceAll();
      } catch (cause) {
        runtime.logger.warn({ cause }, "Events wait for their place: the store failed.");
      }
      generation += 1;
      for (const wakeUp of [...waiters]) wakeUp();
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
    const polled = runtime.clock.sleep(pollMs, { signal: stop.signal }).then(
      () => log.wake(),
      () => {},
    );
    await Promise.race([woken, polled]);
    stop.abort();
    signal?.removeEventListener("abort", onAbort);
  }

  async function verify(): Promise<Verification> {
    const { head } = await readHead();
    let [sequence, hash, broken]: [number, string, number | null] = [head.pruned, head.prunedHash, null];
    for (
      let entries = await chainAfter(sequence);
      entries.length > 0 && broken === null;
      entries = await chainAfter(sequence)
    ) {
      for (const { event, hash: kept } of entries) {
        hash = await hashOf(hash, event);
        if (event.sequence !== sequence + 1 || kept !== hash) {
          broken = sequence + 1;
          break;
        }
        sequence = event.sequence;
      }
    }
    if (broken === null && (sequence !== head.sequence || hash !== head.hash)) broken = sequence + 1;
    const waiting = await countPending();
    return { verified: sequence - head.pruned, broken, waiting };
  }

  async function countPending(): Promise<number> {
    let [count, after]: [number, Key | undefined] = [0, undefined];
    for (;;) {
      const entries = await store.list({ prefix: pendingEvents, limit: 1000, ...(after && { after }) });
      count += entries.length;
      after = entries.at(-1)?.key;
      if (entries.length < 1000) return count;
    }
  }

  async function chainAfter(sequence: number): Promise<Chained[]> {
    const entries = await store.list({ prefix: logged, after: placeOf(sequence), limit: batch });
    return entries.map(({ value }) => value as unknown as Chained);
  }

  async function prune(before: number): Promise<number> {
    const { head, version } = await readHead();
    const oldest = await chainAfter(head.pruned);
    const old = oldest.filter(({ event }) => Date.parse(event.time) < before);
    const last = old.at(-1);
    if (last === undefined) return 0;
    const next: Head = { ...head, pruned: last.event.sequence, prunedHash: last.hash };
    const deletes = old.map(({ event }) => placeOf(event.sequence));
    const committed = await store.commit({
      checks: [{ key: headKey, version }],
      sets: [{ key: headKey, value: { ...next } }],
      deletes,
    });
    return committed === null ? 0 : old.length;
  }

  return log;
}

function placeOf(sequence: number): Key {
  return [...logged, String(sequence).padStart(16, "0")];
}

function toEvent({ id, type, subject, about, data, actor, requestId, time }: Pending, sequence: number): LoggedEvent {
  return {
    specversion: "1.0",
    id,
    source: "liveplane",
    type,
    subject,
    time: new Date(time).toISOString(),
    datacontenttype: "application/json",
    sequence,
    actor,
    requestid: requestId,
    data,
    about,
  };
}
