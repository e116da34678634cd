import type { Handlers } from "../contract/handler.ts";
import { invalid } from "../contract/invalid.ts";
import { nowText } from "../encoding.ts";
import { LiveplaneError } from "../errors.ts";
import type { Change, Stored } from "../records/records.ts";
import type { Services } from "../services.ts";
import { type AccountRecord, accounts, emitAccount, findBySignIn } from "./account-record.ts";
import { ownAccount } from "./own-account.ts";
import { challengeOf, createVerifier, requirePassword, requireStrong } from "./passwords.ts";
import { requireEmail } from "./registration.ts";

type Operation = "accounts.changePassword" | "accounts.requestPasswordReset" | "accounts.resetPassword";

/** Creates the ways to change a password: by the old one, or by a mailed challenge. */
export function createPasswordChanges(
  deps: Pick<
    Services,
    | "records"
    | "runtime"
    | "hasher"
    | "isCommonPassword"
    | "lockout"
    | "mail"
    | "takeAllowance"
    | "challenges"
    | "recovery"
    | "accountOf"
  > & {
    readonly keepSession: (change: Change, sessionId: string, state: { readonly epoch: number }) => Promise<void>;
  },
): Pick<Handlers<"accounts">, Operation> {
  const { records, hasher, challenges, mail, takeAllowance, recovery, lockout, isCommonPassword } = deps;
  const verify = createVerifier(hasher);

  /** Sets the password, lifts the lock, and ends every challenge and, by a new epoch, every session. */
  async function replace(change: Change, known: Stored<AccountRecord>, passwordHash: string): Promise<number> {
    await lockout.lift(change, known.id);
    await recovery.passwordChanged(change, known);
    const sessionEpoch = known.sessionEpoch + 1;
    const updated = { updatedAt: nowText(deps), updatedBy: known.id };
    change.put(accounts, { ...known, passwordHash, sessionEpoch, forcePasswordChange: false, ...updated });
    emitAccount(change, "account.password_changed", known.id, ["password"]);
    return sessionEpoch;
  }

  return {
    "accounts.changePassword": async ({ actor, body, cause, signal }) => {
      const before = await ownAccount(deps, records, actor);
      const oldPassword = requirePassword(body.oldPassword, "#/oldPassword");
      const password = await requireStrong(body.newPassword, "#/newPassword", before, isCommonPassword);
      const work = { share: before.id, signal: signal?.() };
      const { matches } = await verify(before.passwordHash, oldPassword, work);
      // Counting an attempt isn't what the caller asked for, so its commit isn't traced as such.
      const counting = { actor: cause.actor, requestId: cause.requestId };
      const admitted = await records.change(counting, (change) => lockout.admit(change, before.id, { matches }));
      if (!admitted) throw wrongOldPassword();
      if (password === oldPassword.normalize("NFC")) throw oldAsNew();
      const passwordHash = await hasher.hash(password, work);
      await records.change(cause, async (change) => {
        const known = await ownAccount(deps, change, actor);
        if (known.passwordHash !== before.passwordHash) throw wrongOldPassword();
        const epoch = await replace(change, known, passwordHash);
        if (actor.kind === "account" && actor.sessionId !== undefined)
          await deps.keepSession(change, actor.sessionId, { epoch });
      });
      void mail.deliver();
      return { value: true };
    },

    "accounts.requestPasswordReset": async ({ body, cause }) => {
      const email = requireEmail(body.email);
      await records.change(cause, async (change) => {
        const known = await findBySignIn(change, email);
        const isMailed = known?.status === "Active" && (await takeAllowance(change, known.email, "reset"));
        if (!isMailed) return mail.queue(change, { to: null, kind: "reset" });
        const { handle } = await challenges.begin(change, known.id, "reset");
        return mail.queue(change, { to: known.email, kind: "reset", handle });
      });
      void mail.deliver();
      return { value: {} };
    },

    "accounts.resetPassword": async ({ actor, body, cause, signal }) => {
      const challenge = await challenges.open(challengeOf(actor), ["reset"]);
      const before = await records.get(accounts, [challenge.accountId]);
      const password = await requireStrong(body.newPassword, "#/newPassword", before ?? {}, isCommonPassword);
      const work = { share: challenge.accountId, signal: signal?.() };
      if ((await verify(before?.passwordHash ?? null, password, work)).matches) throw oldAsNew();
      const passwordHash = await hasher.hash(password, work);
      await records.change({ ...cause, actor: challenge.accountId }, async (change) => {
        const known = await change.get(accounts, [challenge.accountId]);
        if (known?.status !== "Active") throw new LiveplaneError("ChallengeInvalid");
        await challenges.spend(change, challenge);
        await replace(change, known, passwordHash);
      });
      void mail.deliver();
      return { value: true };
    },
  };
}

function oldAsNew(): LiveplaneError {
  return invalid([
    { pointer: "#/newPassword", code: "WeakPassword", detail: "The new password is the same as the old one." },
  ]);
}

/** A wrong current password is a 400 at its place, unlike a wrong one at sign-in. */
function wrongOldPassword(): LiveplaneError {
  const detail = "The old password is wrong.";
  const errors = [{ pointer: "#/oldPassword", code: "InvalidCredentials", detail }] as const;
  return new LiveplaneError("InvalidCredentials", detail, { status: 400, details: { errors } });
}
