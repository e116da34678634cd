import { everyMs, recorded, type SchedulerLaw, schedulerHolds, slackMs, untilOver } from "./scheduler-under-test.ts";

/** What holds for the rounds. */
export const schedulerRoundLaws: readonly SchedulerLaw[] = [
  {
    title: "runs every shard about every interval, never much later, and no more often than jitter makes it",
    async holds(world) {
      const shards = ["a", "b", "c", "d"];
      const task = recorded(world, { shards });
      const running = await task.on(world.scheduler);
      await world.advance(4 * everyMs);
      await running.stop();
      for (const shard of shards) {
        const begun = task.begunAt(shard);
        const gaps = begun.slice(1).map((at, place) => at - (begun[place] ?? 0));
        schedulerHolds(begun.length >= 3, `${shard} to run each interval`, begun);
        schedulerHolds(Math.max(...gaps) <= everyMs + slackMs, `${shard} to be in time`, gaps);
        schedulerHolds(Math.min(...gaps) >= everyMs / 2, `${shard} not to run without need`, gaps);
      }
    },
  },
  {
    title: "asks again what shards there are: new ones run, and those that are gone don't",
    async holds(world) {
      let shards = ["old", "stays"];
      const task = recorded(world, { shards: async () => shards });
      const running = await task.on(world.scheduler);
      await world.advance(2 * everyMs);
      shards = ["stays", "new"];
      await world.advance(2 * everyMs + slackMs);
      const settledAt = world.clock.monotonic();
      await world.advance(2 * everyMs);
      await running.stop();
      const since = task.runs.filter(({ at }) => at >= settledAt).map(({ shard }) => shard);
      const names = [...new Set(since)].sort();
      schedulerHolds(names.join() === "new,stays", "those that are there", names);
    },
  },
  {
    title: "goes on when the shards can't be read for a while",
    async holds(world) {
      let fails = true;
      const shards = async () => {
        if (fails) throw new TypeError("unreadable");
        return ["a"];
      };
      const task = recorded(world, { shards });
      const running = await task.on(world.scheduler);
      await world.advance(everyMs);
      fails = false;
      await world.advance(2 * everyMs + slackMs);
      await running.stop();
      schedulerHolds(task.begunAt("a").length >= 1, "a run once they can be read", task.begunAt("a"));
    },
  },
  {
    title: "lets a run that throws come back at its next turn, and the others be",
    async holds(world) {
      const work = async ({ shard }: { readonly shard: string }) => {
        if (shard === "bad") throw new TypeError("broken");
      };
      const task = recorded(world, { shards: ["bad", "good"], work });
      const running = await task.on(world.scheduler);
      await world.advance(3 * everyMs);
      await running.stop();
      for (const shard of ["bad", "good"])
        schedulerHolds(task.begunAt(shard).length >= 2, `${shard} to come back`, task.begunAt(shard));
    },
  },
  {
    title: "never runs a shard twice at once, however long a run takes, and tells shards of two tasks apart",
    async holds(world) {
      const work = () => world.clock.sleep(1.5 * everyMs);
      const [one, other] = ["one", "other"].map((name) => recorded(world, { name, shards: ["a"], work }));
      if (one === undefined || other === undefined) return;
      const running = [await one.on(world.scheduler), await other.on(world.scheduler)];
      await world.advance(4 * everyMs);
      for (const task of [one, other]) {
        schedulerHolds(task.mostAtOnce() === 1, "one at a time", task.mostAtOnce());
        schedulerHolds(task.runs.length >= 2, "to go on", task.runs.length);
      }
      const stopped = Promise.all(running.map((task) => task.stop()));
      await world.advance(2 * everyMs);
      await stopped;
    },
  },
  {
    title: "keeps the lease of a run that goes on, and gives it long enough to work",
    async holds(world) {
      const { leaseMs = 60_000 } = world.scheduler;
      const task = recorded(world, { shards: ["a"], work: (run) => untilOver(run) });
      const running = await task.on(world.scheduler);
      await world.advance(everyMs);
      for (let passed = 0; passed < 2 * leaseMs; passed += leaseMs / 4) {
        await world.advance(leaseMs / 4);
        const [run] = task.runs;
        if (run === undefined) return schedulerHolds(false, "a run", task.runs);
        const leftMs = run.lease.deadline - world.clock.monotonic();
        schedulerHolds(leftMs > leaseMs / 2 && !run.lease.signal.aborted, "a lease with time left", leftMs);
      }
      schedulerHolds(task.runs.length === 1, "one run", task.runs.length);
      const stopped = running.stop();
      await world.advance(everyMs);
      await stopped;
      schedulerHolds(task.runs[0]?.lease.signal.aborted === true, "the signal to fire at the stop", false);
    },
  },
  {
    title: "lets what is under way finish when it stops, begins nothing more, and may be stopped twice",
    async holds(world) {
      const over = new AbortController();
      const finish = () => new Promise<void>((resolve) => over.signal.addEventListener("abort", () => resolve()));
      const task = recorded(world, { shards: ["a"], work: finish });
      const running = await task.on(world.scheduler);
      await world.advance(everyMs);
      let stopped = false;
      const stopping = running.stop().then(() => {
        stopped = true;
      });
      await world.advance(everyMs);
      schedulerHolds(!stopped && task.runs.length === 1, "the stop to wait", { stopped, runs: task.runs.length });
      over.abort();
      await world.advance(slackMs);
      await stopping;
      await running.stop();
      await running.request("a");
      await world.advance(2 * everyMs);
      schedulerHolds(task.runs.length === 1, "no other run", task.runs.length);
    },
  },
];
