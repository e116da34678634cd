import { describe, expect, test } from "vitest";
import { intervalScheduler } from "../../src/ports/interval-scheduler.ts";
import type { Job, RunningTask, Scheduler, ShardedTask } from "../../src/ports/scheduler.ts";
import { type FakeRuntime, fakeRuntime } from "../../src/testing/fake-runtime.ts";
import { schedulerConformance } from "../../src/testing/scheduler-laws/scheduler-conformance.ts";
import type { SchedulerUnderTest } from "../../src/testing/scheduler-laws/scheduler-under-test.ts";
import { fleetFlaws, memoryFleet } from "./memory-fleet.ts";

type MakeWorld = (runtime: FakeRuntime) => Pick<SchedulerUnderTest, "scheduler" | "another" | "cut">;

/** What the suite registers. */
function laws(make: MakeWorld, sharedByProcesses: boolean): [string, () => Promise<void>][] {
  const registered: [string, () => Promise<void>][] = [];
  const world = () => {
    const runtime = fakeRuntime();
    return { ...make(runtime), clock: runtime.clock, advance: runtime.advance };
  };
  schedulerConformance((title, run) => registered.push([title, run]), world, { sharedByProcesses });
  return registered;
}

/** The first law that a scheduler breaks; `null`: it keeps them all. One that never comes to its end breaks the law, too. */
async function brokenLaw(
  make: MakeWorld,
  { sharedByProcesses = false, patienceMs = 300 } = {},
): Promise<string | null> {
  for (const [title, run] of laws(make, sharedByProcesses)) {
    let timer: NodeJS.Timeout | undefined;
    const endless = new Promise<string>((resolve) => {
      timer = setTimeout(() => resolve(title), patienceMs);
    });
    const isKept = run().then(
      () => null,
      () => title,
    );
    const broken = await Promise.race([isKept, endless]);
    clearTimeout(timer);
    if (broken !== null) return broken;
  }
  return null;
}

type Breaking = (scheduler: Scheduler, runtime: FakeRuntime) => Partial<Scheduler>;

/** Changes the tasks before they are started. */
const tasks = (change: (task: ShardedTask, runtime: FakeRuntime) => ShardedTask): Breaking => {
  return (scheduler, runtime) => ({ start: (task) => scheduler.start(change(task, runtime)) });
};
/** Changes what a started task can do. */
const started = (change: (running: RunningTask) => Partial<RunningTask>): Breaking => {
  return (scheduler) => ({
    async start(task) {
      const running = await scheduler.start(task);
      return { ...running, ...change(running) };
    },
  });
};
const asked = (change: (job: Job, scheduler: Scheduler) => Promise<void>): Breaking => {
  return (scheduler) => ({ enqueue: (job) => change(job, scheduler) });
};
const forever = { deadline: Number.POSITIVE_INFINITY, signal: new AbortController().signal };

/** Each breaks one promise; each must be noticed. */
const breakings: Record<string, Breaking> = {
  "runs every shard too late": tasks((task) => ({ ...task, everyMs: task.everyMs * 2 })),
  "runs every shard too often": tasks((task) => ({ ...task, everyMs: task.everyMs / 4 })),
  "asks for the shards once": tasks((task) => {
    let shards: Promise<readonly string[]> | null = null;
    return {
      ...task,
      shards() {
        shards ??= task.shards();
        return shards;
      },
    };
  }),
  "drops the last shard": tasks((task) => ({ ...task, shards: async () => (await task.shards()).slice(0, -1) })),
  "gives up a shard whose run threw": tasks((task) => {
    const bad = new Set<string>();
    return {
      ...task,
      shards: async () => (await task.shards()).filter((shard) => !bad.has(shard)),
      run: (shard, lease) =>
        task.run(shard, lease).catch((error) => {
          bad.add(shard);
          throw error;
        }),
    };
  }),
  "doesn't wait for a run to end": tasks((task) => ({
    ...task,
    async run(shard, lease) {
      void task.run(shard, lease).catch(() => {});
    },
  })),
  "one lane for all tasks": (scheduler) => {
    let last: Promise<unknown> = Promise.resolve();
    return {
      start: (task) =>
        scheduler.start({
          ...task,
          run(shard, lease) {
            const mine = last.then(() => task.run(shard, lease));
            last = mine.catch(() => {});
            return mine;
          },
        }),
    };
  },
  "gives a lease that is nearly over": tasks((task, { clock }) => ({
    ...task,
    run: (shard, lease) => task.run(shard, { ...lease, deadline: clock.monotonic() + 100 }),
  })),
  "never fires the signal": tasks((task) => ({ ...task, run: (shard) => task.run(shard, forever) })),
  "goes on after it was stopped": started(() => ({ stop: async () => {} })),
  "lets nobody ask": started(() => ({ request: async () => {} })),
  "keeps no job": asked(async () => {}),
  "runs a job at once that may wait": asked(({ afterMs: _, ...job }, scheduler) => scheduler.enqueue(job)),
  "runs a job each time it was asked for": (scheduler) => {
    let jobs = 0;
    return {
      start: (task) => scheduler.start({ ...task, run: (shard, lease) => task.run(shard.split("#")[0] ?? "", lease) }),
      enqueue: (job) => scheduler.enqueue({ ...job, shard: `${job.shard}#${++jobs}` }),
    };
  },
  "forgets what is asked for while it runs": (scheduler) => {
    const running = new Set<string>();
    return {
      async start(task) {
        const inner = await scheduler.start({
          ...task,
          async run(shard, lease) {
            running.add(shard);
            await task.run(shard, lease).finally(() => running.delete(shard));
          },
        });
        return { ...inner, request: async (shard) => (running.has(shard) ? undefined : inner.request(shard)) };
      },
    };
  },
};

describe("the suite for schedulers", () => {
  test("lets a fleet pass that keeps every law", async () => {
    const whole = { sharedByProcesses: true, patienceMs: 10_000 };
    expect(await brokenLaw((runtime) => memoryFleet(runtime), whole)).toBeNull();
  });

  test.each(Object.entries(breakings))("notices one that %s", async (_name, breaking) => {
    const broken: MakeWorld = (runtime) => {
      const scheduler = intervalScheduler({ runtime });
      return { scheduler: { ...scheduler, ...breaking(scheduler, runtime) } };
    };
    expect(await brokenLaw(broken)).not.toBeNull();
  });

  test.each(fleetFlaws)("notices a fleet in which %s", async (flaw) => {
    expect(await brokenLaw((runtime) => memoryFleet(runtime, flaw), { sharedByProcesses: true })).not.toBeNull();
  });
});
