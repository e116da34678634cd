import { createHmac, hash, randomBytes, timingSafeEqual } from "node:crypto";
import type { Crypto } from "@liveplane/core";

/** The core's cryptography on Node's own: without the thread that Web Crypto starts even for a hash of a hundred bytes. */
export const nodeCrypto: Crypto = {
  random: (bytes) => new Uint8Array(randomBytes(bytes)),
  digest: async (data) => new Uint8Array(hash("sha256", data, "buffer")),
  hmac: async (key, data) => new Uint8Array(createHmac("sha256", key).update(data).digest()),
  equal: (a, b) => a.length === b.length && timingSafeEqual(a, b),
};
