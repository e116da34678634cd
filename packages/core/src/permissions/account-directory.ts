import type { Change, Reader } from "../records/records.ts";

/** What organizations, grants and plans need to know of accounts. */
export interface AccountDirectory {
  /** Where each account is, in the order asked for; `null`: there is no such account. */
  statuses(reader: Reader, accountIds: readonly string[]): Promise<readonly (AccountStatus | null)[]>;
  /** What accounts go by, in the order asked for; `null`: there is no such account. */
  names(reader: Reader, accountIds: readonly string[]): Promise<readonly (AccountCard | null)[]>;
  /** The account that signs in with an address; `null`: none. */
  findByEmail(reader: Reader, email: string): Promise<string | null>;
  /** Makes the account that an address is invited to, or answers the one that has it. It is told by mail once the change is made. */
  invite(change: Change, email: string): Promise<string>;
  /** Writes down which subscription is an account's own. */
  setSubscription(change: Change, accountId: string, subscriptionId: string): Promise<void>;
}

export interface AccountCard {
  readonly name: string | null;
  readonly email: string | null;
}

export type AccountStatus = "Registered" | "Active" | "Suspended" | "Deleted";

/** What organizations and grants need to know of service accounts. */
export interface PrincipalDirectory {
  /** The owner of a service account; `null`: there is none of that id. */
  ownerOf(reader: Reader, principalId: string): Promise<ServiceAccountOwner | null>;
  /** Makes the service account of an organization. Answers its id. */
  create(change: Change, owner: { readonly type: "Organization"; readonly id: string }): Promise<string>;
}

export interface ServiceAccountOwner {
  readonly type: "Account" | "Organization" | "Environment";
  readonly id: string;
}
