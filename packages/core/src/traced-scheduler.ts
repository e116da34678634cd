import type { Runtime } from "./ports/runtime.ts";
import type { Scheduler } from "./ports/scheduler.ts";

/** The same scheduler, each run of a task in a span of its own. Who asked for it may be gone by then, so it is nobody's child. */
export function tracedScheduler(scheduler: Scheduler, { tracer }: Pick<Runtime, "tracer">): Scheduler {
  const { leaseMs } = scheduler;
  return {
    ...(leaseMs !== undefined && { leaseMs }),
    start(task) {
      const name = `task.${task.name}`;
      return scheduler.start({
        ...task,
        run: (shard, lease) => tracer.during({ name, fields: { shard }, isRoot: true }, () => task.run(shard, lease)),
      });
    },
    enqueue: (job) => scheduler.enqueue(job),
    async close() {
      await scheduler.close?.();
    },
  };
}
