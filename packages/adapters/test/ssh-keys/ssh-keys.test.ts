import { createPrivateKey, generateKeyPairSync } from "node:crypto";
import { nodeSshKeys } from "@liveplane/adapters/ssh-keys";
import { isLiveplaneError } from "@liveplane/core/errors";
import fc from "fast-check";
import { expect, test } from "vitest";
import { readEnvelope } from "../../src/ssh-keys/ssh-key-envelope.ts";
import { keptKeys } from "./ssh-keys-kept.ts";

const keys = nodeSshKeys();

async function refusal(text: string, passphrase: string | null = null) {
  const error = await keys.inspect(text, passphrase).then(
    () => new TypeError("It was taken."),
    (thrown: unknown) => thrown,
  );
  if (!isLiveplaneError(error)) throw error;
  return error;
}

/** The code that an envelope alone is refused with: no derivation and no worker can have run. */
function refusedAtOnce(text: string): string {
  try {
    readEnvelope(text);
  } catch (error) {
    if (isLiveplaneError(error)) return error.code;
    throw error;
  }
  return "taken";
}

test.each(Object.entries(keptKeys))("takes %s, with the fingerprint that ssh-keygen printed", async (_, kept) => {
  const { text, passphrase, facts } = kept;
  expect(await keys.inspect(text, passphrase)).toEqual({ ...facts, hasPassphrase: passphrase !== null });
});

test("takes a key with the line ends of Windows, and space around it", async () => {
  const { text, facts } = keptKeys["ed25519 as OPENSSH"];
  for (const changed of [
    text.replaceAll("\n", "\r\n"),
    `\n\n  ${text}\n \n`,
    text.trimEnd(),
    text.replaceAll("\n", " \n"),
  ])
    expect(await keys.inspect(changed, null)).toMatchObject({ fingerprint: facts.fingerprint });
});

const opensshOf = (name: keyof typeof keptKeys) => keptKeys[name].text;
const armored = (body: Buffer, label = "OPENSSH PRIVATE KEY") =>
  `-----BEGIN ${label}-----\n${body.toString("base64").replaceAll(/.{64}/g, "$&\n")}\n-----END ${label}-----\n`;
const bodyOf = (text: string) =>
  Buffer.from(
    text
      .split("\n")
      .filter((line) => !line.startsWith("-"))
      .join(""),
    "base64",
  );

test("asks for the passphrase of a locked key, and tells a wrong one from none", async () => {
  const locked = opensshOf("ed25519 as OPENSSH, locked");
  expect((await refusal(locked)).code).toBe("SshPassphraseRequired");
  expect((await refusal(locked, "")).code).toBe("SshPassphraseRequired");
  expect((await refusal(locked, "canary-wrong")).code).toBe("SshPassphraseIncorrect");
  const pem = generateKeyPairSync("ec", {
    namedCurve: "P-256",
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "sec1", format: "pem", cipher: "aes-128-cbc", passphrase: "right" },
  }).privateKey;
  expect((await refusal(pem)).code).toBe("SshPassphraseRequired");
  expect((await refusal(pem, "wrong")).code).toBe("SshPassphraseIncorrect");
  expect(await keys.inspect(pem, "right")).toMatchObject({ keyType: "ecdsa", keyBits: 256, hasPassphrase: true });
});

test.each([
  ["nothing", ""],
  ["a word", "hello"],
  ["a public key", "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIFtWUYUgESnfUPLWQulUt8w7NRJh532hwfI0259mD3ec me"],
  ["a public key of PEM", "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEA\n-----END PUBLIC KEY-----"],
  ["a public key of RFC 4716", "---- BEGIN SSH2 PUBLIC KEY ----\nAAAA\n---- END SSH2 PUBLIC KEY ----"],
  ["a certificate", "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----"],
  ["a key of PuTTY", "PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none"],
  ["a head alone", "-----BEGIN OPENSSH PRIVATE KEY-----"],
  ["no body", "-----BEGIN OPENSSH PRIVATE KEY-----\n-----END OPENSSH PRIVATE KEY-----"],
  ["no base64", "-----BEGIN OPENSSH PRIVATE KEY-----\n!!!!\n-----END OPENSSH PRIVATE KEY-----"],
  ["two keys", `${opensshOf("ed25519 as OPENSSH")}${opensshOf("ed25519 as OPENSSH")}`],
  ["another magic", armored(Buffer.from("openssh-key-v2\0AAAAAAAAAAAAAAAA"))],
  ["16 KiB of one letter", "a".repeat(16_384)],
  ["16 KiB of one line of base64", armored(Buffer.alloc(12_000))],
  ["labels that differ", opensshOf("ed25519 as OPENSSH").replace("END OPENSSH", "END RSA")],
])("refuses %s before any work is done", (_, text) => {
  expect(refusedAtOnce(text)).toBe("InvalidSshPrivateKey");
});

test("refuses noise of any kind in any armour at once, and quotes nothing of it", () => {
  const labels = ["OPENSSH PRIVATE KEY", "PRIVATE KEY", "ENCRYPTED PRIVATE KEY", "RSA PRIVATE KEY", "EC PRIVATE KEY"];
  fc.assert(
    fc.property(
      fc.constantFrom(...labels),
      fc.uint8Array({ minLength: 1, maxLength: 12_000, size: "max" }),
      fc.boolean(),
      (label, noise, withMagic) => {
        const bytes = Buffer.concat([withMagic ? Buffer.from("openssh-key-v1\0") : Buffer.alloc(0), noise]);
        const code = refusedAtOnce(armored(bytes, label));
        // PEM without encryption has no envelope to judge: it is read, and refused, by who parses it.
        const readable = label === "PRIVATE KEY" || label === "RSA PRIVATE KEY" || label === "EC PRIVATE KEY";
        expect(code).toBe(readable ? "taken" : "InvalidSshPrivateKey");
      },
    ),
  );
});

test("refuses a key cut anywhere", async () => {
  for (const name of ["ed25519 as OPENSSH", "ecdsa as PEM"] as const) {
    const body = bodyOf(opensshOf(name));
    const label = name.endsWith("PEM") ? "EC PRIVATE KEY" : "OPENSSH PRIVATE KEY";
    for (let length = 1; length < body.length; length += Math.ceil(body.length / 12)) {
      const { code } = await refusal(armored(body.subarray(0, length), label));
      expect(code, `${name} cut to ${length}`).toBe("InvalidSshPrivateKey");
    }
  }
});

test("refuses weak keys: short RSA, DSA in every dress", async () => {
  const short = generateKeyPairSync("rsa", { modulusLength: 1024 }).privateKey;
  for (const type of ["pkcs1", "pkcs8"] as const)
    expect((await refusal(short.export({ type, format: "pem" }).toString())).code).toBe("WeakSshKey");
  const dsa = generateKeyPairSync("dsa", { modulusLength: 1024, divisorLength: 160 }).privateKey;
  expect((await refusal(dsa.export({ type: "pkcs8", format: "pem" }).toString())).code).toBe("WeakSshKey");
  expect(refusedAtOnce("-----BEGIN DSA PRIVATE KEY-----\nMIIB\n-----END DSA PRIVATE KEY-----")).toBe("WeakSshKey");
  expect(refusedAtOnce(armored(container({ type: "ssh-dss" })))).toBe("WeakSshKey");
});

test("refuses keys of hardware, certificates, other curves and other kinds", async () => {
  for (const type of [
    "sk-ssh-ed25519@openssh.com",
    "sk-ecdsa-sha2-nistp256@openssh.com",
    "ssh-rsa-cert-v01@openssh.com",
  ])
    expect(refusedAtOnce(armored(container({ type }))), type).toBe("InvalidSshPrivateKey");
  const others = [
    generateKeyPairSync("ec", { namedCurve: "secp256k1" }),
    generateKeyPairSync("x25519"),
    generateKeyPairSync("ed448"),
  ];
  for (const { privateKey } of others) {
    const { code } = await refusal(privateKey.export({ type: "pkcs8", format: "pem" }).toString());
    expect(code, privateKey.asymmetricKeyType).toBe("InvalidSshPrivateKey");
  }
});

const string = (bytes: Buffer | string) => {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, Buffer.from(bytes)]);
};
const uint32 = (of: number) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(of);
  return bytes;
};

/** An OPENSSH container with parts of one's own. */
function container({ cipher = "aes256-ctr", kdf = "bcrypt", rounds = 16, keys: count = 1, type = "ssh-ed25519" } = {}) {
  const options = kdf === "none" ? Buffer.alloc(0) : Buffer.concat([string(Buffer.alloc(16, 1)), uint32(rounds)]);
  const head = [Buffer.from("openssh-key-v1\0"), string(cipher), string(kdf), string(options), uint32(count)];
  return Buffer.concat([...head, string(string(type)), string(Buffer.alloc(64))]);
}

test.each([
  ["257 rounds", { rounds: 257 }],
  ["rounds for ever", { rounds: 0xffff_ffff }],
  ["another derivation", { kdf: "scrypt" }],
  ["another cipher", { cipher: "rot13" }],
  ["a cipher without a derivation", { kdf: "none" }],
  ["a derivation without a cipher", { cipher: "none" }],
  ["no key", { keys: 0 }],
  ["keys without end", { keys: 0xffff_ffff }],
])("refuses a container with %s before any derivation runs", (_, parts) => {
  expect(refusedAtOnce(armored(container(parts)))).toBe("InvalidSshPrivateKey");
});

test("takes 256 rounds to be fair, and none to be a wrong passphrase", async () => {
  expect(refusedAtOnce(armored(container({ rounds: 256 })))).toBe("taken");
  expect((await refusal(armored(container({ rounds: 0 })), "x")).code).toBe("SshPassphraseIncorrect");
});

/** Encrypted PKCS#8 by OpenSSL, its derivation's parameter replaced by one that costs more. */
function pkcs8With(find: string, replace: string): string {
  const { privateKey } = generateKeyPairSync("ed25519");
  const text = privateKey.export({ type: "pkcs8", format: "pem", cipher: "aes-256-cbc", passphrase: "right" });
  const hex = bodyOf(text.toString()).toString("hex");
  expect(hex).toContain(find);
  return armored(Buffer.from(hex.replace(find, replace), "hex"), "ENCRYPTED PRIVATE KEY");
}

test("refuses PKCS#8 with too many iterations, in whatever length they are written", () => {
  // 2048 iterations: INTEGER of two bytes.
  expect(refusedAtOnce(pkcs8With("02020800", "02020800"))).toBe("taken");
  for (const costly of ["02047fffffff", "0204001e8481", "02087fffffffffffffff", "0284000000047fffffff"])
    expect(refusedAtOnce(pkcs8With("02020800", costly)), costly).toBe("InvalidSshPrivateKey");
});

const der = (tag: number, ...contents: readonly (Buffer | string)[]): Buffer => {
  const content = Buffer.concat(contents.map((one) => (typeof one === "string" ? Buffer.from(one, "hex") : one)));
  const { length } = content;
  const inBytes = length < 0x100 ? [length] : [length >> 8, length & 0xff];
  const head = length < 0x80 ? [] : [0x80 + inBytes.length];
  return Buffer.concat([Buffer.from([tag, ...head, ...inBytes]), content]);
};
const [seq, octets, integer, oid] = [0x30, 0x04, 0x02, 0x06];
const costly = der(integer, "7fffffff");
const fair = der(integer, "0800");
const salt = der(octets, "00".repeat(8));
const pbes2 = "2a864886f70d01050d";
const pbkdf2 = (...parameters: Buffer[]) => der(seq, der(oid, "2a864886f70d01050c"), der(seq, ...parameters));
const scryptOf = (...costs: string[]) =>
  der(seq, der(oid, "2b06010401da47040b"), der(seq, salt, ...costs.map((cost) => der(integer, cost))));
const aes = der(seq, der(oid, "60864801650304012a"), der(octets, "00".repeat(16)));
const encrypted = (kdf: Buffer, data = Buffer.alloc(64)) =>
  armored(der(seq, der(seq, der(oid, pbes2), der(seq, kdf, aes)), der(octets, data)), "ENCRYPTED PRIVATE KEY");
const pkcs12 = der(seq, der(oid, "2a864886f70d010c0103"), der(seq, salt, costly));
const indefinite = Buffer.concat([Buffer.from([0x24, 0x80]), salt, Buffer.from([0, 0])]);

test.each([
  ["PBKDF2 of 2^31 rounds", encrypted(pbkdf2(salt, costly))],
  ["rounds in more bytes than a number has", encrypted(pbkdf2(salt, der(integer, `01${"00".repeat(8)}`)))],
  ["negative rounds", encrypted(pbkdf2(salt, der(integer, "ff")))],
  ["scrypt of 1 GiB", encrypted(scryptOf("100000", "08", "01"))],
  ["scrypt in many lanes", encrypted(scryptOf("4000", "08", "7fffff"))],
  ["a salt in pieces, behind which another parser finds other rounds", encrypted(pbkdf2(indefinite, costly, fair))],
  ["a salt that is a sequence with fair rounds in it", encrypted(pbkdf2(der(seq, fair), costly))],
  [
    "a derivation of PKCS#12, fair rounds of PBKDF2 in its data",
    armored(der(seq, pkcs12, der(octets, pbkdf2(salt, fair))), "ENCRYPTED PRIVATE KEY"),
  ],
  [
    "lengths longer than need be",
    encrypted(pbkdf2(Buffer.concat([Buffer.from([octets, 0x81, 8]), Buffer.alloc(8)]), costly)),
  ],
  [
    "two encryptions, one in the other",
    encrypted(pbkdf2(salt, fair))
      .replaceAll("ENCRYPTED PRIVATE", "PRIVATE")
      .replace("\n", "\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00000000000000000000000000000000\n\n"),
  ],
])("refuses PKCS#8 with %s before any derivation runs", (_, text) => {
  expect(refusedAtOnce(text)).toBe("InvalidSshPrivateKey");
});

test("takes fair derivations of PKCS#8 to be opened, and OpenSSL's scrypt", async () => {
  expect(refusedAtOnce(encrypted(pbkdf2(salt, fair)))).toBe("taken");
  expect(refusedAtOnce(encrypted(scryptOf("4000", "08", "01")))).toBe("taken");
  expect((await refusal(encrypted(pbkdf2(salt, fair)), "x")).code).toBe("SshPassphraseIncorrect");
});

test("refuses RSA keys longer than any that ssh-keygen makes, before signing with one", async () => {
  const long = der(integer, `00${"c5".repeat(2400)}`);
  const small = Array.from({ length: 6 }, () => der(integer, "03"));
  const key = armored(der(seq, der(integer, "00"), long, ...small, der(integer, "03")), "RSA PRIVATE KEY");
  expect((await refusal(key)).code).toBe("InvalidSshPrivateKey");
});

test("keeps the key and its passphrase out of what it says", async () => {
  const locked = opensshOf("ed25519 as OPENSSH, locked");
  const line = locked.split("\n")[2] ?? "";
  const text = createPrivateKey(opensshOf("ecdsa as PEM")).export({ type: "pkcs8", format: "pem" }).toString();
  const broken = text.replace(/M/, "N");
  for (const error of [await refusal(locked, "canary-passphrase"), await refusal(broken)]) {
    const said = `${JSON.stringify(error)} ${error.stack} ${String(error.cause)}`;
    expect(said).not.toContain("canary");
    expect(said).not.toContain(line);
    expect(said).not.toContain(broken.split("\n")[1]);
  }
});
