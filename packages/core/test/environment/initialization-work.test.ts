import { describe, expect, test } from "vitest";
import { fakeRuntime } from "../../src/testing/fake-runtime.ts";
import { bob, callOf, personsWorld, refusalOf, subscriptionId } from "../builders/initialization.ts";

describe("the target", () => {
  test("comes from the body, else from the parameters, else is missing", async () => {
    const { start } = await personsWorld();
    expect(await refusalOf(start({}))).toEqual({
      code: "ProviderTargetMissing",
      errors: [{ pointer: "#/subscriptionId", code: "ProviderTargetMissing" }],
    });
    const { start: startHere } = await personsWorld({ parameters: { subscriptionId } });
    expect(await startHere({})).toMatchObject({ target: subscriptionId });
    const { start: startThere } = await personsWorld({ parameters: { subscriptionId: 7 } });
    expect(await refusalOf(startThere({ subscriptionId: null }))).toMatchObject({ code: "ProviderTargetMissing" });
  });

  test("has a region that the cloud has, the first one where none is named", async () => {
    const { start } = await personsWorld();
    expect(await refusalOf(start({ subscriptionId, region: "atlantis" }))).toEqual({
      code: "ValidationFailed",
      errors: [{ pointer: "#/region", code: "Enum" }],
    });
    expect(await start({ subscriptionId, region: null })).toMatchObject({ region: "eastus" });
  });
});

describe("a step", () => {
  test("that fails for a while is tried again, with growing pauses", async () => {
    const { start, status, done, consoles, runtime } = await personsWorld();
    await consoles.a.setFaults({ initialize: { step: "identity", fault: "fail" } });
    await start();
    await runtime.advance(1000);
    const [, step] = (await status()).steps;
    expect(step).toMatchObject({ name: "identity", status: "InProgress", retryCount: 3, message: "The cloud failed." });
    await consoles.a.setFaults({});
    expect(await done()).toMatchObject({ status: "Completed", steps: [{}, { retryCount: 3, message: null }, {}, {}] });
  });

  test("that a cloud takes minutes for is waited for, and counts as no failure", async () => {
    const { start, status, done, consoles, runtime } = await personsWorld();
    await consoles.a.setFaults({ slow: { takesMs: 600_000 } });
    await start();
    await runtime.advance(300_000);
    expect((await status()).steps[0]).toMatchObject({ status: "InProgress", retryCount: 0 });
    await runtime.advance(301_000);
    await consoles.a.setFaults({});
    expect((await status()).steps[0]).toMatchObject({ status: "Completed", retryCount: 0 });
    await runtime.advance(600_000);
    expect(await done()).toMatchObject({ status: "Completed" });
  });

  test("that goes on failing fails the run", async () => {
    const { start, done, consoles, events } = await personsWorld();
    await consoles.a.setFaults({ initialize: { step: "identity", fault: "fail" } });
    await start();
    expect(await done()).toMatchObject({
      status: "Failed",
      steps: [
        { status: "Completed" },
        { status: "Failed", message: "The cloud failed. Fix what the cloud reports, then initialize again." },
        { status: "NotStarted" },
        {},
      ],
    });
    expect(await events("environment.initialization.failed")).toHaveLength(1);
  });
});

describe("cancelling", () => {
  test("needs a run that hasn't ended", async () => {
    const { start, done, cancel, status } = await personsWorld();
    expect(await refusalOf(cancel())).toMatchObject({ code: "NotFound" });
    expect(await refusalOf(status())).toMatchObject({ code: "NotFound" });
    await start();
    await done();
    expect(await refusalOf(cancel())).toMatchObject({ code: "InvalidState" });
  });

  test("stops a step that is under way", async () => {
    const { start, cancel, status, consoles, runtime, settled, events } = await personsWorld();
    await consoles.a.setFaults({ initialize: { step: "identity", delayMs: 60_000 } });
    await start();
    await runtime.advance(1000);
    expect((await status()).steps[1]).toMatchObject({ status: "InProgress" });
    expect((await cancel()).steps.map((step) => step.status)).toEqual([
      "Completed",
      "Cancelled",
      "Cancelled",
      "Cancelled",
    ]);
    await settled();
    await runtime.advance(120_000);
    expect(await status()).toMatchObject({ status: "Cancelled" });
    expect((await consoles.a.list()).items).toHaveLength(1);
    expect(await events("environment.initialization.cancelled")).toHaveLength(1);
  });
});

const dayMs = 86_400_000;
const everyStep = ["resource-group", "identity", "key-vault", "storage-account"];

async function begunSteps({ events }: Pick<Awaited<ReturnType<typeof personsWorld>>, "events">) {
  const changed = await events("environment.initialization.step_changed");
  return changed.filter(({ data }) => data.status === "InProgress").map(({ data }) => data.step);
}

describe("two workers", () => {
  test.each([
    ["agree", 0, 0],
    ["are hours apart", 5 * 3_600_000, 0],
    ["are hours apart the other way", -5 * 3_600_000, 0],
    ["jump by a day", 0, dayMs],
    ["jump back by a day", 0, -dayMs],
  ])("never work on one run whose clocks %s", async (_, apartMs, jumpMs) => {
    const first = await personsWorld({ alone: false });
    const { store, runtime, consoles } = first;
    const { clock } = runtime;
    const elsewhere = { ...runtime, clock: { ...clock, now: () => clock.now() + apartMs } };
    const second = await personsWorld({ store, runtime: elsewhere, alone: false });
    await consoles.a.setFaults({ initialize: { step: "identity", delayMs: 250_000 } });
    await first.start();
    for (let passed = 0; passed < 24; passed++) {
      await runtime.advance(10_000);
      await second.resume();
      await second.runtime.settle();
      if (passed === 0) runtime.jump(jumpMs);
    }
    await consoles.a.setFaults({});
    expect(await first.done()).toMatchObject({ status: "Completed" });
    expect(await begunSteps(first)).toEqual(everyStep);
  });

  test.each([0, -dayMs])(
    "take over from one that died, when they have watched its claim for a minute (%i)",
    async (ms) => {
      const runtime = fakeRuntime();
      const died = await personsWorld({ alone: false, runtime });
      const { store, consoles } = died;
      await consoles.a.setFaults({ initialize: { step: "identity", delayMs: 60_000 } });
      // A process whose time stands still is as dead as one that was killed: it renews nothing.
      const frozen = await personsWorld({ store, alone: false });
      const survivor = await personsWorld({ store, runtime, alone: false });
      await frozen.start();
      await frozen.runtime.advance(0);
      await consoles.a.setFaults({});
      await survivor.resume();
      runtime.jump(ms);
      await runtime.advance(59_000);
      await survivor.resume();
      expect((await survivor.status()).steps[1]).toMatchObject({ status: "InProgress" });
      await runtime.advance(1000);
      await survivor.resume();
      expect(await survivor.done()).toMatchObject({ status: "Completed" });
      await frozen.runtime.advance(60_000);
      await frozen.settled();
      expect(await survivor.status()).toMatchObject({ status: "Completed" });
      expect((await consoles.a.list()).items).toHaveLength(4);
    },
  );

  test("stop a step that is under way when somebody cancels its run elsewhere", async () => {
    const first = await personsWorld({ alone: false });
    const { store, runtime, consoles } = first;
    const second = await personsWorld({ store, runtime, alone: false });
    await consoles.a.setFaults({ initialize: { step: "identity", delayMs: 250_000 } });
    await first.start();
    await runtime.advance(1000);
    await second.cancel();
    await runtime.advance(20_000);
    await first.settled();
    await runtime.advance(300_000);
    expect(await first.status()).toMatchObject({ status: "Cancelled" });
    expect((await consoles.a.list()).items).toHaveLength(1);
  });

  test("go on at once with what a worker that stopped let go of", async () => {
    const first = await personsWorld({ alone: false });
    const { store, runtime, consoles } = first;
    await consoles.a.setFaults({ initialize: { step: "identity", delayMs: 60_000 } });
    await first.start();
    await runtime.advance(100);
    await first.stop();
    await consoles.a.setFaults({});
    const second = await personsWorld({ store, runtime, alone: false });
    await second.resume();
    await runtime.advance(100);
    expect(await second.status()).toMatchObject({ status: "Completed" });
  });
});

test("somebody else's call finds the run of the environment", async () => {
  const { start, handlers } = await personsWorld();
  const run = await start();
  const call = callOf("environments.providerA.status", { actor: bob });
  expect((await handlers["environments.providerA.status"](call)).value.initializationRun.id).toBe(run.id);
});
