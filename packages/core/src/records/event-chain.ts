import type { Target } from "../contract/target.ts";
import { toHex, utf8 } from "../encoding.ts";
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

/** What a walk along the chain found. */
export interface Verification {
  /** How many entries were walked. */
  readonly verified: number;
  /** The sequence number of the first entry that isn't what its hash says; `null`: none. */
  readonly broken: number | null;
  /** How many events still wait for their place. */
  readonly waiting: number;
}

/** Events in one gapless sequence, each with the hash of itself and of all before it. */
export interface EventChain {
  /** Where the chain begins and ends. */
  head(): Promise<ChainHead>;
  /** Moves what waits longest to its place. Answers what it placed; empty when nothing waits, `null` when it lost a race. */
  extend(): Promise<LoggedEvent[] | null>;
  /** Events behind a sequence number, as they stand. */
  after(sequence: number, limit: number): Promise<LoggedEvent[]>;
  /** Walks from the oldest entry to the head. */
  verify(): Promise<Verification>;
  /** Removes some of the events older than an instant, from the oldest on. Answers how many. */
  prune(before: number): Promise<number>;
}

/** The two ends of the chain. Whoever changes it compares and sets this, so that it can't fork. */
export interface ChainHead {
  readonly sequence: number;
  readonly hash: string;
  /** The sequence number before the oldest event that is kept, and its hash. */
  readonly pruned: number;
  readonly prunedHash: string;
}

interface Link {
  readonly event: LoggedEvent;
  readonly hash: string;
}

/** What a change appended. */
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
const linked: Key = ["event", "log"];
const batch = 200;
const noHead: ChainHead = { sequence: 0, hash: "", pruned: 0, prunedHash: "" };

/** Builds the chain over a store. */
export function createEventChain({
  store,
  crypto,
}: {
  readonly store: Store;
  readonly crypto: Pick<Runtime["crypto"], "digest">;
}): EventChain {
  async function readHead(): Promise<{ head: ChainHead; version: number | null }> {
    const [entry] = await store.get([headKey]);
    return { head: (entry?.value as unknown as ChainHead | undefined) ?? noHead, version: entry?.version ?? null };
  }

  async function hashOf(before: string, event: LoggedEvent): Promise<string> {
    return toHex(await crypto.digest(utf8(before + JSON.stringify(event))));
  }

  async function linksAfter(sequence: number, limit = batch): Promise<Link[]> {
    const entries = await store.list({ prefix: linked, after: placeOf(sequence), limit });
    return entries.map(({ value }) => value as unknown as Link);
  }

  async function link(head: ChainHead, pending: readonly Entry[]): Promise<Link[]> {
    const links: Link[] = [];
    let { sequence, hash } = head;
    for (const { value } of pending) {
      sequence += 1;
      const event = toEvent(value as unknown as Pending, sequence);
      hash = await hashOf(hash, event);
      links.push({ event, hash });
    }
    return links;
  }

  /** The first entry that isn't what it should be, up to where the chain ended when the walk began. */
  async function walk({ pruned, prunedHash, sequence: end, hash: endHash }: ChainHead) {
    let [sequence, hash] = [pruned, prunedHash];
    while (sequence < end) {
      const links = await linksAfter(sequence);
      if (links.length === 0) return { sequence, broken: sequence + 1 };
      for (const { event, hash: kept } of links.slice(0, end - sequence)) {
        hash = await hashOf(hash, event);
        if (event.sequence !== sequence + 1 || kept !== hash) return { sequence, broken: sequence + 1 };
        sequence += 1;
      }
    }
    return { sequence, broken: hash === endHash ? null : end };
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

  return {
    head: async () => (await readHead()).head,
    after: async (sequence, limit) => (await linksAfter(sequence, limit)).map(({ event }) => event),
    async extend() {
      // The head first: if it hasn't moved by the commit, nobody else placed what is listed after it.
      const { head, version } = await readHead();
      const pending = await store.list({ prefix: pendingEvents, limit: batch });
      const links = await link(head, pending);
      const last = links.at(-1);
      if (last === undefined) return [];
      const next: ChainHead = { ...head, sequence: last.event.sequence, hash: last.hash };
      const committed = await store.commit({
        checks: [{ key: headKey, version }],
        sets: [
          { key: headKey, value: { ...next } },
          ...links.map((entry) => ({ key: placeOf(entry.event.sequence), value: entry as unknown as Json })),
        ],
        deletes: pending.map(({ key }) => key),
      });
      return committed === null ? null : links.map(({ event }) => event);
    },
    async verify() {
      for (;;) {
        const head = await chainHead();
        const { sequence, broken } = await walk(head);
        // What is pruned during the walk is missing, and not broken.
        if (broken !== null && (await chainHead()).pruned !== head.pruned) continue;
        return { verified: sequence - head.pruned, broken, waiting: await countPending() };
      }
    },
    async prune(before) {
      const { head, version } = await readHead();
      const links = await linksAfter(head.pruned);
      const kept = links.findIndex(({ event }) => Date.parse(event.time) >= before);
      const old = kept === -1 ? links : links.slice(0, kept);
      const last = old.at(-1);
      if (last === undefined) return 0;
      const next: ChainHead = { ...head, pruned: last.event.sequence, prunedHash: last.hash };
      const committed = await store.commit({
        checks: [{ key: headKey, version }],
        sets: [{ key: headKey, value: { ...next } }],
        deletes: old.map(({ event }) => placeOf(event.sequence)),
      });
      return committed === null ? 0 : old.length;
    },
  };

  async function chainHead(): Promise<ChainHead> {
    return (await readHead()).head;
  }
}

function placeOf(sequence: number): Key {
  return [...linked, String(sequence).padStart(16, "0")];
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
