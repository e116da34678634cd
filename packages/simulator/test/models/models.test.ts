import { expect, test } from "vitest";
import { agentTable } from "./agent-table.ts";
import { missingTools, modelTable, prove, readResult } from "./spin.ts";

const isMissing = missingTools().length > 0;

// Skipped where Debian's spin or gcc isn't installed: npm alone must do for the tests.
test.skipIf(isMissing)("the model and the agent decide the same for every combination of facts", async () => {
  expect((await modelTable()).toSorted()).toEqual(agentTable().toSorted());
});

test.skipIf(isMissing)("the model finds a mistake that is planted in it", async () => {
  const planted = { model: "component", with: ["DEEDS=1", "MISHAPS=1", "M_UNREADABLE_IS_UNTAGGED"] } as const;
  for await (const found of prove(planted))
    expect(found).toMatchObject({ holds: false, broken: expect.stringContaining("assertion violated") });
});

test("a search that was cut short proves nothing", () => {
  const whole =
    "State-vector 12 byte, depth reached 3, errors: 0\n  17 states, stored\n  20 transitions (= stored+matched)";
  expect(readResult(whole)).toEqual({ holds: true, states: 17, transitions: 20, broken: null });
  expect(readResult(`Warning: Search not completed\n${whole}`).holds).toBe(false);
  expect(readResult(`error: max search depth too small\n${whole}`).holds).toBe(false);
  expect(readResult("").holds).toBe(false);
});
