import type { Answered } from "@liveplane/core/http";

/** Answer times by operation and status, as a Prometheus histogram. */
export interface RequestTimes {
  observe(answered: Pick<Answered, "operation" | "status" | "seconds">): void;
  text(): string;
}

const name = "liveplane_http_request_seconds";
/** The upper bounds of the buckets. */
const bounds = [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10, Number.POSITIVE_INFINITY];

interface Times {
  readonly counts: number[];
  sum: number;
}

/** Hand-written, because prom-client joins and hashes labels for each value, which took 3 % of a read's total cost. */
export function createRequestTimes(): RequestTimes {
  const all = new Map<string, Map<number, Times>>();

  function timesOf(operation: string, status: number): Times {
    const known = all.get(operation) ?? new Map<number, Times>();
    const times = known.get(status) ?? { counts: bounds.map(() => 0), sum: 0 };
    all.set(operation, known.set(status, times));
    return times;
  }

  return {
    observe({ operation, status, seconds }) {
      const times = all.get(operation)?.get(status) ?? timesOf(operation, status);
      let at = 0;
      while (seconds > (bounds[at] ?? seconds)) at++;
      times.counts[at] = (times.counts[at] ?? 0) + 1;
      times.sum += seconds;
    },
    text() {
      const lines = [`# HELP ${name} Requests by operation and status.`, `# TYPE ${name} histogram`];
      for (const [operation, byStatus] of all)
        for (const [status, times] of byStatus)
          lines.push(...linesOf(times, `operation="${operation}",status="${status}"`));
      return `${lines.join("\n")}\n`;
    },
  };
}

function linesOf({ counts, sum }: Times, labels: string): string[] {
  let count = 0;
  const buckets = bounds.map((bound, at) => {
    count += counts[at] ?? 0;
    const most = bound === Number.POSITIVE_INFINITY ? "+Inf" : bound;
    return `${name}_bucket{le="${most}",${labels}} ${count}`;
  });
  return [...buckets, `${name}_sum{${labels}} ${sum}`, `${name}_count{${labels}} ${count}`];
}
