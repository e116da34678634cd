import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as pass } from "node:timers/promises";
import { createJudge, type ShardReport } from "./cluster-judge.ts";

// The cloud of a cluster's trial, and its judge, in a process that nobody kills.

const judge = createJudge({ now: () => performance.now(), intervalMs: Number(process.env.CLUSTER_INTERVAL_MS) });
const latencyMs = 5;
const bulkMs = 4_000;

/** What is asked of it. */
const answers: Readonly<Record<string, (body: never, node: string) => unknown>> = {
  "/add": (ids: readonly string[]) => judge.add(ids),
  "/drift": (ids: readonly string[]) => judge.drift(ids),
  "/died": (node: string) => judge.died(node),
  "/report": (report: ShardReport) => judge.reported(report),
  "/verdict": () => judge.verdict(),
  "/holders": () => judge.holders(),
  "/read": (ids: readonly string[]) => ids.map((id) => judge.read(id)),
  // Slow, so that a sweep has a middle to be hit in.
  "/read-many": async (ids: readonly string[]) => {
    await pass(bulkMs);
    return ids.map((id) => judge.read(id));
  },
  "/write": async ({ id, size, etag }: { id: string; size: number; etag: number }, node) => ({
    outcome: await judge.write(node, id, { size, etag, takes: () => pass(latencyMs) }),
  }),
};

async function bodyOf(request: IncomingMessage): Promise<never> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString() || "null") as never;
}

const server = createServer((request, response) => {
  const answer = answers[request.url ?? ""];
  void bodyOf(request)
    .then((body) => answer?.(body, String(request.headers["x-node"] ?? "")))
    .then((answered) => response.end(JSON.stringify(answered ?? null)))
    .catch(() => response.writeHead(500).end());
});
server.listen(0, "127.0.0.1", () => {
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${port}` })}\n`);
});
