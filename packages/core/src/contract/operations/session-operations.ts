import { operation } from "../row.ts";
import * as s from "../schemas/account-schemas.ts";
import { givenFactorInput } from "../schemas/factor-schemas.ts";
import { programChallengeInput, programCodeRecord, signInByCode, signInMethods } from "../schemas/identity-schemas.ts";
import { passkeyRequest, signInByPasskey } from "../schemas/passkey-schemas.ts";

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
  /** Signs in with the code from a sign-in in a browser. */
  createByCode: operation("sessions.createByCode", {
    summary: "Signs in with the code from a sign-in in a browser.",
    access: anyone,
    body: signInByCode,
    result: s.tokenSetRecord,
    success: [201],
    rate: "token",
    secretResult: true,
    errors: ["SignInInvalid", "AccountNotActive"],
  }),
  /** Returns a code with which a program signs in as the caller. */
  authorize: operation("sessions.authorize", {
    summary: "Returns a code with which a program signs in as the caller.",
    note: "The code works once, within ten minutes, and only for the program that knows the verifier. It ends with the caller's session.",
    access: self,
    fresh: true,
    body: programChallengeInput,
    result: programCodeRecord,
    success: [201],
    rate: "token",
    secretResult: true,
  }),
  /** Starts to sign in by a passkey, and returns what the browser needs to ask for it. */
  beginByPasskey: operation("sessions.beginByPasskey", {
    summary: "Starts to sign in by a passkey, and returns what the browser needs to ask for it.",
    note: "With the token of a session that waits for its second factor, the answer is for that session and names the account's passkeys.",
    access: anyone,
    beforePasswordChange: true,
    beforeSecondFactor: true,
    result: passkeyRequest,
    success: [201],
    rate: "token",
    errors: ["FeatureDisabled"],
  }),
  /** Signs in by a passkey alone. It counts as both factors. */
  createByPasskey: operation("sessions.createByPasskey", {
    summary: "Signs in by a passkey alone. It counts as both factors.",
    access: anyone,
    body: signInByPasskey,
    result: s.tokenSetRecord,
    success: [201],
    rate: "signIn",
    secretResult: true,
    errors: ["InvalidCredentials", "AccountNotActive", "FeatureDisabled"],
  }),
  /** Completes a sign-in by a second factor, a code or a passkey, and replaces the caller's session. */
  createByFactor: operation("sessions.createByFactor", {
    summary: "Completes a sign-in by a second factor, a code or a passkey, and replaces the caller's session.",
    access: self,
    beforePasswordChange: true,
    beforeSecondFactor: true,
    body: givenFactorInput,
    result: s.tokenSetRecord,
    success: [201],
    rate: "signIn",
    secretResult: true,
    errors: ["InvalidCredentials", "InvalidState"],
  }),
  /** Lists the ways in which people can sign in, and whether secrets can be revealed. */
  methods: operation("sessions.methods", {
    summary: "Lists the ways in which people can sign in, and whether secrets can be revealed.",
    access: anyone,
    result: signInMethods,
  }),
  /** Lists the caller's own sessions. */
  list: operation("sessions.list", {
    summary: "Lists the caller's own sessions.",
    access: self,
    withoutSecondFactor: true,
    query: s.pageQueryInput,
    result: s.sessionRecord,
  }),
  /** Ends one of the caller's own sessions. */
  delete: operation("sessions.delete", {
    summary: "Ends one of the caller's own sessions.",
    access: self,
    withoutSecondFactor: true,
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
