import { describe, expect, test } from "vitest";
import { intervalScheduler } from "../../src/ports/interval-scheduler.ts";
import type { Scheduler } from "../../src/ports/scheduler.ts";
import { fakeRuntime } from "../../src/testing/fake-runtime.ts";
import { schedulerConformance } from "../../src/testing/scheduler-laws/scheduler-conformance.ts";
import { tracedScheduler } from "../../src/traced-scheduler.ts";
import { recordedSpans } from "../builders/recorded-spans.ts";

function traced() {
  const lines: unknown[] = [];
  const { tracer, told } = recordedSpans();
  const runtime = fakeRuntime();
  const logger = { ...runtime.logger, debug: (fields: object) => void lines.push(fields) };
  const scheduler = tracedScheduler({ tracer, logger }, intervalScheduler({ runtime }));
  return { scheduler, tracer, told, lines, clock: runtime.clock, advance: runtime.advance };
}

describe("a scheduler whose runs are traced", () => {
  schedulerConformance(test, traced, { sharedByProcesses: false });
});

test("each run is the root of a trace, whoever asked for it, and a line says which shard it is of", async () => {
  const { scheduler, tracer, told, lines, advance } = traced();
  const task = { name: "sweep", everyMs: 60_000, shards: async () => [] };
  const run = () => tracer.during({ name: "pass", fields: {} }, async () => {});
  const running = await scheduler.start({ ...task, run });
  await tracer.during({ name: "request", fields: {} }, () => scheduler.enqueue({ task: "sweep", shard: "2:1" }));
  await advance(1_000);
  await running.stop();
  const [pass, sweep] = ["pass", "task.sweep"].map((name) => told().find((span) => span.name === name));
  expect(sweep).toMatchObject({ parentId: null, text: expect.stringContaining("2:1") });
  expect(pass?.parentId).toBe(sweep?.id);
  expect(lines).toEqual([{ task: "sweep", shard: "2:1" }]);
});

test("what a scheduler says of its leases stays said, and it is closed with it", async () => {
  let isClosed = false;
  const scheduler: Scheduler = {
    leaseMs: 20_000,
    start: () => Promise.reject(new RangeError("not started")),
    enqueue: async () => {},
    async close() {
      isClosed = true;
    },
  };
  const { tracer } = recordedSpans();
  const { logger } = fakeRuntime();
  const same = tracedScheduler({ tracer, logger }, scheduler);
  await same.close?.();
  expect({ leaseMs: same.leaseMs, isClosed }).toEqual({ leaseMs: 20_000, isClosed: true });
});
