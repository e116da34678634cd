import { fromBase64Url, fromUtf8, toBase64Url, utf8 } from "../encoding.ts";
import { LiveplaneError } from "../errors.ts";
import type { IssuerRequest } from "../ports/identity.ts";
import { collection } from "../records/collection.ts";
import type { Change } from "../records/records.ts";
import type { Services } from "../services.ts";

/** Where a sign-in ends: on a page of this server, at a program on the browser's machine, or with a person who copies a code. */
export type SignInEnd =
  | { readonly kind: "page"; readonly returnTo: string }
  | { readonly kind: "loopback"; readonly port: number; readonly state: string; readonly codeChallenge: string }
  | { readonly kind: "person"; readonly codeChallenge: string };

/** The session that an identity is to be linked from. */
export interface LinkingSession {
  readonly accountId: string;
  readonly sessionId: string;
}

/** The person's proven identity at the issuer. */
export interface OfferedIdentity {
  readonly issuer: string;
  readonly subject: string;
  readonly email: string | null;
}

export interface SignInTransaction {
  /** Identifies it, and derives its secrets. */
  readonly id: string;
  readonly redirectUri: string;
  readonly end: SignInEnd;
  /** The session to link for; `null` for a sign-in. */
  readonly link: LinkingSession | null;
  /** The identity to link, which the person hasn't confirmed; `null` until they return from the issuer. */
  readonly offered: OfferedIdentity | null;
  /** In epoch milliseconds. */
  readonly expiresAt: number;
}

/** Starts one visit of a browser that links an identity to a session's account. */
export interface LinkTicket extends LinkingSession, Pick<SignInTransaction, "id" | "expiresAt"> {}

/** A transaction with its secrets for the issuer. */
export interface OpenedTransaction extends SignInTransaction {
  readonly request: IssuerRequest;
}

/** Sign-ins in progress. Each is kept by the browser that started it, sealed with an installation key. */
export interface SignInTransactions {
  /** Starts one, and returns the value that the browser keeps. */
  begin(
    given: Pick<SignInTransaction, "redirectUri" | "end" | "link" | "offered">,
  ): Promise<{ readonly text: string; readonly opened: OpenedTransaction }>;
  /** The transaction of a value; throws `SignInInvalid` if it is invalid or over. */
  open(text: string): Promise<OpenedTransaction>;
  /** A value with which a browser starts linking an identity to a session's account. */
  ticket(link: LinkingSession): Promise<{ readonly text: string; readonly expiresAt: number }>;
  openTicket(text: string): Promise<LinkTicket>;
  /** Spends a transaction or a ticket in the change that it permits; throws `SignInInvalid` if it was used before. */
  spend(change: Change, used: Pick<SignInTransaction, "id" | "expiresAt">): Promise<void>;
}

interface Spent {
  readonly id: string;
}

const spent = collection<Spent>()("spent-sign-in", { key: ({ id }) => [id] });

/** A sign-in ends after this time, like its cookie. */
export const transactionSeconds = 600;

export function createSignInTransactions(
  deps: Pick<Services, "runtime" | "secretKey" | "formerKeys">,
): SignInTransactions {
  const { runtime, secretKey, formerKeys = async () => [] } = deps;
  const { crypto, clock } = runtime;
  const derived = async (key: Uint8Array, what: string, of: string) =>
    toBase64Url(await crypto.hmac(key, utf8(`sign-in ${what} ${of}`)));
  const newId = () => toBase64Url(crypto.random(16));
  const expiry = () => clock.now() + transactionSeconds * 1000;

  async function requestOf(key: Uint8Array, { id, redirectUri }: SignInTransaction): Promise<IssuerRequest> {
    const of = (what: string) => derived(key, what, id);
    return { redirectUri, state: await of("state"), nonce: await of("nonce"), codeVerifier: await of("verifier") };
  }

  async function seal(kind: string, content: object): Promise<{ readonly key: Uint8Array; readonly text: string }> {
    const key = await secretKey();
    const payload = toBase64Url(utf8(JSON.stringify(content)));
    return { key, text: `${payload}.${await derived(key, kind, payload)}` };
  }

  /** Opens what the installation sealed; foreign text isn't even parsed. */
  async function unseal<T extends { readonly expiresAt: number }>(kind: string, text: string) {
    const [payload = "", seal = "", ...rest] = text.split(".");
    if (rest.length > 0) throw signInOver();
    for (const key of [await secretKey(), ...(await formerKeys())]) {
      if (!crypto.equal(utf8(seal), utf8(await derived(key, kind, payload)))) continue;
      const content = JSON.parse(fromUtf8(fromBase64Url(payload) ?? utf8("null"))) as T;
      if (content.expiresAt > clock.now()) return { key, content };
    }
    throw signInOver();
  }

  return {
    async begin(given) {
      const transaction: SignInTransaction = { ...given, id: newId(), expiresAt: expiry() };
      const { key, text } = await seal("transaction", transaction);
      return { text, opened: { ...transaction, request: await requestOf(key, transaction) } };
    },
    async open(text) {
      const { key, content } = await unseal<SignInTransaction>("transaction", text);
      return { ...content, request: await requestOf(key, content) };
    },
    async ticket(link) {
      const ticket: LinkTicket = { ...link, id: newId(), expiresAt: expiry() };
      return { text: (await seal("ticket", ticket)).text, expiresAt: ticket.expiresAt };
    },
    openTicket: async (text) => (await unseal<LinkTicket>("ticket", text)).content,
    async spend(change, { id, expiresAt }) {
      if ((await change.get(spent, [id])) !== null) throw signInOver();
      change.put(spent, { id }, { expiresAt });
    },
  };
}

/** The refusal of a sign-in that this browser didn't start, that is over, or that was used before. */
export function signInOver(): LiveplaneError {
  return new LiveplaneError(
    "SignInInvalid",
    "This sign-in has expired or was started in another browser. Start again.",
  );
}
