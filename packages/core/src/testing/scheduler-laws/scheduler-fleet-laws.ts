import { LiveplaneError } from "../../errors.ts";
import type { Scheduler } from "../../ports/scheduler.ts";
import {
  everyMs,
  recorded,
  type SchedulerLaw,
  type SchedulerUnderTest,
  schedulerHolds,
  slackMs,
  untilOver,
} from "./scheduler-under-test.ts";

/** A dead process's shard is taken over within this time. */
const takeoverMs = 30_000;

/** What holds when several processes schedule. */
export const schedulerFleetLaws: readonly SchedulerLaw[] = [
  {
    title: "runs each shard in one process at a time, and once an interval in all",
    async holds(world) {
      const other = await anotherOf(world);
      const shards = ["a", "b", "c", "d"];
      const task = recorded(world, { shards, work: () => world.clock.sleep(1_000) });
      const running = [await task.on(world.scheduler), await task.on(other)];
      await world.advance(4 * everyMs);
      const stopped = Promise.all(running.map((each) => each.stop()));
      await world.advance(everyMs);
      await stopped;
      schedulerHolds(task.mostAtOnce() === 1, "one at a time", task.mostAtOnce());
      for (const shard of shards) {
        const begun = task.begunAt(shard).length;
        schedulerHolds(begun >= 3 && begun <= 6, `${shard} once an interval`, begun);
      }
    },
  },
  {
    title: "keeps what a process asks for that runs nothing, until one comes that does",
    async holds(world) {
      const other = await anotherOf(world);
      await other.enqueue({ task: "look", shard: "kept" });
      await world.advance(everyMs);
      const task = recorded(world);
      const running = await task.on(world.scheduler);
      await world.advance(slackMs);
      await running.stop();
      schedulerHolds(task.begunAt("kept").length === 1, "one run", task.runs.length);
    },
  },
  {
    title: "hands on what a stopped process had under way, without waiting for its lease to end",
    async holds(world) {
      const other = await anotherOf(world);
      const [first, second] = [world, world].map(() =>
        recorded(world, { shards: ["a"], everyMs: 6 * everyMs, work: (run) => untilOver(run) }),
      );
      if (first === undefined || second === undefined) return;
      const running = await first.on(world.scheduler);
      await world.advance(everyMs);
      const others = await second.on(other);
      const stopped = running.stop();
      await world.advance(slackMs);
      await stopped;
      schedulerHolds(second.runs.length === 1, "the other one at it", second.runs.length);
      const ended = others.stop();
      await world.advance(slackMs);
      await ended;
    },
  },
  {
    title: "takes over what a process had under way that was cut off, once its lease is over and within half a minute",
    async holds(world) {
      const other = await anotherOf(world);
      const [first, second] = [world, world].map(() =>
        recorded(world, { shards: ["a"], work: (run) => untilOver(run) }),
      );
      if (first === undefined || second === undefined) return;
      const running = await first.on(world.scheduler);
      await world.advance(everyMs);
      const others = await second.on(other);
      await world.advance(everyMs);
      await world.cut?.();
      const cutAt = world.clock.monotonic();
      await world.advance(takeoverMs);
      const [begun] = second.begunAt("a");
      const [lost] = first.runs;
      schedulerHolds(begun !== undefined, "the other one at it", second.runs.length);
      schedulerHolds((begun ?? 0) >= cutAt, "not before the cut", begun);
      const isOver = lost !== undefined && lost.lease.deadline <= (begun ?? 0) && lost.lease.signal.aborted;
      schedulerHolds(isOver, "the lost lease to be over by then", { deadline: lost?.lease.deadline, begun });
      const ended = Promise.all([running.stop(), others.stop()]);
      await world.advance(takeoverMs);
      await ended;
    },
  },
];

async function anotherOf({ another }: SchedulerUnderTest): Promise<Scheduler> {
  const other = await another?.();
  if (other === undefined)
    throw new LiveplaneError("CapabilityMissing", "These laws are for schedulers of several processes.");
  return other;
}
