import { toHex } from "../encoding.ts";
import { LiveplaneError } from "../errors.ts";
import type { Clock, Crypto, Runtime } from "../ports/runtime.ts";
import { webRuntime } from "../ports/web-runtime.ts";
import { taskTurns } from "./task-turns.ts";

/** Options of a fake runtime. */
export interface FakeRuntimeOptions {
  /** The seed of randomness: equal seeds give equal IDs and bytes. @default 1 */
  readonly seed?: number;
  /** The time at the start. @default 2026-01-01T00:00:00Z */
  readonly now?: number;
}

/** A runtime with virtual time and repeatable randomness. Digests and HMACs are real. */
export interface FakeRuntime extends Runtime {
  readonly clock: Clock;
  /** Advances time, waking sleepers in order and letting each run before the next. */
  advance(ms: number): Promise<void>;
  /** Moves the wall clock without passing time. */
  jump(ms: number): void;
  /** Runs everything that can run without time passing, including digests and HMACs in progress. */
  settle(): Promise<void>;
  /** Passes as much time as the work waits for, from one sleeper to the next, and returns its result. */
  during<T>(work: Promise<T>): Promise<T>;
}

/** After this many turns of the event loop without a pending digest, nothing is left to run. */
const quietTurns = 10;

/** The only part of the core that loads on demand. Loading takes real time, so it happens before virtual time passes. */
const passwordList = import("../identity/common-password-list.ts");

interface Sleeper {
  readonly wakeAt: number;
  readonly wake: () => void;
}

/** A runtime with virtual time for tests. */
export function fakeRuntime({ seed = 1, now: start = Date.UTC(2026, 0, 1) }: FakeRuntimeOptions = {}): FakeRuntime {
  const next = mulberry32(seed);
  const sleepers = new Set<Sleeper>();
  let now = start;
  let jumped = 0;

  const clock: Clock = {
    // Whole milliseconds, like real clocks, even after a fractional sleep.
    now: () => Math.floor(now + jumped),
    monotonic: () => now - start,
    sleep: (ms, { signal } = {}) =>
      new Promise((resolve, reject) => {
        const aborted = () => reject(new LiveplaneError("Aborted", undefined, { cause: signal?.reason }));
        if (signal?.aborted) return aborted();
        const sleeper = { wakeAt: now + ms, wake: resolve };
        sleepers.add(sleeper);
        signal?.addEventListener("abort", () => sleepers.delete(sleeper) && aborted(), { once: true });
      }),
  };
  const random = (bytes: number) => Uint8Array.from({ length: bytes }, () => Math.floor(next() * 256));
  const { crypto, underWay } = counted(atOnce(webRuntime().crypto));
  const turns = taskTurns();
  const settle = async () => {
    await passwordList;
    for (let quiet = 0; quiet < quietTurns; quiet++) {
      await turns.next();
      if (underWay() > 0) quiet = 0;
    }
  };

  /** Advances to the first sleeper due by then; `false` if there is none. */
  const wakeFirst = (until: number) => {
    const [first] = [...sleepers].filter(({ wakeAt }) => wakeAt <= until).sort((a, b) => a.wakeAt - b.wakeAt);
    if (first === undefined) return false;
    sleepers.delete(first);
    now = Math.max(now, first.wakeAt);
    first.wake();
    return true;
  };

  return {
    ...webRuntime({ clock }),
    clock,
    crypto: { ...crypto, random },
    newId: () => uuidOf(random(16)),
    yield: () => Promise.resolve(),
    settle,
    jump(ms) {
      jumped += ms;
    },
    async advance(ms) {
      const until = now + ms;
      do await settle();
      while (wakeFirst(until));
      now = until;
    },
    async during(work) {
      let isDone = false;
      const ended = () => {
        isDone = true;
      };
      work.then(ended, ended);
      for (await settle(); !isDone; await settle()) wakeFirst(Number.POSITIVE_INFINITY);
      return work;
    },
  };
}

/** Node's own digests finish within the turn. Web Crypto uses another thread, which takes longer than a hundred digests. */
function atOnce(crypto: Crypto): Crypto {
  const node = globalThis.process?.getBuiltinModule?.("node:crypto");
  if (node === undefined) return crypto;
  return {
    ...crypto,
    digest: async (data) => new Uint8Array(node.hash("sha256", data, "buffer")),
    hmac: async (key, data) => new Uint8Array(node.createHmac("sha256", key).update(data).digest()),
    hmacSha1: async (key, data) => new Uint8Array(node.createHmac("sha1", key).update(data).digest()),
  };
}

/** The same crypto, counting operations in other threads: while one runs, something may still continue. */
function counted({ digest, hmac, hmacSha1, ...rest }: Crypto) {
  let pending = 0;
  const during = <T>(work: Promise<T>): Promise<T> => {
    pending += 1;
    return work.finally(() => {
      pending -= 1;
    });
  };
  const crypto: Crypto = {
    ...rest,
    digest: (data) => during(digest(data)),
    hmac: (key, data) => during(hmac(key, data)),
    hmacSha1: (key, data) => during(hmacSha1(key, data)),
  };
  return { crypto, underWay: () => pending };
}

/** A version 4 uuid from sixteen bytes. */
export function uuidOf(bytes: Uint8Array): string {
  const marked = new Uint8Array(bytes);
  marked[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  marked[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = toHex(marked);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** A small seeded random generator, good enough for tests. */
export function mulberry32(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
