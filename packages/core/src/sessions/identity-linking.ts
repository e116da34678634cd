import type { Handlers } from "../contract/handler.ts";
import { type Actor, actorName } from "../contract/target.ts";
import { nowText, toInstant } from "../encoding.ts";
import { LiveplaneError } from "../errors.ts";
import { type AccountRecord, accounts } from "../identity/account-record.ts";
import { linkIdentity } from "../identity/identity-provisioning.ts";
import { emitIdentity, identities, toIdentity } from "../identity/identity-record.ts";
import { listAll } from "../records/list-all.ts";
import type { Cause, Change, Stored } from "../records/records.ts";
import type { Services } from "../services.ts";
import { turnedOff } from "../turned-off.ts";
import { endSession, type SessionRecord, sessions } from "./session-record.ts";
import { codeInvalid } from "./sign-in-codes.ts";

type Operation = `accounts.identities.${"list" | "authorize" | "link" | "delete"}`;

/** A person in their own session. */
interface SignedIn {
  readonly account: Stored<AccountRecord>;
  readonly session: Stored<SessionRecord>;
}

/** Creates the handlers by which people link identities to their account. */
export function createIdentityLinking(
  deps: Pick<Services, "records" | "pages" | "runtime" | "transactions" | "codes" | "mail"> & {
    readonly hasIssuer: boolean;
  },
): Pick<Handlers<"accounts">, Operation> {
  const { records, pages, codes, transactions, mail } = deps;
  return {
    "accounts.identities.list": async ({ actor, query }) => {
      const own = actorName(actor);
      const page = await pages.page(
        (range) => records.list(identities, { index: "byAccount", prefix: [own], ...range }),
        { ...query, bind: [own, "accounts.identities.list"] },
      );
      return { value: { ...page, items: page.items.map(toIdentity) } };
    },

    "accounts.identities.authorize": async ({ actor, cause }) => {
      if (!deps.hasIssuer) throw turnedOff("This server has no OpenID provider to link to.", "signInIssuer");
      const { account, session } = await records.change(cause, (change) => requireSession(change, actor));
      const { text, expiresAt } = await transactions.ticket({ accountId: account.id, sessionId: session.id });
      return { value: { url: `/auth/oidc/start?link=${text}`, expiresAt: toInstant(expiresAt) }, made: true };
    },

    "accounts.identities.link": async ({ actor, body, cause }) => {
      const linked = await records.change(cause, async (change) => {
        const { account, session } = await requireSession(change, actor);
        const grant = await codes.take(change, "link", body.code);
        // Somebody else's browser may have been sent here with it; it is valid only for the session that started it.
        if (grant?.sessionId !== session.id || grant.accountId !== account.id) return null;
        const { issuer, subject, email } = grant;
        const known = await change.find(identities, "subject", [issuer, subject]);
        if (known?.accountId === account.id) return known;
        if (known !== null)
          throw new LiveplaneError("AlreadyExists", "This identity is linked to another account. Unlink it there.");
        touch(deps, change, account, cause);
        if (account.email !== null) mail.queue(change, { to: account.email, kind: "identityLinked" });
        return linkIdentity(deps, change, { accountId: account.id, issuer, subject, email });
      });
      if (linked === null) throw codeInvalid();
      void mail.deliver();
      return { value: toIdentity(linked), made: true };
    },

    "accounts.identities.delete": async ({ actor, params: { identityId }, cause }) => {
      await records.change(cause, async (change) => {
        const { account, session } = await requireSession(change, actor);
        const known = await change.get(identities, [identityId]);
        if (known === null || known.accountId !== account.id) throw new LiveplaneError("NotFound");
        await requireOtherWay(change, account, identityId);
        touch(deps, change, account, cause);
        change.delete(identities, [identityId]);
        emitIdentity(change, "identity.unlinked", known);
        await endOthers(change, { accountId: account.id, identityId, but: session.id });
      });
      return { value: true };
    },
  };
}

/** Requires a person who is signed in here: no foreign tokens, no service accounts. */
export async function requireSession(change: Change, actor: Actor): Promise<SignedIn> {
  const { accountId, sessionId } = actor.kind === "account" ? actor : {};
  const account = accountId === undefined ? null : await change.get(accounts, [accountId]);
  const session = sessionId === undefined ? null : await change.get(sessions, [sessionId]);
  if (account === null || session === null) throw notFresh();
  return { account, session };
}

function notFresh(): LiveplaneError {
  return new LiveplaneError("SignInNotFresh", "You must have signed in within the last ten minutes. Sign in again.");
}

/** Links of one account change one after another. Each change writes the account, so what was listed still holds. */
function touch(
  deps: Pick<Services, "runtime">,
  change: Change,
  account: Stored<AccountRecord>,
  { actor }: Cause,
): void {
  change.put(accounts, { ...account, updatedAt: nowText(deps), updatedBy: actor });
}

async function requireOtherWay(change: Change, { id, passwordHash }: AccountRecord, identityId: string) {
  if (passwordHash !== null) return;
  const linked = await listAll(change, identities, { index: "byAccount", prefix: [id] });
  if (linked.some((other) => other.id !== identityId)) return;
  throw new LiveplaneError("InvalidState", "This identity is the account's only way to sign in. Set a password first.");
}

interface Others {
  readonly accountId: string;
  readonly identityId: string;
  readonly but: string;
}

async function endOthers(change: Change, { accountId, identityId, but }: Others): Promise<void> {
  const own = await listAll(change, sessions, { index: "byPrincipal", prefix: [accountId] });
  for (const session of own)
    if (session.identityId === identityId && session.id !== but) endSession(change, session, "session.revoked");
}
