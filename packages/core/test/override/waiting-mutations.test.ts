import { expect, test } from "vitest";
import { intervalScheduler } from "../../src/ports/interval-scheduler.ts";
import { fakeRuntime } from "../../src/testing/fake-runtime.ts";
import { environmentId } from "../builders/override.ts";
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
