import { LiveplaneError } from "../../errors.ts";
import type { Lease } from "../../ports/scheduler.ts";
import { type AgentDeps, isEndless } from "./agent-deps.ts";

/**
 * Sends a write and stops waiting after the longest time for a write, if its lease ends: the shard's next holder must not meet it. The
 * write may have been made. Under a lease that doesn't end, a write may finish.
 */
export async function writeInTime<T>(
  lease: Lease | undefined,
  { runtime: { clock }, callTimeoutMs }: Pick<AgentDeps, "runtime" | "callTimeoutMs">,
  write: (call: { readonly signal?: AbortSignal }) => Promise<T>,
): Promise<T> {
  if (isEndless(lease)) return write({});
  const tooLong = new AbortController();
  const done = new AbortController();
  const giveUp = () => tooLong.abort();
  clock.sleep(callTimeoutMs, { signal: done.signal }).then(giveUp, () => {});
  try {
    return await write({ signal: tooLong.signal });
  } catch (cause) {
    if (!tooLong.signal.aborted) throw cause;
    const details = { outcome: "unknown" };
    throw new LiveplaneError("ProviderTimeout", "The cloud did not answer in time.", { cause, details });
  } finally {
    done.abort();
  }
}
