import { operation } from "../row.ts";
import { done, pageQueryInput } from "../schemas/account-schemas.ts";
import * as s from "../schemas/identity-schemas.ts";

const self = { who: "account" } as const;

/** The operations on the identities that somebody signs in by. */
export const identityOperations = {
  /** Lists the identities at OpenID providers that are linked to one's own account. */
  list: operation("accounts.identities.list", {
    summary: "Lists the identities at OpenID providers that are linked to one's own account.",
    access: self,
    query: pageQueryInput,
    result: s.identityRecord,
  }),
  /** Begins to link an identity, within ten minutes of a sign-in: answers where to send the browser. */
  authorize: operation("accounts.identities.authorize", {
    summary: "Begins to link an identity, within ten minutes of a sign-in: answers where to send the browser.",
    access: self,
    result: s.identityAuthorization,
    success: [201],
    errors: ["SignInNotFresh", "FeatureDisabled"],
  }),
  /** Links the identity that a sign-in at the provider has proved to one's own account. */
  link: operation("accounts.identities.link", {
    summary: "Links the identity that a sign-in at the provider has proved to one's own account.",
    access: self,
    body: s.identityLink,
    result: s.identityRecord,
    success: [201],
    errors: ["SignInInvalid", "SignInNotFresh", "AlreadyExists"],
  }),
  /** Unlinks an identity, within ten minutes of a sign-in, and ends the other sessions that it began. */
  delete: operation("accounts.identities.delete", {
    summary: "Unlinks an identity, within ten minutes of a sign-in, and ends the other sessions that it began.",
    access: self,
    result: done,
    errors: ["SignInNotFresh", "InvalidState"],
  }),
} as const;
