import type { AccountStatus } from "../permissions/account-directory.ts";
import type { IdentityProfile } from "../ports/identity.ts";

/** An account, as far as it matters who may sign in to it. */
interface JudgedAccount {
  readonly id: string;
  readonly status: AccountStatus;
}

/** What is known when somebody comes from an issuer. */
export interface IdentityFacts {
  readonly linked: JudgedAccount | null;
  /** What the issuer says of the person; `null`: it wasn't asked. */
  readonly profile: IdentityProfile | null;
  /** The account that has the address of the profile. */
  readonly named: JudgedAccount | null;
  readonly provisioning: "off" | "verified-email";
  readonly isOperator: (accountId: string) => boolean;
}

/** What becomes of somebody who comes from an issuer. */
export type IdentityVerdict =
  | { readonly kind: "opens"; readonly accountId: string }
  /** The account was registered by an address that is proved now. */
  | { readonly kind: "activates"; readonly accountId: string }
  | { readonly kind: "provisions"; readonly email: string }
  | { readonly kind: "refused"; readonly why: "notActive" | "notLinked" | "notVerified" | "taken" };

/**
 * Judges who may come in by an identity. An account that somebody uses is opened by what was linked from inside it, and by nothing
 * else: an address that an issuer calls verified makes new accounts, or activates one that nobody ever was in, and no operator's.
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
