import { once } from "node:events";
import { request as httpRequest } from "node:http";
import type { Socket } from "node:net";
import { afterAll, describe, expect, test } from "vitest";
import { dial, send } from "../raw-http.ts";
import { startServer } from "../running-server.ts";

const server = await startServer({ LIVEPLANE_RATE_LIMITS: '{"challenges":100,"signIn":5}' });
const ada = await server.person("ada");
afterAll(server.end);

const mebibyte = 1024 * 1024;
/** What the kernels of both sides may have taken of a body that nobody reads, beside what is read for the sender's sake. */
const mostTaken = 24 * mebibyte;

/** Waits until more can be written, or nobody is there any more. */
async function room(socket: Socket): Promise<void> {
  const over = new AbortController();
  const { signal } = over;
  await Promise.race(["drain", "close"].map((event) => once(socket, event, { signal }))).catch(() => {});
  over.abort();
}

/** Sends a head, and then a body without end. Resolves with what was answered, and how much of the body went out. */
async function pour(head: readonly string[], chunk: Buffer): Promise<{ readonly text: string; readonly sent: number }> {
  const { socket, received, closed } = await dial(server.url, { allowHalfOpen: true });
  socket.write(`${head.join("\r\n")}\r\n\r\n`);
  let sent = 0;
  while (!socket.destroyed && sent < 300 * mebibyte) {
    sent += chunk.length;
    if (!socket.write(chunk)) await room(socket);
  }
  socket.destroy();
  await closed;
  return { text: received(), sent };
}

const head = (line: string, ...more: string[]) => [
  `${line} HTTP/1.1`,
  "Host: x",
  "Content-Type: application/json",
  ...more,
];
const announced = `Content-Length: ${500 * mebibyte}`;
const plain = Buffer.alloc(64 * 1024, 0x20);
const chunked = Buffer.concat([Buffer.from(`${plain.length.toString(16)}\r\n`), plain, Buffer.from("\r\n")]);

describe("a body that is refused is answered, and the connection ends instead of reading it", () => {
  test.each([
    ["without an account", head(`POST /environments/Personal/${ada.id}/big`, announced), plain, 401],
    ["at a path that nobody has", head("POST /nothing", announced, `Authorization: Bearer ${ada.token}`), plain, 404],
    ["with a method that isn't taken", head("DELETE /auth/sessions", announced), plain, 405],
    ["longer than it may be", head("POST /auth/sessions", announced), plain, 413],
    ["longer than it may be, in chunks", head("POST /accounts/challenge", "Transfer-Encoding: chunked"), chunked, 413],
    [
      "of another type",
      ["POST /accounts/challenge HTTP/1.1", "Host: x", "Content-Type: text/plain", announced],
      plain,
      415,
    ],
    [
      "of a call that takes none",
      head("GET /accounts/me", announced, `Authorization: Bearer ${ada.token}`),
      plain,
      200,
    ],
    ["of a page", head("GET /healthz", announced), plain, 200],
  ])("%s", async (_what, lines, chunk, status) => {
    const { text, sent } = await pour(lines, chunk);
    expect(text).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(sent).toBeLessThan(mostTaken);
  });

  test("from a caller over the limit of rates", async () => {
    const attempt = { method: "POST", path: "/auth/sessions", json: { username: "nobody", password: "x" } };
    let status = 0;
    while (status !== 429) status = (await send(server.url, attempt)).status;
    const { text, sent } = await pour(head("POST /auth/sessions", announced), plain);
    expect(text).toMatch(/^HTTP\/1\.1 429 /);
    expect(text).toMatch(/\r\nConnection: close\r\n/i);
    expect(sent).toBeLessThan(mostTaken);
  });
});

/** Posts a body and says that the connection ends with it. Resolves with the status, or with what broke. */
function postAndClose(bytes: number): Promise<number | string> {
  const { hostname, port } = new URL(server.url);
  const headers = { "content-type": "application/json", "content-length": bytes, connection: "close" };
  return new Promise((resolve) => {
    const request = httpRequest({ agent: false, hostname, port, method: "POST", path: "/accounts/challenge", headers });
    request.once("error", (error: NodeJS.ErrnoException) => resolve(String(error.code)));
    request.once("response", (response) => {
      response.resume();
      response.once("error", (error) => resolve(error.message));
      response.once("end", () => resolve(response.statusCode ?? 0));
    });
    request.end(Buffer.alloc(bytes, 0x20));
  });
}

test("forty callers who send too much, and close, all read that it was too much", async () => {
  const answers = await Promise.all(Array.from({ length: 40 }, (_, at) => postAndClose((2 + (at % 3)) * mebibyte)));
  expect(new Set(answers)).toEqual(new Set([413]));
});

test("a refusal whose body has come whole leaves its connection open", async () => {
  const { socket, received, closed } = await dial(server.url);
  for (let at = 1; at <= 2; at++) {
    socket.write(`${head(`POST /environments/Personal/${ada.id}/web`, "Content-Length: 2").join("\r\n")}\r\n\r\n{}`);
    await expect.poll(() => received().match(/HTTP\/1\.1 401/g)?.length).toBe(at);
  }
  socket.destroy();
  await closed;
});

test("what is written behind a refused body is no request any more", async () => {
  const { socket, closed } = await dial(server.url);
  const lines = head(`POST /environments/Personal/${ada.id}/web`, `Content-Length: ${mebibyte}`);
  socket.write(`${lines.join("\r\n")}\r\n\r\n`);
  await once(socket, "data");
  socket.write(Buffer.alloc(mebibyte, 0x20));
  socket.write("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n");
  expect((await closed).match(/HTTP\/1\.1 /g)).toHaveLength(1);
});
