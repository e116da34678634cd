import { expect, test } from "vitest";
import { operationsById } from "../../src/contract/operations/operations.ts";
import { callers, otherCallers } from "./expected-answers.ts";
import { worldOfCallers } from "./world.ts";

const world = await worldOfCallers();
const { liveplane } = await world.again();
const refused = ["nobody", "disabled", "suspended", "mustChange"];
const followers = [...callers, ...otherCallers].filter((who) => !refused.includes(who));

test.each(followers)("%s is told all of the log that they may view, and nothing else", async (who) => {
  const caller = { kind: "bearer", token: world.known[`${who}Token`] ?? "" } as const;
  const actor = await liveplane.access.identify(caller, operationsById["events.follow"]);
  const all = await liveplane.log.read(0, 1000);
  const may = await liveplane.access.seesEvents(actor, all);
  const expected = all.filter((_, at) => may[at]).map(({ sequence }) => sequence);
  const leave = new AbortController();
  const told: number[] = [];
  const following = (async () => {
    for await (const { sequence } of await liveplane.follow({ caller, query: { after: 0 }, signal: leave.signal }))
      told.push(sequence);
  })();
  await expect.poll(() => told.length).toBeGreaterThanOrEqual(expected.length);
  for (let turns = 0; turns < 20; turns++) await new Promise((resolve) => setImmediate(resolve));
  leave.abort();
  await following;
  expect(told).toEqual(expected);
});
