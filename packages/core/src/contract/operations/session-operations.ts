import { operation } from "../row.ts";
import * as s from "../schemas/account-schemas.ts";
import { factorCodeInput } from "../schemas/factor-schemas.ts";
import { signInByCode, signInMethods } from "../schemas/identity-schemas.ts";

const anyone = { who: "anyone" } as const;
const self = { who: "account" } as const;

/** The operations on sessions. */
export const sessionOperations = {
  /** Signs in with a user name or e-mail address and a password. */
  create: operation("sessions.create", {
    summary: "Signs in with a user name or e-mail address and a password.",
    access: anyone,
    body: s.signInInput,
    result: s.tokenSetRecord,
    success: [201],
    rate: "signIn",
    ratedName: { member: "username", bucket: "signInName" },
    secretResult: true,
    errors: ["InvalidCredentials", "AccountNotActive"],
  }),
  /** Signs in with the code from a completed sign-in at an OpenID provider. */
  createByCode: operation("sessions.createByCode", {
    summary: "Signs in with the code from a completed sign-in at an OpenID provider.",
    access: anyone,
    body: signInByCode,
    result: s.tokenSetRecord,
    success: [201],
    rate: "token",
    secretResult: true,
    errors: ["SignInInvalid", "AccountNotActive"],
  }),
  /** Completes a sign-in that needs a second factor, with a code. Its new session replaces the caller's. */
  createByFactor: operation("sessions.createByFactor", {
    summary: "Completes a sign-in that needs a second factor, with a code. Its new session replaces the caller's.",
    access: self,
    beforePasswordChange: true,
    beforeSecondFactor: "always",
    body: factorCodeInput,
    result: s.tokenSetRecord,
    success: [201],
    rate: "signIn",
    secretResult: true,
    errors: ["InvalidCredentials", "InvalidState"],
  }),
  /** Lists the ways in which people can sign in. */
  methods: operation("sessions.methods", {
    summary: "Lists the ways in which people can sign in.",
    access: anyone,
    result: signInMethods,
  }),
  /** Lists the caller's own sessions. */
  list: operation("sessions.list", {
    summary: "Lists the caller's own sessions.",
    access: self,
    query: s.pageQueryInput,
    result: s.sessionRecord,
  }),
  /** Ends one of the caller's own sessions. */
  delete: operation("sessions.delete", {
    summary: "Ends one of the caller's own sessions.",
    access: self,
    fresh: true,
    beforePasswordChange: true,
    result: s.done,
    errors: ["NotFound"],
  }),
} as const;

/** The operations on tokens. */
export const tokenOperations = {
  /** Issues an access token for a refresh token, a secret (RFC 6749) or a pipeline's token (RFC 8693). */
  create: operation("tokens.create", {
    summary: "Issues an access token for a refresh token, a secret (RFC 6749) or a pipeline's token (RFC 8693).",
    access: anyone,
    body: s.tokenRequest,
    result: s.tokenResponse,
    rate: "token",
    secretResult: true,
    errors: ["InvalidCredentials", "ServiceAccountDisabled", "InsufficientScope", "AccountNotActive"],
    badRequests: ["InvalidCredentials"],
  }),
  /** Ends the session that a token belongs to (RFC 7009). */
  revoke: operation("tokens.revoke", {
    summary: "Ends the session that a token belongs to (RFC 7009).",
    access: anyone,
    body: s.revocationRequest,
    result: s.done,
    rate: "token",
  }),
  /** Reads the public keys that verify access tokens. */
  keys: operation("tokens.keys", {
    summary: "Reads the public keys that verify access tokens.",
    access: anyone,
    result: s.keySetRecord,
  }),
} as const;
