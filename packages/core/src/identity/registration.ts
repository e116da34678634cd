import type { Handlers } from "../contract/handler.ts";
import { invalid } from "../contract/invalid.ts";
import { actorName } from "../contract/target.ts";
import { nowText, toInstant } from "../encoding.ts";
import { LiveplaneError } from "../errors.ts";
import { isOperator } from "../permissions/actors.ts";
import type { Change, Stored } from "../records/records.ts";
import type { Services } from "../services.ts";
import { type AccountRecord, accounts, emitAccount, findBySignIn, newAccount, toAccount } from "./account-record.ts";
import { requireStrong, shareOfStranger } from "./passwords.ts";

type Operation = "accounts.createWithCredentials" | "accounts.createWithEmail" | "accounts.resendChallenge";

/** How accounts are created. */
export interface Registration {
  readonly handlers: Pick<Handlers<"accounts">, Operation>;
  /** Creates the account for an invited address, or finds the existing one. */
  invite(change: Change, email: string): Promise<string>;
}

export function createRegistration(
  deps: Pick<
    Services,
    | "records"
    | "runtime"
    | "hasher"
    | "isCommonPassword"
    | "mail"
    | "takeAllowance"
    | "challenges"
    | "startSubscription"
    | "settings"
  >,
): Registration {
  const { records, runtime, challenges, mail, takeAllowance } = deps;
  const now = () => runtime.clock.now();

  /** Starts the activation of an account by its address: stores the handle and queues the mail. */
  async function challenge(change: Change, { id, email }: Pick<AccountRecord, "id" | "email">) {
    const { handle, expiresAt } = await challenges.begin(change, id, "activation");
    mail.queue(change, { to: email, kind: "activation", handle });
    return { challenge: handle, challengeUntil: expiresAt };
  }

  async function register(change: Change, email: string): Promise<Stored<AccountRecord>> {
    const id = runtime.newId();
    // Counted but always sent, because without it there would be no way in.
    await takeAllowance(change, email, "activation");
    const begun = await challenge(change, { id, email });
    const subscriptionId = await deps.startSubscription(change, id);
    emitAccount(change, "account.registered", id);
    return change.put(accounts, newAccount(id, nowText(deps), { email, subscriptionId, ...begun }));
  }

  /**
   * Mails the account that already has an address, in its own spelling. The answer has the same members and kinds of values as for a new
   * account, so that nobody learns that the address is taken.
   */
  async function remind(
    change: Change,
    known: Stored<AccountRecord>,
    email: string,
  ): Promise<() => Stored<AccountRecord>> {
    const sent = await remindBy(change, known);
    const madeUp = {
      email,
      challenge: runtime.newId(),
      challengeUntil: Number.POSITIVE_INFINITY,
      subscriptionId: runtime.newId(),
    };
    const record = newAccount(runtime.newId(), nowText(deps), madeUp);
    // The version is known only after the change is made.
    return () => ({ ...record, version: sent.version });
  }

  async function remindBy(change: Change, known: Stored<AccountRecord>): Promise<{ readonly version: string }> {
    const { id, status, email } = known;
    const kind = status === "Registered" ? "activation" : "taken";
    if (!(await takeAllowance(change, email, kind))) return mail.queue(change, { to: null, kind });
    if (kind === "taken") return mail.queue(change, { to: email, kind });
    const handle = await challenges.pending(change, id, kind);
    if (handle !== null) return mail.queue(change, { to: email, kind, handle });
    return change.put(accounts, { ...known, ...(await challenge(change, known)) });
  }

  const handlers: Registration["handlers"] = {
    "accounts.createWithCredentials": async ({ actor, body, cause, from, signal }) => {
      const byOperator = isOperator(actor, deps.settings);
      const username = requireUsername(body.username);
      const password = await requireStrong(body.password, "#/password", { username }, deps.isCommonPassword);
      const told = byOperator ? deps.settings : null;
      await requireFree(records, username, told);
      const share = byOperator ? actorName(actor) : shareOfStranger(from, username);
      const passwordHash = await deps.hasher.hash(password, { share, signal: signal?.() });
      const stored = await records.change(cause, async (change) => {
        await requireFree(change, username, told);
        const id = runtime.newId();
        const createdBy = byOperator ? cause.actor : id;
        const subscriptionId = await deps.startSubscription(change, id);
        emitAccount(change, "account.registered", id);
        const state = { status: "Active", forcePasswordChange: byOperator && actor.kind !== "system" } as const;
        const given = { username, passwordHash, subscriptionId, createdBy, updatedBy: createdBy, ...state };
        return change.put(accounts, newAccount(id, nowText(deps), given));
      });
      return { value: toAccount(stored, now()), made: true, location: "/accounts/me" };
    },

    "accounts.createWithEmail": async ({ body, cause }) => {
      const email = requireEmail(body.email);
      const answer = await records.change(cause, async (change) => {
        const known = await findBySignIn(change, email);
        if (known !== null) return remind(change, known, email);
        const made = await register(change, email);
        return () => made;
      });
      void mail.deliver();
      return { value: toAccount(answer(), now()), made: true, location: "/accounts/me" };
    },

    "accounts.resendChallenge": async ({ body, cause }) => {
      const email = requireEmail(body.email);
      await records.change(cause, async (change) => {
        const known = await findBySignIn(change, email);
        const waits = known?.status === "Registered" && (await takeAllowance(change, known.email, "activation"));
        if (!waits) return mail.queue(change, { to: null, kind: "activation" });
        return change.put(accounts, { ...known, ...(await challenge(change, known)) });
      });
      void mail.deliver();
      return { value: {} };
    },
  };

  return {
    handlers,
    async invite(change, email) {
      return ((await findBySignIn(change, email)) ?? (await register(change, email))).id;
    },
  };
}

/** The address in a body, or the error that it is missing. */
export function requireEmail(email: string | null | undefined): string {
  if (email != null) return email;
  throw invalid([{ pointer: "#/email", code: "ValueRequired", detail: "An e-mail address is required." }]);
}

function requireUsername(username: string | null | undefined): string {
  if (username != null) return username;
  throw invalid([{ pointer: "#/username", code: "ValueRequired", detail: "A user name is required." }]);
}

/** Refuses a name that an account has. Operators are told until when a deleted one keeps it. */
async function requireFree(
  among: Parameters<typeof findBySignIn>[0],
  username: string,
  told: Pick<Services["settings"], "purgeSeconds"> | null,
): Promise<void> {
  const known = await findBySignIn(among, username);
  if (known === null) return;
  if (told === null || known.deletedAt === null) throw new LiveplaneError("AlreadyExists", "This user name is taken.");
  const until = toInstant(known.deletedAt + told.purgeSeconds * 1000).slice(0, 10);
  throw new LiveplaneError("AlreadyExists", `A deleted account keeps this user name until ${until}.`);
}
