import { expect, test } from "vitest";
import { summaryOf } from "./test-summary.ts";

const counts = { numPassedTests: 12, numFailedTests: 1, numPendingTests: 0 };
const took = (name: string, seconds: number) => ({ name, startTime: 5_000, endTime: 5_000 + seconds * 1000 });

test("the ten slowest files are named, the slowest first, and the last line counts the tests", () => {
  const testResults = Array.from({ length: 12 }, (_, at) => took(`/home/me/liveplane/test/${at}.test.ts`, at));
  const lines = summaryOf({ ...counts, testResults }, "/home/me/liveplane");
  expect(lines).toHaveLength(12);
  expect(lines[1]).toBe("   11.0 s  test/11.test.ts");
  expect(lines[10]).toBe("    2.0 s  test/2.test.ts");
  expect(lines[11]).toBe("12 passed, 1 failed");
});

test("tests that were left out are counted where there are any", () => {
  expect(summaryOf({ ...counts, numPendingTests: 3, testResults: [] }, "/").at(-1)).toBe(
    "12 passed, 1 failed, 3 skipped",
  );
});
