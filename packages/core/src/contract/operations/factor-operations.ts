import { operation } from "../row.ts";
import { done, pageQueryInput } from "../schemas/account-schemas.ts";
import * as s from "../schemas/factor-schemas.ts";
import { newPasskeyInput, passkeyCreation } from "../schemas/passkey-schemas.ts";

const self = { who: "account" } as const;

/** The operations on an account's second factors. Each change ends the account's other sessions. */
export const factorOperations = {
  /** Lists the second factors of the caller's account. */
  list: operation("accounts.factors.list", {
    summary: "Lists the second factors of the caller's account.",
    access: self,
    beforeSecondFactor: true,
    query: pageQueryInput,
    result: s.factorRecord,
  }),
  /** Creates the secret of an authenticator app (RFC 6238); its first code makes it a second factor. */
  addTotp: operation("accounts.factors.addTotp", {
    summary: "Creates the secret of an authenticator app (RFC 6238); its first code makes it a second factor.",
    access: self,
    withoutSecondFactor: true,
    fresh: true,
    body: s.newTotpInput,
    bodyOptional: true,
    result: s.totpSecretRecord,
    success: [201],
    rate: "secretWrites",
    secretResult: true,
    errors: ["InvalidState"],
  }),
  /** Makes the new authenticator app a second factor by a code that it shows. */
  confirmTotp: operation("accounts.factors.confirmTotp", {
    summary: "Makes the new authenticator app a second factor by a code that it shows.",
    access: self,
    withoutSecondFactor: true,
    fresh: true,
    body: s.factorCodeInput,
    result: s.factorRecord,
    rate: "signIn",
    errors: ["InvalidState"],
    badRequests: ["InvalidCredentials"],
  }),
  /** Starts to add a passkey, and returns what the browser needs to create it. */
  beginPasskey: operation("accounts.factors.beginPasskey", {
    summary: "Starts to add a passkey, and returns what the browser needs to create it.",
    access: self,
    withoutSecondFactor: true,
    fresh: true,
    result: passkeyCreation,
    success: [201],
    rate: "secretWrites",
    errors: ["InvalidState", "FeatureDisabled"],
  }),
  /** Adds a passkey that the browser created. */
  addPasskey: operation("accounts.factors.addPasskey", {
    summary: "Adds a passkey that the browser created.",
    note: "It can sign in alone, and is a second factor after a password.",
    access: self,
    withoutSecondFactor: true,
    fresh: true,
    body: newPasskeyInput,
    result: s.factorRecord,
    success: [201],
    rate: "secretWrites",
    errors: ["InvalidState", "FeatureDisabled"],
    badRequests: ["InvalidCredentials"],
  }),
  /** Issues ten recovery codes, which replace the earlier ones; they are shown only once. */
  issueRecoveryCodes: operation("accounts.factors.issueRecoveryCodes", {
    summary: "Issues ten recovery codes, which replace the earlier ones; they are shown only once.",
    access: self,
    fresh: true,
    result: s.recoveryCodesRecord,
    success: [201],
    rate: "secretWrites",
    secretResult: true,
    errors: ["InvalidState"],
  }),
  /** Removes a second factor. With the last one, the recovery codes go too. */
  delete: operation("accounts.factors.delete", {
    summary: "Removes a second factor. With the last one, the recovery codes go too.",
    access: self,
    fresh: true,
    result: done,
    errors: ["NotFound"],
  }),
} as const;
