import type { AccountStatus } from "../permissions/account-directory.ts";
import type { IdentityProfile } from "../ports/identity.ts";

/** The parts of an account that decide who may sign in to it. */
interface JudgedAccount {
  readonly id: string;
  readonly status: AccountStatus;
}

/** What is known about a person who signs in through an issuer. */
export interface IdentityFacts {
  readonly linked: JudgedAccount | null;
  /** The issuer's profile of the person; `null` if it wasn't requested. */
  readonly profile: IdentityProfile | null;
  /** The account with the profile's address. */
  readonly named: JudgedAccount | null;
  readonly provisioning: "off" | "verified-email";
  readonly isOperator: (accountId: string) => boolean;
}

/** What happens to a person who signs in through an issuer. */
export type IdentityVerdict =
  | { readonly kind: "opens"; readonly accountId: string }
  /** The account was registered for an address that is verified now. */
  | { readonly kind: "activates"; readonly accountId: string }
  | { readonly kind: "provisions"; readonly email: string }
  | { readonly kind: "refused"; readonly why: "notActive" | "notLinked" | "notVerified" | "taken" };

/**
 * Decides who may sign in by an identity. An account in use is opened only by an identity that was linked from inside it. A verified
 * address only creates an account, or activates one that nobody has used and that isn't an operator's.
 */
export function judgeIdentity({ linked, profile, named, provisioning, isOperator }: IdentityFacts): IdentityVerdict {
  if (linked !== null)
    return linked.status === "Active" ? { kind: "opens", accountId: linked.id } : { kind: "refused", why: "notActive" };
  if (provisioning === "off" || profile === null) return { kind: "refused", why: "notLinked" };
  if (profile.email === null || !profile.isEmailVerified) return { kind: "refused", why: "notVerified" };
  if (named === null) return { kind: "provisions", email: profile.email };
  const isUnused = named.status === "Registered" && !isOperator(named.id);
  return isUnused ? { kind: "activates", accountId: named.id } : { kind: "refused", why: "taken" };
}
