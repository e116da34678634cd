import * as z from "zod";
import type { Schema } from "../row.ts";
import { displayName } from "./values.ts";

/** Passkeys (W3C Web Authentication, level 3), in the JSON that browsers read and write. */

function base64Url(atMost: number) {
  return z
    .string()
    .max(atMost)
    .regex(/^[A-Za-z0-9_-]+$/, "must be base64url without padding")
    .meta({ examples: ["c2lnbmVk"] });
}

/** At most 1023 bytes. */
const credentialId = base64Url(1364);
const clientDataJSON = base64Url(4096);

const transport = z
  .string()
  .max(32)
  .regex(/^[a-z-]+$/, "must be the name of a transport, such as internal");

const publicKeyType = z.literal("public-key");
const descriptor = z.object({ id: z.string(), type: publicKeyType, transports: z.array(z.string()) });

const creation = z.object({
  publicKey: z.object({
    rp: z.object({ id: z.string(), name: z.string() }),
    user: z.object({ id: z.string(), name: z.string(), displayName: z.string() }),
    challenge: z.string(),
    pubKeyCredParams: z.array(z.object({ type: publicKeyType, alg: z.number() })),
    timeout: z.number(),
    excludeCredentials: z.array(descriptor),
    authenticatorSelection: z.object({
      residentKey: z.literal("required"),
      requireResidentKey: z.literal(true),
      userVerification: z.literal("required"),
    }),
    attestation: z.literal("none"),
  }),
});
/** What a browser needs to create a passkey: the argument of `navigator.credentials.create`, as JSON. */
export interface PasskeyCreation extends z.output<typeof creation> {}
export const passkeyCreation: Schema<PasskeyCreation> = creation;

const request = z.object({
  publicKey: z.object({
    rpId: z.string(),
    challenge: z.string(),
    timeout: z.number(),
    /** Empty: the person chooses one of the passkeys on their device. */
    allowCredentials: z.array(descriptor),
    userVerification: z.literal("required"),
  }),
});
/** What a browser needs to sign with a passkey: the argument of `navigator.credentials.get`, as JSON. */
export interface PasskeyRequest extends z.output<typeof request> {}
export const passkeyRequest: Schema<PasskeyRequest> = request;

/** Browsers send more than is needed, and later ones may send other members. */
const created = z.object({
  id: credentialId,
  response: z.object({
    clientDataJSON,
    attestationObject: base64Url(32_768),
    transports: z.array(transport).max(10).exactOptional(),
  }),
});
/** A new passkey, as a browser's `credential.toJSON()` writes it. Other members are ignored. */
export type CreatedPasskey = z.output<typeof created>;

const newPasskey = z.strictObject({ name: displayName.exactOptional(), credential: created });
/** A new passkey and the name that its owner gives it. */
export interface NewPasskey extends z.output<typeof newPasskey> {}
export const newPasskeyInput: Schema<NewPasskey> = newPasskey;

/** What a passkey signed, as a browser's `credential.toJSON()` writes it. Other members are ignored. */
export const signedPasskey = z.object({
  id: credentialId,
  response: z.object({
    clientDataJSON,
    authenticatorData: base64Url(4096),
    signature: base64Url(8192),
    userHandle: base64Url(86).nullable().exactOptional(),
  }),
});
/** What a passkey signed. */
export type SignedPasskey = z.output<typeof signedPasskey>;

const byPasskey = z.strictObject({ credential: signedPasskey });
/** What a passkey signed, to sign in. */
export interface SignInByPasskey extends z.output<typeof byPasskey> {}
export const signInByPasskey: Schema<SignInByPasskey> = byPasskey;
