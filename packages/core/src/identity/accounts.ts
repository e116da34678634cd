import type { Handlers } from "../contract/handler.ts";
import { invalid } from "../contract/invalid.ts";
import { checkPreconditions } from "../contract/preconditions.ts";
import { nowText } from "../encoding.ts";
import type { Change } from "../records/records.ts";
import { isSameRecord } from "../records/same-record.ts";
import type { Services } from "../services.ts";
import { type AccountRecord, accounts, emitAccount, findBySignIn, toAccount } from "./account-record.ts";
import { createActivation } from "./activation.ts";
import { ownAccount } from "./own-account.ts";
import { createPasswordChanges } from "./password-changes.ts";
import { createRegistration } from "./registration.ts";

type Elsewhere =
  | `accounts.${"resourceGroups" | "identities" | "factors"}.${string}`
  | `accounts.${string}ServiceAccountSecret${string}`
  | Administration;
type Administration =
  | "accounts.list"
  | "accounts.get"
  | "accounts.setPassword"
  | "accounts.suspend"
  | "accounts.resume"
  | "accounts.delete"
  | "accounts.removeFactors"
  | "accounts.release"
  | "accounts.deleteMe";
type Operation = Exclude<keyof Handlers<"accounts">, Elsewhere | keyof Handlers<"accounts.webhooks">>;

export interface Accounts {
  readonly handlers: Pick<Handlers<"accounts">, Operation>;
  /** Creates the account for an invited address, or finds the existing one. */
  invite(change: Change, email: string): Promise<string>;
}

export function createAccounts(
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
    | "startSubscription"
    | "settings"
    | "accountOf"
    | "credentials"
  > & {
    readonly keepSession: (change: Change, sessionId: string, state: { readonly epoch: number }) => Promise<void>;
  },
): Accounts {
  const registration = createRegistration(deps);
  return {
    handlers: {
      ...registration.handlers,
      ...createActivation(deps),
      ...createPasswordChanges(deps),
      ...createProfile(deps),
    },
    invite: registration.invite,
  };
}

/** The profile operations of an account, and its service account. */
function createProfile(
  deps: Pick<
    Services,
    "records" | "runtime" | "mail" | "takeAllowance" | "challenges" | "recovery" | "accountOf" | "credentials"
  >,
) {
  const { records, runtime, challenges, mail, takeAllowance, recovery, credentials } = deps;
  const now = () => runtime.clock.now();

  /** The address changes when its challenge is answered. If the address is taken, its owner gets a notice, and the answer is the same. */
  async function askForEmail(change: Change, known: AccountRecord, email: string): Promise<void> {
    if (known.email === email) return challenges.end(change, known.id, "email");
    const holder = await findBySignIn(change, email);
    const isTaken = holder !== null && holder.id !== known.id;
    const { to, kind } = isTaken
      ? ({ to: holder.email, kind: "taken" } as const)
      : ({ to: email, kind: "email" } as const);
    if (!(await takeAllowance(change, to, kind))) return void mail.queue(change, { to: null, kind });
    if (isTaken) return void mail.queue(change, { to, kind });
    const { handle } = await challenges.begin(change, known.id, "email", email);
    mail.queue(change, { to, kind, handle });
  }

  const handlers: Pick<Handlers<"accounts">, "accounts.me" | "accounts.update" | "accounts.serviceAccount"> = {
    "accounts.me": async ({ actor }) => {
      return { value: toAccount(await ownAccount(deps, records, actor), now()) };
    },

    "accounts.update": async ({ actor, body, cause, preconditions }) => {
      const { email, ...changed } = body;
      const stored = await records.change(cause, async (change) => {
        const known = await ownAccount(deps, change, actor);
        if (email === null) requireUsername(known);
        checkPreconditions(preconditions, known);
        if (typeof email === "string") await askForEmail(change, known, email);
        if (email === null) await recovery.emailLeft(change, known);
        const cleared = email === null ? { email } : {};
        const record = { ...known, ...changed, ...cleared, updatedAt: nowText(deps), updatedBy: cause.actor };
        if (isSameRecord(known, record)) return known;
        emitAccount(change, "account.updated", known.id, Object.keys({ ...changed, ...cleared }));
        return change.put(accounts, record);
      });
      void mail.deliver();
      return { value: toAccount(stored, now()) };
    },

    "accounts.serviceAccount": async ({ actor, cause }) => {
      const stored = await records.change(cause, async (change) => {
        const known = await ownAccount(deps, change, actor);
        if (known.serviceAccountId !== null) return known;
        const serviceAccountId = await credentials.create(change, { type: "Account", id: known.id });
        emitAccount(change, "account.updated", known.id, ["serviceAccountId"]);
        return change.put(accounts, { ...known, serviceAccountId, updatedAt: nowText(deps), updatedBy: cause.actor });
      });
      return { value: toAccount(stored, now()) };
    },
  };
  return handlers;
}

/** An account without a user name signs in by its address, which can be changed but not removed. */
function requireUsername({ username }: AccountRecord): void {
  if (username !== null) return;
  throw invalid([
    {
      pointer: "#/email",
      code: "ValueRequired",
      detail: "The account has no user name, so it needs its address to sign in.",
    },
  ]);
}
