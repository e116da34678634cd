import autocannon from "autocannon";

/** Requests to send over fifty connections. */
export interface Load {
  readonly url: string;
  readonly method: "GET" | "POST";
  readonly amount: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** The results. */
export interface Loaded {
  readonly seconds: number;
  /** Unsuccessful answers, and requests without one. */
  readonly failures: number;
}

/** The client's side of a comparison, in a separate process so that its cost isn't counted. */
process.on("message", async ({ amount, ...load }: Load) => {
  const startedAt = performance.now();
  const { non2xx, errors } = await autocannon({ ...load, amount, connections: 50, sampleInt: 10 });
  const loaded: Loaded = { seconds: (performance.now() - startedAt) / 1000, failures: non2xx + errors };
  process.send?.(loaded);
});
process.on("disconnect", () => process.exit(0));
process.send?.({ kind: "ready" });
