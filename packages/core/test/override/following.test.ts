import fc from "fast-check";
import { expect, test } from "vitest";
import type { AgentDeps } from "../../src/override/agent/agent-deps.ts";
import { begunOperation, followed } from "../../src/override/agent/agent-follow.ts";
import type { ComponentRecord } from "../../src/override/records/component-record.ts";
import type { Cloud, OperationReading } from "../../src/ports/cloud.ts";
import { fakeRuntime } from "../../src/testing/fake-runtime.ts";
import { fakeSealer } from "../../src/testing/fake-secrets.ts";

const paceMs = fc.integer({ min: 0, max: 300_000 });
const address = fc.constantFrom("first", "second", "third");
const working = fc.record({ progress: fc.nat(100), pollAfterMs: paceMs, address }, { requiredKeys: [] });
const unreadable = fc.record({ retryAfterMs: paceMs }, { requiredKeys: [] });
const answers = fc.array(
  fc.record({
    afterMs: fc.integer({ min: 0, max: 200_000 }),
    answer: fc.oneof(
      working.map((said): OperationReading => ({ state: "working", ...said })),
      unreadable.map((said): OperationReading => ({ state: "unreadable", reason: "Down", ...said })),
    ),
  }),
  { maxLength: 12 },
);
const words = { code: "Quota", message: "There is no more." };
const last = fc.constantFrom<OperationReading>({ state: "done" }, { state: "gone" }, { state: "failed", ...words });

/** The pace that a cloud may ask for: ten seconds if it names none. */
const paced = (ms = 10_000) => Math.min(Math.max(ms, 1_000), 120_000);

test("an accepted write is followed to its end at the address, and at the pace, that the cloud named last", async () => {
  await fc.assert(
    fc.asyncProperty(answers, last, fc.option(paceMs, { nil: undefined }), async (said, end, firstMs) => {
      const runtime = fakeRuntime();
      const { clock } = runtime;
      const deps = { runtime, sealer: fakeSealer(), calls: { turn: async () => {} } } as unknown as AgentDeps;
      const at = { liveSystemId: "system", path: "app", type: "a", resource: { id: "one" } };
      const begun = { address: "begun", ...(firstMs !== undefined && { pollAfterMs: firstMs }) };
      let operation = await begunOperation(begun, at, { kind: "correct", changes: [], sent: null }, deps);
      const asked: string[] = [];
      const ask = async (answer: OperationReading) => {
        const follow: Cloud["follow"] = async (_, { address }) => {
          asked.push(address);
          return answer;
        };
        const cloud = { follow } as Cloud;
        const record = { ...at, operation } as unknown as ComponentRecord;
        return followed(record, { cloud, call: {} as never, deps, lane: "people" });
      };
      const expected = { address: "begun", progress: null as number | null, nextAt: clock.now() + paced(firstMs) };
      for (const { afterMs, answer } of said) {
        await runtime.advance(afterMs);
        const isDue = clock.now() >= expected.nextAt;
        const before = asked.length;
        const { pending, ended } = await ask(answer);
        expect(asked.slice(before)).toEqual(isDue ? [expected.address] : []);
        if (isDue && answer.state === "working") {
          expected.address = answer.address ?? expected.address;
          expected.progress = answer.progress ?? expected.progress;
          expected.nextAt = clock.now() + paced(answer.pollAfterMs);
        } else if (isDue && answer.state === "unreadable") expected.nextAt = clock.now() + paced(answer.retryAfterMs);
        expect(ended).toBeNull();
        expect(pending).toMatchObject({ kind: "correct", progress: expected.progress, nextAt: expected.nextAt });
        if (pending !== null) operation = pending;
      }
      await runtime.advance(120_000);
      const { pending, ended } = await ask(end);
      expect(asked.at(-1)).toBe(expected.address);
      expect(pending).toBeNull();
      expect(ended).toMatchObject({ operation, failure: end.state === "failed" ? words : null });
    }),
    { numRuns: 200 },
  );
});
