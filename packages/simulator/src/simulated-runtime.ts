import type { Crypto, Logger, Runtime } from "@liveplane/core";
import { uuidOf, webRuntime } from "@liveplane/core/testing/internal";
import type { Chance } from "./chance.ts";
import type { VirtualTime } from "./virtual-time.ts";

/** What a runtime of one process is made of. */
export interface SimulatedRuntimeOptions {
  readonly time: VirtualTime;
  readonly chance: Chance;
  /** How far the wall clock of this process is off. */
  readonly skewMs: () => number;
  readonly logger: Logger;
}

/** When every simulation begins. */
export const beginning = Date.UTC(2026, 0, 1);

/** A runtime on virtual time. Everything in it resolves without leaving the event loop's turn, so that a seed repeats exactly. */
export function simulatedRuntime({ time, chance, skewMs, logger }: SimulatedRuntimeOptions): Runtime {
  return webRuntime({
    clock: {
      // Whole milliseconds, as clocks have them; what sleeps for part of one is there all the same.
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

/** Web Crypto leaves the turn and comes back in any order; nothing here is at stake but that equal things stay equal. */
function simulatedCrypto({ bytes }: Chance): Crypto {
  const digest = async (data: Uint8Array) => mixed(data);
  return {
    ...webRuntime().crypto,
    random: bytes,
    digest,
    hmac: async (key, data) => mixed(key, data),
  };
}

/** FNV-1a in two lanes, each spread over half of what is given back. */
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
