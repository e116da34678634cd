import type { Handlers } from "../contract/handler.ts";
import type { TokenSet } from "../contract/schemas/account-schemas.ts";
import { signInName, toHex, utf8 } from "../encoding.ts";
import { LiveplaneError } from "../errors.ts";
import { type AccountRecord, accounts, findBySignIn } from "../identity/account-record.ts";
import { createVerifier, shareOfStranger } from "../identity/passwords.ts";
import type { CostlyWork } from "../ports/costly-work.ts";
import type { Cause, Change, Stored } from "../records/records.ts";
import type { Services } from "../services.ts";
import type { Settings } from "../settings.ts";
import { type BegunSession, beginPerson, tokenSetOf } from "./person-session.ts";

/** The result of a sign-in, once its change is committed. */
type Outcome =
  | { readonly kind: "refused" }
  | { readonly kind: "suspended" }
  | ({ readonly kind: "opened" } & BegunSession);

/** Creates the sign-in by name and password. */
export function createSignIn(
  deps: Pick<Services, "records" | "runtime" | "settings" | "hasher" | "begin" | "lockout">,
): Pick<Handlers<"sessions">, "sessions.create"> {
  const { records, runtime, settings, hasher, lockout } = deps;
  const verify = createVerifier(hasher);

  /** Unknown names are locked like others, so a lock doesn't reveal which accounts exist. */
  async function subjectOf(known: AccountRecord | null, username: string): Promise<string> {
    const digest = await runtime.crypto.digest(utf8(signInName(username)));
    return known?.id ?? `nobody ${toHex(digest)}`;
  }

  /** If the hash parameters were raised, rehashes now that the password is known. */
  async function rehashed(password: string, work: CostlyWork): Promise<Partial<AccountRecord>> {
    return { passwordHash: await hasher.hash(password, work) };
  }

  async function open(change: Change, known: Stored<AccountRecord>): Promise<Stored<AccountRecord> | null> {
    const account = await change.get(accounts, [known.id]);
    const same = account !== null && account.passwordHash === known.passwordHash;
    const opens = account?.status === "Active" || account?.status === "Suspended";
    return same && opens ? account : null;
  }

  return {
    "sessions.create": async ({ body, cause, from, signal }) => {
      const known = await findBySignIn(records, body.username);
      const subject = await subjectOf(known, body.username);
      // The caller is unknown and names are free, so a flood of names from one address shares one turn.
      const work = { share: shareOfStranger(from, signInName(body.username)), signal: signal?.() };
      const { matches, outdated } = await verify(known?.passwordHash ?? null, body.password, work);
      const better = matches && outdated ? await rehashed(body.password, work) : null;
      const own: Cause = known === null ? cause : { ...cause, actor: known.id };

      const outcome = await records.change(
        own,
        async (change): Promise<Outcome> => {
          const account = known === null || !matches ? null : await open(change, known);
          if (!(await lockout.admit(change, subject, { matches: account !== null })) || account === null) {
            emitFailure(change, known?.id ?? null);
            return { kind: "refused" };
          }
          if (account.status === "Suspended") return { kind: "suspended" };
          if (better !== null) change.put(accounts, { ...account, ...better });
          return { kind: "opened", ...(await beginPerson(deps, change, { account, from, signedInBy: "password" })) };
        },
        { attempts: 100 },
      );
      return { value: answer(outcome, settings), made: true };
    },
  };
}

function answer(outcome: Outcome, { accessTokenSeconds }: Pick<Settings, "accessTokenSeconds">): TokenSet {
  switch (outcome.kind) {
    case "refused":
      // The same answer for an unknown name, a lock, a wrong password and an unactivated account.
      throw new LiveplaneError("InvalidCredentials", "The user name or password is wrong.");
    case "suspended":
      throw new LiveplaneError("AccountNotActive", "The account is suspended.");
    case "opened":
      return tokenSetOf(outcome, { accessTokenSeconds });
  }
}

/** Emits a refused sign-in, by somebody unknown. `accountId`: the account it was for; `null` if there is none. */
export function emitFailure(change: Change, accountId: string | null): void {
  const about = accountId === null ? ({ kind: "installation" } as const) : ({ kind: "account", accountId } as const);
  change.emit({ type: "session.failed", subject: accountId ?? "unknown", actor: "anonymous", about, data: {} });
}
