import { webcrypto } from "node:crypto";
import type { CreatedPasskey, PasskeyCreation, PasskeyRequest, SignedPasskey } from "../../src/contract/index.ts";
import { toBase64Url, utf8 } from "../../src/encoding.ts";

const { subtle } = webcrypto;

/** What an answer is made with instead of what is right. */
export interface Wrong {
  readonly origin?: string;
  readonly relyingParty?: string;
  readonly challenge?: string;
  readonly type?: string;
  readonly isUserVerified?: boolean;
  readonly counter?: number;
  readonly userHandle?: string | null;
}

interface OwnPasskey {
  readonly id: string;
  readonly userHandle: string;
  readonly keys: webcrypto.CryptoKeyPair;
  counter: number;
}

const userPresent = 0x01;
const userVerified = 0x04;
const withCredential = 0x40;

/** An authenticator in software: it creates passkeys with ES256 and signs with them, as a browser on a page of `origin` would show. */
export function softwareAuthenticator(origin: string) {
  const passkeys: OwnPasskey[] = [];

  async function dataOf(relyingParty: string, flags: number, counter: number, rest = new Uint8Array()) {
    const count = new DataView(new ArrayBuffer(4));
    count.setUint32(0, counter);
    const hash = new Uint8Array(await subtle.digest("SHA-256", utf8(relyingParty) as Uint8Array<ArrayBuffer>));
    return joined(hash, Uint8Array.of(flags), new Uint8Array(count.buffer), rest);
  }

  function clientData(type: string, challenge: string, wrong: Wrong): Uint8Array {
    const said = { type: wrong.type ?? type, challenge: wrong.challenge ?? challenge, crossOrigin: false };
    return utf8(JSON.stringify({ ...said, origin: wrong.origin ?? origin }));
  }

  return {
    passkeys,

    /** Creates a passkey, as `navigator.credentials.create` does. */
    async create({ publicKey }: PasskeyCreation, wrong: Wrong = {}): Promise<CreatedPasskey> {
      const keys = await subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, ["sign", "verify"]);
      const id = webcrypto.getRandomValues(new Uint8Array(16));
      passkeys.push({ id: toBase64Url(id), userHandle: publicKey.user.id, keys, counter: 0 });
      const flags = userPresent | withCredential | (wrong.isUserVerified === false ? 0 : userVerified);
      const credential = joined(new Uint8Array(16), Uint8Array.of(0, id.length), id, await coseOf(keys.publicKey));
      const authData = await dataOf(wrong.relyingParty ?? publicKey.rp.id, flags, wrong.counter ?? 0, credential);
      const attestation = joined(
        Uint8Array.of(0xa3),
        ...[cborText("fmt"), cborText("none"), cborText("attStmt"), Uint8Array.of(0xa0)],
        ...[cborText("authData"), cborBytes(authData)],
      );
      return {
        id: toBase64Url(id),
        response: {
          clientDataJSON: toBase64Url(clientData("webauthn.create", publicKey.challenge, wrong)),
          attestationObject: toBase64Url(attestation),
          transports: ["internal"],
        },
      };
    },

    /** Signs with the last passkey, or the one that is asked for, as `navigator.credentials.get` does. */
    async sign({ publicKey }: PasskeyRequest, wrong: Wrong = {}): Promise<SignedPasskey> {
      const allowed = publicKey.allowCredentials.map(({ id }) => id);
      const passkey = passkeys.findLast(({ id }) => allowed.length === 0 || allowed.includes(id));
      if (passkey === undefined) throw new RangeError("This authenticator has no such passkey.");
      passkey.counter = wrong.counter ?? passkey.counter + 1;
      const flags = userPresent | (wrong.isUserVerified === false ? 0 : userVerified);
      const authData = await dataOf(wrong.relyingParty ?? publicKey.rpId, flags, passkey.counter);
      const client = clientData("webauthn.get", publicKey.challenge, wrong);
      const hash = new Uint8Array(await subtle.digest("SHA-256", client as Uint8Array<ArrayBuffer>));
      const algorithm = { name: "ECDSA", hash: "SHA-256" };
      const raw = new Uint8Array(await subtle.sign(algorithm, passkey.keys.privateKey, joined(authData, hash)));
      return {
        id: passkey.id,
        response: {
          clientDataJSON: toBase64Url(client),
          authenticatorData: toBase64Url(authData),
          signature: toBase64Url(derOf(raw)),
          userHandle: wrong.userHandle === undefined ? passkey.userHandle : wrong.userHandle,
        },
      };
    },
  };
}

/** A P-256 key in COSE (RFC 9053): its kind, ES256, the curve, and both coordinates. */
async function coseOf(key: webcrypto.CryptoKey): Promise<Uint8Array> {
  const point = new Uint8Array(await subtle.exportKey("raw", key));
  const head = Uint8Array.of(0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01);
  const [x, y] = [cborBytes(point.slice(1, 33)), cborBytes(point.slice(33))];
  return joined(head, Uint8Array.of(0x21), x, Uint8Array.of(0x22), y);
}

function cborText(text: string): Uint8Array {
  return joined(Uint8Array.of(0x60 + text.length), utf8(text));
}

function cborBytes(bytes: Uint8Array): Uint8Array {
  return joined(Uint8Array.of(0x58, bytes.length), bytes);
}

/** Two numbers of 32 bytes as authenticators write a signature: in DER. */
function derOf(raw: Uint8Array): Uint8Array {
  const numbers = [raw.slice(0, 32), raw.slice(32)].map((half) => {
    const from = half.findIndex((byte) => byte !== 0);
    const plain = half.slice(from);
    const value = (plain[0] ?? 0) >= 0x80 ? joined(Uint8Array.of(0), plain) : plain;
    return joined(Uint8Array.of(0x02, value.length), value);
  });
  const content = joined(...numbers);
  return joined(Uint8Array.of(0x30, content.length), content);
}

function joined(...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(parts.flatMap((part) => [...part]));
}
