import type { KeyObject } from "node:crypto";
import { LiveplaneError } from "@liveplane/core/errors";

/** The names of unsupported keys, by their names in files. Others are reported without a name. */
type Names = Readonly<Record<string, string>>;

const curves: Names = {
  secp256k1: "ECDSA on the curve secp256k1",
  secp224r1: "ECDSA on the curve P-224",
  prime192v1: "ECDSA on the curve P-192",
  brainpoolP256r1: "ECDSA on the curve brainpoolP256r1",
  brainpoolP384r1: "ECDSA on the curve brainpoolP384r1",
  brainpoolP512r1: "ECDSA on the curve brainpoolP512r1",
  SM2: "ECDSA on the curve SM2",
};
const types: Names = {
  ed448: "Ed448",
  x25519: "X25519",
  x448: "X448",
  "rsa-pss": "RSA-PSS",
  dh: "Diffie-Hellman",
  "ml-dsa-44": "ML-DSA",
  "ml-dsa-65": "ML-DSA",
  "ml-dsa-87": "ML-DSA",
  "ml-kem-512": "ML-KEM",
  "ml-kem-768": "ML-KEM",
  "ml-kem-1024": "ML-KEM",
};
const opensshTypes: Names = { "ssh-ed448": "Ed448", "ssh-xmss@openssh.com": "XMSS" };

const takenCurves = ["prime256v1", "secp384r1", "secp521r1"];
const takenTypes = ["ed25519", "rsa"];
const takenOpensshTypes = [
  "ssh-ed25519",
  "ssh-rsa",
  "ecdsa-sha2-nistp256",
  "ecdsa-sha2-nistp384",
  "ecdsa-sha2-nistp521",
];

/** Refuses an unsupported PEM key by the name of its type. */
export function refuseOtherTypes({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): void {
  const type: string = asymmetricKeyType ?? "";
  if (type === "dsa") throw dsa();
  if (takenTypes.includes(type)) return;
  const { namedCurve = "" } = asymmetricKeyDetails ?? {};
  if (type !== "ec") throw notTaken(types[type] ?? "an unsupported type");
  if (!takenCurves.includes(namedCurve)) throw notTaken(curves[namedCurve] ?? "ECDSA on an unsupported curve");
}

/** Refuses a key by the type that the OPENSSH container names, before anything is opened. */
export function refuseOtherOpensshTypes(type: string): void {
  if (type.includes("-cert-")) throw invalid("This is a certificate. Send the private key.");
  if (type.startsWith("sk-"))
    throw invalid("Keys stored in hardware are not accepted, because they can't sign without it.");
  if (type === "ssh-dss") throw dsa();
  if (!takenOpensshTypes.includes(type)) throw notTaken(opensshTypes[type] ?? "an unsupported type");
}

function notTaken(type: string): LiveplaneError {
  return invalid(`The key is of ${type}. It must be Ed25519, ECDSA on P-256, P-384 or P-521, or RSA.`);
}

function dsa(): LiveplaneError {
  return new LiveplaneError("WeakSshKey", "DSA keys are not accepted.");
}

function invalid(detail: string): LiveplaneError {
  return new LiveplaneError("InvalidSshPrivateKey", detail);
}
