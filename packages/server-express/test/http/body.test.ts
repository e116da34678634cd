import { gzipSync } from "node:zlib";
import { afterAll, describe, expect, test } from "vitest";
import { dial, send } from "../raw-http.ts";
import { startServer } from "../running-server.ts";

const server = await startServer();
const ada = await server.person("ada");
afterAll(server.end);

let count = 0;
const environmentPath = () => `/environments/Personal/${ada.id}/b${count++}`;
const post = (body: string | Uint8Array, headers: Readonly<Record<string, string>> = {}, path = environmentPath()) =>
  send(server.url, {
    method: "POST",
    path,
    token: ada.token,
    headers: { "content-type": "application/json", ...headers },
    body,
  });

describe("media types", () => {
  test.each([
    ["application/json", 201],
    ["Application/JSON", 201],
    ["application/json; charset=utf-8", 201],
    ['application/json;charset="UTF-8"', 201],
    ["application/json; charset=latin1", 415],
    ["application/jsonx", 415],
    ["application/vnd.api+json", 415],
    ["text/plain", 415],
    ["application/x-www-form-urlencoded", 415],
    ["multipart/form-data; boundary=x", 415],
    ["", 415],
  ])("a body of type %j is %i", async (type, status) => {
    expect((await post("{}", { "content-type": type })).status).toBe(status);
  });

  test.each(["gzip", "br", "deflate", "x-unknown", "identity, gzip"])(
    "a body encoded as %s is 415",
    async (encoding) => {
      const answer = await post(gzipSync("{}"), { "content-encoding": encoding });
      expect(answer).toMatchObject({ status: 415, json: { code: "UnsupportedMediaType" } });
    },
  );

  test("the identity encoding is none", async () => {
    expect((await post("{}", { "content-encoding": "identity" })).status).toBe(201);
  });

  test("tokens take forms, others don't", async () => {
    const form = { "content-type": "application/x-www-form-urlencoded" };
    const answer = await post("grant_type=refresh_token&refresh_token=x", form, "/auth/token");
    expect(answer).toMatchObject({ status: 400, json: { error: "invalid_grant", code: "InvalidCredentials" } });
    expect((await post("username=a&password=b", form, "/auth/sessions")).status).toBe(415);
  });
});

describe("JSON", () => {
  test.each(["{", "{'a':1}", "[1,]", "nul", "\u0000", "{}{}", '{"a":NaN}', "\ufeff{", "undefined", '{"a":"\u0001"}'])(
    "%j is InvalidJson, and isn't quoted",
    async (body) => {
      const answer = await post(body);
      expect(answer).toMatchObject({ status: 400, json: { code: "InvalidJson" } });
      expect(answer.json).not.toHaveProperty("errors");
    },
  );

  test("bytes that are no UTF-8 are InvalidJson", async () => {
    const answer = await post(Uint8Array.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]));
    expect(answer).toMatchObject({ status: 400, json: { code: "InvalidJson" } });
  });

  test("no body where one belongs is ValidationFailed", async () => {
    expect(await post("", { "content-type": "application/json" }, "/auth/sessions")).toMatchObject({
      status: 400,
      json: { code: "ValidationFailed" },
    });
  });
});

describe("sizes", () => {
  const mebibyte = 1024 * 1024;

  test("a body of more than 1 MiB is 413, announced or not", async () => {
    const tooLarge = `{"name":"${"x".repeat(mebibyte)}"}`;
    expect(await post(tooLarge)).toMatchObject({ status: 413, json: { code: "PayloadTooLarge" } });
    expect(await post(tooLarge, { "transfer-encoding": "chunked" })).toMatchObject({ status: 413 });
    expect((await post("{}", { "transfer-encoding": "chunked" })).status).toBe(201);
  });

  test("where anybody may call, a body may have 16 KiB", async () => {
    const padded = (bytes: number) => `{"email":"a@b.example"}`.padEnd(bytes);
    expect((await post(padded(16 * 1024), {}, "/accounts/challenge")).status).toBe(202);
    const refused = await post(padded(16 * 1024 + 1), {}, "/accounts/challenge");
    expect(refused).toMatchObject({ status: 413, json: { code: "PayloadTooLarge" } });
    expect(refused.text).toContain("at most 16 KiB");
  });

  test("a bulk body may have 4 MiB", async () => {
    const path = environmentPath();
    await post("{}", {}, path);
    const padded = (bytes: number) => `[${" ".repeat(bytes - 2)}]`;
    expect(await post(padded(4 * mebibyte), {}, `${path}/secrets/bulk`)).toMatchObject({ status: 201, text: "[]" });
    expect((await post(padded(4 * mebibyte + 1), {}, `${path}/secrets/bulk`)).status).toBe(413);
  });

  test("a stranger is refused before the body is looked at", async () => {
    const { socket, received, closed } = await dial(server.url);
    const head = [
      `POST ${environmentPath()} HTTP/1.1`,
      "Host: x",
      "Content-Type: application/json",
      `Content-Length: ${500 * mebibyte}`,
    ];
    socket.write(`${head.join("\r\n")}\r\n\r\n{`);
    await expect.poll(received).toContain("401 Unauthorized");
    socket.destroy();
    await closed;
  });

  test("Expect: 100-continue gets the refusal in place of a go-ahead", async () => {
    const { socket, received } = await dial(server.url);
    const head = [`POST ${environmentPath()} HTTP/1.1`, "Host: x", "Expect: 100-continue", "Content-Length: 2"];
    socket.write(`${head.join("\r\n")}\r\n\r\n`);
    await expect.poll(received).toMatch(/HTTP\/1\.1 401 /);
    socket.destroy();
  });
});

test("refusals come in their order: route, method, identity, right, media type, size, JSON, validation", async () => {
  const path = environmentPath();
  await post("{}", {}, path);
  const eve = await server.person("eve");
  const bad = { "content-type": "text/plain" };
  const put = (at: string, token: string | undefined, headers: Readonly<Record<string, string>>, body: string) =>
    send(server.url, { method: "PUT", path: at, headers, body, ...(token !== undefined && { token }) });
  expect((await put("/nothing", undefined, bad, "{")).status).toBe(404);
  expect((await put("/auth/sessions", undefined, bad, "{")).status).toBe(405);
  expect((await put(path, undefined, bad, "{")).status).toBe(401);
  expect((await put(path, eve.token, bad, "{")).status).toBe(404);
  expect((await put(path, ada.token, bad, "x".repeat(2_000_000))).status).toBe(415);
  const json = { "content-type": "application/json" };
  expect((await put(path, ada.token, json, "{".repeat(2_000_000))).status).toBe(413);
  expect(await put(path, ada.token, { ...json, "if-match": '"no"' }, "{")).toMatchObject({
    json: { code: "InvalidJson" },
  });
  expect(await put(path, ada.token, { ...json, "if-match": '"no"' }, '{"x":1}')).toMatchObject({ status: 400 });
  expect((await put(path, ada.token, { ...json, "if-match": '"no"' }, "{}")).status).toBe(412);
});
