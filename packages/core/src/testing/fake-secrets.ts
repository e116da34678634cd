import { fromBase64Url, toBase64Url, utf8 } from "../encoding.ts";
import { LiveplaneError } from "../errors.ts";
import type { Sealed, Sealer, SshKeyFacts, SshKeys } from "../ports/secrets.ts";

/** A sealer for tests, whose key can be changed. */
export interface FakeSealer extends Sealer {
  /** From now on it seals with another key. Older keys still open. */
  rotate(): string;
  /** Drops every key but the current one. */
  forgetOldKeys(): void;
}

/** Creates a fast, insecure sealer that keeps the port's laws: it hides values and binds them to their place. */
export function fakeSealer(): FakeSealer {
  const algorithm = "fake";
  const keys = new Set(["key-1"]);
  let current = "key-1";
  let count = 1;
  const hide = (bytes: Uint8Array) => bytes.map((byte) => byte ^ 0x5a);
  const wrap = (keyId: string, place: readonly string[]) => toBase64Url(utf8(JSON.stringify([keyId, ...place])));

  function verify({ keyId, wrappedKey }: Sealed, place: readonly string[]): void {
    if (!keys.has(keyId) || wrappedKey !== wrap(keyId, place))
      throw new LiveplaneError("InternalError", "A sealed value could not be opened.");
  }

  return {
    currentKeyId: async () => current,
    async seal(plaintext, place) {
      const ciphertext = toBase64Url(hide(plaintext));
      return { algorithm, keyId: current, wrappedKey: wrap(current, place), nonce: "", ciphertext, tag: "" };
    },
    async open(sealed, place) {
      verify(sealed, place);
      const bytes = fromBase64Url(sealed.ciphertext);
      if (bytes === null) throw new LiveplaneError("InternalError", "A sealed value could not be opened.");
      return hide(bytes);
    },
    async rewrap(sealed, place) {
      if (sealed.keyId === current) return null;
      verify(sealed, place);
      return { ...sealed, keyId: current, wrappedKey: wrap(current, place) };
    },
    rotate() {
      count += 1;
      current = `key-${count}`;
      keys.add(current);
      return current;
    },
    forgetOldKeys() {
      keys.clear();
      keys.add(current);
    },
  };
}

/**
 * Creates a key reader for tests. A key is `fake-key:<name>`, an encrypted one `fake-key:<name>:<passphrase>`; the fingerprint is derived
 * from the name.
 */
export function fakeSshKeys(): SshKeys {
  return {
    async inspect(privateKey, passphrase): Promise<SshKeyFacts> {
      const [prefix, name = "", wanted] = privateKey.split(":");
      if (prefix !== "fake-key" || name === "")
        throw new LiveplaneError("InvalidSshPrivateKey", "This isn't an SSH private key in a supported format.");
      if (name === "weak") throw new LiveplaneError("WeakSshKey", "An RSA key must have at least 2048 bits.");
      if (wanted !== undefined && !passphrase)
        throw new LiveplaneError("SshPassphraseRequired", "The key is encrypted. Send its passphrase too.");
      if (wanted !== undefined && wanted !== passphrase)
        throw new LiveplaneError("SshPassphraseIncorrect", "The passphrase does not open the key.");
      const encoded = toBase64Url(utf8(name));
      return {
        keyType: "ed25519",
        keyBits: 256,
        publicKey: `ssh-ed25519 ${encoded}`,
        fingerprint: `SHA256:${encoded}`,
        hasPassphrase: wanted !== undefined,
      };
    },
  };
}
