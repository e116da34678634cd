import { afterAll, describe, expect, test } from "vitest";
import { dial, type RawConnection, send, sendBytes } from "../raw-http.ts";
import { startServer } from "../running-server.ts";

const server = await startServer();
const ada = await server.person("ada");
afterAll(server.end);

/** What came back, answer by answer. */
function answersIn(text: string): { readonly status: number; readonly type: string; readonly body: string }[] {
  const answers = [];
  for (let rest = text; rest !== ""; ) {
    const [, status, head = ""] = /^HTTP\/1\.1 (\d{3})[^\r]*\r\n(.*?)\r\n\r\n/s.exec(rest) ?? [];
    if (status === undefined) throw new RangeError(`This is no answer: ${JSON.stringify(rest.slice(0, 80))}`);
    const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
    const start = rest.indexOf("\r\n\r\n") + 4;
    if (status !== "100") {
      const type = /content-type: ([^\r]*)/i.exec(head)?.[1] ?? "";
      answers.push({ status: Number(status), type, body: rest.slice(start, start + length) });
    }
    rest = rest.slice(start + (status === "100" ? 0 : length));
  }
  return answers;
}

const get = (path: string, ...headers: string[]) =>
  `GET ${path} HTTP/1.1\r\nHost: x\r\n${headers.map((line) => `${line}\r\n`).join("")}\r\n`;
const signIn = '{"username":"ada","password":"x"}';
const post = (headers: readonly string[], body: string) =>
  `POST /auth/sessions HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${headers.join("\r\n")}\r\n\r\n${body}`;

describe("requests that two readers could take for different ones are refused, and what follows isn't answered", () => {
  const smuggled = get("/accounts/me", "X-Smuggled: yes");
  test.each([
    [
      "a length and chunks",
      post([`Content-Length: ${signIn.length}`, "Transfer-Encoding: chunked"], `0\r\n\r\n${smuggled}`),
    ],
    ["chunks and a length", post(["Transfer-Encoding: chunked", "Content-Length: 6"], `0\r\n\r\n${smuggled}`)],
    ["two lengths", post(["Content-Length: 0", `Content-Length: ${smuggled.length}`], smuggled)],
    ["a list of lengths", post([`Content-Length: 0, ${smuggled.length}`], smuggled)],
    ["a negative length", post(["Content-Length: -1"], smuggled)],
    ["a length in hexadecimal", post(["Content-Length: 0x10"], smuggled)],
    ["a length with a sign", post(["Content-Length: +5"], smuggled)],
    ["a length beyond all numbers", post([`Content-Length: ${"9".repeat(40)}`], smuggled)],
    ["chunks by another name", post(["Transfer-Encoding: xchunked"], `0\r\n\r\n${smuggled}`)],
    ["chunks that aren't last", post(["Transfer-Encoding: chunked, identity"], `0\r\n\r\n${smuggled}`)],
    ["a blank before the colon", post(["Transfer-Encoding : chunked"], `0\r\n\r\n${smuggled}`)],
    ["a folded header", post(["X-A: b", " Transfer-Encoding: chunked"], `0\r\n\r\n${smuggled}`)],
    ["a bare line feed", `GET / HTTP/1.1\nHost: x\n\n${smuggled}`.replace("\n\n", "\n\r\n")],
    ["a bare carriage return in a header", get("/", "X-A: b\rX-B: c") + smuggled],
    ["NUL in a header", get("/", "X-A: \u0000") + smuggled],
    ["no such chunk size", post(["Transfer-Encoding: chunked"], `zz\r\n${smuggled}`)],
    ["a chunk size beyond all numbers", post(["Transfer-Encoding: chunked"], `${"f".repeat(20)}\r\n${smuggled}`)],
    ["no version", `GET /\r\n\r\n${smuggled}`],
    ["a version that doesn't exist", `GET / HTTP/9.9\r\nHost: x\r\n\r\n${smuggled}`],
    ["no host", `GET /accounts/me HTTP/1.1\r\n\r\n${smuggled}`],
    ["a blank in the path", `GET /accounts/ me HTTP/1.1\r\nHost: x\r\n\r\n${smuggled}`],
    ["no request at all", "\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003"],
    ["the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"],
  ])("%s", async (_what, bytes) => {
    const answers = answersIn(await sendBytes(server.url, bytes));
    expect(answers.length).toBeLessThanOrEqual(1);
    for (const { status, type, body } of answers) {
      expect(status).toBeGreaterThanOrEqual(400);
      expect(status).toBeLessThan(500);
      expect(type).toBe("application/problem+json; charset=utf-8");
      expect(JSON.parse(body)).toMatchObject({ status, code: expect.any(String), requestId: expect.any(String) });
    }
  });

  test("a body on a request that takes none doesn't become the next request", async () => {
    const inner = get("/healthz");
    const outer = get("/healthz", `Content-Length: ${inner.length}`);
    expect(answersIn(await sendBytes(server.url, outer + inner, 500))).toHaveLength(1);
  });
});

test("requests in one go are answered one by one, in their order", async () => {
  const authorization = `Authorization: Bearer ${ada.token}`;
  const all = [
    get("/accounts/me", authorization),
    get("/nothing"),
    get("/accounts/me"),
    get("/healthz", "Connection: close"),
  ];
  expect(answersIn(await sendBytes(server.url, all.join(""), 5_000)).map(({ status }) => status)).toEqual([
    200, 404, 401, 200,
  ]);
});

test("headers of more than 32 KiB are 431, with the headers of every answer", async () => {
  const text = await sendBytes(server.url, get("/healthz", `X-Big: ${"x".repeat(40_000)}`));
  expect(answersIn(text)).toMatchObject([{ status: 431, type: "application/problem+json; charset=utf-8" }]);
  for (const header of ["X-Request-Id: ", "Api-Version: 1", "Cache-Control: no-store", "Connection: close"])
    expect(text).toContain(header);
});

test("the refusal of a HEAD that can't be read has no body either", async () => {
  const request = get("/healthz", `X-Big: ${"x".repeat(40_000)}`).replace("GET", "HEAD");
  const text = await sendBytes(server.url, request);
  expect(text).toMatch(/^HTTP\/1\.1 431 /);
  expect(text).toMatch(/\r\n\r\n$/);
});

test("three thousand headers are 431 or an answer, and no trouble", async () => {
  const many = Array.from({ length: 3_000 }, (_, at) => `A${at}: b`);
  const [answer] = answersIn(await sendBytes(server.url, get("/healthz", ...many)));
  expect([200, 431]).toContain(answer?.status);
});

test.each([
  "CONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\n",
  get("/healthz", "Connection: Upgrade", "Upgrade: websocket"),
  get("/accounts/me", "Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAA"),
])("%j is no way to another protocol", async (bytes) => {
  const text = await sendBytes(server.url, bytes, 500);
  expect(text).not.toContain(" 101 ");
  for (const { status } of answersIn(text)) expect(status).not.toBe(101);
});

test.each([
  ["/../../etc/passwd", 404],
  ["/%2e%2e/%2e%2e/etc/passwd", 404],
  ["/console/../../package.json", 404],
  ["/simulator/../accounts/me", 404],
  ["/simulator/provider-a%00/resources", 404],
  ["/\\..\\..\\x", 404],
  ["http://evil.example/accounts/me", 401],
  ["http://evil.example", 404],
  ["*", 404],
  ["//evil.example/accounts/me", 404],
  ["/accounts/me#fragment", 404],
  ["/accounts%2fme", 404],
  ["/openapi.json?/../../x", 200],
  ["?x", 404],
])("the target %s is %i", async (target, status) => {
  const answers = answersIn(await sendBytes(server.url, get(target, "Connection: close"), 15_000));
  expect(answers.map((answer) => answer.status)).toSatisfy(
    ([only, ...more]: number[]) => more.length === 0 && (only === status || only === 400),
  );
});

describe("slow senders", () => {
  const slow: RawConnection[] = [];
  afterAll(() => {
    for (const { socket } of slow) socket.destroy();
  });

  test("hundreds of requests that never end don't keep others from being answered", { timeout: 60_000 }, async () => {
    const beginnings = [
      "GET /accounts/me HTTP/1.1\r\nHost: x\r\nX-A: ",
      "POST /auth/sessions HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{",
      "POST /auth/sessions HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{",
      "",
    ];
    for (let at = 0; at < 300; at++) {
      const connection = await dial(server.url);
      connection.socket.write(beginnings[at % beginnings.length] ?? "");
      slow.push(connection);
    }
    const drip = setInterval(() => {
      for (const { socket } of slow) if (!socket.destroyed) socket.write("a");
    }, 20);
    const startedAt = performance.now();
    for (let at = 0; at < 20; at++)
      expect((await send(server.url, { path: "/accounts/me", token: ada.token })).status).toBe(200);
    clearInterval(drip);
    expect(performance.now() - startedAt).toBeLessThan(10_000);
  });

  test("a sender who leaves in the middle of a body leaves nothing behind", async () => {
    for (let at = 0; at < 50; at++) {
      const { socket } = await dial(server.url);
      socket.write(post(["Content-Length: 1000"], "{"));
      if (at % 2 === 0) socket.resetAndDestroy();
      else socket.destroy();
    }
    expect((await send(server.url, { path: "/readyz" })).status).toBe(200);
  });

  test("a reader who takes nothing doesn't hold others up", async () => {
    const connection = await dial(server.url);
    slow.push(connection);
    connection.socket.pause();
    connection.socket.write(get("/openapi.json").repeat(200));
    expect((await send(server.url, { path: "/accounts/me", token: ada.token })).status).toBe(200);
  });
});
