import type { Crypto, Logger, Runtime } from "../../ports/runtime.ts";
import { webRuntime } from "../../ports/web-runtime.ts";
import { uuidOf } from "../fake-runtime.ts";
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
      now: () => beginning + time.now() + skewMs(),
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
    hmac: async (key, data) => mixed(Uint8Array.from([...key, ...data])),
  };
}

/** Eight lanes of FNV-1a, each from another beginning. */
function mixed(data: Uint8Array): Uint8Array {
  const lanes = Uint32Array.from({ length: 8 }, (_, lane) => 0x811c9dc5 ^ Math.imul(lane + 1, 0x9e3779b1));
  for (const byte of data) {
    for (let lane = 0; lane < 8; lane++) lanes[lane] = Math.imul((lanes[lane] ?? 0) ^ byte ^ lane, 0x01000193);
  }
  return new Uint8Array(lanes.buffer);
}
