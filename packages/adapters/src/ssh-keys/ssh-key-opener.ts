import { createDecipheriv } from "node:crypto";
import { createRequire } from "node:module";
import { poly1305 } from "@noble/ciphers/_poly1305.js";
import { type OpensshContainer, opensshMagic, readContainer } from "./ssh-key-envelope.ts";

/** The part of bcrypt-pbkdf that is used. Returns 0 if the key was derived. */
interface BcryptPbkdf {
  pbkdf(
    passphrase: Uint8Array,
    passphraseLength: number,
    salt: Uint8Array,
    saltLength: number,
    key: Uint8Array,
    keyLength: number,
    rounds: number,
  ): number;
}

// It has neither types nor an ES module.
const bcrypt = createRequire(import.meta.url)("bcrypt-pbkdf") as BcryptPbkdf;

/** Node's name for a cipher of the OPENSSH container, and how many derived bytes it uses. */
interface Cipher {
  readonly name: string;
  readonly keyLength: number;
  readonly nonceLength: number;
  readonly open: (cipher: Cipher, derived: Buffer, sealed: Sealed) => Buffer;
}

interface Sealed {
  readonly ciphertext: Buffer;
  /** What follows the ciphertext. */
  readonly tag: Buffer;
}

const cbc = (name: string, keyLength: number, nonceLength = 16): Cipher => ({
  name,
  keyLength,
  nonceLength,
  open: openPlain,
});
const gcm = (name: string, keyLength: number): Cipher => ({ name, keyLength, nonceLength: 12, open: openGcm });

/** The ciphers that ssh-keygen writes, by its names for them. */
const ciphers: ReadonlyMap<string, Cipher> = new Map([
  ["3des-cbc", cbc("des-ede3-cbc", 24, 8)],
  ["aes128-cbc", cbc("aes-128-cbc", 16)],
  ["aes192-cbc", cbc("aes-192-cbc", 24)],
  ["aes256-cbc", cbc("aes-256-cbc", 32)],
  ["aes128-ctr", cbc("aes-128-ctr", 16)],
  ["aes192-ctr", cbc("aes-192-ctr", 24)],
  ["aes256-ctr", cbc("aes-256-ctr", 32)],
  ["aes128-gcm@openssh.com", gcm("aes-128-gcm", 16)],
  ["aes256-gcm@openssh.com", gcm("aes-256-gcm", 32)],
  ["chacha20-poly1305@openssh.com", { name: "chacha20", keyLength: 64, nonceLength: 0, open: openChaCha }],
]);

/**
 * Decrypts an encrypted OPENSSH key, in the same format; `null` if the passphrase is wrong. All of ssh-keygen's ciphers are supported,
 * including those with a tag, which sshpk lacks.
 */
export function openedOpenssh(text: string, passphrase: string): string | null {
  const container = readContainer(text);
  const cipher = ciphers.get(container.cipher);
  if (cipher === undefined || container.derivation === null) return null;
  const derived = derive(passphrase, container.derivation, cipher.keyLength + cipher.nonceLength);
  const { ciphertext, rest: tag } = container;
  const opened = derived && cipher.open(cipher, derived, { ciphertext, tag });
  if (opened === null || opened.length < 8 || opened.readUInt32BE(0) !== opened.readUInt32BE(4)) return null;
  return unencrypted(container, opened);
}

function derive(
  passphrase: string,
  { salt, rounds }: { readonly salt: Buffer; readonly rounds: number },
  length: number,
): Buffer | null {
  const secret = Buffer.from(passphrase);
  const derived = new Uint8Array(length);
  const answer = bcrypt.pbkdf(secret, secret.length, salt, salt.length, derived, length, rounds);
  return answer === 0 ? Buffer.from(derived) : null;
}

function openPlain({ name, keyLength }: Cipher, derived: Buffer, { ciphertext }: Sealed): Buffer {
  const decipher = createDecipheriv(name, derived.subarray(0, keyLength), derived.subarray(keyLength));
  decipher.setAutoPadding(false);
  return Buffer.concat([decipher.update(ciphertext), decipher.final()]);
}

function openGcm({ name, keyLength }: Cipher, derived: Buffer, { ciphertext, tag }: Sealed): Buffer {
  const [key, nonce] = [derived.subarray(0, keyLength), derived.subarray(keyLength)];
  const options = { authTagLength: 16 };
  const decipher = createDecipheriv(name as "aes-256-gcm", key, nonce, options).setAuthTag(tag);
  return Buffer.concat([decipher.update(ciphertext), decipher.final()]);
}

/** As ssh does for packets, at sequence number 0: the first block of the stream is the tag's key, the text starts at the second. */
function openChaCha({ name }: Cipher, derived: Buffer, { ciphertext, tag }: Sealed): Buffer {
  const key = derived.subarray(0, 32);
  const stream = (block: number, over: Buffer) => {
    const counterAndNonce = Buffer.alloc(16);
    counterAndNonce.writeUInt32LE(block);
    return createDecipheriv(name, key, counterAndNonce).update(over);
  };
  const expected = poly1305(ciphertext, stream(0, Buffer.alloc(32)));
  return tag.equals(expected) ? stream(1, ciphertext) : Buffer.alloc(0);
}

function unencrypted({ publicKey }: OpensshContainer, opened: Buffer): string {
  const none = string(Buffer.from("none"));
  const one = Buffer.from([0, 0, 0, 1]);
  const parts = [opensshMagic, none, none, string(Buffer.alloc(0)), one, string(publicKey), string(opened)];
  const body = Buffer.concat(parts).toString("base64").replaceAll(/.{70}/g, "$&\n");
  return `-----BEGIN OPENSSH PRIVATE KEY-----\n${body}\n-----END OPENSSH PRIVATE KEY-----\n`;
}

function string(bytes: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}
