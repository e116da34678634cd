import type { Services } from "../services.ts";
import { headKey, type LoggedEvent, ownedPlaceOf, placeOf, readHead, toHead, toLink } from "./event-chain.ts";
import type { OwnerScope } from "./event-owner.ts";

/** Events of some owners, in order. */
export interface OwnedEvents {
  readonly events: readonly LoggedEvent[];
  /** Their events are complete up to here. */
  readonly through: number;
  /** The end of the log when it was read. */
  readonly head: number;
  /** Events up to here are no longer kept. */
  readonly pruned: number;
}

/** The events of some owners after a sequence number, about `limit` at most. Their index saves reading other owners' events. */
export async function ownedEvents(
  { store }: Pick<Services, "store">,
  owners: readonly OwnerScope[],
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<OwnedEvents> {
  /** The places in one owner's part of the index, and where the list ends. */
  async function listOf(owner: OwnerScope, until: number, limit: number) {
    const range = { after: ownedPlaceOf(owner, after), until: ownedPlaceOf(owner, until + 1), limit };
    const entries = await store.list({ prefix: ownedPlaceOf(owner, 0).slice(0, -1), ...range });
    const sequences = entries.map(({ key }) => Number(key.at(-1)));
    return { sequences, through: sequences.length === limit ? (sequences.at(-1) ?? until) : until };
  }

  const { sequence: head, pruned } = (await readHead(store)).head;
  if (head <= after) return { events: [], through: after, head, pruned };
  const each = Math.ceil(limit / Math.max(1, owners.length)) + 10;
  const lists = await Promise.all(owners.map((owner) => listOf(owner, head, each)));
  const listed = Math.min(head, ...lists.map(({ through }) => through));
  const merged = lists.flatMap(({ sequences }) => sequences).filter((sequence) => sequence <= listed);
  const wanted = merged.sort((a, b) => a - b).slice(0, limit);
  const through = wanted.length < merged.length ? (wanted.at(-1) ?? listed) : listed;
  // The head is read again with them, because events pruned by now may be missing from the lists.
  const [last = null, ...entries] = await store.get([headKey, ...wanted.map(placeOf)]);
  return {
    events: entries.flatMap((entry) => (entry === null ? [] : [toLink(entry).event])),
    through,
    head,
    pruned: toHead(last).pruned,
  };
}
