import { operation } from "../row.ts";
import { done, pageQueryInput } from "../schemas/account-schemas.ts";
import * as s from "../schemas/identity-schemas.ts";

const self = { who: "account" } as const;

/** The operations on the identities that people sign in with. */
export const identityOperations = {
  /** Lists the identities at OpenID providers that are linked to the caller's account. */
  list: operation("accounts.identities.list", {
    summary: "Lists the identities at OpenID providers that are linked to the caller's account.",
    access: self,
    query: pageQueryInput,
    result: s.identityRecord,
  }),
  /** Starts to link an identity, and returns where to send the browser. */
  authorize: operation("accounts.identities.authorize", {
    summary: "Starts to link an identity, and returns where to send the browser.",
    access: self,
    fresh: true,
    result: s.identityAuthorization,
    success: [201],
    errors: ["FeatureDisabled"],
  }),
  /** Links the identity from a completed sign-in at the provider to the caller's account. */
  link: operation("accounts.identities.link", {
    summary: "Links the identity from a completed sign-in at the provider to the caller's account.",
    access: self,
    body: s.identityLink,
    result: s.identityRecord,
    success: [201],
    errors: ["SignInInvalid", "SignInNotFresh", "AlreadyExists"],
  }),
  /** Unlinks an identity, and ends the other sessions that it started. */
  delete: operation("accounts.identities.delete", {
    summary: "Unlinks an identity, and ends the other sessions that it started.",
    access: self,
    fresh: true,
    result: done,
    errors: ["InvalidState"],
  }),
} as const;
