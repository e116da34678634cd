import { expect, test } from "vitest";
import { planOf, simulateForever } from "../src/index.ts";

/** In 5, 8 and 66 it is all of another tenant. */
const seeds = [1, 2, 3, 4, 5, 6, 7, 8, 9, 66];

test("what never heals delays nothing else: one cloud, one component or one tenant", { timeout: 240_000 }, async () => {
  let judged = 0;
  for (const seed of seeds) {
    const { broken, judged: those } = await simulateForever(planOf(seed));
    expect(broken, `seed ${seed}`).toBeNull();
    judged += those;
  }
  expect(judged).toBeGreaterThanOrEqual(20);
});
