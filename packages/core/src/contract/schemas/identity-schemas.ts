import * as z from "zod";
import type { Schema } from "../row.ts";
import { instant, line } from "./values.ts";

const identity = z.object({
  id: z.string(),
  issuer: z.string(),
  subject: z.string(),
  /** As the issuer said it when the identity was linked. */
  email: z.string().nullable(),
  createdAt: instant,
  lastUsedAt: instant.nullable(),
});
/** Who somebody is to an issuer, linked to their account: they sign in by it. */
export interface Identity extends z.output<typeof identity> {}
export const identityRecord: Schema<Identity> = identity;

const authorization = z.object({
  /** The path to send a browser to, with `returnTo` or `loopback` added. */
  url: z.string(),
  expiresAt: instant,
});
/** Where linking an identity begins. */
export interface IdentityAuthorization extends z.output<typeof authorization> {}
export const identityAuthorization: Schema<IdentityAuthorization> = authorization;

const link = z.strictObject({ code: line });
/** The code that a sign-in at the issuer ended with. */
export interface IdentityLink extends z.output<typeof link> {}
export const identityLink: Schema<IdentityLink> = link;

const byCode = z.strictObject({ code: line, codeVerifier: line });
/** The code that a sign-in at the issuer ended with, and what its challenge was made of (RFC 7636). */
export interface SignInByCode extends z.output<typeof byCode> {}
export const signInByCode: Schema<SignInByCode> = byCode;

const methods = z.object({ password: z.boolean(), openId: z.boolean() });
/** The ways in which people can sign in here. */
export interface SignInMethods extends z.output<typeof methods> {}
export const signInMethods: Schema<SignInMethods> = methods;
