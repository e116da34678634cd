import { Agent, request as httpRequest } from "node:http";
import { setTimeout as pass } from "node:timers/promises";
import { createClient } from "@liveplane/client";
import { expect, onTestFinished, test } from "vitest";
import { emptyFolder } from "../../../adapters/test/empty-folder.ts";
import { dial } from "../raw-http.ts";
import { type ServerProcess, startProcess } from "../server-process.ts";

const password = "correct horse battery";

async function started(
  dataDir: string,
  environment: Readonly<Record<string, string>> = {},
  args: readonly string[] = [],
) {
  const server = await startProcess(dataDir, environment, args);
  onTestFinished(() => void server.child.kill("SIGKILL"));
  return server;
}

/** How a request ended: answered, refused before it was sent, or cut. */
type Fate =
  | { readonly kind: "answered"; readonly status: number; readonly name: string }
  | { readonly kind: "refused" | "cut"; readonly why: string };

/** Posts over kept connections, so that a connection is used again until the server says that it ends. */
function post(agent: Agent, url: string, token: string, path: string): Promise<Fate> {
  const name = path.slice(path.lastIndexOf("/") + 1);
  return new Promise((resolve) => {
    const { hostname, port } = new URL(url);
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json", "content-length": 2 };
    const request = httpRequest({ agent, hostname, port, method: "POST", path, headers }, (response) => {
      response.resume();
      response.once("end", () => resolve({ kind: "answered", status: response.statusCode ?? 0, name }));
      response.once("error", (error) => resolve({ kind: "cut", why: error.message }));
    });
    request.once("error", (error: NodeJS.ErrnoException) => {
      // A new connection that the kernel took and the server did not: nobody has read anything from it.
      const untaken = error.code === "ECONNRESET" && !request.reusedSocket;
      resolve({ kind: error.code === "ECONNREFUSED" || untaken ? "refused" : "cut", why: String(error.code) });
    });
    request.end("{}");
  });
}

async function signedIn({ url }: ServerProcess, username = "ada") {
  const anonymous = createClient({ baseUrl: url });
  const { id } = await anonymous.accounts.createWithCredentials({ username, password });
  const { accessToken } = await anonymous.sessions.create({ username, password });
  return { id, token: accessToken };
}

/** Posts over one kept connection after the other, now at once, now after a rest, until a request isn't answered with 201. */
async function workUntilRefused(url: string, ada: { id: string; token: string }, at: number, fates: Fate[]) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  for (let turn = 0; ; turn++) {
    if (at % 2 === 0) await pass((at * 7 + turn * 13) % 40);
    const fate = await post(agent, url, ada.token, `/environments/Personal/${ada.id}/e${at}-${turn}`);
    fates.push(fate);
    if (fate.kind === "answered" && fate.status !== 201) continue;
    if (fate.kind !== "answered") return;
  }
}

test("SIGTERM under load: every request that went out is answered, what was answered is there, and the exit is clean", {
  timeout: 120_000,
}, async () => {
  const dataDir = emptyFolder();
  const server = await started(dataDir, { LIVEPLANE_LOG: "debug", LIVEPLANE_DRAIN_SECONDS: "2" });
  const ada = await signedIn(server);
  const fates: Fate[] = [];
  const load = Promise.all(Array.from({ length: 50 }, (_, at) => workUntilRefused(server.url, ada, at, fates)));
  await expect.poll(() => fates.length, { timeout: 30_000 }).toBeGreaterThan(150);
  server.child.kill("SIGTERM");
  await load;
  expect(await server.ended).toBe(0);

  expect(fates.filter(({ kind }) => kind === "cut")).toEqual([]);
  const answered = fates.flatMap((fate) => (fate.kind === "answered" ? [fate] : []));
  const countOf = (status: number) => answered.filter((fate) => fate.status === status).length;
  // A commit that lost too many races is answered as well: with 409, and nothing is there.
  expect(answered.filter(({ status }) => ![201, 409, 503].includes(status))).toEqual([]);
  expect(countOf(503)).toBeGreaterThanOrEqual(50);
  // The server's own count: it answered nothing that nobody received, and the other way round.
  const told = server.log().matchAll(/"method":"POST","status":(\d+)/g);
  const statuses = [...told].map(([, status]) => Number(status));
  for (const status of [201, 503])
    expect(statuses.filter((one) => one === status)).toHaveLength(countOf(status) + (status === 201 ? 2 : 0));

  const again = await started(dataDir);
  const api = createClient({ baseUrl: again.url, token: ada.token });
  const found = new Set<string>();
  for await (const { id } of api.environments.list.all()) found.add(id.shortName);
  const made = answered.filter(({ status }) => status === 201);
  expect([...found].toSorted()).toEqual(made.map(({ name }) => name).toSorted());
});

test("while a server ends, every connection that is open is told so by the answer to its next request", {
  timeout: 60_000,
}, async () => {
  const server = await started(emptyFolder(), { LIVEPLANE_DRAIN_SECONDS: "2" });
  const kept = await dial(server.url);
  const line = "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n";
  kept.socket.write(line);
  await expect.poll(kept.received).toContain('{"status":"ok"}');
  const half = await dial(server.url);
  half.socket.write(line.slice(0, 20));
  const fresh = await dial(server.url);
  server.child.kill("SIGTERM");
  await pass(500);
  // Before the others are told: once the last of them is gone, nobody listens any more.
  const late = await dial(server.url);
  kept.socket.write(line);
  half.socket.write(line.slice(20));
  fresh.socket.write(line);
  late.socket.write(line);
  for (const { closed } of [kept, half, fresh, late]) {
    const [refusal = ""] = (await closed).split('{"status":"ok"}').slice(-1);
    expect(refusal).toMatch(/^HTTP\/1\.1 503 /);
    expect(refusal).toMatch(/\r\nConnection: close\r\n/i);
    expect(refusal).toMatch(/\r\nRetry-After: \d+\r\n/);
    expect(refusal).toMatch(/\r\nContent-Type: application\/problem\+json/i);
    expect(refusal).toContain('"code":"Unavailable"');
  }
  expect(await server.ended).toBe(0);
});

test("requests in one go that a server has taken are all answered after SIGTERM", { timeout: 60_000 }, async () => {
  const server = await started(emptyFolder());
  const ada = await signedIn(server);
  const { socket, closed } = await dial(server.url);
  const head = (name: string) =>
    `POST /environments/Personal/${ada.id}/${name} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 2\r\nAuthorization: Bearer ${ada.token}\r\n\r\n`;
  socket.write(`${head("one")}{}${head("two")}{}${head("three")}{`);
  await pass(20);
  server.child.kill("SIGTERM");
  await pass(300);
  socket.write("}");
  expect((await closed).match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 201", "HTTP/1.1 201", "HTTP/1.1 201"]);
  expect(await server.ended).toBe(0);
});

test("connections that are idle, new, half a request or a stream of events don't keep a server from ending", {
  timeout: 60_000,
}, async () => {
  const server = await started(emptyFolder());
  const ada = await signedIn(server);
  const idle = await dial(server.url);
  idle.socket.write("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n");
  const half = await dial(server.url);
  half.socket.write("GET /healthz HTTP/1.1\r\nHost: x\r\nX-");
  const stream = await dial(server.url);
  stream.socket.write(`GET /events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${ada.token}\r\n\r\n`);
  await expect.poll(stream.received).toContain(": hello");
  await expect.poll(idle.received).toContain('{"status":"ok"}');
  const fresh = await dial(server.url);

  const startedAt = performance.now();
  server.child.kill("SIGTERM");
  expect(await fresh.closed).toBe("");
  // Only what has begun to ask is waited for.
  expect(half.socket.destroyed).toBe(false);
  expect(await server.ended).toBe(0);
  expect(performance.now() - startedAt).toBeLessThan(15_000);
  expect(await stream.closed).toMatch(/\r\n0\r\n\r\n$/);
  expect(await half.closed).toBe("");
  await idle.closed;
});

test("a request whose body is still coming is answered after SIGTERM", { timeout: 60_000 }, async () => {
  const server = await started(emptyFolder());
  const ada = await signedIn(server);
  const { socket, closed } = await dial(server.url);
  const head = [
    `POST /environments/Personal/${ada.id}/late HTTP/1.1`,
    "Host: x",
    "Content-Type: application/json",
    "Content-Length: 2",
    `Authorization: Bearer ${ada.token}`,
  ];
  socket.write(`${head.join("\r\n")}\r\n\r\n{`);
  await pass(300);
  server.child.kill("SIGTERM");
  await pass(300);
  socket.write("}");
  const answer = await closed;
  expect(answer).toMatch(/^HTTP\/1\.1 201 /);
  expect(answer).toMatch(/connection: close/i);
  expect(await server.ended).toBe(0);
});

test("a second signal ends at once", { timeout: 60_000 }, async () => {
  const server = await started(emptyFolder(), { LIVEPLANE_LOG: "info" });
  const ada = await signedIn(server);
  const { socket } = await dial(server.url);
  socket.write(
    `POST /environments/Personal/${ada.id}/never HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 2\r\nAuthorization: Bearer ${ada.token}\r\n\r\n{`,
  );
  await pass(300);
  server.child.kill("SIGTERM");
  await expect.poll(server.log).toContain("Signal again to exit now");
  const startedAt = performance.now();
  server.child.kill("SIGINT");
  expect(await server.ended).toBe(130);
  expect(performance.now() - startedAt).toBeLessThan(5_000);
  socket.destroy();
});

test("the roles run apart: the one answers, the other checks, over a database each", { timeout: 60_000 }, async () => {
  const api = await started(emptyFolder(), {}, ["--role", "api"]);
  expect(api.announced).toMatchObject({ event: "listening" });
  const ready = await (await fetch(`${api.url}/readyz`)).json();
  expect(ready).toMatchObject({ store: true, agent: false });
  const agent = await started(emptyFolder(), {}, ["--role", "agent"]);
  expect(agent.announced).toMatchObject({ event: "listening", role: "agent" });
  expect((await fetch(`${agent.url}/readyz`)).status).toBe(200);
  for (const { child, ended } of [api, agent]) {
    child.kill("SIGTERM");
    expect(await ended).toBe(0);
  }
});
