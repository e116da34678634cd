import type { CostlyWork } from "./costly-work.ts";
import type { Key } from "./store.ts";

/** A sealed value: everything needed to open it but the key-encryption key and the place it is bound to. All base64url. */
export interface Sealed {
  readonly algorithm: string;
  readonly keyId: string;
  readonly wrappedKey: string;
  readonly nonce: string;
  readonly ciphertext: string;
  readonly tag: string;
}

/** Seals values for the place where they are kept. */
export interface Sealer {
  /** Seals under a fresh data key, bound to `place`: collection, environment, name, version. */
  seal(plaintext: Uint8Array, place: readonly string[]): Promise<Sealed>;
  /** Opens, or throws `InternalError` when any bit of it, the key or the place is another. Never gives part of a value. */
  open(sealed: Sealed, place: readonly string[]): Promise<Uint8Array>;
  /** The same value with its data key wrapped by the current key-encryption key; `null` when it is already. */
  rewrap(sealed: Sealed, place: readonly string[]): Promise<Sealed | null>;
  /** The id of the key-encryption key that `seal` uses now. */
  currentKeyId(): Promise<string>;
  /** The ids of all key-encryption keys that it opens with; left out where it can't tell. */
  keyIds?(): Promise<readonly string[]>;
}

/** A sealed value that doesn't open, named by the place it was sealed for. */
export interface Unopened {
  readonly keyId: string;
  readonly place: readonly string[];
}

/** Something that keeps sealed values: gone through in order, a few at a time, when the key-encryption key has changed. */
export interface SealedStock {
  readonly name: string;
  /**
   * Re-wraps what comes behind a position (`null`: the beginning), at most `limit` of what it keeps, while reads and writes continue.
   * The answer's `after` is where to continue; `null`: that was all. What can't be opened is counted, named and left as it is; it
   * holds back no other value, not even of the same record.
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
  /** The id of the key that `wrap` uses now. */
  currentKeyId(): Promise<string>;
  /** The ids of all keys that `unwrap` knows; left out where it can't tell. */
  keyIds?(): Promise<readonly string[]>;
  /** Wraps a data key by the current key, bound to the context. */
  wrap(dataKey: Uint8Array, context: Uint8Array): Promise<{ readonly keyId: string; readonly wrapped: Uint8Array }>;
  /** Throws `InternalError` when the key is unknown or the wrapping doesn't verify. */
  unwrap(keyId: string, wrapped: Uint8Array, context: Uint8Array): Promise<Uint8Array>;
}

/** What an SSH private key says of itself. */
export interface SshKeyFacts {
  readonly keyType: "ed25519" | "ecdsa" | "rsa";
  readonly keyBits: number;
  /** An OpenSSH line without a comment. */
  readonly publicKey: string;
  /** `SHA256:…` as `ssh-keygen -lf` prints it. */
  readonly fingerprint: string;
  readonly hasPassphrase: boolean;
}

/** Reads SSH private keys. */
export interface SshKeys {
  /**
   * Throws `InvalidSshPrivateKey`, `SshPassphraseRequired`, `SshPassphraseIncorrect` or `WeakSshKey`, and never echoes the key.
   * Bounds the work that a hostile key can cause, does it off the event loop, and shares it out fairly: what can't be begun or
   * ended in time is `Unavailable` with `retryAfterSeconds`. A key that isn't encrypted doesn't wait for those that are.
   */
  inspect(privateKey: string, passphrase: string | null, work?: CostlyWork): Promise<SshKeyFacts>;
}
