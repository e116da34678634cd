import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { tellSteps } from "../../src/cli/step-lines.ts";

type Step = Parameters<ReturnType<typeof tellSteps>>[0]["steps"][number];

const since = "2026-01-01T00:00:00Z";
const step = (given: Partial<Step>): Step => ({
  ...{ componentId: "s/web", state: "begun", waiting: null, error: null },
  ...given,
});

beforeEach(() => {
  vi.useFakeTimers({ now: Date.parse(since) });
});
afterEach(() => {
  vi.useRealTimers();
});

/** The lines that are said when a mutation is read again and again, a number of seconds later each time. */
function linesOf(...read: readonly (readonly [seconds: number, step: Step])[]): string[] {
  const lines: string[] = [];
  const tell = tellSteps((line) => lines.push(line));
  for (const [seconds, one] of read) {
    vi.advanceTimersByTime(seconds * 1000);
    tell({ steps: [one] });
  }
  return lines;
}

test("a step that waits is told once a minute, with how long it has waited", () => {
  const waiting = { why: "failing", detail: "The quota is used up.", since } as const;
  const waits = step({ waiting });
  expect(
    linesOf([0, waits], [59, waits], [1, waits], [30, waits], [31, waits], [0, step({ state: "converged" })]),
  ).toEqual([
    "web: in progress (The quota is used up.)",
    "web: in progress (The quota is used up. This began 1 min ago.)",
    "web: in progress (The quota is used up. This began 2 min ago.)",
    "web: done",
  ]);
});

test("a failed step says what the cloud said, and one that hasn't begun says nothing", () => {
  const error = { code: "ProviderError", detail: "The cloud refused it.", providerMessage: "No such region." };
  expect(linesOf([0, step({ state: "pending" })], [1, step({ state: "failed", error })])).toEqual([
    "web: failed (ProviderError: No such region.)",
  ]);
});
