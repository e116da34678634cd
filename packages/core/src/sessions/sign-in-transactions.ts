import { LiveplaneError } from "../errors.ts";
import type { Ticket } from "../identity/sealed-tickets.ts";
import type { IssuerRequest } from "../ports/identity.ts";
import type { Change } from "../records/records.ts";
import type { Services } from "../services.ts";
import { freshMs } from "./session-record.ts";

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

/** A sign-in in progress. Its ID derives its secrets. */
export interface SignInTransaction extends Ticket {
  readonly redirectUri: string;
  readonly end: SignInEnd;
  /** Whether the person must sign in at the issuer again. */
  readonly isFresh: boolean;
  /** The session to link for; `null` for a sign-in. */
  readonly link: LinkingSession | null;
  /** The identity to link, which the person hasn't confirmed; `null` until they return from the issuer. */
  readonly offered: OfferedIdentity | null;
}

/** Starts one visit of a browser that links an identity to a session's account. */
export interface LinkTicket extends LinkingSession, Ticket {}

/** A transaction with its secrets for the issuer. */
export interface OpenedTransaction extends SignInTransaction {
  readonly request: IssuerRequest;
}

/** Sign-ins in progress. Each is kept by the browser that started it, sealed with an installation key. */
export interface SignInTransactions {
  /** Starts one, and returns the value that the browser keeps. */
  begin(
    given: Pick<SignInTransaction, "redirectUri" | "end" | "isFresh" | "link" | "offered">,
  ): Promise<{ readonly text: string; readonly opened: OpenedTransaction }>;
  /** The transaction of a value; throws `SignInInvalid` if it is invalid or over. */
  open(text: string): Promise<OpenedTransaction>;
  /** A value with which a browser starts linking an identity to a session's account. */
  ticket(link: LinkingSession): Promise<{ readonly text: string; readonly expiresAt: number }>;
  openTicket(text: string): Promise<LinkTicket>;
  /** Spends a transaction or a ticket in the change that it permits; throws `SignInInvalid` if it was used before. */
  spend(change: Change, used: Ticket): Promise<void>;
}

export function createSignInTransactions({
  tickets,
  settings,
}: Pick<Services, "tickets" | "settings">): SignInTransactions {
  async function requestOf(key: Uint8Array, { id, redirectUri, isFresh }: SignInTransaction): Promise<IssuerRequest> {
    const of = (what: string) => tickets.derived(key, what, id);
    const secrets = { state: await of("state"), nonce: await of("nonce"), codeVerifier: await of("verifier") };
    // No session here begins with a sign-in that is older than a session may become.
    const maxAgeSeconds = isFresh ? freshMs / 1000 : settings.refreshAbsoluteSeconds;
    return { redirectUri, ...secrets, asksAgain: isFresh, maxAgeSeconds };
  }

  async function open<T extends object>(kind: string, text: string) {
    const opened = await tickets.open<T>(kind, text);
    if (opened === null) throw signInOver();
    return opened;
  }

  return {
    async begin(given) {
      const { key, content, text } = await tickets.seal("transaction", given);
      return { text, opened: { ...content, request: await requestOf(key, content) } };
    },
    async open(text) {
      const { key, content } = await open<SignInTransaction>("transaction", text);
      return { ...content, request: await requestOf(key, content) };
    },
    async ticket(link) {
      const { text, content } = await tickets.seal("ticket", link);
      return { text, expiresAt: content.expiresAt };
    },
    openTicket: async (text) => (await open<LinkTicket>("ticket", text)).content,
    async spend(change, used) {
      if (!(await tickets.spend(change, used))) throw signInOver();
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
