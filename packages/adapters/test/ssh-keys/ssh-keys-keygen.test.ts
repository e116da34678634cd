import { nodeSshKeys } from "@liveplane/adapters/ssh-keys";
import { isLiveplaneError } from "@liveplane/core/errors";
import { afterAll, describe, expect, test } from "vitest";
import { readEnvelope } from "../../src/ssh-keys/ssh-key-envelope.ts";
import { readSshKey } from "../../src/ssh-keys/ssh-key-reader.ts";
import { type Keygen, keygen, keygenIsHere } from "./ssh-keys-keygen.ts";

const keys = nodeSshKeys();
const passphrase = "correct horse é 🐴";
const types = [
  ["ed25519", 256],
  ["ecdsa", 256],
  ["ecdsa", 384],
  ["ecdsa", 521],
  ["rsa", 2048],
  ["rsa", 3072],
  ["rsa", 4096],
] as const;
const formats = ["RFC4716", "PEM", "PKCS8"] as const;
const ciphers = [
  "3des-cbc",
  "aes128-cbc",
  "aes192-cbc",
  "aes256-cbc",
  "aes128-ctr",
  "aes192-ctr",
  "aes256-ctr",
  "aes128-gcm@openssh.com",
  "aes256-gcm@openssh.com",
  "chacha20-poly1305@openssh.com",
];

// Without ssh-keygen only the keys that are kept in the repository are tried.
describe.skipIf(!keygenIsHere)("a key of ssh-keygen", () => {
  const made: Keygen = keygen();
  afterAll(() => made.end());

  describe.each(types)("%s of %i bits", (type, bits) => {
    const name = `${type}-${bits}`;

    test.each(formats)("is read from the format %s, open and locked, as ssh-keygen reads it", (format) => {
      made.make(name, "-t", type, "-b", String(bits), "-N", "", "-C", "somebody@somewhere with a comment");
      const open = made.rewrite(name, "-m", format, "-P", "", "-N", "");
      const { fingerprint } = made.facts(name);
      const facts = { ok: true, keyType: type, keyBits: bits, publicKey: made.publicKey(name), fingerprint };
      expect(read(open, null)).toEqual({ ...facts, encrypted: false });

      const locked = made.rewrite(name, "-m", format, "-P", "", "-N", passphrase, "-a", "2");
      made.rewrite(name, "-P", passphrase, "-N", "");
      expect(read(locked, passphrase)).toEqual({ ...facts, encrypted: true });
      expect(read(locked, `${passphrase} `)).toMatchObject({ ok: false, code: "SshPassphraseIncorrect" });
    });
  });

  test("is asked for with its passphrase, and no other", async () => {
    const locked = made.make("locked", "-t", "ed25519", "-a", "2", "-N", passphrase);
    const { fingerprint } = made.facts("locked");
    expect(await keys.inspect(locked, passphrase)).toMatchObject({ fingerprint, hasPassphrase: true });
    const codes = { another: "SshPassphraseIncorrect", "": "SshPassphraseRequired" };
    for (const [given, code] of Object.entries(codes))
      await expect(keys.inspect(locked, given)).rejects.toMatchObject({ code });
    await expect(keys.inspect(locked, null)).rejects.toMatchObject({ code: "SshPassphraseRequired" });
    const open = made.rewrite("locked", "-P", passphrase, "-N", "");
    expect(await keys.inspect(open, "a needless one")).toMatchObject({ fingerprint, hasPassphrase: false });
  });

  test.each(ciphers)("opens from under %s", (cipher) => {
    const name = `cipher-${cipher}`;
    const locked = made.make(name, "-t", "ed25519", "-Z", cipher, "-a", "2", "-N", passphrase, "-C", "");
    expect(read(locked, passphrase)).toMatchObject({ ok: true, fingerprint: made.facts(name).fingerprint });
    expect(read(locked, "another")).toMatchObject({ code: "SshPassphraseIncorrect" });
    const cut = locked.split("\n").toSpliced(2, 1).join("\n");
    expect(codeOf(() => read(cut, passphrase))).toMatch(/InvalidSshPrivateKey|SshPassphraseIncorrect/);
  });

  test("is refused with any character changed, or is the same key still", () => {
    for (const [type, format] of [
      ["ed25519", "RFC4716"],
      ["ecdsa", "RFC4716"],
      ["ecdsa", "PEM"],
      ["rsa", "PEM"],
    ] as const) {
      const name = `changed-${type}-${format}`;
      const text = made.make(name, "-t", type, "-m", format, "-N", "", "-C", "a comment");
      const { fingerprint } = made.facts(name);
      const [from, to] = [text.indexOf("\n") + 1, text.indexOf("\n-----END")];
      for (let at = from; at < to; at += type === "rsa" ? 61 : 7) {
        if (text[at] === "\n") continue;
        const changed = `${text.slice(0, at)}${text[at] === "k" ? "l" : "k"}${text.slice(at + 1)}`;
        const outcome = outcomeOf(() => read(changed, null));
        if (outcome.ok) expect(outcome.fingerprint, `${name} at ${at}`).toBe(fingerprint);
        else expect(outcome.code).toMatch(/InvalidSshPrivateKey|WeakSshKey/);
      }
    }
  });

  test("opens with a passphrase of any bytes and length", () => {
    for (const [at, secret] of ["     ", "x".repeat(1000), "\t\u0001'\"$(id)", "日本語"].entries()) {
      const name = `passphrase-${at}`;
      const locked = made.make(name, "-t", "ed25519", "-a", "2", "-N", secret, "-C", "");
      expect(read(locked, secret)).toMatchObject({ fingerprint: made.facts(name).fingerprint });
    }
  });

  test("is weak when it is RSA of less than 2048 bits, in every format", () => {
    for (const format of formats) {
      const weak = made.make(`weak-${format}`, "-t", "rsa", "-b", "1024", "-m", format, "-N", "");
      expect(read(weak, null), format).toMatchObject({ ok: false, code: "WeakSshKey" });
    }
  });

  test("is invalid when it is the public half", () => {
    made.make("pasted", "-t", "ed25519", "-N", "", "-C", "me");
    expect(codeOf(() => read(made.publicKey("pasted"), null))).toBe("InvalidSshPrivateKey");
  });
});

/** As the worker reads it, here: so many workers would take their time. */
function read(text: string, passphrase: string | null) {
  const envelope = readEnvelope(text);
  return { ...readSshKey({ ...envelope, passphrase }), encrypted: envelope.encrypted };
}

type Outcome = ReturnType<typeof read> | { readonly ok: false; readonly code: string };

function outcomeOf(work: () => Outcome): Outcome {
  try {
    return work();
  } catch (error) {
    if (isLiveplaneError(error)) return { ok: false, code: error.code };
    throw error;
  }
}

function codeOf(work: () => Outcome): string {
  const outcome = outcomeOf(work);
  return outcome.ok ? "none" : outcome.code;
}
