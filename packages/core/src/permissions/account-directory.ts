import type { Change, Reader } from "../records/records.ts";

/** What organizations, grants and plans ask about accounts. */
export interface AccountDirectory {
  /** The status of each account, in the requested order; `null` if there is no such account. */
  statuses(reader: Reader, accountIds: readonly string[]): Promise<readonly (AccountStatus | null)[]>;
  /** The display name of each account, in the requested order; `null` if there is no such account. */
  names(reader: Reader, accountIds: readonly string[]): Promise<readonly (AccountCard | null)[]>;
  /** The account that signs in with an address; `null` if none. */
  findByEmail(reader: Reader, email: string): Promise<string | null>;
  /** Creates the account for an invited address, or returns the existing one. It gets a mail after the commit. */
  invite(change: Change, email: string): Promise<string>;
  /** Records which subscription belongs to an account. */
  setSubscription(change: Change, accountId: string, subscriptionId: string): Promise<void>;
}

export interface AccountCard {
  readonly name: string | null;
  readonly email: string | null;
  /** They haven't activated the account yet. */
  readonly isInvited: boolean;
}

export type AccountStatus = "Registered" | "Active" | "Suspended" | "Deleted";

/** What organizations and grants ask about service accounts. */
export interface PrincipalDirectory {
  /** The owner of a service account; `null` if there is no such account. */
  ownerOf(reader: Reader, principalId: string): Promise<ServiceAccountOwner | null>;
  /** Creates the service account of an organization and returns its ID. */
  create(change: Change, owner: { readonly type: "Organization"; readonly id: string }): Promise<string>;
}

export interface ServiceAccountOwner {
  readonly type: "Account" | "Organization" | "Environment";
  readonly id: string;
}
