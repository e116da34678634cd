import { expect, test } from "vitest";
import { type Conditions, concluded, unobserved } from "../../src/override/protocol/conditions.ts";
import { contestedAgain, isPutOff } from "../../src/override/protocol/tries.ts";
import { whyUnwritable } from "../../src/override/protocol/verdicts.ts";
import type { Cloud, Reading } from "../../src/ports/cloud.ts";
import { definition, deployed, vm } from "../builders/handed-over.ts";
import { overrideWorld } from "../builders/override.ts";

const [first, later, last] = ["2026-01-01T00:00:00Z", "2026-01-01T00:03:00Z", "2026-01-01T00:06:00Z"] as const;

test("a condition's time moves with its value or reason, and not with its words", () => {
  const working = (message: string) => ({ value: null, reason: "InTransition", message });
  const read = { value: true, reason: "Read", message: "" };
  const found = (message: string) => ({ readable: read, exists: read, inSync: working(message) });
  const times = ({ inSync }: Conditions) => [inSync.changedAt, inSync.observedAt, inSync.message];
  const begun = concluded(unobserved(first), found("10 %"), { at: first, seen: true });
  const on = concluded(begun, found("20 %"), { at: later, seen: true });
  expect(times(on)).toEqual([first, later, "20 %"]);
  const over = concluded(on, { ...found(""), inSync: read }, { at: last, seen: true });
  expect(times(over)).toEqual([last, last, ""]);
});

test("corrections are counted anew once another place differs, be it one more or one fewer", () => {
  const difference = (name: string) => ({ parameter: name, pointer: `/${name}`, declared: 1, actual: 2 });
  const [a, b] = [difference("a"), difference("b")];
  const everyMs = 180_000;
  const after = (...corrections: readonly (readonly ReturnType<typeof difference>[])[]) =>
    corrections.reduce<ReturnType<typeof contestedAgain> | null>(
      (before, changes, at) => contestedAgain(before, changes, { now: at * everyMs, at: first, everyMs }),
      null,
    );
  expect(after([a], [a], [a], [a])).toMatchObject({ times: 4, restMs: everyMs });
  expect(after([a], [a], [a], [a, b])).toMatchObject({ times: 1, places: ["/a", "/b"], restMs: 0 });
  expect(after([a, b], [a, b], [a, b], [a])).toMatchObject({ times: 1, places: ["/a"], restMs: 0 });
  const contested = after([a], [a], [a], [a]);
  expect(isPutOff({ contested }, [a], 3 * everyMs)).toBe(true);
  expect(isPutOff({ contested }, [a, b], 3 * everyMs)).toBe(false);
});

test("what was tried out can't be written, and a tag can: writes of tags aren't counted", () => {
  const { clouds } = overrideWorld();
  const brought = { mutationId: "m", referred: "r" };
  const record = { ...vm, tried: { ...brought, writes: 2 } };
  const expectation = {
    cloud: clouds.a,
    declared: { unconditionalWrites: false },
    inForce: { system: { lastMutationId: "m" } },
    referred: "r",
  };
  const changes = ["size", "tags"].map((parameter) => ({
    ...{ parameter, pointer: `/${parameter}`, declared: 1, actual: 2 },
  }));
  expect(whyUnwritable(record as never, changes, expectation as never)).toMatchObject([
    { reason: "Ineffective" },
    null,
  ]);
});

test("the retries of a failed resource aren't counted: once it works again, what still differs is corrected", async () => {
  let isBroken = true;
  const sent: string[] = [];
  const broken = (cloud: Cloud): Cloud => ({
    ...cloud,
    read: async (...call): Promise<Reading> => {
      const reading = await cloud.read(...call);
      if (!isBroken || reading.state !== "present" || reading.parameters.size !== 7) return reading;
      return { state: "failed", code: "Broken", message: "It is broken.", resource: reading };
    },
    update: async (...call) => {
      sent.push(isBroken ? "in vain" : "again");
      return isBroken ? {} : cloud.update(...call);
    },
  });
  const { world, id, console, resourceId } = await deployed({}, { clouds: (all) => all.map(broken) });
  await console.patchParameters(resourceId, { size: 7 });
  await world.cycles(3);
  expect(sent).toEqual(["in vain", "in vain", "in vain"]);
  isBroken = false;
  await world.cycles(1);
  expect(sent.at(-1)).toBe("again");
  expect(await world.component(id)).toMatchObject({ conditions: { inSync: { value: true } } });
});

test("overridden components of all shards are counted, and the oldest override has an age in seconds", async () => {
  const world = overrideWorld();
  const { agent } = world.override;
  const made = [];
  for (let at = 0; at < 4; at++) made.push(await world.create(definition([{ path: "a" }])));
  expect(new Set(made.map(({ livesystemId }) => livesystemId < "8")).size).toBe(2);
  const sweep = async () => {
    for (const shard of ["1:0", "1:1"]) await agent.sweepShard(shard);
  };
  const gauges = () =>
    ["overrides", "override_oldest_seconds"].map((name) => world.metrics.gauges.get(`liveplane_${name}{}`));
  await sweep();
  expect(gauges()).toEqual([0, 0]);
  for (const { components } of made) {
    await world.runtime.advance(180_000);
    await world.consoles["provider-a"].putTags(components[0]?.resourceId ?? "", {});
    await sweep();
  }
  await sweep();
  expect(gauges()).toEqual([4, 540]);
  await world.runtime.advance(20_000);
  agent.measure();
  expect(gauges()).toEqual([4, 560]);
});
