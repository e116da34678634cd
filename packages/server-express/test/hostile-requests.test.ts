import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createDemo } from "../src/demo.ts";
import { type HostileRequest, hostileRequests, type Target } from "./hostile-cases.ts";
import { type RawAnswer, send } from "./raw-http.ts";
import { type EndableServer, type Person, startServer } from "./running-server.ts";

const runs = Number(process.env.LIVEPLANE_HOSTILE_RUNS ?? 2_000);
const atOnce = 20;
const patienceMs = 15_000;
const mebibyte = 1024 * 1024;

let server: EndableServer;
let ada: Person;
let target: Target;
let operatorToken: string;
beforeAll(async () => {
  server = await startServer({ LIVEPLANE_REVEAL: "on", LIVEPLANE_VALIDATE_ANSWERS: "on" });
  ada = await server.person("ada");
  const [demo, organization, signedIn] = await Promise.all([
    createDemo(server.liveplane, ada.id, AbortSignal.timeout(30_000)),
    ada.api.organizations.create({ name: "Target" }),
    server.operator.sessions.create({ username: "operator", password: "a long enough secret" }),
  ]);
  operatorToken = signedIn.accessToken;
  const organizationId = organization.id;
  const environment = { type: "Personal", ownerId: ada.id, shortName: "demo" } as const;
  await Promise.all([
    ada.api.organizations.teams.upsert({ organizationId }, { shortName: "web" }),
    ada.api.organizations.resourceGroups.upsert({ organizationId, shortName: "web" }, {}),
    ada.api.accounts.resourceGroups.upsert({ shortName: "web" }, {}),
    ada.api.environments.secrets.create(environment, { shortName: "web", value: "a secret" }),
  ]);
  target = { accountId: ada.id, organizationId, livesystemId: demo.livesystemId };
});
afterAll(() => server.end());

/** Words of an implementation that an answer must not say. */
const leaks = /\.ts:\d|node:internal|SQLITE|better-sqlite|at async |\/work\/|\/home\/|TypeError|ZodError/;

/** How often each status was answered: the requests have to come as far as every kind of refusal. */
const statuses = new Map<number, number>();

async function judged(request: HostileRequest): Promise<string[]> {
  const { who, body, ...rest } = request;
  const token = { owner: ada.token, operator: operatorToken, stranger: undefined }[who];
  const headers = token === undefined ? rest.headers : { authorization: `Bearer ${token}`, ...rest.headers };
  const sent = send(server.url, { ...rest, headers, ...(body !== undefined && { body }) });
  const hung = new Promise<null>((resolve) => setTimeout(resolve, patienceMs, null).unref());
  const answer = await Promise.race([sent, hung]);
  statuses.set(answer?.status ?? 0, (statuses.get(answer?.status ?? 0) ?? 0) + 1);
  return answer === null ? ["hung"] : faultsOf(request, answer);
}

function faultsOf({ method }: HostileRequest, { status, headers, text, json }: RawAnswer): string[] {
  const faults: string[] = [];
  if (status >= 500) faults.push(`status ${status}`);
  if (leaks.test(text)) faults.push("leaks its inside");
  if (headers["x-injected"] !== undefined) faults.push("a header was injected");
  if (headers["api-version"] !== "1") faults.push("lacks Api-Version");
  if (headers["x-request-id"] === undefined) faults.push("lacks X-Request-Id");
  if (status < 400) return faults;
  if (headers["content-type"] !== "application/problem+json; charset=utf-8") faults.push("no problem document");
  if (method !== "HEAD" && (json?.status !== status || typeof json.code !== "string"))
    faults.push("a wrong problem document");
  return faults;
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

async function attack(count: number, seed: number): Promise<void> {
  const requests = fc.sample(hostileRequests(target), { numRuns: count, seed });
  const faulty: unknown[] = [];
  for (let at = 0; at < requests.length; at += atOnce) {
    const batch = requests.slice(at, at + atOnce);
    const faults = await Promise.all(
      batch.map((request) => judged(request).catch((error: unknown) => [String(error)])),
    );
    for (const [index, found] of faults.entries()) if (found.length > 0) faulty.push({ found, request: batch[index] });
  }
  expect({ seed, faulty: faulty.slice(0, 5) }).toEqual({ seed, faulty: [] });
}

test(`${runs} hostile requests: no failure of the server, no hang, each refusal a problem document`, {
  timeout: 60_000 + runs * 50,
}, async () => {
  const seed = Number(process.env.LIVEPLANE_HOSTILE_SEED ?? 20_261_121);
  await attack(Math.ceil(runs / 4), seed);
  const before = await heapAfterCollection();
  await attack(Math.ceil((runs * 3) / 4), seed + 1);
  const grown = (await heapAfterCollection()) - before;
  expect([...statuses.keys()]).toEqual(expect.arrayContaining([200, 201, 400, 401, 403, 404, 405, 406, 415]));
  expect(grown).toBeLessThan(24 * mebibyte);
  const { organizationId, livesystemId } = target;
  for (const path of ["/readyz", `/organizations/${organizationId}`, `/livesystems/${livesystemId}`])
    expect((await send(server.url, { path, token: ada.token })).status).toBe(200);
});
