import { nowText } from "../encoding.ts";
import { LiveplaneError } from "../errors.ts";
import type { Cause, Change, Stored } from "../records/records.ts";
import type { Services } from "../services.ts";
import { type AccountRecord, accounts } from "./account-record.ts";
import { emitFactor, type FactorEntry, factorsOf, isRequiring, isUsable, putFactors } from "./factor-record.ts";

/** What changing somebody's second factors needs. */
export type FactorChanging = Pick<Services, "records" | "runtime" | "mail" | "accountOf"> & {
  /** Keeps the session in which a factor was changed. */
  readonly keepSession: (change: Change, sessionId: string, state: { readonly epoch: number }) => Promise<void>;
};

const mostFactors = 10;

interface Replacing {
  readonly account: Stored<AccountRecord>;
  readonly cause: Cause;
  /** The session that goes on; all others of the account end. */
  readonly sessionId: string | undefined;
}

/** Stores an account's new factors, tells its owner, and ends its other sessions. */
export async function replaceFactors(
  deps: FactorChanging,
  change: Change,
  { account, factors, cause, sessionId }: Replacing & { readonly factors: readonly FactorEntry[] },
): Promise<void> {
  putFactors(change, account.id, factors);
  const epoch = account.sessionEpoch + 1;
  const updated = { updatedAt: nowText(deps), updatedBy: cause.actor };
  const hasSecondFactor = factors.some(isRequiring);
  change.put(accounts, { ...account, hasSecondFactor, sessionEpoch: epoch, ...updated });
  if (account.email !== null) deps.mail.queue(change, { to: account.email, kind: "factorsChanged" });
  if (sessionId !== undefined) await deps.keepSession(change, sessionId, { epoch });
}

/** Removes factors. Recovery codes without another factor would be of no use. */
export async function removeFactors(
  deps: FactorChanging,
  change: Change,
  { isRemoved, ...replacing }: Replacing & { readonly isRemoved: (factor: FactorEntry) => boolean },
): Promise<void> {
  const accountId = replacing.account.id;
  const known = await factorsOf(change, accountId);
  const left = known.filter((factor) => !isRemoved(factor));
  const factors = left.some(isRequiring) ? left : [];
  const gone = known.filter((factor) => isUsable(factor) && !factors.includes(factor));
  if (gone.length === 0) throw new LiveplaneError("NotFound", "The account has no such second factor.");
  await replaceFactors(deps, change, { ...replacing, factors });
  for (const factor of gone) emitFactor(change, "factor.removed", { accountId, factor });
}

/** The members of a factor that begins now. */
export function beginsNow(deps: Pick<Services, "runtime">): { readonly createdAt: string; readonly lastUsedAt: null } {
  return { createdAt: nowText(deps), lastUsedAt: null };
}

/** @throws {InvalidState} if the account has as many factors as it may have. */
export function requireFactorRoom(factors: readonly FactorEntry[]): void {
  if (factors.length < mostFactors) return;
  throw new LiveplaneError("InvalidState", `An account has at most ${mostFactors} second factors. Remove one first.`);
}
