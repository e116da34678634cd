import type { EventType } from "../contract/event-types.ts";
import type { Account } from "../contract/schemas/account-schemas.ts";
import { signInName } from "../encoding.ts";
import type { AccountCard, AccountStatus } from "../permissions/account-directory.ts";
import { collection } from "../records/collection.ts";
import type { Change, Reader, Stored } from "../records/records.ts";

export interface AccountRecord {
  readonly id: string;
  readonly username: string | null;
  readonly email: string | null;
  readonly name: string | null;
  readonly surname: string | null;
  readonly avatarUrl: string | null;
  readonly phoneNumber: string | null;
  readonly status: AccountStatus;
  /** The handle of the last activation challenge; empty if there was none. */
  readonly challenge: string;
  /** When that challenge expires, in epoch milliseconds. */
  readonly challengeUntil: number;
  readonly forcePasswordChange: boolean;
  /** Whether it has a second factor, as kept with its factors. */
  readonly hasSecondFactor: boolean;
  readonly serviceAccountId: string | null;
  readonly subscriptionId: string | null;
  readonly passwordHash: string | null;
  /** Sessions of an older epoch have ended: raising it ends them all in one write. */
  readonly sessionEpoch: number;
  readonly deletedAt: number | null;
  readonly createdAt: string;
  readonly createdBy: string;
  readonly updatedAt: string;
  readonly updatedBy: string;
}

/** All accounts. User names and addresses share one namespace without case. A deleted account keeps its names until it is purged. */
export const accounts = collection<AccountRecord>()("account", {
  key: ({ id }) => [id],
  indexes: {
    byCreation: ({ createdAt, deletedAt }) => (deletedAt === null ? [[createdAt]] : []),
    deleted: ({ deletedAt }) => (deletedAt === null ? [] : [[String(deletedAt).padStart(16, "0")]]),
    unactivated: ({ status, createdAt }) => (status === "Registered" ? [[createdAt]] : []),
  },
  uniques: {
    signIn: ({ username, email }) => [username, email].flatMap((name) => (name === null ? [] : [[signInName(name)]])),
  },
});

/** The account with a sign-in name, even if deleted. */
export function findBySignIn(reader: Reader, name: string): Promise<Stored<AccountRecord> | null> {
  return reader.find(accounts, "signIn", [signInName(name)]);
}

/** The account as shown, with a challenge only while it is pending. */
export function toAccount(record: Stored<AccountRecord>, now: number): Account {
  const { passwordHash, sessionEpoch: _epoch, deletedAt: _deleted, challengeUntil, ...shown } = record;
  return { ...shown, hasPassword: passwordHash !== null, challenge: challengeUntil > now ? record.challenge : "" };
}

/** How an account is named to others: a person's name, otherwise the user name. */
export function toAccountCard({ name, surname, username, email, status }: AccountRecord): AccountCard {
  const names = [name, surname].filter((part) => part !== null);
  return { name: names.length > 0 ? names.join(" ") : username, email, isInvited: status === "Registered" };
}

type AboutAccount = Extract<EventType, `account.${string}`>;

/** Emits an event about an account, with the names of the changed members. */
export function emitAccount(
  change: Change,
  type: AboutAccount,
  accountId: string,
  changed: readonly string[] = [],
): void {
  change.emit({ type, subject: accountId, about: { kind: "account", accountId }, data: { changed: [...changed] } });
}

/** A new account; other members are unset. */
export function newAccount(id: string, time: string, given: Partial<AccountRecord>): AccountRecord {
  return {
    id,
    username: null,
    email: null,
    name: null,
    surname: null,
    avatarUrl: null,
    phoneNumber: null,
    status: "Registered",
    challenge: "",
    challengeUntil: 0,
    forcePasswordChange: false,
    hasSecondFactor: false,
    serviceAccountId: null,
    subscriptionId: null,
    passwordHash: null,
    sessionEpoch: 0,
    deletedAt: null,
    createdAt: time,
    createdBy: id,
    updatedAt: time,
    updatedBy: id,
    ...given,
  };
}
