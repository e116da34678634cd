import { LiveplaneError } from "@liveplane/core/errors";
import { refuseOtherOpensshTypes } from "./ssh-key-types.ts";

/** What can be told about a private key without opening it. */
export interface SshKeyEnvelope {
  readonly format: "openssh" | "pem";
  readonly encrypted: boolean;
  /** The key to read, with trimmed lines and Unix line ends. */
  readonly text: string;
}

const labels: Readonly<Record<string, SshKeyEnvelope["format"]>> = {
  "OPENSSH PRIVATE KEY": "openssh",
  "PRIVATE KEY": "pem",
  "ENCRYPTED PRIVATE KEY": "pem",
  "RSA PRIVATE KEY": "pem",
  "EC PRIVATE KEY": "pem",
};

const mostRounds = 256;
const mostIterations = 2_000_000;
const mostScryptBytes = 128 * 1024 * 1024;

/** Reads the envelope of a key, and refuses one with a too costly key derivation before any of it runs. */
export function readEnvelope(data: string): SshKeyEnvelope {
  const lines = withoutParameters(
    data
      .replaceAll("\r\n", "\n")
      .trim()
      .split("\n")
      .map((line) => line.trim()),
  );
  const text = `${lines.join("\n")}\n`;
  const [, label = ""] = /^-----BEGIN ([A-Z0-9 ]+)-----$/.exec(lines[0] ?? "") ?? [];
  if (label === "DSA PRIVATE KEY") throw weak("DSA keys are not accepted.");
  const format = labels[label];
  if (format === undefined)
    throw invalid(
      /^(ssh-|ecdsa-|sk-)|PUBLIC KEY/.test(lines[0] ?? "")
        ? "This is a public key. Send the private one."
        : "This isn't an SSH private key in a supported format.",
    );
  if (lines.at(-1) !== `-----END ${label}-----` || lines.filter((line) => line.startsWith("-----")).length !== 2)
    throw invalid("The key is incomplete, or there is more than one.");
  const legacy = lines.some((line) => /^Proc-Type: 4,ENCRYPTED$/.test(line));
  if (legacy && !/^(RSA|EC) /.test(label)) throw invalid("The key is encrypted in two ways.");
  const body = decoded(lines.slice(1, -1).filter((line) => !line.includes(":")));
  if (format === "openssh") return { format, text, encrypted: openContainer(body).derivation !== null };
  if (label === "ENCRYPTED PRIVATE KEY") refuseCostlyPkcs8(body);
  return { format, text, encrypted: legacy || label === "ENCRYPTED PRIVATE KEY" };
}

/** OpenSSL writes the curve of a key before it, which adds nothing. */
function withoutParameters(lines: readonly string[]): readonly string[] {
  if (lines[0] !== "-----BEGIN EC PARAMETERS-----") return lines;
  const behind = lines.slice(lines.indexOf("-----END EC PARAMETERS-----") + 1);
  return behind[0] === "-----BEGIN EC PRIVATE KEY-----" ? behind : lines;
}

function decoded(lines: readonly string[]): Buffer {
  const base64 = lines.join("");
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) throw invalid("The key is not valid base64.");
  return Buffer.from(base64, "base64");
}

/** The first bytes of an OPENSSH container. */
export const opensshMagic = Buffer.from("openssh-key-v1\0");
const ciphers = new Set([
  "none",
  "aes256-ctr",
  "aes256-cbc",
  "aes192-ctr",
  "aes128-ctr",
  "aes128-cbc",
  "aes192-cbc",
  "3des-cbc",
  "aes256-gcm@openssh.com",
  "aes128-gcm@openssh.com",
  "chacha20-poly1305@openssh.com",
]);

export interface OpensshContainer {
  readonly cipher: string;
  /** How the cipher's key is derived; `null` without encryption. */
  readonly derivation: { readonly salt: Buffer; readonly rounds: number } | null;
  readonly publicKey: Buffer;
  readonly ciphertext: Buffer;
  /** What follows the ciphertext: its tag, if the cipher has one. */
  readonly rest: Buffer;
}

/** The container in an OPENSSH key. Refuses what is damaged, weak or costly. */
export function readContainer(text: string): OpensshContainer {
  return openContainer(decoded(text.trim().split("\n").slice(1, -1)));
}

function openContainer(body: Buffer): OpensshContainer {
  if (!body.subarray(0, opensshMagic.length).equals(opensshMagic)) throw invalid("The key is damaged.");
  const reader = new Reader(body.subarray(opensshMagic.length));
  const [cipher, kdf, options] = [reader.string().toString(), reader.string().toString(), reader.string()];
  if (!ciphers.has(cipher)) throw invalid("The key is encrypted with an unsupported cipher.");
  if (reader.uint32() !== 1) throw invalid("There must be exactly one key.");
  const publicKey = reader.string();
  refuseOtherOpensshTypes(new Reader(publicKey).string().toString());
  if ((kdf === "none") !== (cipher === "none")) throw invalid("The key is damaged.");
  const derivation = kdf === "none" ? null : readDerivation(kdf, options);
  return { cipher, derivation, publicKey, ciphertext: reader.string(), rest: reader.rest() };
}

function readDerivation(kdf: string, options: Buffer): { salt: Buffer; rounds: number } {
  if (kdf !== "bcrypt") throw invalid("The key uses an unsupported key derivation.");
  const reader = new Reader(options);
  const [salt, rounds] = [reader.string(), reader.uint32()];
  if (rounds > mostRounds) throw invalid(`The key's derivation uses more than ${mostRounds} rounds.`);
  return { salt, rounds };
}

/** Reads SSH's length-prefixed fields. */
class Reader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  uint32(): number {
    if (this.#at + 4 > this.#bytes.length) throw invalid("The key is damaged.");
    this.#at += 4;
    return this.#bytes.readUInt32BE(this.#at - 4);
  }

  string(): Buffer {
    const length = this.uint32();
    if (this.#at + length > this.#bytes.length) throw invalid("The key is damaged.");
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }

  rest(): Buffer {
    return this.#bytes.subarray(this.#at);
  }
}

const pbes2 = "2a864886f70d01050d";
const pbkdf2 = "2a864886f70d01050c";
const scrypt = "2b06010401da47040b";
const tags = { integer: 0x02, octets: 0x04, identifier: 0x06, sequence: 0x30 } as const;

/**
 * Reads the derivation's parameters in strict DER: `SEQUENCE { SEQUENCE { PBES2, SEQUENCE { SEQUENCE { derivation, SEQUENCE { salt,
 * integers } } } } }`. A lenient parser could run another derivation than the one that was checked.
 */
function refuseCostlyPkcs8(body: Buffer): void {
  const scheme = new Der(new Der(body).take("sequence")).take("sequence");
  const parameters = new Der(scheme);
  if (parameters.take("identifier").toString("hex") !== pbes2)
    throw invalid("The key uses an unsupported key derivation.");
  const derivation = new Der(new Der(parameters.take("sequence")).take("sequence"));
  const name = derivation.take("identifier").toString("hex");
  const costs = new Der(derivation.take("sequence"));
  costs.take("octets");
  if (name === pbkdf2) {
    if (costs.integer() > mostIterations)
      throw invalid(`The key's derivation uses more than ${mostIterations} rounds.`);
  } else if (name === scrypt) {
    const [cost, block, lanes] = [costs.integer(), costs.integer(), costs.integer()];
    if (128 * cost * block * Math.max(lanes, 1) > mostScryptBytes)
      throw invalid("The key's derivation needs more than 128 MiB.");
  } else {
    throw invalid("The key uses an unsupported key derivation.");
  }
}

/** The smallest length that needs this many further bytes. */
const shortest = [0, 0x80, 0x100];

/** Reads DER: definite lengths, in the shortest form. */
class Der {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  take(tag: keyof typeof tags): Buffer {
    const [found, short = 0x80] = [this.#bytes[this.#at], this.#bytes[this.#at + 1]];
    const extra = short < 0x80 ? 0 : short & 0x7f;
    const start = this.#at + 2 + extra;
    if (found !== tags[tag] || short === 0x80 || extra > 2 || start > this.#bytes.length) throw notDer();
    const length = extra === 0 ? short : this.#bytes.readUIntBE(this.#at + 2, extra);
    if (length < (shortest[extra] ?? 0) || start + length > this.#bytes.length) throw notDer();
    this.#at = start + length;
    return this.#bytes.subarray(start, this.#at);
  }

  integer(): number {
    const digits = this.take("integer");
    if (digits.length === 0 || digits.length > 6 || (digits[0] ?? 0) >= 0x80) throw notDer();
    return digits.readUIntBE(0, digits.length);
  }
}

function notDer(): LiveplaneError {
  return invalid("The parameters of the key's derivation can't be read.");
}

function invalid(detail: string): LiveplaneError {
  return new LiveplaneError("InvalidSshPrivateKey", detail);
}

function weak(detail: string): LiveplaneError {
  return new LiveplaneError("WeakSshKey", detail);
}
