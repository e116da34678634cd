import { spawnSync } from "node:child_process";
import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { isLiveplaneError } from "@liveplane/core/errors";
import { describe, expect, test } from "vitest";
import { readEnvelope } from "../../src/ssh-keys/ssh-key-envelope.ts";
import { readSshKey } from "../../src/ssh-keys/ssh-key-reader.ts";
import { keptKeys, keptOthers } from "./ssh-keys-kept.ts";

const taken = "It must be Ed25519, ECDSA on P-256, P-384 or P-521, or RSA.";

/** As the reader of keys does it, in this thread. */
function read(text: string, passphrase: string | null = null) {
  try {
    const reading = readSshKey({ ...readEnvelope(text), passphrase });
    return reading.ok ? { code: "taken", detail: reading.fingerprint } : reading;
  } catch (error) {
    if (isLiveplaneError(error)) return { code: error.code, detail: error.message };
    throw error;
  }
}

const pkcs8 = (key: KeyObject, locked?: { cipher: string; passphrase: string }) =>
  key.export({ type: "pkcs8", format: "pem", ...locked }).toString();

describe("a key of a type that isn't taken is refused by the name of the type", () => {
  test.each(Object.entries(keptOthers))("%s", (type, text) => {
    expect(read(text)).toMatchObject({ code: "InvalidSshPrivateKey", detail: `The key is of ${type}. ${taken}` });
  });

  const others: readonly (readonly [string, KeyObject])[] = [
    ["RSA-PSS", generateKeyPairSync("rsa-pss", { modulusLength: 2048 }).privateKey],
    ["X448", generateKeyPairSync("x448").privateKey],
    ["ECDSA on the curve brainpoolP256r1", generateKeyPairSync("ec", { namedCurve: "brainpoolP256r1" }).privateKey],
    ["ECDSA on an unsupported curve", generateKeyPairSync("ec", { namedCurve: "sect571k1" }).privateKey],
  ];
  test.each(others)("%s, locked or not", (type, key) => {
    const refusal = { code: "InvalidSshPrivateKey", detail: `The key is of ${type}. ${taken}` };
    expect(read(pkcs8(key))).toMatchObject(refusal);
    const locked = pkcs8(key, { cipher: "aes-256-cbc", passphrase: "right" });
    expect(read(locked, "right")).toMatchObject(refusal);
    expect(read(locked, "wrong")).toMatchObject({ code: "SshPassphraseIncorrect" });
  });

  test.each([
    ["ssh-xmss@openssh.com", "The key is of XMSS."],
    ["ssh-canary", "The key is of an unsupported type."],
    ["sk-ssh-ed25519@openssh.com", "Keys stored in hardware are not accepted"],
    ["ssh-ed25519-cert-v01@openssh.com", "This is a certificate."],
  ])("%s in an OPENSSH file, and an unknown one without its name", (type, sentence) => {
    const { code, detail } = read(withOuter("ed25519 as OPENSSH", string(type)));
    expect(code).toBe("InvalidSshPrivateKey");
    expect(detail).toContain(sentence);
    expect(detail).not.toContain("canary");
  });
});

describe("an OPENSSH file", () => {
  const other = outerOf(keptKeys["ed25519 as OPENSSH under AES-GCM"].text);

  test.each(["ed25519 as OPENSSH", "ed25519 as OPENSSH, locked"] as const)(
    "of %s that names another key's public half is refused",
    (name) => {
      expect(read(withOuter(name, other), keptKeys[name].passphrase)).toMatchObject({
        code: "InvalidSshPrivateKey",
        detail: "The file's public key doesn't belong to its private key.",
      });
      expect(read(withOuter(name, outerOf(keptKeys[name].text)), keptKeys[name].passphrase)).toMatchObject({
        code: "taken",
      });
    },
  );
});

describe("what OpenSSL writes before a key", () => {
  const behind = keptKeys["ecdsa as OpenSSL writes it, behind its curve"];
  const [parameters = "", key = ""] = behind.text.split(/(?<=PARAMETERS-----\n)(?=-----BEGIN EC PRIVATE)/);

  test("is read over before a key of a curve, and nothing else is", () => {
    expect(read(behind.text)).toEqual({ code: "taken", detail: behind.facts.fingerprint });
    const openssh = keptKeys["ed25519 as OPENSSH"].text;
    for (const text of [parameters, parameters + openssh, parameters + parameters + key, key + parameters, key + key])
      expect(read(text)).toMatchObject({ code: "InvalidSshPrivateKey" });
  });

  // Without OpenSSL's program only the keys that are kept in the repository are tried.
  test.skipIf(spawnSync("openssl", ["version"]).error !== undefined)("is what OpenSSL here writes, too", () => {
    const openssl = (...args: readonly string[]) => spawnSync("openssl", args, { encoding: "utf8" }).stdout;
    expect(read(openssl("ecparam", "-name", "prime256v1", "-genkey"))).toMatchObject({ code: "taken" });
    expect(read(openssl("genpkey", "-algorithm", "ed448")).detail).toContain("Ed448");
    expect(read(openssl("ecparam", "-name", "secp256k1", "-genkey")).detail).toContain("secp256k1");
    expect(read(openssl("genpkey", "-algorithm", "ed25519"))).toMatchObject({ code: "taken" });
  });
});

function string(bytes: Buffer | string): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(Buffer.byteLength(bytes));
  return Buffer.concat([length, Buffer.from(bytes)]);
}

function bodyOf(text: string): Buffer {
  return Buffer.from(text.trim().split("\n").slice(1, -1).join(""), "base64");
}

/** Where the outer public half begins: behind the magic, three names and the number of keys. */
function startOf(body: Buffer): number {
  let at = "openssh-key-v1\0".length;
  for (let names = 0; names < 3; names++) at += 4 + body.readUInt32BE(at);
  return at + 4;
}

function outerOf(text: string): Buffer {
  const body = bodyOf(text);
  const at = startOf(body);
  return body.subarray(at + 4, at + 4 + body.readUInt32BE(at));
}

/** A kept key whose file names another public half than its own. */
function withOuter(name: keyof typeof keptKeys, outer: Buffer): string {
  const body = bodyOf(keptKeys[name].text);
  const at = startOf(body);
  const behind = at + 4 + body.readUInt32BE(at);
  const changed = Buffer.concat([body.subarray(0, at), string(outer), body.subarray(behind)]);
  return `-----BEGIN OPENSSH PRIVATE KEY-----\n${changed.toString("base64")}\n-----END OPENSSH PRIVATE KEY-----\n`;
}
