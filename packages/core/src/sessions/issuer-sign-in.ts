import type { CallerFacts } from "../contract/handler.ts";
import { nowText } from "../encoding.ts";
import { isLiveplaneError, LiveplaneError } from "../errors.ts";
import { type AccountRecord, accounts, findBySignIn } from "../identity/account-record.ts";
import {
  activateAccount,
  changeBy,
  linkIdentity,
  provisionAccount,
  takeProfile,
} from "../identity/identity-provisioning.ts";
import { type IdentityRecord, identities } from "../identity/identity-record.ts";
import { type IdentityVerdict, judgeIdentity } from "../identity/identity-verdict.ts";
import { ticketSeconds } from "../identity/sealed-tickets.ts";
import type { IdentityProfile, ProvenIdentity, SignInIssuer } from "../ports/identity.ts";
import type { Change, Stored } from "../records/records.ts";
import type { Services } from "../services.ts";
import { type BegunSession, beginPerson } from "./person-session.ts";
import { type GivenTokens, sessions } from "./session-record.ts";
import { emitFailure } from "./sign-in.ts";
import {
  type LinkingSession,
  type OfferedIdentity,
  type OpenedTransaction,
  type SignInEnd,
  signInOver,
} from "./sign-in-transactions.ts";

/** The request of a returning browser. */
export interface ReturningBrowser {
  /** The value that it was given at the start; `null` if it has none. */
  readonly transaction: string | null;
  readonly query: URLSearchParams;
  readonly from: CallerFacts;
  readonly requestId: string;
  readonly signal?: AbortSignal;
}

/** Where a browser goes after signing in, and what it carries. */
export type SignInArrival =
  /** `code` links an identity; otherwise the person is signed in, with these tokens. */
  | { readonly kind: "page"; readonly returnTo: string; readonly code: string }
  | { readonly kind: "page"; readonly returnTo: string; readonly tokens: GivenTokens }
  | { readonly kind: "loopback"; readonly port: number; readonly state: string; readonly code: string }
  | { readonly kind: "person"; readonly code: string }
  | LinkOffer
  /** The waiting program is told; a person sees a page. */
  | { readonly kind: "refused"; readonly port: number; readonly state: string; readonly refusal: LiveplaneError };

/** An identity that the person must confirm before it is linked. */
export interface LinkOffer {
  readonly kind: "offer";
  readonly end: SignInEnd;
  readonly identity: OfferedIdentity;
  readonly account: Pick<AccountRecord, "username" | "email">;
  /** The value that the browser keeps until it confirms, and what the confirming page sends with it. */
  readonly transaction: string;
  readonly state: string;
  readonly seconds: number;
}

/** Signs people in at the host's issuer, for browser-facing transports. */
export interface IssuerSignIn {
  /**
   * Where to send a browser, and the value that it keeps until it returns. `ticket` starts linking an identity, once. With `isFresh`,
   * people must sign in at the issuer again.
   *
   * @throws {SignInInvalid} {Unavailable}
   */
  begin(given: {
    readonly redirectUri: string;
    readonly end: SignInEnd;
    readonly isFresh: boolean;
    readonly ticket?: string;
    readonly requestId: string;
    readonly signal?: AbortSignal;
  }): Promise<{ readonly location: string; readonly transaction: string; readonly seconds: number }>;
  /**
   * Handles a returning browser. Refusals are thrown, unless a program is waiting.
   *
   * @throws {SignInInvalid} {SignInNotFresh} {IdentityNotLinked} {AddressNotVerified} {AccountNotActive} {Unavailable}
   */
  finish(browser: ReturningBrowser): Promise<SignInArrival>;
  /** Returns the code that links an identity, to the browser where it was offered. Throws `SignInInvalid` for any other. */
  confirm(browser: Pick<ReturningBrowser, "transaction" | "query" | "requestId">): Promise<SignInArrival>;
  /** Where to send a browser to sign out at the issuer too; `null` if there is no such page. */
  signOut(returnTo: string, options?: { readonly signal?: AbortSignal }): Promise<string | null>;
}

type Refused = Extract<IdentityVerdict, { kind: "refused" }>;

/** Creates the sign-in at the issuer; `null` if the host has none. */
export function createIssuerSignIn(
  deps: Pick<
    Services,
    "records" | "runtime" | "settings" | "begin" | "transactions" | "codes" | "challenges" | "startSubscription"
  > & { readonly issuer: SignInIssuer | null },
): IssuerSignIn | null {
  const { issuer, transactions } = deps;
  if (issuer === null) return null;
  return {
    async begin({ redirectUri, end, isFresh, ticket: text, requestId, signal }) {
      const ticket = text === undefined ? null : await transactions.openTicket(text);
      const link = ticket && { accountId: ticket.accountId, sessionId: ticket.sessionId };
      const begun = await transactions.begin({ redirectUri, end, isFresh, link, offered: null });
      const location = await issuer.begin(begun.opened.request, { ...(signal && { signal }) });
      // Once only: a ticket used in one browser doesn't work in another.
      if (ticket !== null)
        await deps.records.change({ actor: ticket.accountId, requestId }, (change) =>
          transactions.spend(change, ticket),
        );
      return { location, transaction: begun.text, seconds: ticketSeconds };
    },
    finish: (browser) => finish(deps, issuer, browser),
    confirm: (browser) => confirm(deps, browser),
    signOut: (returnTo, options) => issuer.signOut(returnTo, options),
  };
}

async function finish(
  deps: Pick<
    Services,
    "records" | "runtime" | "settings" | "begin" | "transactions" | "codes" | "challenges" | "startSubscription"
  >,
  issuer: SignInIssuer,
  browser: ReturningBrowser,
): Promise<SignInArrival> {
  const transaction = await transactionOf(deps, browser);
  if (transaction.offered !== null) throw signInOver();
  try {
    return await complete({ ...deps, issuer }, transaction, browser);
  } catch (refusal) {
    const { end } = transaction;
    if (end.kind !== "loopback" || !isLiveplaneError(refusal)) throw refusal;
    return { kind: "refused", port: end.port, state: end.state, refusal };
  }
}

async function confirm(
  deps: Pick<Services, "records" | "transactions" | "codes">,
  browser: Parameters<IssuerSignIn["confirm"]>[0],
): Promise<SignInArrival> {
  const transaction = await transactionOf(deps, browser);
  const { link, offered, end } = transaction;
  if (link === null || offered === null) throw signInOver();
  return deps.records.change({ actor: link.accountId, requestId: browser.requestId }, async (change) => {
    await deps.transactions.spend(change, transaction);
    await requireLinking(change, link);
    return arrivalWith(end, await deps.codes.give(change, { ...link, ...offered, kind: "link" }, end.kind));
  });
}

/** The sign-in that this browser started. What it sends must match what it keeps. */
async function transactionOf(
  { transactions }: Pick<Services, "transactions">,
  { transaction: text, query }: Pick<ReturningBrowser, "transaction" | "query">,
): Promise<OpenedTransaction> {
  const transaction = text === null ? null : await transactions.open(text);
  if (transaction === null || query.get("state") !== transaction.request.state) throw signInOver();
  return transaction;
}

async function complete(
  deps: Pick<
    Services,
    "records" | "runtime" | "settings" | "begin" | "transactions" | "codes" | "challenges" | "startSubscription"
  > & { readonly issuer: SignInIssuer },
  transaction: OpenedTransaction,
  { query, from, requestId, signal }: ReturningBrowser,
): Promise<SignInArrival> {
  const { records, transactions, issuer } = deps;
  const waiting = { ...(signal && { signal }) };
  const proven = recent(await issuer.complete(transaction.request, query, waiting), transaction, deps.runtime);
  const known = await records.find(identities, "subject", [proven.issuer, proven.subject]);
  const isAsked = transaction.link !== null || (known === null && deps.settings.provisioning !== "off");
  const profile = isAsked ? takeProfile(await proven.profile(waiting)) : null;
  const cause = { actor: known?.accountId ?? "anonymous", requestId };
  const outcome = await records.change<SignInArrival | Refused>(cause, async (change) => {
    await transactions.spend(change, transaction);
    const arriving = { proven, profile, transaction, from };
    return transaction.link === null
      ? arrive(deps, change, arriving)
      : offerLink(deps, change, arriving, transaction.link);
  });
  if (outcome.kind === "refused" && "why" in outcome) throw refusalOf(outcome);
  return outcome;
}

/** The issuer's answer, if the sign-in there isn't older than was asked for. The issuer's clock may be ahead of this one. */
function recent(
  proven: ProvenIdentity,
  { isFresh, request }: OpenedTransaction,
  { clock }: Services["runtime"],
): ProvenIdentity {
  const now = clock.now();
  const { authenticatedAt } = proven;
  if (authenticatedAt === null && isFresh)
    throw notFresh("The provider doesn't say when you signed in there. Sign in with a password or a passkey instead.");
  if (authenticatedAt === null) return proven;
  if (now - authenticatedAt > request.maxAgeSeconds * 1000)
    throw notFresh("The provider didn't ask you to sign in again. Sign out there, then start again.");
  return { ...proven, authenticatedAt: Math.min(authenticatedAt, now) };
}

function notFresh(detail: string): LiveplaneError {
  return new LiveplaneError("SignInNotFresh", detail);
}

interface Arriving {
  readonly proven: ProvenIdentity;
  readonly profile: IdentityProfile | null;
  readonly transaction: OpenedTransaction;
  readonly from: CallerFacts;
}

/** Completes an allowed sign-in: a session for a page, a code for a program. */
async function arrive(
  deps: Pick<Services, "runtime" | "settings" | "begin" | "codes" | "challenges" | "startSubscription">,
  change: Change,
  { proven: { issuer, subject, hasSecondFactor, authenticatedAt }, profile, transaction: { end }, from }: Arriving,
): Promise<SignInArrival | Refused> {
  const { provisioning, operators } = deps.settings;
  const known = await change.find(identities, "subject", [issuer, subject]);
  const holder = known && (await change.get(accounts, [known.accountId]));
  const linked = known && { id: known.accountId, status: holder?.status ?? "Deleted" };
  const named = profile?.email == null ? null : await findBySignIn(change, profile.email);
  const isOperator = (id: string) => operators.includes(id);
  const verdict = judgeIdentity({ linked, profile, named, provisioning, isOperator });
  if (verdict.kind === "refused") {
    emitFailure(change, linked?.id ?? null);
    return verdict;
  }
  const account = holder ?? (await accountFor(deps, change, verdict, profile));
  const own = changeBy(account.id, change);
  const given = { accountId: account.id, issuer, subject, email: profile?.email ?? null };
  const identity = known ?? linkIdentity(deps, own, given);
  const how = { hasSecondFactor, authenticatedAt };
  if (end.kind === "page") {
    const { tokens } = await beginSession(deps, own, { account, identity, ...how, from });
    return { ...end, tokens };
  }
  const { codeChallenge } = end;
  const whose = { accountId: account.id, identityId: identity.id, ...how };
  return arrivalWith(end, await deps.codes.give(change, { kind: "session", ...whose, codeChallenge }, end.kind));
}

function arrivalWith(end: SignInEnd, code: string): SignInArrival {
  const { codeChallenge: _, ...where } = { codeChallenge: "", ...end };
  return { ...where, code };
}

/** Asks the person, in the returning browser, whether the identity and the account are both theirs. */
async function offerLink(
  { transactions }: Pick<Services, "transactions">,
  change: Change,
  { proven: { issuer, subject }, profile, transaction: { end, redirectUri } }: Arriving,
  link: LinkingSession,
): Promise<LinkOffer> {
  const account = await requireLinking(change, link);
  const identity = { issuer, subject, email: profile?.email ?? null };
  const { text, opened } = await transactions.begin({ redirectUri, end, isFresh: false, link, offered: identity });
  const kept = { transaction: text, state: opened.request.state, seconds: ticketSeconds };
  return { kind: "offer", end, identity, account, ...kept };
}

/** The account to link to, as long as the session that started it lasts. */
async function requireLinking(change: Change, { accountId, sessionId }: LinkingSession): Promise<AccountRecord> {
  const account = await change.get(accounts, [accountId]);
  if (account?.status !== "Active" || (await change.get(sessions, [sessionId])) === null) throw signInOver();
  return account;
}

async function accountFor(
  deps: Pick<Services, "runtime" | "challenges" | "startSubscription">,
  change: Change,
  verdict: Exclude<IdentityVerdict, Refused>,
  profile: IdentityProfile | null,
): Promise<Stored<AccountRecord>> {
  if (profile === null || verdict.kind === "opens") throw new LiveplaneError("Conflict");
  if (verdict.kind === "provisions") return provisionAccount(deps, change, profile);
  const { accountId } = verdict;
  return activateAccount(deps, changeBy(accountId, change), { accountId, profile });
}

/** How a person signed in at the issuer. */
export interface AtIssuer {
  readonly account: AccountRecord;
  readonly identity: Stored<IdentityRecord>;
  readonly hasSecondFactor: boolean;
  readonly authenticatedAt: number | null;
  readonly from: CallerFacts;
}

/** Begins the session of a person who signed in at the issuer. */
export async function beginSession(
  deps: Pick<Services, "runtime" | "settings" | "begin">,
  change: Change,
  { account, identity, hasSecondFactor, authenticatedAt, from }: AtIssuer,
): Promise<BegunSession> {
  change.put(identities, { ...identity, lastUsedAt: nowText(deps) });
  // Whoever gave a second factor there isn't asked for another one here.
  const factor = hasSecondFactor ? { secondFactor: "issuer" as const } : {};
  const how = { signedInBy: "openid", identityId: identity.id, authenticatedAt, ...factor } as const;
  return beginPerson(deps, change, { account, from, ...how });
}

/** The message of each refusal, for a person whom the issuer has authenticated. */
function refusalOf({ why }: Refused): LiveplaneError {
  switch (why) {
    case "notActive":
      return new LiveplaneError("AccountNotActive", "The account is suspended or has been deleted.");
    case "notVerified":
      return new LiveplaneError(
        "AddressNotVerified",
        "The provider hasn't verified your address. Verify it there, then start again.",
      );
    case "taken":
      return new LiveplaneError(
        "IdentityNotLinked",
        "An account with your address already exists. Sign in to it as before, and link this identity there.",
      );
    case "notLinked":
      return new LiveplaneError(
        "IdentityNotLinked",
        "This identity isn't linked to an account. Sign in as before and link it there, or ask an operator for an account.",
      );
  }
}
