import * as z from "zod";
import type { Schema } from "../row.ts";
import { instant, line } from "./values.ts";

const identity = z.object({
  id: z.string(),
  issuer: z.string(),
  subject: z.string(),
  /** As the issuer gave it when the identity was linked. */
  email: z.string().nullable(),
  createdAt: instant,
  lastUsedAt: instant.nullable(),
});
/** An identity at an issuer, linked to an account that can sign in with it. */
export interface Identity extends z.output<typeof identity> {}
export const identityRecord: Schema<Identity> = identity;

const authorization = z.object({
  /** The path to send a browser to, after adding `returnTo` or `loopback`. */
  url: z.string(),
  expiresAt: instant,
});
/** Where to start linking an identity. */
export interface IdentityAuthorization extends z.output<typeof authorization> {}
export const identityAuthorization: Schema<IdentityAuthorization> = authorization;

const link = z.strictObject({ code: line });
/** The code from a completed sign-in at the issuer. */
export interface IdentityLink extends z.output<typeof link> {}
export const identityLink: Schema<IdentityLink> = link;

const byCode = z.strictObject({ code: line, codeVerifier: line });
/** The code from a sign-in in a browser, and the verifier of its challenge (RFC 7636). */
export interface SignInByCode extends z.output<typeof byCode> {}
export const signInByCode: Schema<SignInByCode> = byCode;

const programChallenge = z.strictObject({
  codeChallenge: z
    .string()
    .regex(/^[A-Za-z0-9_-]{43}$/, "must be a SHA-256 in base64url without padding")
    .meta({ examples: ["E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"] }),
});
/** SHA-256 of a verifier that only the program knows, in base64url (RFC 7636). */
export interface ProgramChallenge extends z.output<typeof programChallenge> {}
export const programChallengeInput: Schema<ProgramChallenge> = programChallenge;

const programCode = z.object({ code: z.string() });
/** A code with which one program signs in, once. */
export interface ProgramCode extends z.output<typeof programCode> {}
export const programCodeRecord: Schema<ProgramCode> = programCode;

const methods = z.object({
  password: z.boolean(),
  openId: z.boolean(),
  passkey: z.boolean(),
  /** Where people sign in by any of these ways; `null` if the host hasn't set it. */
  consoleUrl: z.string().nullable(),
  /** Whether the value of a secret can be revealed over HTTP. */
  revealSecrets: z.boolean(),
});
/** The ways in which people can sign in here, and whether secrets can be revealed. */
export interface SignInMethods extends z.output<typeof methods> {}
export const signInMethods: Schema<SignInMethods> = methods;
