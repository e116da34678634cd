import autocannon from "autocannon";
import { collectors, environmentsEach, nameOf, type TrafficCaller } from "./traffic.ts";

/** Traffic of many callers in random order. */
export interface Traffic {
  readonly url: string;
  readonly callers: readonly TrafficCaller[];
  readonly kind: "read" | "list" | "longList" | "create" | "change" | "delete";
  readonly amount: number;
  readonly round: number;
  /** Requests a second, each started on time however late earlier answers are. @default as fast as answers come */
  readonly perSecond?: number;
  /** One caller after the other instead of random ones. */
  readonly inTurn?: boolean;
}

/** The outcome; latencies are counted from when a request should have started. */
export interface TrafficResult {
  readonly seconds: number;
  readonly failures: number;
  readonly p50: number;
  readonly p99: number;
}

const connections = 50;

process.on("message", async ({ url, callers, kind, amount, round, perSecond, inTurn = false }: Traffic) => {
  let made = 0;
  const pick = <T>(from: readonly T[]) => from[Math.floor(Math.random() * from.length)] as T;
  const request = () => {
    made += 1;
    // What one round creates, the same round deletes.
    const isNumbered = kind === "create" || kind === "delete";
    const anyone = isNumbered || inTurn ? callers[made % callers.length] : pick(callers);
    const { token, ownerId } = (kind === "longList" ? pick(callers.slice(0, collectors)) : anyone) as TrafficCaller;
    const authorized = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    if (kind === "list") return { method: "GET" as const, path: "/environments?limit=20", headers: authorized };
    if (kind === "longList") return { method: "GET" as const, path: "/environments?limit=100", headers: authorized };
    const shortName = isNumbered ? `r${round}-${made}` : nameOf(Math.floor(Math.random() * environmentsEach));
    const path = `/environments/Personal/${ownerId}/${shortName}`;
    if (kind === "read") return { method: "GET" as const, path, headers: authorized };
    if (kind === "delete") return { method: "DELETE" as const, path, headers: { authorization: `Bearer ${token}` } };
    const body = JSON.stringify({ name: `${kind} ${round} ${made}` });
    return { method: kind === "create" ? ("POST" as const) : ("PUT" as const), path, headers: authorized, body };
  };
  const perConnection = amount / connections;
  const startedAt = performance.now();
  const { non2xx, errors, latency } = await autocannon({
    url,
    amount,
    connections,
    sampleInt: 10,
    ...(perSecond !== undefined && { overallRate: perSecond }),
    setupClient: (client) => client.setRequests(Array.from({ length: perConnection }, request)),
  });
  const seconds = (performance.now() - startedAt) / 1000;
  process.send?.({ seconds, failures: non2xx + errors, p50: latency.p50, p99: latency.p99 } satisfies TrafficResult);
});
process.on("disconnect", () => process.exit(0));
process.send?.({ kind: "ready" });
