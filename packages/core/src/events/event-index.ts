import type { Logger } from "../ports/runtime.ts";
import type { Entry } from "../ports/store.ts";
import type { Services } from "../services.ts";
import {
  headKey,
  indexedThrough,
  type Link,
  type LoggedEvent,
  linksAfter,
  ownedPlaceOf,
  placeOf,
  readHead,
  setsOf,
  toHead,
} from "./event-chain.ts";
import { installationScope, type OwnerScope, ownerScope } from "./event-owner.ts";

/** Events of some owners, in order. */
export interface OwnedEvents {
  readonly events: readonly LoggedEvent[];
  /** Up to here nothing of theirs is left out. */
  readonly through: number;
  /** Up to here the index is whole. */
  readonly whole: number;
  /** The oldest events up to here are no longer kept. */
  readonly pruned: number;
}

/** The events by whose they are, so that a reader reads no stranger's. */
export interface EventIndex {
  /** Events of some owners behind a sequence number, at most about `limit`, as far as the index is whole. */
  read(owners: readonly OwnerScope[], after: number, limit: number): Promise<OwnedEvents>;
  /**
   * Indexes some of what has a place and no owner: the log of the first build, and what a process of that build still adds.
   * Answers how much is left; 0: the index is whole. Several processes may do it at once.
   */
  carryOn(): Promise<number>;
}

const batch = 200;
/** So often the progress of a long log is told. */
const toldEvery = 10_000;

/** Builds the index over a store. The sequencer writes what is new into it; this reads it, and carries old logs over. */
export function createEventIndex({
  store,
  logger,
  ownerOf,
}: Pick<Services, "store"> & {
  readonly logger: Logger;
  readonly ownerOf: (about: LoggedEvent["about"]) => Promise<OwnerScope | null>;
}): EventIndex {
  /** Places in one owner's part of the index, and where the list of them ends. */
  async function listOf(owner: OwnerScope, { after, until, limit }: { after: number; until: number; limit: number }) {
    const range = { after: ownedPlaceOf(owner, after), until: ownedPlaceOf(owner, until + 1), limit };
    const entries = await store.list({ prefix: ownedPlaceOf(owner, 0).slice(0, -1), ...range });
    const sequences = entries.map(({ key }) => Number(key.at(-1)));
    return { sequences, through: sequences.length === limit ? (sequences.at(-1) ?? until) : until };
  }

  async function withOwner(links: readonly Link[]): Promise<Link[]> {
    const known = new Map<string, Promise<OwnerScope | null>>();
    const found: Link[] = [];
    for (const link of links) {
      const { about } = link.event;
      const name = JSON.stringify(about);
      const owner = known.get(name) ?? Promise.resolve(ownerScope(about) ?? ownerOf(about));
      known.set(name, owner);
      found.push({ ...link, owner: (await owner) ?? installationScope });
    }
    return found;
  }

  /** Writes what was found, unless somebody else did or it is gone by now. Who else moves the head only makes it try again. */
  async function write(links: readonly Link[], through: number): Promise<number> {
    for (;;) {
      const { head, version } = await readHead(store);
      const indexed = indexedThrough(head);
      if (indexed >= through) return head.sequence - indexed;
      const sets = links.filter(({ event }) => event.sequence > indexed).flatMap(setsOf);
      const next = { key: headKey, value: { ...head, indexed: through } };
      const committed = await store.commit({ checks: [{ key: headKey, version }], sets: [next, ...sets] });
      if (committed !== null) return tellProgress(indexed, through, head.sequence);
    }
  }

  function tellProgress(from: number, through: number, sequence: number): number {
    if (Math.floor(from / toldEvery) !== Math.floor(through / toldEvery) || through >= sequence)
      logger.info({ indexed: through, left: sequence - through }, "Events were indexed by owner.");
    return sequence - through;
  }

  return {
    async read(owners, after, limit) {
      const { head } = await readHead(store);
      const until = indexedThrough(head);
      if (until <= after) return { events: [], through: after, whole: until, pruned: head.pruned };
      const each = Math.ceil(limit / Math.max(1, owners.length)) + 10;
      const lists = await Promise.all(owners.map((owner) => listOf(owner, { after, until, limit: each })));
      const listed = Math.min(until, ...lists.map(({ through }) => through));
      const merged = lists.flatMap(({ sequences }) => sequences).filter((sequence) => sequence <= listed);
      const wanted = merged.sort((a, b) => a - b).slice(0, limit);
      const through = wanted.length < merged.length ? (wanted.at(-1) ?? listed) : listed;
      // The head once more, with them: what is pruned by now may have been missing from the lists.
      const entries = await store.get([headKey, ...wanted.map(placeOf)]);
      return {
        events: entries.slice(1).flatMap(eventOf),
        through,
        whole: until,
        pruned: toHead(entries[0] ?? null).pruned,
      };
    },
    async carryOn() {
      const { head } = await readHead(store);
      const from = indexedThrough(head);
      if (from >= head.sequence) return 0;
      const links = (await linksAfter(store, from, batch)).filter(({ event }) => event.sequence <= head.sequence);
      const through = links.length < batch ? head.sequence : (links.at(-1)?.event.sequence ?? head.sequence);
      return write(await withOwner(links), through);
    },
  };
}

function eventOf(entry: Entry | null): LoggedEvent[] {
  return entry === null ? [] : [(entry.value as unknown as Link).event];
}
