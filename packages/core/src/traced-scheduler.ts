import type { Runtime } from "./ports/runtime.ts";
import type { Scheduler } from "./ports/scheduler.ts";

/**
 * The same scheduler, each run of a task in its own span, and in a line for who looks closer: so it's known which process is at which
 * shard, by name. Who asked for a run may be gone by then, so it is nobody's child.
 */
export function tracedScheduler(
  { tracer, logger }: Pick<Runtime, "tracer" | "logger">,
  scheduler: Scheduler,
): Scheduler {
  const { leaseMs, requireJobs } = scheduler;
  return {
    ...(leaseMs !== undefined && { leaseMs }),
    ...(requireJobs && { requireJobs: () => requireJobs.call(scheduler) }),
    start(task) {
      const name = `task.${task.name}`;
      return scheduler.start({
        ...task,
        run(shard, lease) {
          logger.debug({ task: task.name, shard }, "A run of a task begins.");
          return tracer.during({ name, fields: { shard }, isRoot: true }, () => task.run(shard, lease));
        },
      });
    },
    enqueue: (job) => scheduler.enqueue(job),
    async close() {
      await scheduler.close?.();
    },
  };
}
