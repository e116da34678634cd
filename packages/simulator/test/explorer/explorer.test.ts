import { expect, test } from "vitest";
import { explore, exploreEndings, followSchedule } from "../../src/index.ts";
import { quickBounds, quickEndings, worlds } from "./bounds.ts";
import { readSchedule, toldSchedule } from "./told-schedule.ts";

test.each(quickBounds)(
  "every schedule holds: $title",
  { timeout: 120_000 },
  async ({ leastStates, name, ...bounds }) => {
    const { found, schedules, states, digest, exhausted } = await explore(bounds);
    const told = found && `pnpm explore --replay "${toldSchedule(name, found.decisions)}"`;
    expect({ told, broken: found?.broken ?? null }).toEqual({ told: null, broken: null });
    expect(exhausted).toBe(true);
    expect(states).toBeGreaterThanOrEqual(leastStates);
    // If a change was meant to lead to other states, `vitest -u` stores them.
    expect({ schedules, states, digest }).toMatchSnapshot();
  },
);

test.each(quickEndings)(
  "whoever crashes where, it ends as if nobody had: $title",
  async ({ leastSchedules, name, ...bounds }) => {
    const { found, schedules } = await exploreEndings(bounds);
    const told = found && `pnpm explore --replay "${toldSchedule(name, found.decisions)}"`;
    expect({ told, broken: found?.broken ?? null }).toEqual({ told: null, broken: null });
    expect(schedules).toBeGreaterThanOrEqual(leastSchedules);
  },
);

test("a worker that is stopped in the middle of its round is followed by one that goes on", async () => {
  const trace = await traceOf("one; 0 take over a/net; 2 restart worker 0");
  expect(trace.join("\n")).toContain("component.override.started");
});

test("what is asked isn't taken for something else that was asked before", async () => {
  const among = (...names: string[]) => ({
    world: worlds.one,
    deeds: 1,
    preemptions: 0,
    among: (name: string) => names.includes(name),
  });
  const check = await explore(among("ask for a check of a/net"));
  const both = await explore(among("ask for a check of a/net", "deploy size 2"));
  expect(both.states).toBeGreaterThan(check.states + 50);
});

test("a schedule always goes the same way, and can be told in a line", async () => {
  const line = "one; 0 take over a/net; 9 crash worker 0; 14 hand back a/net; 20 worker 1";
  const { name, decisions } = readSchedule(line);
  expect(toldSchedule(name, decisions)).toBe(line);
  const traces = await Promise.all([traceOf(line), traceOf(line)]);
  expect(traces[0]).toEqual(traces[1]);
  expect(traces[0].length).toBeGreaterThan(15);
});

test("what is interrupted takes another way than what isn't", async () => {
  expect(await traceOf("one; 4 take over a/net")).not.toEqual(await traceOf("one; 0 take over a/net"));
});

async function traceOf(line: string): Promise<string[]> {
  const { name, decisions } = readSchedule(line);
  const trace: string[] = [];
  await followSchedule({ world: worlds[name], decisions, visit: () => true, onStep: (step) => trace.push(step) });
  return trace;
}
