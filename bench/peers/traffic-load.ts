import autocannon from "autocannon";
import { environmentsEach, nameOf, type TrafficCaller } from "./traffic.ts";

/** Traffic of many callers in random order. */
export interface Traffic {
  readonly url: string;
  readonly callers: readonly TrafficCaller[];
  readonly kind: "read" | "list" | "create" | "change";
  readonly amount: number;
  readonly round: number;
}

const connections = 50;

process.on("message", async ({ url, callers, kind, amount, round }: Traffic) => {
  let made = 0;
  const pick = <T>(from: readonly T[]) => from[Math.floor(Math.random() * from.length)] as T;
  const request = () => {
    const { token, ownerId } = pick(callers);
    const authorized = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const existing = nameOf(Math.floor(Math.random() * environmentsEach));
    if (kind === "list") return { method: "GET" as const, path: "/environments?limit=20", headers: authorized };
    made += 1;
    const shortName = kind === "create" ? `r${round}-${made}` : existing;
    const path = `/environments/Personal/${ownerId}/${shortName}`;
    if (kind === "read") return { method: "GET" as const, path, headers: authorized };
    const body = JSON.stringify({ name: `${kind} ${round} ${made}` });
    return { method: kind === "create" ? ("POST" as const) : ("PUT" as const), path, headers: authorized, body };
  };
  const perConnection = amount / connections;
  const startedAt = performance.now();
  const { non2xx, errors } = await autocannon({
    url,
    amount,
    connections,
    sampleInt: 10,
    setupClient: (client) => client.setRequests(Array.from({ length: perConnection }, request)),
  });
  process.send?.({ seconds: (performance.now() - startedAt) / 1000, failures: non2xx + errors });
});
process.on("disconnect", () => process.exit(0));
process.send?.({ kind: "ready" });
