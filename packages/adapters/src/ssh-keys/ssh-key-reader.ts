import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign, verify } from "node:crypto";
import { isLiveplaneError, LiveplaneError } from "@liveplane/core/errors";
import sshpk from "sshpk";
import { readContainer } from "./ssh-key-envelope.ts";
import { openedOpenssh } from "./ssh-key-opener.ts";
import { refuseOtherTypes } from "./ssh-key-types.ts";

/** The result of reading a key: facts, or the code of what is wrong. Plain data, because it crosses threads. */
export type SshKeyReading =
  | {
      readonly ok: true;
      readonly keyType: "ed25519" | "ecdsa" | "rsa";
      readonly keyBits: number;
      readonly publicKey: string;
      readonly fingerprint: string;
    }
  | {
      readonly ok: false;
      readonly code: "InvalidSshPrivateKey" | "SshPassphraseIncorrect" | "WeakSshKey";
      readonly detail: string;
    };

export interface SshKeyText {
  readonly format: "openssh" | "pem";
  readonly encrypted: boolean;
  readonly text: string;
  readonly passphrase: string | null;
}

/** The most that ssh-keygen generates. A longer key costs its sender nothing and the server a lot. */
const mostRsaBits = 16_384;
const types: Readonly<Record<string, "ed25519" | "ecdsa" | "rsa">> = { ed25519: "ed25519", ecdsa: "ecdsa", rsa: "rsa" };

/**
 * Reads a private key and derives its public half. Node's own cryptography opens PEM with every cipher and derivation in use; OPENSSH
 * containers are opened here and read by sshpk.
 */
export function readSshKey(key: SshKeyText): SshKeyReading {
  try {
    return factsOf(parse(key), key);
  } catch (error) {
    for (const code of ["InvalidSshPrivateKey", "WeakSshKey"] as const)
      if (isLiveplaneError(error, code)) return { ok: false, code, detail: error.message };
    // A parser's error may quote the key.
    return damaged(key);
  }
}

/** A damaged key can't be told from a wrong passphrase. */
function damaged({ encrypted }: SshKeyText): SshKeyReading {
  return encrypted
    ? { ok: false, code: "SshPassphraseIncorrect", detail: "The passphrase does not open the key." }
    : { ok: false, code: "InvalidSshPrivateKey", detail: "The key is damaged." };
}

function parse({ format, encrypted, text, passphrase }: SshKeyText): sshpk.PrivateKey {
  if (format === "openssh") return sshpk.parsePrivateKey(encrypted ? opened(text, passphrase) : text, "ssh-private");
  const key = createPrivateKey({ key: text, format: "pem", ...(encrypted && passphrase !== null && { passphrase }) });
  refuseOtherTypes(key);
  return sshpk.parsePrivateKey(key.export({ type: "pkcs8", format: "pem" }).toString(), "pem");
}

function opened(text: string, passphrase: string | null): string {
  const unencrypted = passphrase === null ? null : openedOpenssh(text, passphrase);
  if (unencrypted === null) throw new LiveplaneError("SshPassphraseIncorrect");
  return unencrypted;
}

function factsOf(key: sshpk.PrivateKey, sent: SshKeyText): SshKeyReading {
  const keyType = types[key.type];
  if (keyType === undefined) return damaged(sent);
  if (keyType === "rsa" && key.size < 2048)
    return { ok: false, code: "WeakSshKey", detail: "An RSA key must have at least 2048 bits." };
  if (keyType === "rsa" && key.size > mostRsaBits)
    return { ok: false, code: "InvalidSshPrivateKey", detail: `An RSA key must have at most ${mostRsaBits} bits.` };
  if (!halvesMatch(key)) return damaged(sent);
  const [name = "", encoded = ""] = key.toPublic().toString("ssh").split(" ");
  const publicHalf = Buffer.from(encoded, "base64");
  if (sent.format === "openssh" && !readContainer(sent.text).publicKey.equals(publicHalf))
    return {
      ok: false,
      code: "InvalidSshPrivateKey",
      detail: "The file's public key doesn't belong to its private key.",
    };
  const digest = createHash("sha256").update(publicHalf).digest("base64").replaceAll("=", "");
  return { ok: true, keyType, keyBits: key.size, publicKey: `${name} ${encoded}`, fingerprint: `SHA256:${digest}` };
}

/** Whether the public half verifies what the private half signs: a key damaged in the middle may look fine. */
function halvesMatch(key: sshpk.PrivateKey): boolean {
  const digest = key.type === "ed25519" ? null : "sha256";
  const message = Buffer.from("liveplane");
  const signature = sign(digest, message, privateHalf(key));
  return verify(digest, message, createPublicKey(key.toPublic().toString("pkcs8")), signature);
}

/** sshpk writes an ed25519 seed that begins with a zero byte one byte too short, which Node refuses, so such a key is passed as it is. */
function privateHalf(key: sshpk.PrivateKey): KeyObject {
  if (key.type !== "ed25519") return createPrivateKey(key.toString("pkcs8"));
  const [d = "", x = ""] = ["k", "A"].map((name) =>
    key.parts.find((part) => part.name === name)?.data.toString("base64url"),
  );
  return createPrivateKey({ format: "jwk", key: { kty: "OKP", crv: "Ed25519", d, x } });
}
