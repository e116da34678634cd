import type { Lease, RunningTask } from "../ports/scheduler.ts";
import type { Services } from "../services.ts";
import type { Agent } from "./agent/agent.ts";
import type { Mutations } from "./mutations/mutations.ts";

/** How often to look for open mutations that weren't announced: after a crash, or from other processes. */
const mutationPollMs = 5_000;

/** How often to look for accepted writes that may be polled; the cloud says how long to wait. */
const followPollMs = 5_000;

interface Work {
  readonly agent: Agent;
  readonly mutations: Mutations;
}

/** Creates the background work: mutations, the sweep of components, and polling writes that a cloud has accepted. */
export function createTasks(
  { scheduler, settings, runtime }: Pick<Services, "runtime" | "settings" | "scheduler">,
  { agent, mutations: work }: Work,
) {
  const { clock } = runtime;
  /** Until when waiting work is left alone: a job comes then, and none sooner unless somebody asks. */
  const resting = new Map<string, number>();
  let running: Readonly<Record<"sweep" | "mutations" | "operations", RunningTask>> | null = null;
  const everyMs = settings.checkSeconds * 1000;
  return {
    wake(liveSystemId: string): void {
      scheduler.enqueue({ task: "mutations", shard: liveSystemId }).catch((error: unknown) => {
        runtime.logger.warn({ liveSystemId, error }, "A mutation could not be queued; the next sweep finds it.");
      });
      work.wake(liveSystemId);
    },
    async start(): Promise<void> {
      if (running !== null) return;
      const shards = async () => (await work.open()).filter((id) => (resting.get(id) ?? 0) <= clock.monotonic());
      const run = async (id: string, lease: Lease) => {
        resting.delete(id);
        const afterMs = await work.advance(id, lease);
        if (afterMs === null) return;
        await scheduler.enqueue({ task: "mutations", shard: id, afterMs });
        resting.set(id, clock.monotonic() + afterMs);
      };
      const mutationTask = await scheduler.start({
        name: "mutations",
        everyMs: mutationPollMs,
        shards,
        run,
        lane: "people",
      });
      const sweep = await scheduler.start({
        name: "sweep",
        everyMs,
        shards: () => agent.shards(),
        run: (shard, lease) => agent.sweepShard(shard, lease),
      });
      const operations = await scheduler.start({
        name: "operations",
        everyMs: followPollMs,
        lane: "people",
        shards: () => agent.following(),
        run: (name, lease) => agent.lookAfter(name, lease),
      });
      running = { sweep, mutations: mutationTask, operations };
    },
    async stop(): Promise<void> {
      await Promise.all(Object.values(running ?? {}).map((task) => task.stop()));
      running = null;
    },
  };
}
