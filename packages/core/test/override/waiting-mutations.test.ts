import fc from "fast-check";
import { expect, test } from "vitest";
import { completeMutation } from "../../src/override/mutations/complete-mutation.ts";
import { converge } from "../../src/override/mutations/converge.ts";
import { deleteComponent } from "../../src/override/mutations/delete-component.ts";
import { createPatience } from "../../src/override/mutations/patience.ts";
import { components, type MutationStep } from "../../src/override/records/component-record.ts";
import { liveSystems, type MutationRecord, mutations } from "../../src/override/records/live-system-record.ts";
import { intervalScheduler } from "../../src/ports/interval-scheduler.ts";
import { fakeRuntime } from "../../src/testing/fake-runtime.ts";
import { definition, deployed } from "../builders/handed-over.ts";
import { environmentId, overrideWorld } from "../builders/override.ts";
import { counting, waitingWorld } from "../builders/waiting-mutations.ts";

test.each([
  { title: "runs are scarce: none is held", isScarce: true },
  { title: "one process has as many runs as it likes", isScarce: false },
])(
  "a hundred mutations that wait for a cloud hold no claim, and the hundred-and-first goes on at once ($title)",
  async ({ isScarce }) => {
    const runtime = fakeRuntime();
    const interval = intervalScheduler({ runtime });
    const { scheduler, runs } = counting(isScarce ? { ...interval, leaseMs: 20_000 } : interval);
    const world = await waitingWorld({ runtime, scheduler }, 120_000);
    const slow = await world.slow(100);
    await runtime.advance(1_000);
    expect(await world.waiting()).toBe(100);
    expect(runs.underWay).toBe(isScarce ? 0 : 100);

    // The cloud asks to be left alone for twelve seconds: nobody looks before.
    const { begun } = runs;
    await runtime.advance(10_000);
    expect(await world.standing(slow, "Running")).toBe(100);
    expect(runs.begun).toBe(begun);

    const quick = await world.quick();
    await runtime.advance(1_000);
    expect(await world.mutation(quick)).toMatchObject({ status: "Succeeded" });

    await runtime.advance(130_000);
    expect(await world.standing(slow, "Succeeded")).toBe(100);
    await world.override.stop();
  },
);

test("a deploy that replaces one which waits for a cloud doesn't wait out its pause", async () => {
  const runtime = fakeRuntime();
  const scheduler = { ...intervalScheduler({ runtime }), leaseMs: 20_000 };
  const world = await waitingWorld({ runtime, scheduler });
  const [first] = await world.slow(1);
  const id = first?.livesystemId ?? "";
  await runtime.advance(900_000);
  const console = world.consoles["provider-a"];
  await console.setFaults({ read: "fail" });
  const declared = (size: number) => {
    const site = { path: "one", provider: "provider-a", type: "Microsoft.Web/sites@2024-04-01", parameters: { size } };
    return { name: "shop", environmentId, components: [site] } as never;
  };
  const waiting = await world.deploy(id, declared(2));
  await runtime.advance(120_000);
  expect(await world.standing([waiting], "Running")).toBe(1);
  await console.setFaults({});
  const next = await world.deploy(id, declared(3));
  await runtime.advance(2_000);
  expect(await world.mutation(next)).toMatchObject({ status: "Succeeded" });
  await world.override.stop();
});

test("a deploy in one process begins while the one that it replaces waits for a cloud", async () => {
  const runtime = fakeRuntime();
  const world = await waitingWorld({ runtime, scheduler: intervalScheduler({ runtime }) });
  const [first] = await world.slow(1);
  const id = first?.livesystemId ?? "";
  const console = world.consoles["provider-a"];
  await runtime.advance(900_000);
  await console.setFaults({ read: "fail" });
  const one = { path: "one", provider: "provider-a", type: "Microsoft.Web/sites@2024-04-01", parameters: { size: 2 } };
  const other = { path: "other", provider: "provider-b", type: "storage.v1.bucket", parameters: { size: 1 } };
  const declared = (...components: object[]) => ({ name: "shop", environmentId, components }) as never;
  await world.deploy(id, declared(one));
  await runtime.advance(120_000);
  // It has nothing to do with what can't be read.
  await world.deploy(id, declared(one, other));
  await runtime.advance(2_000);
  expect((await world.consoles["provider-b"].list()).items).toHaveLength(1);
  await world.override.stop();
});

test.each([
  [
    "a working cloud is asked again after growing pauses",
    "working",
    undefined,
    [400, 800, 1_600, 3_200, 6_400, 10_000],
  ],
  ["and, if it says when, then", "working", 1_000, [1_000, 1_000, 1_000, 1_000, 1_000, 1_000]],
  ["a failing one is left alone for as long as it says", "failing", 40_000, [40_000, 40_000, 40_000]],
  ["a failing one is asked less and less often, however soon it says", "failing", 1_000, [1_000, 1_000, 1_600, 3_200]],
  ["nobody waits for longer than two minutes at once", "failing", 500_000, [120_000, 120_000]],
] as const)("%s", async (_, why, afterMs, pauses) => {
  const { world, system } = await deployed();
  const { runtime, records } = world;
  await records.change({ actor: "test", requestId: "test" }, async (change) => {
    const record = await change.get(components, [system, "app"]);
    if (record !== null) change.put(components, { ...record, step: { mutationId: "m", state: "begun", error: null } });
  });
  const settings = { stepWaitSeconds: 3_600, stepRetrySeconds: 900 };
  const patience = createPatience({ runtime, records, settings } as never);
  const paused: (number | null)[] = [];
  for (const pause of pauses) {
    paused.push(await patience.pauseMs([system, "app"], { why, detail: "", ...(afterMs && { afterMs }) }));
    await runtime.advance(pause);
  }
  expect(paused).toEqual(pauses);
});

const waits = fc.array(
  fc.record({
    why: fc.constantFrom("working", "failing", "failing"),
    sinceMs: fc.integer({ min: 0, max: 1_800_000 }),
    process: fc.nat(2),
    afterMs: fc.option(fc.integer({ min: 0, max: 200_000 }), { nil: undefined }),
  }),
  { minLength: 1, maxLength: 12 },
);

test("a step waits for a working cloud and for a failing one as long as the host lets it, each from its beginning", async () => {
  const { world, system, id } = await deployed();
  const { runtime, records } = world;
  const settings = { stepWaitSeconds: 3_600, stepRetrySeconds: 900 };
  const limitMs = { working: 3_600_000, failing: 900_000 };
  const key = [system, "app"];
  const cause = { actor: "test", requestId: "test" };
  await fc.assert(
    fc.asyncProperty(waits, async (drawn) => {
      await records.change(cause, async (change) => {
        const record = await change.get(components, key);
        if (record === null) throw new Error(`${id} is gone`);
        change.put(components, { ...record, step: { mutationId: runtime.newId(), state: "begun", error: null } });
      });
      const processes = [0, 1, 2].map(() => createPatience({ runtime, records, settings } as never));
      // The next process may know of a minute less than the last one did, and not of the time before its first look.
      let wait = { why: "", leastMs: 0, mostMs: 0, process: 0 };
      for (const { why, sinceMs, process, afterMs } of drawn) {
        await runtime.advance(sinceMs);
        const { leastMs, mostMs } = wait;
        const knownMs = wait.process === process ? leastMs + sinceMs : Math.max(0, leastMs - 60_000);
        const isSame = wait.why === why;
        wait = { why, process, leastMs: isSame ? knownMs : 0, mostMs: isSame ? mostMs + sinceMs : 0 };
        const pauseMs = await processes[process]?.pauseMs(key, {
          why,
          detail: why,
          ...(afterMs !== undefined && { afterMs }),
        });
        if (wait.leastMs >= limitMs[why]) expect(pauseMs).toBeNull();
        if (wait.mostMs < limitMs[why]) expect(pauseMs).toBeGreaterThan(0);
        if (pauseMs == null) return;
        expect(pauseMs).toBeLessThanOrEqual(Math.min(120_000, limitMs[why] - wait.leastMs));
        expect(pauseMs).toBeGreaterThanOrEqual(Math.min(afterMs ?? 0, 120_000, limitMs[why] - wait.mostMs));
      }
    }),
    { numRuns: 200 },
  );
});

test("of two processes that begin to wait at once, the first one's wait is kept", async () => {
  const { world, system, id } = await deployed();
  const { runtime, records } = world;
  const settings = { stepWaitSeconds: 3_600, stepRetrySeconds: 900 };
  const key = [system, "app"];
  const waiting = async () => (await records.get(components, key))?.step?.waiting;
  await records.change({ actor: "test", requestId: "test" }, async (change) => {
    const record = await change.get(components, key);
    if (record === null) throw new Error(`${id} is gone`);
    change.put(components, { ...record, step: { mutationId: runtime.newId(), state: "begun", error: null } });
  });
  const wait = { why: "working", detail: "It works." } as const;
  const first = createPatience({ runtime, records, settings } as never);
  let meanwhile = async () => {};
  const change: typeof records.change = async (...args) => {
    await meanwhile();
    return records.change(...args);
  };
  const second = createPatience({ runtime, records: { ...records, change }, settings } as never);
  meanwhile = async () => {
    meanwhile = async () => {};
    await runtime.advance(3_000);
    await first.pauseMs(key, wait);
  };
  await second.pauseMs(key, wait);
  const kept = await waiting();
  expect(Date.parse(kept?.since ?? "")).toBe(runtime.clock.now());
  await runtime.advance(60_000);
  await second.pauseMs(key, wait);
  expect((await waiting())?.since).toBe(kept?.since);
});

const before = { why: "working", detail: "It works.", since: "2026-01-01T00:00:00.000Z", waitedMs: 0 } as const;
const begun = { mutationId: "m", state: "begun", error: null, waiting: before } as const;

test.each<[string, MutationStep | null]>([
  ["has ended", { ...begun, state: "converged", waiting: null }],
  ["has ended, with what it waited for", { ...begun, state: "failed" }],
  ["is over, and none has come", null],
  ["is a newer mutation's", { ...begun, mutationId: "n" }],
  ["waits for something else", { ...begun, waiting: { ...before, why: "failing" } }],
  ["waits anew", { ...begun, waiting: { ...before, since: "2026-01-01T00:01:00.000Z" } }],
])("what a step waits for is noted nowhere if meanwhile the step %s", async (_, meanwhile) => {
  const { world, system } = await deployed();
  const { runtime, records } = world;
  const key = [system, "app"];
  const put = (step: MutationStep | null) =>
    records.change({ actor: "test", requestId: "test" }, async (change) => {
      const record = await change.get(components, key);
      if (record !== null) change.put(components, { ...record, step });
    });
  await put(begun);
  const change: typeof records.change = async (...args) => {
    await put(meanwhile);
    return records.change(...args);
  };
  const settings = { stepWaitSeconds: 3_600, stepRetrySeconds: 900 };
  const patience = createPatience({ runtime, records: { ...records, change }, settings } as never);
  await patience.pauseMs(key, { why: "working", detail: "It works at something else." });
  expect((await records.get(components, key))?.step).toEqual(meanwhile);
});

const steps = { "a deploy": converge, "a deletion": deleteComponent } as const;

test.each(Object.entries(steps))(
  "a process that pauses for longer than its lease says nothing of a step of %s that another one waits for anew",
  async (_, goOnWith) => {
    const { world, system } = await deployed();
    const { runtime, records } = world;
    const key = [system, "app"];
    const mutation = { id: runtime.newId(), liveSystemId: system };
    await records.change({ actor: "test", requestId: "test" }, async (change) => {
      const record = await change.get(components, key);
      if (record !== null)
        change.put(components, { ...record, step: { mutationId: mutation.id, state: "begun", error: null } });
    });
    const settings = { stepWaitSeconds: 45, stepRetrySeconds: 20 };
    const patience = createPatience({ runtime, records, settings } as never);
    let pausesMs = 0;
    const pass = async () => {
      await runtime.advance(pausesMs);
      const record = await records.get(components, key);
      const observation = { reading: { state: "working" } };
      return {
        end: "settled",
        record: record && { ...record, operation: null },
        observation,
        error: null,
        again: false,
      };
    };
    const exclusively = async () => {
      await runtime.advance(pausesMs);
      const failure = { code: "ProviderTimeout", detail: "It took too long." };
      return { state: "wait", wait: { why: "working", detail: "It works." }, failure };
    };
    const signal = new AbortController().signal;
    const goOn = () => {
      const lease = { name: "mutations", deadline: runtime.clock.monotonic() + 60_000, signal };
      const tries = { begun: true, unsettled: 0, moved: 0 };
      const deps = { runtime, callTimeoutMs: 10_000 };
      const agent = { pass, exclusively, whenFree: async () => {} };
      const context = { agent, deps, patience, tries, mutation, lease } as never;
      return goOnWith === converge ? converge(key, context) : deleteComponent(context, key);
    };
    expect(await goOn()).toMatchObject({ state: "waiting" });
    pausesMs = 70_000;
    expect(await goOn()).toEqual({ state: "interrupted" });
    pausesMs = 0;
    expect(await goOn()).toMatchObject({ state: "failed", code: "ProviderTimeout" });
  },
);

test("a deploy isn't over while a component is blocked by what doesn't fail any more", async () => {
  const { world, system } = await deployed();
  const { runtime, records } = world;
  const running = await records.change({ actor: "test", requestId: "test" }, async (change) => {
    const { lastMutationId = "" } = (await change.get(liveSystems, [system])) ?? {};
    const [mutation, record] = [
      await change.get(mutations, [system, lastMutationId]),
      await change.get(components, [system, "app"]),
    ];
    if (mutation === null || record === null) return null;
    change.put(components, { ...record, step: { mutationId: mutation.id, state: "blocked", error: null } });
    return change.put(mutations, { ...mutation, status: "Running" });
  });
  expect(running).not.toBeNull();
  expect(await completeMutation({ deps: { records, runtime } } as never, running as MutationRecord)).toBe(false);
});

test("a step that has failed says so while the others go on", async () => {
  const world = overrideWorld({ follows: false });
  const declared = definition([
    { path: "fails" },
    { path: "slow", provider: "provider-b", type: "storage.v1.bucket", parameters: {} },
  ]);
  const fails = { code: "QuotaExceeded", message: "There is no more of it." };
  await world.consoles["provider-a"].setFaults({ slow: { takesMs: 1, fails } });
  await world.consoles["provider-b"].setFaults({ slow: { takesMs: 600_000 } });
  const begun = await world.create(declared);
  const { livesystemId } = begun;
  const running = world.override.mutations.advance(livesystemId);
  await world.runtime.advance(120_000);
  const told = await world.mutation(begun);
  expect(told.status).toBe("Running");
  expect(told.steps.map(({ componentId, state }) => [componentId.split("/")[1], state])).toEqual([
    ["fails", "failed"],
    ["slow", "begun"],
  ]);
  await world.passing(running);
});
