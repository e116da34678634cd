import fc from "fast-check";
import { Histogram, Registry } from "prom-client";
import { expect, test } from "vitest";
import { createRequestTimes } from "../../src/observing/request-times.ts";

const answered = fc.record({
  operation: fc.constantFrom("accounts.me", "environments.get", "unknown"),
  status: fc.constantFrom(200, 404, 503),
  seconds: fc.oneof(fc.constantFrom(0, 0.001, 0.005, 0.1, 10, 10.000001), fc.double({ min: 0, max: 20, noNaN: true })),
});

test("the times of requests are written as prom-client writes a histogram", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(answered, { maxLength: 60, size: "max" }), async (all) => {
      const registry = new Registry();
      const theirs = new Histogram({
        name: "liveplane_http_request_seconds",
        help: "Requests by operation and status.",
        labelNames: ["operation", "status"],
        buckets: [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10],
        registers: [registry],
      });
      const ours = createRequestTimes();
      for (const { operation, status, seconds } of all) {
        ours.observe({ operation, status, seconds });
        theirs.observe({ operation, status: String(status) }, seconds);
      }
      expect(sorted(ours.text())).toEqual(sorted(await registry.metrics()));
    }),
  );
});

/** The order in which label sets come is nobody's business. */
const sorted = (text: string) => text.trimEnd().split("\n").sort();
