import { utf8 } from "../encoding.ts";
import type { Crypto } from "../ports/runtime.ts";

/** Time-based one-time passwords (RFC 6238), as every authenticator app makes them: HMAC-SHA-1, 30 seconds, six digits. */

export const totpSecretBytes = 20;
const stepMs = 30_000;
const digits = 6;

/** The step of a time: the counter that a code is made of. @internal */
export function stepAt(ms: number): number {
  return Math.floor(ms / stepMs);
}

/** The code of a step (RFC 4226, section 5.3). @internal */
export async function totpCode(
  { hmacSha1 }: Pick<Crypto, "hmacSha1">,
  secret: Uint8Array,
  step: number,
  length = digits,
): Promise<string> {
  const counter = new DataView(new ArrayBuffer(8));
  counter.setBigUint64(0, BigInt(step));
  const digest = await hmacSha1(secret, new Uint8Array(counter.buffer));
  const view = new DataView(digest.buffer, digest.byteOffset, digest.byteLength);
  const truncated = view.getUint32((digest.at(-1) ?? 0) & 0x0f) & 0x7fffffff;
  return String(truncated % 10 ** length).padStart(length, "0");
}

/** The step whose code this is, at most one step from now, because clocks differ; `null` if it is none of theirs. */
export async function stepOfCode(
  crypto: Pick<Crypto, "hmacSha1" | "equal">,
  secret: Uint8Array,
  { code, now }: { readonly code: string; readonly now: number },
): Promise<number | null> {
  const current = stepAt(now);
  let found: number | null = null;
  for (const step of [current - 1, current, current + 1])
    if (step >= 0 && crypto.equal(utf8(await totpCode(crypto, secret, step)), utf8(code))) found = step;
  return found;
}

/** The address that authenticator apps read from a QR code. */
export function totpUri(secret: string, issuer: string, account: string): string {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(account)}`;
  return `otpauth://totp/${label}?secret=${secret}&issuer=${encodeURIComponent(issuer)}`;
}

const base32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** Bytes in base32 (RFC 4648) without padding. */
export function toBase32(bytes: Uint8Array): string {
  let text = "";
  let bits = 0;
  let held = 0;
  for (const byte of bytes) {
    held = (held << 8) | byte;
    for (bits += 8; bits >= 5; bits -= 5) text += base32[(held >>> (bits - 5)) & 31];
    held &= 0xff;
  }
  return bits > 0 ? text + base32[(held << (5 - bits)) & 31] : text;
}
