import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as pass } from "node:timers/promises";
import { createJudge, type ShardReport } from "./cluster-judge.ts";
import type { CloudStep } from "./cluster-trace.ts";

// The cloud of a cluster's trial, and its judge, in a process that nobody kills.

const judge = createJudge({ now: () => performance.now(), intervalMs: Number(process.env.CLUSTER_INTERVAL_MS) });
const steps: CloudStep[] = [];
/** By the clock of the machine, which the database goes by as well. */
const at = () => performance.timeOrigin + performance.now();
const latencyMs = 5;
const bulkMs = 4_000;

/** What is asked of it. */
const answers: Readonly<Record<string, (body: never, node: string) => unknown>> = {
  "/add": (ids: readonly string[]) => judge.add(ids),
  "/drift": (ids: readonly string[]) => {
    const before = ids.map((id) => judge.shown(id));
    judge.drift(ids);
    for (const [nth, id] of ids.entries()) tellChange(null, id, before[nth] ?? null);
  },
  "/died": (node: string) => {
    steps.push({ at: at(), kind: "died", node });
    judge.died(node);
  },
  "/steps": () => steps,
  "/report": (report: ShardReport) => judge.reported(report),
  "/verdict": () => judge.verdict(),
  "/holders": () => judge.holders(),
  "/read": (ids: readonly string[], node) =>
    ids.map((id) => {
      const seen = judge.read(id);
      if (seen !== null) steps.push({ at: at(), kind: "read", node, id, ...seen });
      return seen;
    }),
  // Slow, so that a sweep has a middle to be hit in.
  "/read-many": async (ids: readonly string[]) => {
    await pass(bulkMs);
    return ids.map((id) => judge.read(id));
  },
  "/write": async ({ id, size, etag }: { id: string; size: number; etag: number }, node) => {
    steps.push({ at: at(), kind: "sent", node, id, etag });
    let before = judge.shown(id);
    const takes = async () => {
      await pass(latencyMs);
      before = judge.shown(id);
    };
    const outcome = await judge.write(node, id, { size, etag, takes });
    if (outcome === "done") tellChange(node, id, before);
    return { outcome };
  },
};

function tellChange(node: string | null, id: string, from: ReturnType<typeof judge.shown>): void {
  const to = judge.shown(id);
  if (from !== null && to !== null) steps.push({ at: at(), kind: "changed", node, id, from, to });
}

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
