import { everyMs, recorded, type SchedulerLaw, schedulerHolds, slackMs, untilOver } from "./scheduler-under-test.ts";

/** What a caller who requests a run can rely on. */
export const schedulerAskingLaws: readonly SchedulerLaw[] = [
  {
    title: "runs what is asked for at once, also what isn't among the shards, and once",
    async holds(world) {
      const task = recorded(world, { shards: ["a"] });
      const running = await task.on(world.scheduler);
      await world.advance(everyMs / 2);
      await running.request("urgent");
      await world.scheduler.enqueue({ task: "look", shard: "pressing" });
      await world.advance(slackMs);
      const soon = task.runs.map(({ shard }) => shard).filter((shard) => shard !== "a");
      schedulerHolds(soon.sort().join() === "pressing,urgent", "both within moments", soon);
      await world.advance(2 * everyMs);
      await running.stop();
      const later = task.runs.filter(({ shard }) => shard !== "a").length;
      schedulerHolds(later === 2, "each once", later);
    },
  },
  {
    title: "runs a shard before its turn when it is asked for, and at its turns afterwards",
    async holds(world) {
      const task = recorded(world, { shards: ["a"], everyMs: 3 * everyMs });
      const running = await task.on(world.scheduler);
      await world.advance(everyMs);
      const before = task.runs.length;
      await running.request("a");
      await world.advance(slackMs);
      schedulerHolds(task.runs.length === before + 1, "one more run", task.runs.length - before);
      await world.advance(4 * everyMs);
      await running.stop();
      schedulerHolds(task.runs.length >= before + 2, "its next turn as well", task.runs.length - before);
    },
  },
  {
    title: "runs once more what is asked for while it runs, once for however many ask",
    async holds(world) {
      const first = new AbortController();
      const task = recorded(world, { work: (run) => untilOver(run, first.signal) });
      const running = await task.on(world.scheduler);
      await running.request("a");
      await world.advance(slackMs);
      for (let asked = 0; asked < 3; asked++) await running.request("a");
      await world.advance(slackMs);
      schedulerHolds(task.runs.length === 1, "one run at a time", task.runs.length);
      first.abort();
      await world.advance(2 * everyMs);
      await running.stop();
      schedulerHolds(task.runs.length === 2, "one more run", task.runs.length);
    },
  },
  {
    title: "lets a job wait for as long as it asks for, and takes the soonest of those that ask for the same",
    async holds(world) {
      const { scheduler } = world;
      const task = recorded(world);
      const running = await task.on(scheduler);
      const startedAt = world.clock.monotonic();
      await scheduler.enqueue({ task: "look", shard: "later", afterMs: 2 * everyMs });
      await scheduler.enqueue({ task: "look", shard: "sooner", afterMs: 2 * everyMs });
      await scheduler.enqueue({ task: "look", shard: "sooner", afterMs: everyMs });
      await scheduler.enqueue({ task: "look", shard: "sooner", afterMs: 3 * everyMs });
      await world.advance(4 * everyMs);
      await running.stop();
      for (const [shard, afterMs] of [
        ["later", 2 * everyMs],
        ["sooner", everyMs],
      ] as const) {
        const waited = task.begunAt(shard).map((at) => at - startedAt);
        const isRight = waited.length === 1 && waited.every((ms) => ms >= afterMs && ms <= afterMs + slackMs);
        schedulerHolds(isRight, `${shard} once, after ${afterMs} ms`, waited);
      }
    },
  },
  {
    title: "keeps room for people's work, however many sweeps take their time",
    async holds(world) {
      const shards = Array.from({ length: 200 }, (_, at) => `s${at}`);
      const sweep = recorded(world, { name: "sweep", shards, work: (run) => untilOver(run) });
      const people = recorded(world, { name: "people", lane: "people" });
      const running = [await sweep.on(world.scheduler), await people.on(world.scheduler)];
      await world.advance(2 * everyMs);
      await running[1]?.request("asked");
      await world.advance(slackMs);
      schedulerHolds(people.runs.length === 1, "a run within moments", people.runs.length);
      const stopped = Promise.all(running.map((task) => task.stop()));
      await world.advance(everyMs);
      await stopped;
    },
  },
];
