import { LiveplaneError } from "../errors.ts";
import type { Clock, Crypto, Logger, Metrics, Runtime, Tracer } from "./runtime.ts";

/** A runtime on what every modern JavaScript engine has: Web Crypto, `performance`, timers. Silent unless given a logger. */
export function webRuntime(overrides: Partial<Runtime> = {}): Runtime {
  return {
    clock: webClock,
    crypto: webCrypto,
    logger: silentLogger,
    metrics: noMetrics,
    tracer: noTracer,
    newId: () => globalThis.crypto.randomUUID(),
    yield: nextTurn,
    ...overrides,
  };
}

/** One turn of the event loop. A promise alone isn't enough: if everything resolves at once, nothing else ever runs. */
export const nextTurn = () => new Promise<void>((resolve) => setTimeout(resolve, 0));

const webClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: (ms, { signal } = {}) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(new LiveplaneError("Aborted", undefined, { cause: signal.reason }));
      const onAbort = () => {
        clearTimeout(timer);
        reject(new LiveplaneError("Aborted", undefined, { cause: signal?.reason }));
      };
      const timer = setTimeout(() => {
        signal?.removeEventListener("abort", onAbort);
        resolve();
      }, ms);
      signal?.addEventListener("abort", onAbort, { once: true });
    }),
};

const webCrypto: Crypto = {
  random: (bytes) => globalThis.crypto.getRandomValues(new Uint8Array(bytes)),
  digest: async (data) => new Uint8Array(await globalThis.crypto.subtle.digest("SHA-256", data as BufferSource)),
  hmac: (key, data) => webHmac("SHA-256", key, data),
  hmacSha1: (key, data) => webHmac("SHA-1", key, data),
  equal: (a, b) => {
    if (a.length !== b.length) return false;
    let difference = 0;
    for (let at = 0; at < a.length; at++) difference |= (a[at] ?? 0) ^ (b[at] ?? 0);
    return difference === 0;
  },
};

async function webHmac(hash: "SHA-256" | "SHA-1", key: Uint8Array, data: Uint8Array): Promise<Uint8Array> {
  const { subtle } = globalThis.crypto;
  const imported = await subtle.importKey("raw", key as BufferSource, { name: "HMAC", hash }, false, ["sign"]);
  return new Uint8Array(await subtle.sign("HMAC", imported, data as BufferSource));
}

const silentLogger: Logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const noMetrics: Metrics = { count: () => {}, gauge: () => {}, observe: () => {} };
/** Runs the work without a span, and without an extra turn of the loop. */
const noTracer: Tracer = { during: (_begin, work) => work() };
