import { toBase64Url, utf8 } from "../encoding.ts";
import type { Runtime } from "../ports/runtime.ts";

/*
 * The format of Standard Webhooks: https://www.standardwebhooks.com. A secret is `whsec_` and base64, a signature `v1,` and the base64 of
 * an HMAC-SHA-256 over ID, time and body; while secrets overlap there are several, separated by spaces.
 */

/** The prefix of secrets. */
const prefix = "whsec_";

/** A new secret of 256 bits. */
export function newWebhookSecret({ random }: Pick<Runtime["crypto"], "random">): string {
  return prefix + toBase64(random(32));
}

export interface SignedContent {
  readonly id: string;
  /** In epoch seconds. */
  readonly seconds: number;
  readonly body: string;
}

/** The headers by which a receiver verifies a message and recognizes a repeated one. */
export async function signedHeaders(
  secrets: readonly string[],
  { id, seconds, body }: SignedContent,
  { hmac }: Pick<Runtime["crypto"], "hmac">,
): Promise<Readonly<Record<string, string>>> {
  const content = utf8(`${id}.${seconds}.${body}`);
  const signatures: string[] = [];
  for (const secret of secrets) signatures.push(`v1,${toBase64(await hmac(keyOf(secret), content))}`);
  return { "webhook-id": id, "webhook-timestamp": String(seconds), "webhook-signature": signatures.join(" ") };
}

function keyOf(secret: string): Uint8Array {
  return Uint8Array.from(atob(secret.slice(prefix.length)), (char) => char.charCodeAt(0));
}

function toBase64(bytes: Uint8Array): string {
  const text = toBase64Url(bytes).replaceAll("-", "+").replaceAll("_", "/");
  return text + "=".repeat((4 - (text.length % 4)) % 4);
}
