import type { Answer, Call, Handlers } from "../contract/handler.ts";
import { checkPreconditions } from "../contract/preconditions.ts";
import type { Actor } from "../contract/target.ts";
import { invalid, LiveplaneError } from "../errors.ts";
import type { Settings } from "../host.ts";
import type { PasswordHasher } from "../ports/identity.ts";
import type { Runtime } from "../ports/runtime.ts";
import type { Change, Records, Stored } from "../records/records.ts";
import { type AccountRecord, accounts, findBySignIn, newAccount, toAccount } from "./account-record.ts";
import type { Challenges } from "./challenges.ts";
import type { Lockout } from "./lockout.ts";
import type { MailRoom } from "./mail-room.ts";
import { createVerifier, requireStrong } from "./passwords.ts";

/** What accounts need. */
export interface AccountsDeps {
  readonly records: Records;
  readonly runtime: Runtime;
  readonly settings: Pick<Settings, "openRegistration">;
  readonly hasher: PasswordHasher;
  readonly isCommonPassword: (password: string) => boolean;
  readonly challenges: Challenges;
  readonly mail: MailRoom;
  readonly lockout: Lockout;
  readonly isOperator: (actor: Actor) => boolean;
  /** Starts an account on a subscription of its own; answers its id. */
  readonly startSubscription: (change: Change, accountId: string) => Promise<string> | string;
  /** The account whose service account a principal is; `null`: none. */
  readonly accountOf: (change: Pick<Change, "get">, principalId: string) => Promise<string | null>;
  /** Makes the service account of an account; answers its id. */
  readonly createPrincipal: (change: Change, accountId: string) => Promise<string>;
  /** Moves a session into its account's new epoch, so that it goes on while all others end. */
  readonly keepSession: (change: Change, sessionId: string, epoch: number) => Promise<void>;
}

type Operation =
  | "accounts.createWithCredentials"
  | "accounts.createWithEmail"
  | "accounts.me"
  | "accounts.update"
  | "accounts.changePassword"
  | "accounts.serviceAccount"
  | "accounts.activate"
  | "accounts.activateById"
  | "accounts.resendChallenge"
  | "accounts.requestPasswordReset"
  | "accounts.resetPassword";

/** Accounts, for those whose they are. */
export interface Accounts {
  readonly handlers: Pick<Handlers<"accounts">, Operation>;
  /** Makes the account that an address is invited to, or finds the one that has it. */
  invite(change: Change, email: string): Promise<string>;
}

/** Creates the service of accounts. */
export function createAccounts(deps: AccountsDeps): Accounts {
  const { records, runtime, hasher, challenges, mail, isCommonPassword } = deps;
  const now = () => new Date(runtime.clock.now()).toISOString();
  const verify = createVerifier(hasher);

  const emit = (change: Change, type: string, accountId: string, changed: readonly string[] = []) =>
    change.emit({ type, subject: accountId, about: { kind: "account", accountId }, data: { changed: [...changed] } });

  async function register(change: Change, email: string): Promise<Stored<AccountRecord>> {
    const id = runtime.newId();
    const handle = await challenges.begin(change, id, "activation");
    const subscriptionId = await deps.startSubscription(change, id);
    const stored = change.put(accounts, newAccount(id, now(), { email, challenge: handle, subscriptionId }));
    mail.queue(change, { to: email, kind: "activation", handle });
    emit(change, "account.registered", id);
    return stored;
  }

  /** The same keys and kinds for an address that is taken, so that nobody learns whether it is. */
  async function remind(change: Change, known: AccountRecord, email: string): Promise<Stored<AccountRecord>> {
    const registered = known.status === "Registered" && known.challenge !== "";
    mail.queue(
      change,
      registered ? { to: email, kind: "activation", handle: known.challenge } : { to: email, kind: "taken" },
    );
    const id = runtime.newId();
    const madeUp = newAccount(id, now(), { email, challenge: runtime.newId(), subscriptionId: runtime.newId() });
    return { ...madeUp, version: String(runtime.clock.now()) };
  }

  async function self(change: Pick<Change, "get">, actor: Actor): Promise<Stored<AccountRecord>> {
    const id = actor.kind === "account" ? actor.accountId : await ownerOf(change, actor);
    const known = id === null ? null : await change.get(accounts, [id]);
    if (known === null || known.deletedAt !== null) throw new LiveplaneError("NotFound");
    return known;
  }

  /** A service account of an account acts for it. */
  async function ownerOf(change: Pick<Change, "get">, actor: Actor): Promise<string | null> {
    return actor.kind === "serviceAccount" ? deps.accountOf(change, actor.principalId) : null;
  }

  async function activate(
    { actor, body, cause }: Call<"accounts.activate">,
    accountId?: string,
  ): Promise<Answer<true>> {
    const challenge = await challenges.open(credentialOf(actor), ["activation", "email"]);
    if (accountId !== undefined && challenge.accountId !== accountId) throw new LiveplaneError("NotFound");
    if (challenge.kind === "email") return confirmEmail(challenge, cause);
    const before = await records.get(accounts, [challenge.accountId]);
    const owner = { ...before, ...body };
    const passwordHash = await hasher.hash(requireStrong(body.password, "#/password", owner, isCommonPassword));
    await records.change({ ...cause, actor: challenge.accountId }, async (change) => {
      const known = await change.get(accounts, [challenge.accountId]);
      if (known === null || known.status !== "Registered") throw new LiveplaneError("ChallengeInvalid");
      await challenges.spend(change, challenge);
      const { name = known.name, surname = known.surname } = body;
      change.put(accounts, {
        ...known,
        name,
        surname,
        passwordHash,
        status: "Active",
        challenge: "",
        updatedAt: now(),
        updatedBy: known.id,
      });
      emit(change, "account.activated", known.id);
    });
    return { value: true };
  }

  async function confirmEmail(
    challenge: Awaited<ReturnType<Challenges["open"]>>,
    cause: Call<"accounts.activate">["cause"],
  ): Promise<Answer<true>> {
    await records.change({ ...cause, actor: challenge.accountId }, async (change) => {
      const known = await change.get(accounts, [challenge.accountId]);
      const { email } = challenge;
      if (known === null || known.deletedAt !== null || email === null) throw new LiveplaneError("ChallengeInvalid");
      const holder = await findBySignIn(change, email);
      if (holder !== null && holder.id !== known.id) throw new LiveplaneError("ChallengeInvalid");
      await challenges.spend(change, challenge);
      change.put(accounts, { ...known, email, updatedAt: now(), updatedBy: known.id });
      emit(change, "account.updated", known.id, ["email"]);
    });
    return { value: true };
  }

  const handlers: Accounts["handlers"] = {
    async "accounts.createWithCredentials"({ actor, body, cause }) {
      const byOperator = actor.kind === "system" || deps.isOperator(actor);
      if (!byOperator && !deps.settings.openRegistration) {
        throw new LiveplaneError(
          actor.kind === "anonymous" ? "Unauthenticated" : "PermissionDenied",
          "Registration is not open: ask an operator.",
        );
      }
      const { username } = body;
      if (username == null)
        throw invalid([{ pointer: "#/username", code: "ValueRequired", detail: "A user name is required." }]);
      const passwordHash = await hasher.hash(
        requireStrong(body.password, "#/password", { username }, isCommonPassword),
      );
      const stored = await records.change(cause, async (change) => {
        if ((await findBySignIn(change, username)) !== null)
          throw new LiveplaneError("AlreadyExists", "This user name is taken.");
        const id = runtime.newId();
        const createdBy = byOperator ? cause.actor : id;
        const subscriptionId = await deps.startSubscription(change, id);
        emit(change, "account.registered", id);
        const forcePasswordChange = actor.kind !== "system" && byOperator;
        const given = {
          username,
          passwordHash,
          status: "Active",
          forcePasswordChange,
          subscriptionId,
          createdBy,
          updatedBy: createdBy,
        } as const;
        return change.put(accounts, newAccount(id, now(), given));
      });
      return { value: toAccount(stored), made: true, location: "/accounts/me" };
    },

    async "accounts.createWithEmail"({ body, cause }) {
      const email = requireEmail(body.email);
      const stored = await records.change(cause, async (change) => {
        const known = await findBySignIn(change, email);
        return known === null ? register(change, email) : remind(change, known, email);
      });
      return { value: toAccount(stored), made: true, location: "/accounts/me" };
    },

    async "accounts.me"({ actor }) {
      return { value: toAccount(await self(records, actor)) };
    },

    async "accounts.update"({ actor, body, cause, preconditions }) {
      const { email, ...changed } = body;
      const stored = await records.change(cause, async (change) => {
        const known = await self(change, actor);
        if (email === null)
          throw invalid([
            { pointer: "#/email", code: "ValueRequired", detail: "An address can be changed, not taken away." },
          ]);
        checkPreconditions(preconditions, known);
        if (email !== undefined) await askForEmail(change, known, email);
        emit(change, "account.updated", known.id, Object.keys(changed));
        return change.put(accounts, { ...known, ...changed, updatedAt: now(), updatedBy: cause.actor });
      });
      return { value: toAccount(stored) };
    },

    async "accounts.changePassword"({ actor, body, cause }) {
      const before = await self(records, actor);
      const { oldPassword, newPassword } = body;
      if (oldPassword == null)
        throw invalid([{ pointer: "#/oldPassword", code: "ValueRequired", detail: "The old password is required." }]);
      const free = await deps.lockout.take(before.id);
      const { matches } = await verify(before.passwordHash, oldPassword);
      if (!free || !matches) throw wrongOldPassword();
      const strong = requireStrong(newPassword, "#/newPassword", before, isCommonPassword);
      if (strong === oldPassword)
        throw invalid([{ pointer: "#/newPassword", code: "WeakPassword", detail: "The new password is the old one." }]);
      const passwordHash = await hasher.hash(strong);
      await records.change(cause, async (change) => {
        const known = await self(change, actor);
        if (known.passwordHash !== before.passwordHash) throw wrongOldPassword();
        await replacePassword(change, known, passwordHash);
        if (actor.kind === "account" && actor.sessionId !== undefined)
          await deps.keepSession(change, actor.sessionId, known.sessionEpoch + 1);
      });
      return { value: true };
    },

    async "accounts.serviceAccount"({ actor, cause }) {
      const stored = await records.change(cause, async (change) => {
        const known = await self(change, actor);
        if (known.serviceAccountId !== null) return known;
        const serviceAccountId = await deps.createPrincipal(change, known.id);
        emit(change, "account.updated", known.id, ["serviceAccountId"]);
        return change.put(accounts, { ...known, serviceAccountId, updatedAt: now(), updatedBy: cause.actor });
      });
      return { value: toAccount(stored) };
    },

    "accounts.activate": (call) => activate(call),
    "accounts.activateById": (call) => activate(call as unknown as Call<"accounts.activate">, call.params.accountId),

    async "accounts.resendChallenge"({ body, cause }) {
      const email = requireEmail(body.email);
      await records.change(cause, async (change) => {
        const known = await findBySignIn(change, email);
        if (known?.status !== "Registered" || known.email === null) return;
        const handle = await challenges.begin(change, known.id, "activation");
        change.put(accounts, { ...known, challenge: handle });
        mail.queue(change, { to: known.email, kind: "activation", handle });
        emit(change, "account.updated", known.id, ["challenge"]);
      });
      void mail.deliver();
      return { value: {} };
    },

    async "accounts.requestPasswordReset"({ body, cause }) {
      const email = requireEmail(body.email);
      await records.change(cause, async (change) => {
        const known = await findBySignIn(change, email);
        if (known?.status !== "Active" || known.email === null) return;
        mail.queue(change, {
          to: known.email,
          kind: "reset",
          handle: await challenges.begin(change, known.id, "reset"),
        });
      });
      void mail.deliver();
      return { value: {} };
    },

    async "accounts.resetPassword"({ actor, body, cause }) {
      const challenge = await challenges.open(credentialOf(actor), ["reset"]);
      const before = await records.get(accounts, [challenge.accountId]);
      const passwordHash = await hasher.hash(
        requireStrong(body.newPassword, "#/newPassword", before ?? {}, isCommonPassword),
      );
      await records.change({ ...cause, actor: challenge.accountId }, async (change) => {
        const known = await change.get(accounts, [challenge.accountId]);
        if (known?.status !== "Active") throw new LiveplaneError("ChallengeInvalid");
        await challenges.spend(change, challenge);
        await replacePassword(change, known, passwordHash);
      });
      return { value: true };
    },
  };

  async function replacePassword(change: Change, known: Stored<AccountRecord>, passwordHash: string): Promise<void> {
    await deps.lockout.reset(change, known.id);
    const sessionEpoch = known.sessionEpoch + 1;
    change.put(accounts, {
      ...known,
      passwordHash,
      sessionEpoch,
      forcePasswordChange: false,
      updatedAt: now(),
      updatedBy: known.id,
    });
    emit(change, "account.password_changed", known.id, ["password"]);
  }

  /** The address changes when its challenge comes back; one that is taken gets a notice, and the answer is the same. */
  async function askForEmail(change: Change, known: AccountRecord, email: string): Promise<void> {
    const holder = await findBySignIn(change, email);
    if (holder !== null && holder.id !== known.id) return mail.queue(change, { to: email, kind: "taken" });
    if (known.email === email) return;
    mail.queue(change, { to: email, kind: "email", handle: await challenges.begin(change, known.id, "email", email) });
  }

  return {
    handlers,
    async invite(change, email) {
      return ((await findBySignIn(change, email)) ?? (await register(change, email))).id;
    },
  };
}

function requireEmail(email: string | null | undefined): string {
  if (email == null) throw invalid([{ pointer: "#/email", code: "ValueRequired", detail: "An address is required." }]);
  return email;
}

function credentialOf(actor: Actor): string {
  if (actor.kind !== "challenge") throw new LiveplaneError("ChallengeInvalid");
  return actor.credential;
}

/** A wrong old password is 400 at its place, unlike a wrong one at sign-in. */
function wrongOldPassword(): LiveplaneError {
  const detail = "The old password is wrong.";
  return new LiveplaneError("InvalidCredentials", detail, {
    status: 400,
    details: { errors: [{ pointer: "#/oldPassword", code: "InvalidCredentials", detail }] },
  });
}
