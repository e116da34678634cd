import type { EventTarget } from "../contract/target.ts";
import { toHex, toInstant, utf8 } from "../encoding.ts";
import type { Runtime } from "../ports/runtime.ts";
import type { Entry, Json, Key, SetEntry, Store } from "../ports/store.ts";
import { pendingEvents } from "../records/layout.ts";
import { type OwnerScope, ownerScope } from "./event-owner.ts";

/** An event in the log: CloudEvents attributes, a gapless sequence number, and the owner whose View shows it. */
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
  readonly about: EventTarget;
}

/** The result of verifying the chain. */
export interface Verification {
  /** How many entries were verified. */
  readonly verified: number;
  /** The sequence number of the first entry that doesn't match its hash; `null` if all match. */
  readonly broken: number | null;
  /** How many events aren't sequenced yet. */
  readonly waiting: number;
}

/** Events in one gapless sequence, each with a hash over itself and the previous hash. */
export interface EventChain {
  /** The ends of the chain. */
  head(): Promise<ChainHead>;
  /** Sequences the oldest pending events and returns them: empty if none are pending, `null` if it lost a race. */
  extend(): Promise<LoggedEvent[] | null>;
  /** Events after a sequence number, as stored. */
  after(sequence: number, limit: number): Promise<LoggedEvent[]>;
  /** Verifies from the oldest entry to the head. */
  verify(): Promise<Verification>;
  /** Removes some of the old events, oldest first. Returns how many. */
  prune(age: Age): Promise<number>;
}

/** What counts as old: events before an instant, and everything before those. */
export interface Age {
  readonly before: number;
  /** An event stamped later than now came from a fast clock, so its position tells when it happened. */
  readonly now: number;
}

/** The two ends of the chain. Every change compares and sets it, so the chain can't fork. */
export interface ChainHead {
  readonly sequence: number;
  readonly hash: string;
  /** The sequence number before the oldest event that is kept, and its hash. */
  readonly pruned: number;
  readonly prunedHash: string;
}

export interface Link {
  readonly event: LoggedEvent;
  readonly hash: string;
}

interface ChainOptions {
  readonly store: Store;
  readonly crypto: Pick<Runtime["crypto"], "digest">;
  /** The format to write. @default the newest */
  readonly format?: () => Promise<number>;
}

/** An event as it is stored since format 6: without what all events share, and without the number that is in its key. */
type StoredEvent = Omit<LoggedEvent, "specversion" | "source" | "datacontenttype" | "sequence">;

/** The events that one change appended. */
interface Pending {
  readonly id: string;
  readonly type: string;
  readonly subject: string;
  readonly about: EventTarget;
  readonly data: Readonly<Record<string, Json>>;
  readonly actor: string;
  readonly requestId: string;
  readonly time: number;
}

export const headKey: Key = ["event", "head"];
const linked: Key = ["event", "log"];
const owned: Key = ["event", "of"];
/** The most events that one commit sequences or one read returns. */
export const placedAtOnce = 200;
const noHead: ChainHead = { sequence: 0, hash: "", pruned: 0, prunedHash: "" };

export function createEventChain({
  store,
  crypto,
  format = async () => Number.POSITIVE_INFINITY,
}: ChainOptions): EventChain {
  async function hashOf(before: string, event: LoggedEvent): Promise<string> {
    return toHex(await crypto.digest(utf8(before + JSON.stringify(event))));
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

  /** The first entry that doesn't match, up to the end of the chain when the verification began. */
  async function walk({ pruned, prunedHash, sequence: end, hash: endHash }: ChainHead) {
    let [sequence, hash] = [pruned, prunedHash];
    while (sequence < end) {
      const links = await linksAfter(store, sequence, placedAtOnce);
      if (links.length === 0) return { sequence, broken: sequence + 1 };
      for (const { event, hash: kept } of links.slice(0, end - sequence)) {
        hash = await hashOf(hash, event);
        if (event.sequence !== sequence + 1 || kept !== hash) return { sequence, broken: sequence + 1 };
        sequence += 1;
      }
    }
    return { sequence, broken: hash === endHash ? null : end };
  }

  /** The oldest events that count as old. */
  async function oldestOf({ pruned }: ChainHead, { before, now }: Age): Promise<Link[]> {
    const stamped = ({ event }: Link) => Date.parse(event.time);
    const links = await linksAfter(store, pruned, placedAtOnce);
    const last = links.findLastIndex((link) => stamped(link) < before);
    if (last !== -1) return links.slice(0, last + 1);
    for (let behind = links; behind.length > 0; ) {
      const known = behind.find((link) => stamped(link) <= now);
      if (known !== undefined) return stamped(known) < before ? links : [];
      behind = await linksAfter(store, behind.at(-1)?.event.sequence ?? pruned, placedAtOnce);
    }
    return [];
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
    head: chainHead,
    after: async (sequence, limit) => (await linksAfter(store, sequence, limit)).map(({ event }) => event),
    async extend() {
      // The head is read first: if it hasn't moved by the commit, nobody else sequenced what is listed after it.
      const { head, version } = await readHead(store);
      const pending = await store.list({ prefix: pendingEvents, limit: placedAtOnce });
      const links = await link(head, pending);
      const last = links.at(-1);
      if (last === undefined) return [];
      const next: ChainHead = { ...head, sequence: last.event.sequence, hash: last.hash };
      const setsOf = (await format()) < 6 ? wholeSetsOf : compactSetsOf;
      const committed = await store.commit({
        checks: [{ key: headKey, version }],
        sets: [{ key: headKey, value: { ...next } }, ...links.flatMap(setsOf)],
        deletes: pending.map(({ key }) => key),
      });
      return committed === null ? null : links.map(({ event }) => event);
    },
    async verify() {
      for (;;) {
        const head = await chainHead();
        const { sequence, broken } = await walk(head);
        // What is pruned during the verification is missing, not broken.
        if (broken !== null && (await chainHead()).pruned !== head.pruned) continue;
        return { verified: sequence - head.pruned, broken, waiting: await countPending() };
      }
    },
    async prune(age) {
      const { head, version } = await readHead(store);
      const old = await oldestOf(head, age);
      const last = old.at(-1);
      if (last === undefined) return 0;
      const next: ChainHead = { ...head, pruned: last.event.sequence, prunedHash: last.hash };
      const committed = await store.commit({
        checks: [{ key: headKey, version }],
        sets: [{ key: headKey, value: { ...next } }],
        deletes: old.flatMap(keysOf),
      });
      return committed === null ? 0 : old.length;
    },
  };

  async function chainHead(): Promise<ChainHead> {
    return (await readHead(store)).head;
  }
}

/** The head, and the version that a writer must check. */
export async function readHead(store: Pick<Store, "get">): Promise<{ head: ChainHead; version: number | null }> {
  const [entry = null] = await store.get([headKey]);
  return { head: toHead(entry), version: entry?.version ?? null };
}

/** The stored head; before the first event, an empty one. */
export function toHead(entry: Entry | null): ChainHead {
  return (entry?.value as unknown as ChainHead | undefined) ?? noHead;
}

/** What is after a sequence number. */
export async function linksAfter(store: Pick<Store, "list">, sequence: number, limit: number): Promise<Link[]> {
  const entries = await store.list({ prefix: linked, after: placeOf(sequence), limit });
  return entries.map(toLink);
}

/** An entry of the log, as any format stores it. */
export function toLink({ key, value }: Entry): Link {
  const { event, hash } = value as unknown as { readonly event: StoredEvent; readonly hash: string };
  return { event: completed(event, Number(key.at(-1))), hash };
}

export function placeOf(sequence: number): Key {
  return [...linked, numbered(sequence)];
}

/** The key of an event in the index of owners. */
export function ownedPlaceOf(owner: OwnerScope, sequence: number): Key {
  return [...owned, ...owner, numbered(sequence)];
}

/** All entries of an event: itself, and its place in the index. @internal */
export function compactSetsOf({ event, hash }: Link): SetEntry[] {
  const { specversion: _version, source: _source, datacontenttype: _type, sequence: _sequence, ...stored } = event;
  return setsOf(event, { event: stored, hash });
}

/** The same until format 5. */
function wholeSetsOf(link: Link): SetEntry[] {
  return setsOf(link.event, link);
}

function setsOf(event: LoggedEvent, value: { readonly event: StoredEvent; readonly hash: string }): SetEntry[] {
  const [key, index] = keysOf({ event });
  return [
    { key, value: value as unknown as Json },
    { key: index, value: null },
  ];
}

function keysOf({ event: { sequence, about } }: Pick<Link, "event">): [log: Key, index: Key] {
  return [placeOf(sequence), ownedPlaceOf(ownerScope(about), sequence)];
}

function numbered(sequence: number): string {
  return String(sequence).padStart(16, "0");
}

function toEvent({ requestId, time, ...pending }: Pending, sequence: number): LoggedEvent {
  return completed({ ...pending, requestid: requestId, time: toInstant(time) }, sequence);
}

/** The hash depends on the order of the members. */
function completed(event: StoredEvent, sequence: number): LoggedEvent {
  const { id, type, subject, time, actor, requestid, data, about } = event;
  return {
    specversion: "1.0",
    id,
    source: "liveplane",
    type,
    subject,
    time,
    datacontenttype: "application/json",
    sequence,
    actor,
    requestid,
    data,
    about,
  };
}
