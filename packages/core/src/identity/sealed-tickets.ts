import { fromBase64Url, fromUtf8, toBase64Url, utf8 } from "../encoding.ts";
import { collection } from "../records/collection.ts";
import type { Change } from "../records/records.ts";
import type { Services } from "../services.ts";

/** What every ticket contains. */
export interface Ticket {
  readonly id: string;
  /** In epoch milliseconds. */
  readonly expiresAt: number;
}

/** A ticket with the key that sealed it. */
export interface OpenedTicket<T> {
  readonly key: Uint8Array;
  readonly content: T & Ticket;
}

/** What clients keep for the server: sealed with the installation's key, valid for ten minutes, used at most once, and stored nowhere. */
export interface SealedTickets {
  seal<T extends object>(kind: string, content: T): Promise<OpenedTicket<T> & { readonly text: string }>;
  /** The ticket of a text; `null` if it is foreign or has expired. */
  open<T extends object>(kind: string, text: string): Promise<OpenedTicket<T> | null>;
  /** Spends a ticket in the change that it permits. False: it was used before. */
  spend(change: Change, ticket: Ticket): Promise<boolean>;
  /** A secret that a key and an ID determine. */
  derived(key: Uint8Array, what: string, of: string): Promise<string>;
}

const spent = collection<{ readonly id: string }>()("spent-sign-in", { key: ({ id }) => [id] });

/** How long tickets are valid. */
export const ticketSeconds = 600;

export function createSealedTickets(deps: Pick<Services, "runtime" | "secretKey" | "formerKeys">): SealedTickets {
  const { runtime, secretKey, formerKeys = async () => [] } = deps;
  const { crypto, clock } = runtime;
  const derived = async (key: Uint8Array, what: string, of: string) =>
    toBase64Url(await crypto.hmac(key, utf8(`sign-in ${what} ${of}`)));
  return {
    derived,
    async seal(kind, given) {
      const key = await secretKey();
      const expiresAt = clock.now() + ticketSeconds * 1000;
      const content = { ...given, id: toBase64Url(crypto.random(16)), expiresAt };
      const payload = toBase64Url(utf8(JSON.stringify(content)));
      return { key, content, text: `${payload}.${await derived(key, kind, payload)}` };
    },
    async open<T extends object>(kind: string, text: string) {
      const [payload = "", seal = "", ...rest] = text.split(".");
      if (rest.length > 0) return null;
      for (const key of [await secretKey(), ...(await formerKeys())]) {
        // What is foreign isn't even parsed.
        if (!crypto.equal(utf8(seal), utf8(await derived(key, kind, payload)))) continue;
        const content = JSON.parse(fromUtf8(fromBase64Url(payload) ?? utf8("null"))) as T & Ticket;
        if (content.expiresAt > clock.now()) return { key, content };
      }
      return null;
    },
    async spend(change, { id, expiresAt }) {
      if ((await change.get(spent, [id])) !== null) return false;
      change.put(spent, { id }, { expiresAt });
      return true;
    },
  };
}
