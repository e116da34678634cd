import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import type { KeyRing, Sealed, Sealer } from "@liveplane/core";
import { LiveplaneError } from "@liveplane/core/errors";

const algorithm = "AES-256-GCM/1";

/** Seals with AES-256-GCM under a new data key for each value; the key ring wraps the data key. */
export function aesSealer({ keyRing }: { readonly keyRing: KeyRing }): Sealer {
  return {
    currentKeyId: () => keyRing.currentKeyId(),
    ...(keyRing.keyIds && { keyIds: () => keyRing.keyIds?.() ?? Promise.resolve([]) }),
    async seal(plaintext, place) {
      const context = contextOf(place);
      const dataKey = randomBytes(32);
      const nonce = randomBytes(12);
      const cipher = createCipheriv("aes-256-gcm", dataKey, nonce).setAAD(context);
      const ciphertext = Buffer.concat([cipher.update(plaintext), cipher.final()]);
      const { keyId, wrapped } = await keyRing.wrap(dataKey, context);
      dataKey.fill(0);
      return {
        algorithm,
        keyId,
        wrappedKey: text(wrapped),
        nonce: text(nonce),
        ciphertext: text(ciphertext),
        tag: text(cipher.getAuthTag()),
      };
    },
    async open(sealed, place) {
      const context = contextOf(place);
      if (sealed.algorithm !== algorithm) throw unopened();
      const dataKey = await keyRing.unwrap(sealed.keyId, bytes(sealed.wrappedKey), context);
      try {
        const decipher = createDecipheriv("aes-256-gcm", dataKey, bytes(sealed.nonce), { authTagLength: 16 })
          .setAAD(context)
          .setAuthTag(bytes(sealed.tag));
        return Buffer.concat([decipher.update(bytes(sealed.ciphertext)), decipher.final()]);
      } catch (cause) {
        throw unopened(cause);
      } finally {
        dataKey.fill(0);
      }
    },
    async rewrap(sealed, place): Promise<Sealed | null> {
      if (sealed.keyId === (await keyRing.currentKeyId())) return null;
      const context = contextOf(place);
      const dataKey = await keyRing.unwrap(sealed.keyId, bytes(sealed.wrappedKey), context);
      const { keyId, wrapped } = await keyRing.wrap(dataKey, context);
      dataKey.fill(0);
      return { ...sealed, keyId, wrappedKey: text(wrapped) };
    },
  };
}

/** The place as unique bytes: each part with its length before it. */
function contextOf(place: readonly string[]): Buffer {
  return Buffer.from([algorithm, ...place].map((part) => `${Buffer.byteLength(part)}:${part}`).join(","));
}

const text = (of: Uint8Array) => Buffer.from(of).toString("base64url");

/** Only the canonical text of these bytes is accepted: a lenient decoder would hide a change. */
function bytes(of: string): Buffer {
  const decoded = Buffer.from(of, "base64url");
  if (text(decoded) !== of) throw unopened();
  return decoded;
}

function unopened(cause?: unknown): LiveplaneError {
  return new LiveplaneError(
    "InternalError",
    "A sealed value could not be opened. It was modified, moved or sealed with another key.",
    { cause },
  );
}
