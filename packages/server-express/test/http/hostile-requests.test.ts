import { createHash } from "node:crypto";
import { type FetchHandler, fetchHandler } from "@liveplane/core/fetch";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { recordRun } from "../../../../quality/record-run.ts";
import { openApiJudge } from "../every-operation/open-api-judge.ts";
import { type RawAnswer, send } from "../raw-http.ts";
import { type HostileRequest, hostileRequests } from "./hostile-cases.ts";
import { handHostile, sendHostile } from "./hostile-sending.ts";
import { withIds } from "./hostile-values.ts";
import { type HostileWorld, startHostileWorld } from "./hostile-world.ts";

const runs = Number(process.env.LIVEPLANE_HOSTILE_RUNS ?? 2_000);
const seed = Number(process.env.LIVEPLANE_HOSTILE_SEED ?? 20_261_121);
/** So many are made at once, from a seed of their own: a longer run begins with the shorter one. */
const batch = 500;
const atOnce = 20;
const patienceMs = 30_000;
const mebibyte = 1024 * 1024;

let world: HostileWorld;
let handle: FetchHandler;
beforeAll(async () => {
  world = await startHostileWorld();
  handle = fetchHandler(world.server.liveplane, { rateLimits: "off" });
}, 120_000);
afterAll(() => world.server.end());

/** Words of an implementation that an answer must not say. */
const leaks = /\.ts:\d|node:internal|SQLITE|better-sqlite|at async |\/home\/|TypeError|ZodError/;

const judge = openApiJudge();
type Edge = "express" | "fetch";
/** How many went to which edge. */
const edges: Record<Edge, number> = { express: 0, fetch: 0 };
/** How often each status was answered: the requests have to come as far as every kind of refusal. */
const statuses = new Map<string, number>();

function aimed(request: HostileRequest): HostileRequest {
  const aim = (text: string) => withIds(text, world.ids);
  const headers = Object.entries(request.headers).map(([name, of]) => [
    name,
    Array.isArray(of) ? of.map(aim) : aim(of),
  ]);
  return {
    ...request,
    path: aim(request.path),
    headers: Object.fromEntries(headers),
    body: request.body === undefined ? undefined : aim(request.body),
  };
}

/** Over the wire, or by the fetch handler; which of them, and as which path. */
async function answered(request: HostileRequest, over: Edge) {
  const { url } = world.server;
  const token = world.tokens[request.who];
  const handed = over === "fetch" ? await handHostile(handle, url, request, token) : undefined;
  edges[handed === undefined ? "express" : "fetch"] += 1;
  return handed ?? { path: request.path, answer: await sendHostile(url, request, token) };
}

async function faultsOf(made: HostileRequest, over: Edge): Promise<string[]> {
  const hung = new Promise<"hung">((resolve) => setTimeout(resolve, patienceMs, "hung").unref());
  const found = await Promise.race([answered(made, over), hung]);
  const answer = found === "hung" ? found : found.answer;
  const request = found === "hung" ? made : { ...made, path: found.path };
  const kind = answer === null ? "nobody waited" : String(answer === "hung" ? answer : answer.status);
  statuses.set(kind, (statuses.get(kind) ?? 0) + 1);
  if (answer === "hung") return ["hung"];
  return answer === null ? [] : faultsIn(request, answer);
}

function faultsIn({ method, path, who }: HostileRequest, answer: RawAnswer): string[] {
  const { status, headers, text, json } = answer;
  const faults: string[] = [];
  if (status >= 500 && status !== 502) faults.push(`status ${status}`);
  if (leaks.test(text)) faults.push("leaks its inside");
  if (who !== "operator" && `${JSON.stringify(headers)}${text}`.includes(world.canary))
    faults.push("tells of a tenant");
  if (headers["x-injected"] !== undefined) faults.push("a header was injected");
  if (headers["api-version"] !== "1") faults.push("lacks Api-Version");
  if (headers["x-request-id"] === undefined) faults.push("lacks X-Request-Id");
  faults.push(...objectionsTo(method, path, answer));
  if (status < 400) return faults;
  if (headers["content-type"] !== "application/problem+json; charset=utf-8") faults.push("no problem document");
  if (method === "HEAD") return faults;
  if (json?.status !== status || typeof json.code !== "string") faults.push("a wrong problem document");
  if (Array.isArray(json?.errors) && json.errors.length > 100) faults.push("names too many places");
  return faults;
}

/** What the OpenAPI document says against an answer; of what it doesn't know, that it isn't refused. */
function objectionsTo(method: string, path: string, { status, headers, text }: RawAnswer): string[] {
  const [verb, bare] = [method.toLowerCase(), path.split("?")[0] ?? ""];
  if (verb === "head" || status === 431 || (verb === "options" && status === 204)) return [];
  if (!judge.knows(verb, bare)) return status < 400 ? [`answers what isn't in the document with ${status}`] : [];
  const before = new Set(judge.objections());
  judge.judge({ method: verb, path: bare, status, header: (name) => headers[name.toLowerCase()] ?? null, body: text });
  return judge.objections().filter((objection) => !before.has(objection));
}

/** What is in use when all that is unused is gone. */
async function heapAfterCollection(): Promise<number> {
  const { setFlagsFromString } = await import("node:v8");
  const { runInNewContext } = await import("node:vm");
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  for (let turn = 0; turn < 3; turn++) {
    await new Promise((resolve) => setImmediate(resolve));
    collect();
  }
  return process.memoryUsage().heapUsed;
}

/** Tries one batch, and that the server still lives. */
async function attack(at: number, digest: ReturnType<typeof createHash>): Promise<void> {
  const requests = fc.sample(hostileRequests, { numRuns: Math.min(batch, runs - at), seed: seed + at });
  for (const request of requests) digest.update(JSON.stringify(request));
  const faulty: unknown[] = [];
  await world.keepSignedIn();
  const waiting = requests.entries();
  const worker = async () => {
    for (const [place, made] of waiting) {
      const request = aimed(made);
      const found = await faultsOf(request, place % 2 === 0 ? "express" : "fetch").catch((error: unknown) => [
        String(error),
      ]);
      if (found.length > 0) faulty.push({ found, request: { ...request, body: request.body?.slice(0, 2_000) } });
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  expect({ LIVEPLANE_HOSTILE_SEED: seed, at, faulty: faulty.slice(0, 5) }).toMatchObject({ faulty: [] });
  expect((await send(world.server.url, { path: "/healthz" })).status).toBe(200);
}

test(`${runs} hostile requests: no failure of the server, no hang, nothing of another tenant, each refusal as the document says`, {
  timeout: 120_000 + runs * 50,
}, async () => {
  const things = await world.victimsThings();
  const startedAt = performance.now();
  const digest = createHash("sha256");
  const warm = Math.ceil(runs / 4 / batch) * batch;
  for (let at = 0; at < warm; at += batch) await attack(at, digest);
  const before = await heapAfterCollection();
  for (let at = warm; at < runs; at += batch) await attack(at, digest);
  const grown = (await heapAfterCollection()) - before;
  recordRun("hostile", {
    requests: runs,
    seed,
    digest: digest.digest("hex"),
    seconds: Math.round((performance.now() - startedAt) / 1000),
    edges,
    answers: Object.fromEntries([...statuses].toSorted(([one], [other]) => (one < other ? -1 : 1))),
  });
  expect([...statuses.keys()]).toEqual(
    expect.arrayContaining(["200", "201", "400", "401", "403", "404", "405", "406", "413", "415", "nobody waited"]),
  );
  expect(edges.fetch).toBeGreaterThan(runs / 3);
  expect(grown).toBeLessThan((24 + runs / 2_000) * mebibyte);
  expect(await world.victimsThings()).toEqual(things);
  for (const path of ["/readyz", "/healthz"]) expect((await send(world.server.url, { path })).status).toBe(200);
});
