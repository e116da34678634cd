import { describe, expect, test } from "vitest";
import { webRuntime } from "../../src/ports/web-runtime.ts";
import { tracerConformance } from "../../src/testing/tracer-conformance.ts";
import { recordedSpans, type TracerFlaws } from "../builders/recorded-spans.ts";

describe("a tracer that keeps its spans", () => tracerConformance(test, () => recordedSpans()));

/** The first law that a tracer breaks; `null`: it keeps them all. */
async function brokenLaw(flaws: TracerFlaws): Promise<string | null> {
  const laws: [string, () => Promise<void>][] = [];
  tracerConformance(
    (title, run) => laws.push([title, run]),
    () => recordedSpans(flaws),
  );
  for (const [title, run] of laws) {
    const isKept = await run().then(
      () => true,
      () => false,
    );
    if (!isKept) return title;
  }
  return null;
}

test.each<[keyof TracerFlaws, string]>([
  ["losesWork", "gives what the work gives, which is done once and at once"],
  ["repeatsWork", "gives what the work gives, which is done once and at once"],
  ["waitsFirst", "gives what the work gives, which is done once and at once"],
  ["swallowsFailures", "fails with what the work fails with"],
  ["forgetsParents", "makes a child of what is begun in the work, over every await"],
  ["keepsOneParent", "keeps spans apart that go on beside each other"],
  ["ignoresRoots", "begins a trace with a root, whatever goes on around it"],
  ["ignoresFarAway", "goes on with a span far away, and not within one of here"],
  ["trustsAnyParent", "takes no parent from what is none"],
  ["tellsMessages", "tells the code of a failure, and nothing else of it"],
  ["tellsStrangersCodes", "tells the code of a failure, and nothing else of it"],
  ["ignoresEnds", "tells how work came out that gave something, and nothing of what it gave"],
  ["tellsWhatWasGiven", "tells how work came out that gave something, and nothing of what it gave"],
  ["dropsFields", "tells the name and all fields"],
  ["tellsAtTheBegin", "tells of a span once it has ended, and not before"],
])("a tracer is found that %s", async (flaw, law) => {
  expect(await brokenLaw({ [flaw]: true })).toBe(law);
});

test("without a tracer the work is done, and not so much as a turn of the loop is added", async () => {
  const given = Promise.resolve(7);
  expect(webRuntime().tracer.during({ name: "work", fields: {} }, () => given)).toBe(given);
});
