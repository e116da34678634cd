const encoder = new TextEncoder();
/** A leading U+FEFF is part of the text: a secret may begin with it. */
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

export function utf8(text: string): Uint8Array {
  return encoder.encode(text);
}

/** Decodes UTF-8; throws on invalid bytes. */
export function fromUtf8(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}

const hexadecimal = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

/** Bytes in lower-case hexadecimal. */
export function toHex(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += hexadecimal[byte];
  return text;
}

/** Bytes in base64url without padding. */
export function toBase64Url(bytes: Uint8Array): string {
  let binary = "";
  // In pieces, because a call takes only so many arguments.
  for (let at = 0; at < bytes.length; at += 4096) binary += String.fromCharCode(...bytes.subarray(at, at + 4096));
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** Decodes base64url; `null` for any text that `toBase64Url` would write differently: padded, spaced, or with spare bits set. */
export function fromBase64Url(text: string): Uint8Array | null {
  if (!/^[A-Za-z0-9_-]*$/.test(text) || text.length % 4 === 1) return null;
  const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  const bytes = Uint8Array.from(binary, (char) => char.charCodeAt(0));
  return toBase64Url(bytes) === text ? bytes : null;
}

/** An instant in the format of all records and answers. */
export function toInstant(ms: number): string {
  return new Date(ms).toISOString();
}

/** Now, as text. */
export function nowText({ runtime }: { readonly runtime: { readonly clock: { now(): number } } }): string {
  return toInstant(runtime.clock.now());
}

/** A user name or address in the form used for comparison. */
export function signInName(name: string): string {
  return name.normalize("NFC").toLowerCase();
}
