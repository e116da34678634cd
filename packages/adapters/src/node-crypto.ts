import { createHmac, createSecretKey, hash, type KeyObject, randomBytes, timingSafeEqual } from "node:crypto";
import type { Crypto } from "@liveplane/core";

/** Making one takes several times as long as an HMAC with it. */
const keyObjects = new WeakMap<Uint8Array, KeyObject>();

function keyObjectOf(key: Uint8Array): KeyObject {
  const made = keyObjects.get(key) ?? createSecretKey(key);
  keyObjects.set(key, made);
  return made;
}

/** The core's cryptography with `node:crypto`, which avoids the thread that Web Crypto starts even for a small hash. */
export const nodeCrypto: Crypto = {
  random: (bytes) => new Uint8Array(randomBytes(bytes)),
  digest: async (data) => new Uint8Array(hash("sha256", data, "buffer")),
  hmac: async (key, data) => new Uint8Array(createHmac("sha256", keyObjectOf(key)).update(data).digest()),
  hmacSha1: async (key, data) => new Uint8Array(createHmac("sha1", key).update(data).digest()),
  equal: (a, b) => a.length === b.length && timingSafeEqual(a, b),
};
