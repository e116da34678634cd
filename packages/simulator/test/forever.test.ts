import { expect, test } from "vitest";
import { planOf, simulateForever } from "../src/index.ts";

test("what never heals delays nothing else: one cloud or one component, in any way", { timeout: 240_000 }, async () => {
  let judged = 0;
  for (let seed = 1; seed <= 10; seed++) {
    const { broken, judged: those } = await simulateForever(planOf(seed));
    expect(broken, `seed ${seed}`).toBeNull();
    judged += those;
  }
  expect(judged).toBeGreaterThanOrEqual(20);
});
