import type { Call, Handlers } from "../contract/handler.ts";
import { checkPreconditions } from "../contract/preconditions.ts";
import type { AccountListQuery } from "../contract/schemas/account-schemas.ts";
import { type Actor, actorName } from "../contract/target.ts";
import { nowText, signInName, toInstant } from "../encoding.ts";
import { LiveplaneError } from "../errors.ts";
import { isSelf } from "../permissions/actors.ts";
import { listedInMemory } from "../records/listed.ts";
import type { PageSource } from "../records/pages.ts";
import type { Cause, Change, Stored } from "../records/records.ts";
import type { Services } from "../services.ts";
import { type AccountRecord, accounts, emitAccount, findBySignIn, toAccount } from "./account-record.ts";
import type { AccountReleases } from "./account-release.ts";
import { requireStrong } from "./passwords.ts";

type Operation = `accounts.${"list" | "get" | "setPassword" | "suspend" | "resume" | "delete" | "deleteMe"}`;

/** What only the host may do with accounts; no operation offers it. */
export interface HostAdministration {
  /**
   * Sets a password without checking its strength, and ends the account's sessions. A one-time password must be changed at the next
   * sign-in.
   */
  setPassword(accountId: string, password: string, options: { readonly oneTime: boolean }): Promise<void>;
}

/** What operators do with accounts, and how people delete their own. */
export interface AccountAdministration {
  readonly host: HostAdministration;
  readonly handlers: Pick<Handlers<"accounts">, Operation>;
}

type PasswordState = Pick<AccountRecord, "passwordHash" | "forcePasswordChange">;

interface AdministrationDeps
  extends Pick<
    Services,
    | "records"
    | "pages"
    | "runtime"
    | "settings"
    | "hasher"
    | "isCommonPassword"
    | "lockout"
    | "recovery"
    | "holdings"
    | "lastAdmin"
  > {
  readonly releases: Pick<AccountReleases, "announce" | "begin">;
}

export function createAccountAdministration(deps: AdministrationDeps): AccountAdministration {
  const shown = (record: Stored<AccountRecord>) => toAccount(record, deps.runtime.clock.now());
  return {
    host: {
      async setPassword(accountId, password, { oneTime }) {
        const passwordHash = await deps.hasher.hash(password);
        const cause = { actor: "host", requestId: "administration" };
        await replacePassword(deps, accountId, { passwordHash, forcePasswordChange: oneTime }, cause);
      },
    },
    handlers: {
      "accounts.list": async ({ actor, query }) => {
        const { email = "", username = "", status = [] } = query;
        const bind = [actorName(actor), "accounts.list", email, username, ...status];
        const page = await deps.pages.page(await sourceOf(deps, query), { ...query, bind }, (account) =>
          isWanted(account, query),
        );
        return { value: { ...page, items: page.items.map(shown) } };
      },
      "accounts.get": async ({ params: { accountId } }) => {
        const known = await deps.records.get(accounts, [accountId]);
        if (known === null) throw new LiveplaneError("NotFound");
        return { value: shown(known) };
      },
      "accounts.setPassword": async ({ params: { accountId }, body, actor, cause, signal }) => {
        const known = await found(deps.records, accountId);
        if (known.status === "Registered") throw neverActivated();
        const password = await requireStrong(body.newPassword, "#/newPassword", known, deps.isCommonPassword);
        const passwordHash = await deps.hasher.hash(password, { share: actorName(actor), signal: signal?.() });
        await replacePassword(deps, accountId, { passwordHash, forcePasswordChange: true }, cause);
        return { value: true };
      },
      "accounts.suspend": async ({ params, cause }) => ({
        value: shown(await move(deps, params.accountId, "Suspended", cause)),
      }),
      "accounts.resume": async ({ params, cause }) => ({
        value: shown(await move(deps, params.accountId, "Active", cause)),
      }),
      "accounts.delete": async (call) => ({ value: shown(await remove(deps, call.params.accountId, call)) }),
      "accounts.deleteMe": async (call) => ({ value: shown(await remove(deps, ownId(call.actor), call)) }),
    },
  };
}

/** A name has at most one account. Deleted accounts are ordered by ID. */
async function sourceOf(
  deps: AdministrationDeps,
  { email, username, status }: AccountListQuery,
): Promise<PageSource<AccountRecord>> {
  const name = email ?? username;
  const named = name === undefined ? null : await findBySignIn(deps.records, name);
  if (name !== undefined) return listedInMemory(named === null ? [] : [named]);
  const index = status?.includes("Deleted") ? {} : ({ index: "byCreation" } as const);
  return (range) => deps.records.list(accounts, { ...index, ...range });
}

async function found(change: Pick<Change, "get">, accountId: string): Promise<Stored<AccountRecord>> {
  const known = await change.get(accounts, [accountId]);
  if (known === null || known.deletedAt !== null) throw new LiveplaneError("NotFound");
  return known;
}

/** At least one operator must stay active. Their records are read, so the check still holds at the commit. */
async function requireOtherOperator(deps: AdministrationDeps, change: Change, known: AccountRecord): Promise<void> {
  if (!deps.settings.operators.includes(known.id)) return;
  const others = deps.settings.operators.filter((id) => id !== known.id).map((id) => [id]);
  if ((await change.getMany(accounts, others)).some((other) => other?.status === "Active")) return;
  throw new LiveplaneError("LastAdmin", "This account is the last operator. Make another account an operator first.");
}

/** Suspends or resumes. It is an action, so preconditions don't apply. */
async function move(
  deps: AdministrationDeps,
  accountId: string,
  to: "Suspended" | "Active",
  cause: Cause,
): Promise<Stored<AccountRecord>> {
  return deps.records.change(cause, async (change) => {
    const known = await found(change, accountId);
    if (known.status === to) return known;
    if (known.status === "Registered") throw neverActivated();
    if (to === "Suspended") {
      await requireOtherOperator(deps, change, known);
      await deps.lastAdmin.requireOthers(change, accountId);
      await deps.recovery.stopped(change, known);
    }
    emitAccount(change, to === "Suspended" ? "account.suspended" : "account.resumed", accountId);
    const sessionEpoch = known.sessionEpoch + (to === "Suspended" ? 1 : 0);
    return change.put(accounts, {
      ...known,
      status: to,
      sessionEpoch,
      updatedAt: nowText(deps),
      updatedBy: cause.actor,
    });
  });
}

/** People must delete their live systems before their account. An operator's deletion releases them. */
async function refuseHolder(deps: AdministrationDeps, change: Change, accountId: string): Promise<void> {
  const livesystemIds = await deps.holdings.liveSystems(change, accountId);
  if (livesystemIds.length === 0) return;
  const detail = "The account's environments contain live systems. Delete those first.";
  throw new LiveplaneError("EnvironmentNotEmpty", detail, { details: { livesystemIds } });
}

async function remove(
  deps: AdministrationDeps,
  accountId: string,
  { actor, cause, preconditions }: Pick<Call<Operation>, "actor" | "cause" | "preconditions">,
): Promise<Stored<AccountRecord>> {
  const removed = await deps.records.change(cause, async (change) => {
    const known = await found(change, accountId);
    checkPreconditions(preconditions, known);
    if (isSelf(actor, accountId)) await refuseHolder(deps, change, accountId);
    await deps.releases.begin(change, accountId, cause.actor);
    await requireOtherOperator(deps, change, known);
    await deps.lastAdmin.endAllGrantsOf(change, accountId);
    await deps.recovery.stopped(change, known);
    emitAccount(change, "account.deleted", accountId);
    const deletedAt = deps.runtime.clock.now();
    return change.put(accounts, {
      ...known,
      status: "Deleted",
      deletedAt,
      challenge: "",
      challengeUntil: 0,
      passwordHash: null,
      sessionEpoch: known.sessionEpoch + 1,
      updatedAt: toInstant(deletedAt),
      updatedBy: cause.actor,
    });
  });
  deps.releases.announce(accountId);
  return removed;
}

function neverActivated(): LiveplaneError {
  return new LiveplaneError("InvalidState", "The account was never activated.");
}

async function replacePassword(
  deps: AdministrationDeps,
  accountId: string,
  password: PasswordState,
  cause: Cause,
): Promise<void> {
  await deps.records.change(cause, async (change) => {
    const known = await found(change, accountId);
    await deps.lockout.lift(change, accountId);
    await deps.recovery.passwordChanged(change, known);
    const sessionEpoch = known.sessionEpoch + 1;
    change.put(accounts, { ...known, ...password, sessionEpoch, updatedAt: nowText(deps), updatedBy: cause.actor });
    emitAccount(change, "account.password_changed", accountId, ["password"]);
  });
}

/** Whether an account matches a filter. Without statuses, all but Deleted match. */
function isWanted(account: AccountRecord, { email, username, status }: AccountListQuery): boolean {
  const goesBy = (name: string | null, wanted: string | undefined) =>
    wanted === undefined || (name !== null && signInName(name) === signInName(wanted));
  const isIn = status === undefined ? account.status !== "Deleted" : status.includes(account.status);
  return isIn && goesBy(account.email, email) && goesBy(account.username, username);
}

function ownId(actor: Actor): string {
  if (actor.kind !== "account")
    throw new LiveplaneError(
      "PermissionDenied",
      "A service account can't delete an account. Sign in with your own account.",
    );
  return actor.accountId;
}
