import { planOf, simulate } from "@liveplane/simulator";
import { expect, test } from "vitest";
import { eventJudge } from "./event-members.ts";

test("what agents tell of is what the types of their events say, whatever happens", { timeout: 60_000 }, async () => {
  const { judge, objections, seen } = eventJudge();
  for (let seed = 1; seed <= 10; seed++) {
    await simulate(planOf(seed), {
      onStep(line) {
        const [, type = "", data = ""] = / event (\S+) \S+ (\{.*\})$/.exec(line) ?? [];
        if (type !== "") judge(type, JSON.parse(data));
      },
    });
    expect(objections(), `pnpm simulate --seed ${seed}`).toEqual([]);
  }
  expect(seen()).toBeGreaterThan(15);
});
