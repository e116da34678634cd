import { afterAll, describe, expect, test } from "vitest";
import { dial, send } from "../raw-http.ts";
import { startServer } from "../running-server.ts";

const server = await startServer();
const ada = await server.person("ada");
afterAll(server.end);

interface Seen {
  readonly id: string;
  readonly event: string;
  readonly data: { readonly sequence: number; readonly type: string; readonly subject: string };
}

/** Reads a stream until what came passes the check, and takes it apart. */
async function follow(
  path: string,
  until: (seen: readonly Seen[], text: string) => boolean,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ readonly seen: readonly Seen[]; readonly text: string }> {
  const { socket, received } = await dial(server.url);
  const lines = Object.entries({ Host: "x", Authorization: `Bearer ${ada.token}`, ...headers });
  socket.write(`GET ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}`).join("\r\n")}\r\n\r\n`);
  const parsed = () =>
    [...received().matchAll(/id: (\d+)\nevent: (\S+)\ndata: (.*)\n\n/g)].map(([, id = "", event = "", data = ""]) => ({
      id,
      event,
      data: JSON.parse(data) as Seen["data"],
    }));
  await expect.poll(() => until(parsed(), received()), { timeout: 10_000 }).toBe(true);
  socket.destroy();
  return { seen: parsed(), text: received() };
}

let count = 0;
async function makeEnvironment(): Promise<string> {
  const path = `/environments/Personal/${ada.id}/e${count++}`;
  await send(server.url, { method: "POST", path, token: ada.token, json: {} });
  return path;
}

describe("GET /events", () => {
  test("tells what happened from the beginning, in order, with ids that are sequence numbers", async () => {
    await makeEnvironment();
    const { seen, text } = await follow("/events?after=0", (events) =>
      events.some(({ event }) => event === "environment.created"),
    );
    expect(text).toMatch(/^HTTP\/1\.1 200 OK/);
    expect(text).toContain("Content-Type: text/event-stream; charset=utf-8");
    for (const { id, event, data } of seen) expect([id, event]).toEqual([String(data.sequence), data.type]);
    const sequences = seen.map(({ data }) => data.sequence);
    expect(sequences).toEqual(sequences.toSorted((a, b) => a - b));
    expect(new Set(sequences).size).toBe(sequences.length);
  });

  test("goes on behind Last-Event-ID, which goes before ?after", async () => {
    await makeEnvironment();
    await makeEnvironment();
    const isMade = ({ event }: Seen) => event === "environment.created";
    const { seen } = await follow("/events?after=0", (events) => events.filter(isMade).length >= 2);
    const made = seen.filter(isMade);
    const resumed = await follow("/events?after=0", (events) => events.length >= 1, {
      "Last-Event-ID": made.at(-2)?.id ?? "",
    });
    expect(Number(resumed.seen[0]?.id)).toBeGreaterThan(Number(made.at(-2)?.id));
  });

  test("without an id starts from now, and says where that is", async () => {
    await makeEnvironment();
    const { seen, text } = await follow(
      "/events",
      (_events, sofar) => sofar.includes("\n\n: ") || /id: \d+\n\n/.test(sofar),
    );
    expect(seen).toEqual([]);
    expect(text).toMatch(/id: \d+\n\n/);
  });

  test("filters by type, more than one", async () => {
    const { seen } = await follow(
      "/events?after=0&type=environment.created&type=account.registered",
      (events) => events.length > 0,
    );
    for (const { event } of seen) expect(["environment.created", "account.registered"]).toContain(event);
  });

  test.each([
    ["Last-Event-ID", "x"],
    ["Last-Event-ID", "-1"],
    ["Last-Event-ID", "1e3"],
    ["Last-Event-ID", "9".repeat(30)],
  ])("%s: %s is 400 naming the header", async (name, value) => {
    const answer = await send(server.url, { path: "/events", token: ada.token, headers: { [name]: value } });
    expect(answer).toMatchObject({ status: 400, json: { errors: [{ header: "Last-Event-ID" }] } });
  });

  test.each(["?after=x", "?after=-1", "?type=a&unknown=1", "?after=1&after=2"])(
    "%s is 400 naming the parameter",
    async (query) => {
      const answer = await send(server.url, { path: `/events${query}`, token: ada.token });
      expect(answer).toMatchObject({
        status: 400,
        json: { code: "ValidationFailed", errors: [{ parameter: expect.any(String) }] },
      });
    },
  );

  test("is for those who are signed in, and for those who take such a stream", async () => {
    expect((await send(server.url, { path: "/events" })).status).toBe(401);
    const headers = { accept: "application/json" };
    expect([200, 406]).toContain(
      (await send(server.url, { method: "HEAD", path: "/events", token: ada.token, headers })).status,
    );
    expect(
      (await send(server.url, { path: "/events", token: ada.token, headers: { accept: "text/html" } })).status,
    ).toBe(406);
  });

  test("an id from the future is answered as it comes, without a hang or a failure", async () => {
    const head = await send(server.url, { method: "HEAD", path: "/events?after=999999999", token: ada.token });
    expect(head.status).toBeLessThan(500);
  });

  test("ends when the session does", async () => {
    const eve = await server.person("eve2");
    const { socket, received, closed } = await dial(server.url);
    socket.write(`GET /events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${eve.token}\r\n\r\n`);
    await expect.poll(received).toContain("id: ");
    await send(server.url, { method: "POST", path: "/auth/revoke", json: { token: eve.token } });
    await makeEnvironment();
    await expect.poll(received, { timeout: 10_000 }).toMatch(/\r\n0\r\n\r\n$/);
    socket.destroy();
    await closed;
  });

  test("a long stream lets other requests be answered between its batches", async () => {
    const grace = await server.person("grace");
    const host = server.liveplane.as({ kind: "system", name: "test" });
    const count = 500;
    for (let at = 0; at < count; at++)
      await host.environments.create({ type: "Personal", ownerId: grace.id, shortName: `g${at}` }, {});
    const { socket, received } = await dial(server.url);
    socket.write(`GET /events?after=0 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${grace.token}\r\n\r\n`);
    const told = () => received().split("event: environment.created").length - 1;
    const between: number[] = [];
    const probe = await dial(server.url);
    const ask = () => probe.socket.write("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n");
    probe.socket.on("data", () => {
      between.push(told());
      ask();
    });
    ask();
    await expect.poll(told, { timeout: 10_000 }).toBe(count);
    for (const one of [socket, probe.socket]) one.destroy();
    expect(between.some((sofar) => sofar > 0 && sofar < count)).toBe(true);
  });

  test("the twenty-first stream of a principal is 429 with Retry-After, until one of the others ends", async () => {
    const hedy = await server.person("hedy");
    const open = async () => {
      const stream = await dial(server.url);
      stream.socket.write(`GET /events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${hedy.token}\r\n\r\n`);
      await expect.poll(stream.received).toContain("id: ");
      return stream;
    };
    const streams = await Promise.all(Array.from({ length: 20 }, open));
    const another = () => send(server.url, { method: "HEAD", path: "/events", token: hedy.token });
    const refused = await another();
    expect(refused.status).toBe(429);
    expect(Number(refused.headers["retry-after"])).toBeGreaterThan(0);
    streams[3]?.socket.destroy();
    await expect.poll(async () => (await another()).status).toBe(200);
    for (const { socket } of streams) socket.destroy();
  });
});
