import type { Account } from "../contract/account-schemas.ts";
import { collection } from "../records/collection.ts";
import type { Reader, Stored } from "../records/records.ts";
import type { AccountStatus } from "./account-directory.ts";

/** An account as it is stored. */
export interface AccountRecord {
  readonly id: string;
  readonly username: string | null;
  readonly email: string | null;
  readonly name: string | null;
  readonly surname: string | null;
  readonly avatarUrl: string | null;
  readonly phoneNumber: string | null;
  readonly status: AccountStatus;
  /** The handle of the pending activation challenge; empty when none is. */
  readonly challenge: string;
  readonly forcePasswordChange: boolean;
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

/** All accounts. User names and addresses are one space, without case; a deleted account holds its own until it is purged. */
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

/** A user name or an address as it is compared. */
export function signInName(name: string): string {
  return name.normalize("NFC").toLowerCase();
}

/** The account that signs in by a name, deleted ones included. */
export function findBySignIn(reader: Reader, name: string): Promise<Stored<AccountRecord> | null> {
  return reader.find(accounts, "signIn", [signInName(name)]);
}

/** The account as it is shown. */
export function toAccount(record: Stored<AccountRecord>): Account {
  const { passwordHash: _hash, sessionEpoch: _epoch, deletedAt: _deleted, ...shown } = record;
  return shown;
}

/** A new account; what isn't named is unset. */
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
    forcePasswordChange: false,
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
