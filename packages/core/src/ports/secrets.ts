import type { CostlyWork } from "./costly-work.ts";
import type { Key } from "./store.ts";

/** A sealed value: everything needed to open it except the key-encryption key and the place it is bound to. All base64url. */
export interface Sealed {
  readonly algorithm: string;
  readonly keyId: string;
  readonly wrappedKey: string;
  readonly nonce: string;
  readonly ciphertext: string;
  readonly tag: string;
}

/** Seals values for the place where they are stored. */
export interface Sealer {
  /** Seals under a fresh data key, bound to `place`: collection, environment, name, version. */
  seal(plaintext: Uint8Array, place: readonly string[]): Promise<Sealed>;
  /** Opens it, or throws `InternalError` if any bit of it, the key or the place is different. Never returns part of a value. */
  open(sealed: Sealed, place: readonly string[]): Promise<Uint8Array>;
  /** The same value with its data key wrapped by the current key-encryption key; `null` if it already is. */
  rewrap(sealed: Sealed, place: readonly string[]): Promise<Sealed | null>;
  /** The ID of the key-encryption key that `seal` uses now. */
  currentKeyId(): Promise<string>;
  /** The IDs of all key-encryption keys that it can open with; absent if unknown. */
  keyIds?(): Promise<readonly string[]>;
}

/** A sealed value that doesn't open, with the place it was sealed for. */
export interface Unopened {
  readonly keyId: string;
  readonly place: readonly string[];
}

/** A store of sealed values, rewrapped in order, a few at a time, after the key-encryption key has changed. */
export interface SealedStock {
  readonly name: string;
  /**
   * Rewraps up to `limit` values after a position (`null`: from the beginning), while reads and writes continue. The answer's `after` is
   * where to continue; `null` at the end. What can't be opened is counted, named and left as it is; it delays no other value, not even in
   * the same record.
   */
  rewrap(
    after: Key | null,
    limit: number,
  ): Promise<{
    readonly rewrapped: number;
    readonly failed: number;
    readonly unopened?: readonly Unopened[];
    readonly after: Key | null;
  }>;
}

/** Holds key-encryption keys: a file, an environment variable, a cloud's key service. */
export interface KeyRing {
  /** The ID of the key that `wrap` uses now. */
  currentKeyId(): Promise<string>;
  /** The IDs of all keys that `unwrap` knows; absent if unknown. */
  keyIds?(): Promise<readonly string[]>;
  /** Wraps a data key with the current key, bound to the context. */
  wrap(dataKey: Uint8Array, context: Uint8Array): Promise<{ readonly keyId: string; readonly wrapped: Uint8Array }>;
  /** Throws `InternalError` if the key is unknown or the wrapping doesn't verify. */
  unwrap(keyId: string, wrapped: Uint8Array, context: Uint8Array): Promise<Uint8Array>;
}

/** The facts of an SSH private key. */
export interface SshKeyFacts {
  readonly keyType: "ed25519" | "ecdsa" | "rsa";
  readonly keyBits: number;
  /** An OpenSSH line without a comment. */
  readonly publicKey: string;
  /** `SHA256:…`, as printed by `ssh-keygen -lf`. */
  readonly fingerprint: string;
  readonly hasPassphrase: boolean;
}

/** Reads SSH private keys. */
export interface SshKeys {
  /**
   * Throws `InvalidSshPrivateKey`, `SshPassphraseRequired`, `SshPassphraseIncorrect` or `WeakSshKey`, and never echoes the key. Limits the
   * work that a hostile key can cause, does it off the event loop, and shares it fairly: what can't be started or finished in time is
   * `Unavailable` with `retryAfterSeconds`. An unencrypted key doesn't wait for encrypted ones.
   */
  inspect(privateKey: string, passphrase: string | null, work?: CostlyWork): Promise<SshKeyFacts>;
}
