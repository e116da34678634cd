import type { AuditEntry } from "../contract/event-types.ts";
import type { Handlers } from "../contract/handler.ts";
import { actorName } from "../contract/target.ts";
import type { Listed } from "../records/records.ts";
import type { Services } from "../services.ts";
import { linksAfter, placeOf, readHead } from "./event-chain.ts";

/** Creates the reader of the whole log: each event with its hash and the previous one. */
export function createAudit({
  store,
  pages,
}: Pick<Services, "store" | "pages">): Pick<Handlers<"events">, "events.log"> {
  async function hashAt(sequence: number): Promise<string> {
    const [entry = null] = await store.get([placeOf(sequence)]);
    if (entry !== null) return Reflect.get(Object(entry.value), "hash") as string;
    const { head } = await readHead(store);
    return head.pruned === sequence ? head.prunedHash : "";
  }

  async function entriesAfter(sequence: number, limit: number): Promise<Listed<AuditEntry>[]> {
    const links = await linksAfter(store, sequence, limit);
    let before = links.length === 0 ? "" : await hashAt((links[0]?.event.sequence ?? 1) - 1);
    return links.map(({ event, hash }) => {
      const record = {
        version: "",
        sequence: event.sequence,
        event: event as unknown as AuditEntry["event"],
        before,
        hash,
      };
      before = hash;
      const position = [String(event.sequence)];
      return { record, position };
    });
  }

  /** The last event before an instant, by position: events before an old event count as old, whatever their clocks said. */
  async function lastBefore(instant: string, ends: { readonly from: number; readonly to: number }): Promise<number> {
    const at = Date.parse(instant);
    let { from, to } = ends;
    while (from < to) {
      const middle = Math.ceil((from + to) / 2);
      const [link] = await linksAfter(store, middle - 1, 1);
      if (link === undefined || Date.parse(link.event.time) >= at) to = middle - 1;
      else from = middle;
    }
    return from;
  }

  return {
    "events.log": async ({ actor, query: { from, until, newest, ...query } }) => {
      const { head } = await readHead(store);
      const ends = { from: head.pruned, to: head.sequence };
      const first = from === undefined ? ends.from : await lastBefore(from, ends);
      const last = until === undefined ? Number.POSITIVE_INFINITY : await lastBefore(until, ends);
      const begin = newest === undefined ? first : Math.max(first, Math.min(last, ends.to) - newest);
      const bind = [actorName(actor), "events.log", from ?? "", until ?? "", String(newest ?? "")];
      const page = await pages.page<AuditEntry>(
        async ({ after, limit }) => {
          const entries = await entriesAfter(Number(after?.[0] ?? begin), limit);
          return entries.filter(({ record }) => record.sequence <= last);
        },
        { ...query, bind },
      );
      return { value: { ...page, items: page.items.map(({ version: _version, ...entry }) => entry) } };
    },
  };
}
