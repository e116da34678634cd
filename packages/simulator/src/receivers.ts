import type { WebhookSender } from "@liveplane/core";
import { type Chance, chanceOf } from "./chance.ts";
import type { VirtualTime } from "./virtual-time.ts";

/** The receivers of a world: some are broken for ever, the others get all events in order. */
export interface SimulatedReceivers {
  readonly sender: WebhookSender;
  /** The addresses of all receivers. */
  readonly addresses: readonly string[];
  /** What is wrong with what the working ones got of the events that were committed at these times; `null` if nothing. */
  wrongAmong(eventTimes: readonly number[]): string | null;
}

const broken = 6;
const working = 2;
/** How long a receiver that never answers is waited for. */
const hangsMs = 14_000;
/** Within this time a receiver that works has an event. */
export const deliveredMs = 10_000;

/** Receivers at virtual addresses. How each one is broken is drawn from the seed. */
export function simulatedReceivers(seed: number, time: Pick<VirtualTime, "now" | "sleep">): SimulatedReceivers {
  const chance = chanceOf(seed ^ 0x4ec317);
  const drawn = Array.from({ length: broken - 2 }, () => chance.pick(["hangs", "unreachable", "fails", "throttles"]));
  const failures = ["hangs", "hangs", ...drawn] as const;
  /** When each of them first got each event, by its sequence number. */
  const got = new Map<string, Map<number, number>>(
    Array.from({ length: working }, (_, at) => [`https://working-${at}.example/`, new Map()]),
  );
  const addresses = [...failures.map((_, at) => `https://broken-${at}.example/`), ...got.keys()];

  return {
    addresses,
    sender: {
      refusalOf: () => null,
      async send({ url, body }, { signal }) {
        const own = got.get(url);
        if (own === undefined) return fail(failures[addresses.indexOf(url)] ?? "fails", { time, signal });
        await time.sleep(20);
        const { sequence } = JSON.parse(body) as { readonly sequence?: number | string };
        // What a process sent right before its end may come again.
        if (!own.has(Number(sequence))) own.set(Number(sequence), time.now());
        return { kind: "answered", status: 204 };
      },
    },
    wrongAmong(eventTimes) {
      for (const [url, times] of got) {
        const sequences = [...times.keys()];
        const gap = sequences.findIndex((one, at) => at > 0 && one !== (sequences[at - 1] ?? 0) + 1);
        if (gap > 0) return `${url} got event ${sequences[gap]} after ${sequences[gap - 1]}`;
        const delays = eventTimes.map((at, nth) => (times.get(nth + 1) ?? at) - at);
        const longest = Math.max(0, ...delays);
        if (longest > deliveredMs) return `${url} got event ${delays.indexOf(longest) + 1} after ${longest} ms`;
        const last = sequences.at(-1) ?? 0;
        if (last < eventTimes.length) return `${url} has events up to ${last}, and there are ${eventTimes.length}`;
      }
      return null;
    },
  };
}

async function fail(
  how: ReturnType<Chance["pick"]>,
  { time, signal }: { readonly time: Pick<VirtualTime, "sleep">; readonly signal: AbortSignal },
): ReturnType<WebhookSender["send"]> {
  switch (how) {
    case "hangs":
      await time.sleep(hangsMs, signal).catch(() => {});
      return { kind: "failed", because: "TimedOut" };
    case "unreachable":
      return { kind: "failed", because: "Unreachable" };
    case "throttles":
      return { kind: "answered", status: 429, retryAfterMs: 3_600_000 };
    default:
      return { kind: "answered", status: 500 };
  }
}
