import * as z from "zod";
import type { Schema } from "../row.ts";
import { signedPasskey } from "./passkey-schemas.ts";
import { displayName, instant, line } from "./values.ts";

/** What a second factor can be. */
export const factorKind = z.enum(["totp", "passkey", "recoveryCodes"]);

const factor = z.object({
  id: z.string(),
  kind: factorKind,
  name: z.string(),
  createdAt: instant,
  lastUsedAt: instant.nullable(),
  /** Of recovery codes: how many are unused. */
  remaining: z.number().nullable(),
});
/** A second factor of the caller's own account. */
export interface Factor extends z.output<typeof factor> {}
export const factorRecord: Schema<Factor> = factor;

const newTotp = z.strictObject({ name: displayName.exactOptional() });
/** The name of a new authenticator app. */
export interface NewTotp extends z.output<typeof newTotp> {}
export const newTotpInput: Schema<NewTotp> = newTotp;

const totpSecret = z.object({
  id: z.string(),
  /** In base32, as authenticator apps take it. */
  secret: z.string(),
  /** The `otpauth:` address that apps read from a QR code. */
  uri: z.string(),
});
/** The secret of a new authenticator app, shown only once. */
export interface TotpSecret extends z.output<typeof totpSecret> {}
export const totpSecretRecord: Schema<TotpSecret> = totpSecret;

const codeOnly = z.strictObject({ code: line });
/** A code from an authenticator app, or a recovery code. Spaces and hyphens don't matter. */
export interface FactorCode extends z.output<typeof codeOnly> {}
export const factorCodeInput: Schema<FactorCode> = codeOnly;

const givenFactor = z
  .strictObject({ code: line.exactOptional(), credential: signedPasskey.exactOptional() })
  .refine(({ code, credential }) => (code === undefined) !== (credential === undefined), {
    message: "must have either code or credential",
    params: { code: "Required" },
  });
/** A second factor as it is given: a code, or what a passkey signed. */
export interface GivenFactor extends z.output<typeof givenFactor> {}
export const givenFactorInput: Schema<GivenFactor> = givenFactor;

const recoveryCodes = z.object({ codes: z.array(z.string()) });
/** Recovery codes, shown only once. Each works once. */
export interface RecoveryCodes extends z.output<typeof recoveryCodes> {}
export const recoveryCodesRecord: Schema<RecoveryCodes> = recoveryCodes;
