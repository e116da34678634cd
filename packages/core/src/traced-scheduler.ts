import type { Runtime } from "./ports/runtime.ts";
import type { Scheduler } from "./ports/scheduler.ts";

/**
 * The same scheduler, with a span and a debug line for each run of a task, so that the shard's current process is known. The span has no
 * parent, because whoever requested the run may be gone by then.
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
