import type { Crypto, Logger, Runtime } from "@liveplane/core";
import { uuidOf, webRuntime } from "@liveplane/core/testing/internal";
import type { Chance } from "./chance.ts";
import type { VirtualTime } from "./virtual-time.ts";

/** The parts of one process's runtime. */
export interface SimulatedRuntimeOptions {
  readonly time: VirtualTime;
  readonly chance: Chance;
  /** The error of this process's wall clock. */
  readonly skewMs: () => number;
  readonly logger: Logger;
}

/** The start of every simulation. */
export const beginning = Date.UTC(2026, 0, 1);

/** A runtime on virtual time. Everything in it resolves within the event loop's turn, so that a seed repeats exactly. */
export function simulatedRuntime({ time, chance, skewMs, logger }: SimulatedRuntimeOptions): Runtime {
  return webRuntime({
    clock: {
      // Whole milliseconds, like real clocks, even after a fractional sleep.
      now: () => Math.floor(beginning + time.now() + skewMs()),
      monotonic: time.now,
      sleep: (ms, { signal } = {}) => time.sleep(ms, signal),
    },
    crypto: simulatedCrypto(chance),
    newId: () => uuidOf(chance.bytes(16)),
    yield: () => Promise.resolve(),
    logger,
  });
}

/** Not Web Crypto, which leaves the turn and returns in any order. Here only equal inputs must give equal outputs. */
function simulatedCrypto({ bytes }: Chance): Crypto {
  const digest = async (data: Uint8Array) => mixed(data);
  return {
    ...webRuntime().crypto,
    random: bytes,
    digest,
    hmac: async (key, data) => mixed(key, data),
  };
}

/** FNV-1a in two lanes, each spread over half of the result. */
function mixed(...parts: readonly Uint8Array[]): Uint8Array {
  let [a, b] = [0x811c9dc5, 0x9e3779b1];
  for (const part of parts) {
    for (let at = 0; at < part.length; at++) {
      const byte = part[at] ?? 0;
      a = Math.imul(a ^ byte, 0x01000193);
      b = Math.imul(b ^ byte ^ 0x5a, 0x01000193);
    }
  }
  const lanes = Uint32Array.from({ length: 8 }, (_, lane) => Math.imul((lane < 4 ? a : b) ^ lane, 0x85ebca6b));
  return new Uint8Array(lanes.buffer);
}
