import { createLiveplane } from "@liveplane/core";
import { describe, expect, onTestFinished, test } from "vitest";
import { emptyFolder } from "../../../adapters/test/empty-folder.ts";
import { readConfig } from "../../src/configuration/config.ts";
import { openPorts } from "../../src/ports.ts";
import { createServer, type ServerOptions } from "../../src/server.ts";
import { dial, type RawConnection, send, sendBytes } from "../raw-http.ts";

async function serverWith(options: Omit<ServerOptions, "liveplane">): Promise<string> {
  const folder = emptyFolder();
  const ports = await openPorts(readConfig({ environment: { LIVEPLANE_DATA: folder } }));
  const server = createServer({ liveplane: createLiveplane(ports), needsAgent: false, drainMs: 0, ...options });
  const url = await server.listen(0);
  onTestFinished(async () => {
    await server.close();
    await ports.store.close();
  });
  return url;
}

async function dialled(url: string, beginning: string): Promise<RawConnection> {
  const connection = await dial(url);
  onTestFinished(() => void connection.socket.destroy());
  connection.socket.write(beginning);
  return connection;
}

const line = "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n";
/** A request that is under way for as long as its sender likes. */
const endless =
  "POST /auth/sessions HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{";

describe.each([
  ["in all", { maxConnections: 10 }],
  ["from one address", { maxConnectionsPerAddress: 10 }],
])("at the limit of connections %s", (_what, limits) => {
  test("half requests give way to whoever comes, the oldest first", async () => {
    const url = await serverWith(limits);
    const half: RawConnection[] = [];
    for (let at = 0; at < 200; at++) half.push(await dialled(url, line.slice(0, 20)));
    expect((await send(url, { path: "/healthz" })).status).toBe(200);
    await expect.poll(() => half.filter(({ socket }) => !socket.destroyed).length).toBeLessThanOrEqual(10);
    expect(half.slice(0, 180).every(({ socket }) => socket.destroyed)).toBe(true);
  });

  test("connections that wait for their next request give way too", async () => {
    const url = await serverWith(limits);
    const kept: RawConnection[] = [];
    for (let at = 0; at < 12; at++) {
      const connection = await dialled(url, line);
      await expect.poll(connection.received, { interval: 5 }).toContain('{"status":"ok"}');
      kept.push(connection);
    }
    await expect.poll(() => kept.map(({ socket }) => socket.destroyed)).toEqual(kept.map((_, at) => at < 2));
  });

  test("what is being answered isn't cut: the newcomer is told that there is no room", async () => {
    const url = await serverWith({ ...limits, rateLimits: "off" });
    const busy: RawConnection[] = [];
    for (let at = 0; at < 10; at++) busy.push(await dialled(url, line + endless));
    for (const { received } of busy) await expect.poll(received, { interval: 5 }).toContain('{"status":"ok"}');
    const refused = await send(url, { path: "/healthz" });
    expect(refused).toMatchObject({ status: 503, json: { code: "Unavailable" }, headers: { connection: "close" } });
    expect(refused.headers["retry-after"]).toBe("1");
    expect(busy.filter(({ socket }) => socket.destroyed)).toEqual([]);
    for (const { socket } of busy) socket.write("}".padEnd(8));
    await expect.poll(() => busy.every(({ received }) => received().includes("HTTP/1.1 400"))).toBe(true);
    expect((await send(url, { path: "/healthz" })).status).toBe(200);
  });
});

test("behind a trusted proxy, which has all connections, one address may have more", async () => {
  const url = await serverWith({ maxConnectionsPerAddress: 2, trustedProxies: 1 });
  const half: RawConnection[] = [];
  for (let at = 0; at < 10; at++) half.push(await dialled(url, line.slice(0, 20)));
  expect((await send(url, { path: "/healthz" })).status).toBe(200);
  expect(half.some(({ socket }) => socket.destroyed)).toBe(false);
});

test("headers that don't come in time are 408, and the connection ends", async () => {
  const url = await serverWith({ headersTimeoutMs: 200 });
  const text = await sendBytes(url, line.slice(0, 20), 10_000);
  expect(text).toMatch(/^HTTP\/1\.1 408 /);
  expect(text).toMatch(/Connection: close/i);
});

test("a body that doesn't come in time is 408, also on a connection that was answered on before", async () => {
  const url = await serverWith({ requestTimeoutMs: 500, rateLimits: "off" });
  const texts = await Promise.all([endless, line + endless].map((bytes) => sendBytes(url, bytes, 15_000)));
  for (const text of texts) {
    expect(text).toMatch(/HTTP\/1\.1 408 (?!.*HTTP\/1\.1)/s);
    expect(text).toMatch(/Connection: close/i);
  }
});

test("a request of more than a hundred headers is refused whole: none is left out in silence", async () => {
  const url = await serverWith({});
  const headers = (count: number) => Array.from({ length: count }, (_, at) => `A${at}: b\r\n`).join("");
  const request = (count: number) => `GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${headers(count)}\r\n`;
  expect(await sendBytes(url, request(98))).toMatch(/^HTTP\/1\.1 200 /);
  const refused = await sendBytes(url, request(99));
  expect(refused).toMatch(/^HTTP\/1\.1 431 /);
  expect(refused).toContain('"There are more than 100 headers."');
});
