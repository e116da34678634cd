import { createClient } from "@liveplane/client";
import type { Liveplane } from "@liveplane/core";
import { type Answered, type FetchHandlerOptions, fetchHandler } from "@liveplane/core/fetch";
import { afterAll, afterEach, describe, expect, test, vi } from "vitest";
import { startServer } from "../running-server.ts";

const server = await startServer();
const ada = await server.person("ada");
afterAll(server.end);
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const host = "https://plane.example";
const off = { rateLimits: "off" } as const;

function asked(path: string, { token, ...init }: RequestInit & { token?: string; duplex?: "half" } = {}): Request {
  const headers = new Headers(init.headers);
  if (token !== undefined) headers.set("authorization", `Bearer ${token}`);
  return new Request(`${host}${path}`, { ...init, headers });
}

/** A body that comes piece by piece for ever, and how many pieces were taken of it. */
function endless(): {
  readonly body: ReadableStream<Uint8Array>;
  readonly taken: () => number;
  readonly isLeft: () => boolean;
} {
  let taken = 0;
  let isLeft = false;
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        taken += 1;
        controller.enqueue(new Uint8Array(64 * 1024).fill(32));
      },
      cancel() {
        isLeft = true;
      },
    },
    { highWaterMark: 0 },
  );
  return { body, taken: () => taken, isLeft: () => isLeft };
}

test("a document that can't be written is a coded failure, and the next who asks has it", async () => {
  const answered: Answered[] = [];
  const handle = fetchHandler(server.liveplane, { ...off, onAnswer: (one) => answered.push(one) });
  vi.spyOn(crypto.subtle, "digest").mockRejectedValueOnce(new TypeError("a canary"));
  const failed = await handle(asked("/openapi.json"));
  expect(failed.status).toBe(500);
  expect(failed.headers.get("content-type")).toMatch(/^application\/problem\+json/);
  expect(await failed.text()).not.toContain("canary");
  const given = await handle(asked("/openapi.json"));
  expect(await given.json()).toMatchObject({ openapi: expect.stringMatching(/^3\.1/) });
  expect(answered).toMatchObject([{ status: 500, code: "InternalError" }, { status: 200 }]);
});

describe("below a path of the host's", () => {
  const handle = fetchHandler(server.liveplane, { ...off, basePath: "/control/plane" });

  test("calls come through, and what answers name lies below it", async () => {
    const fetch: typeof globalThis.fetch = (input, init) => handle(new Request(input, init));
    const api = createClient({ baseUrl: `${host}/control/plane`, token: ada.token, fetch });
    expect((await api.accounts.me()).id).toBe(ada.id);
    const path = `/control/plane/environments/Personal/${ada.id}/below`;
    const made = await handle(
      asked(path, { method: "POST", token: ada.token, body: "{}", headers: { "content-type": "application/json" } }),
    );
    expect([made.status, made.headers.get("location")]).toEqual([201, path]);
  });

  test.each([
    "/accounts/me",
    "/control/planes/accounts/me",
    "/control/plane",
    "/control/plane/",
    "/",
    "/control/plane/nothing",
  ])("%s is nobody's", async (path) => {
    const answer = await handle(asked(path, { token: ada.token }));
    expect([answer.status, await answer.json()]).toMatchObject([404, { code: "NotFound" }]);
  });

  test("a query and a fragment belong to no path", async () => {
    const answer = await handle(asked("/control/plane/environments?limit=1#top", { token: ada.token }));
    expect(answer.status).toBe(200);
  });
});

describe("a body", () => {
  const told: Answered[] = [];
  const handle = fetchHandler(server.liveplane, { ...off, onAnswer: (answered) => void told.push(answered) });
  const path = `/environments/Personal/${ada.id}/web`;
  const json = { "content-type": "application/json" };

  test("that has no end is left when it is too long", async () => {
    const { body, taken, isLeft } = endless();
    const answer = await handle(asked(path, { method: "POST", token: ada.token, headers: json, body, duplex: "half" }));
    expect([answer.status, await answer.json()]).toMatchObject([413, { code: "PayloadTooLarge" }]);
    expect([taken(), isLeft()]).toEqual([17, true]);
  });

  test("that is announced as too long is not begun; a lie about its length helps nobody", async () => {
    const { body, taken } = endless();
    const announced = { ...json, "content-length": "9999999" };
    const refused = await handle(
      asked(path, { method: "POST", token: ada.token, headers: announced, body, duplex: "half" }),
    );
    expect([refused.status, taken()]).toEqual([413, 0]);
    const lie = { ...json, "content-length": "2" };
    const other = await handle(
      asked(path, { method: "POST", token: ada.token, headers: lie, body: endless().body, duplex: "half" }),
    );
    expect(other.status).toBe(413);
  });

  test("of a stranger or of somebody without the right is not read at all", async () => {
    for (const token of [undefined, (await server.person("eve")).token]) {
      const { body, taken } = endless();
      const init = { method: "POST", headers: json, body, duplex: "half" as const, ...(token && { token }) };
      const answer = await handle(asked(path, init));
      expect([answer.status, taken()]).toEqual([token === undefined ? 401 : 404, 0]);
    }
  });

  test("that breaks off is told as left, and as no failure", async () => {
    const body = new ReadableStream({ start: (controller) => controller.error(new Error("cut")) });
    const answer = await handle(asked(path, { method: "POST", token: ada.token, headers: json, body, duplex: "half" }));
    expect(answer.status).toBe(503);
    expect(told.at(-1)).toMatchObject({ status: 499 });
    expect(told.at(-1)).not.toHaveProperty("cause");
  });

  test("that the host has read already is the host's mistake: the caller learns nothing, the host what to do", async () => {
    const request = asked(path, { method: "POST", token: ada.token, headers: json, body: "{}" });
    await request.text();
    const answer = await handle(request);
    expect([answer.status, await answer.json()]).toMatchObject([
      500,
      { code: "InternalError", detail: expect.not.stringContaining("read") },
    ]);
    expect(told.at(-1)).toMatchObject({
      status: 500,
      cause: { message: expect.stringContaining("Pass the request to liveplane unread") },
    });
  });

  test("a client's id and secret come in a form or as Basic", async () => {
    const robot = { type: "Personal", ownerId: ada.id, shortName: "robots" } as const;
    const id = "6f1f7a3e-9d5b-4c62-8d6f-3a1b2c3d4e5f";
    await ada.api.environments.create(robot, {});
    await ada.api.environments.serviceAccounts.assign({ ...robot, principalId: id }, { serviceAccountRole: "Bot" });
    const { secret } = await ada.api.environments.serviceAccounts.issueSecret({ ...robot, principalId: id }, {});
    const basic = async (of: string) => {
      const headers = { authorization: `Basic ${of}`, "content-type": "application/x-www-form-urlencoded" };
      const body = "grant_type=client_credentials";
      const answer = await handle(asked("/auth/token", { method: "POST", headers, body }));
      return { status: answer.status, json: await answer.json() };
    };
    expect(await basic(btoa(`${id}:${secret}`))).toMatchObject({ status: 200 });
    for (const given of [btoa(`${id}:wrong`), "A", "A=A=", btoa("a:%zz")])
      expect(await basic(given)).toMatchObject({ status: 401, json: { error: "invalid_client" } });
  });
});

describe("a stream of events", () => {
  const told: Answered[] = [];
  const handle = fetchHandler(server.liveplane, { ...off, onAnswer: (answered) => void told.push(answered) });
  const read = async (reader: ReadableStreamDefaultReader<Uint8Array> | undefined) =>
    new TextDecoder().decode((await reader?.read())?.value);
  const follow = async (path = "/events?type=environment.created", token = ada.token) => {
    const response = await handle(asked(path, { token }));
    return { response, reader: response.body?.getReader() };
  };

  test("says hello, and tells what happens", async () => {
    const { response, reader } = await follow();
    expect(response.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
    expect(await read(reader)).toMatch(/^: hello\nid: \d+\n\n$/);
    await ada.api.environments.create({ type: "Personal", ownerId: ada.id, shortName: "told" }, {});
    expect(await read(reader)).toMatch(/^id: \d+\nevent: environment.created\ndata: \{.*\}\n\n$/);
    await reader?.cancel();
    expect(told.at(-1)).toMatchObject({ operation: "events.follow", status: 200 });
  });

  test("whoever leaves frees a place; twenty are open at most", async () => {
    const { token } = await server.person("fay");
    const streams = await Promise.all(Array.from({ length: 20 }, () => follow("/events", token)));
    expect((await follow("/events", token)).response.status).toBe(429);
    await streams[0]?.reader?.cancel();
    const next = await follow("/events", token);
    expect(next.response.status).toBe(200);
    const leaving = new AbortController();
    await next.reader?.cancel();
    const left = await handle(asked("/events", { token, signal: leaving.signal }));
    leaving.abort();
    expect(left.status).toBe(200);
    const again = await follow("/events", token);
    expect(again.response.status).toBe(200);
    for (const { reader } of [...streams, again]) await reader?.cancel();
  });

  test("HEAD opens none", async () => {
    const { token } = await server.person("gus");
    for (let count = 0; count < 25; count++) {
      const { status, body } = await handle(asked("/events", { method: "HEAD", token }));
      expect([status, body]).toEqual([200, null]);
    }
  });

  test("makes no event before it is asked for, and lets go of whoever asks for none", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    let made = 0;
    let isFree = false;
    const liveplane = {
      ...server.liveplane,
      async follow({ signal }: { signal: AbortSignal }) {
        signal.addEventListener("abort", () => {
          isFree = true;
        });
        return (async function* () {
          for (;;) yield { sequence: ++made, type: "account.updated" };
        })();
      },
    } as unknown as Liveplane;
    const response = await fetchHandler(liveplane, off)(asked("/events"));
    const reader = response.body?.getReader();
    await read(reader);
    expect(made).toBe(0);
    await read(reader);
    expect(made).toBe(1);
    vi.advanceTimersByTime(15_000);
    expect(isFree).toBe(false);
    vi.advanceTimersByTime(15_000);
    expect(isFree).toBe(true);
    await expect(reader?.read()).rejects.toThrow();
  });

  test("sends a heartbeat while nothing happens", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    const { reader } = await follow();
    await read(reader);
    for (let beats = 0; beats < 4; beats++) {
      const piece = read(reader);
      vi.advanceTimersByTime(15_000);
      expect(await piece).toBe(": still here\n\n");
    }
    await reader?.cancel();
  });

  test("ends with the host, and with its credential", async () => {
    const stopping = new AbortController();
    const ending = fetchHandler(server.liveplane, { ...off, stopping: stopping.signal });
    const reader = (await ending(asked("/events", { token: ada.token }))).body?.getReader();
    await read(reader);
    stopping.abort();
    expect(await reader?.read()).toMatchObject({ done: true });
  });
});

describe("whom the limits count", () => {
  const limits = { reads: 2 };
  const statuses = async (handle: (request: Request) => Promise<Response>, count: number) => {
    const found: number[] = [];
    for (let at = 0; at < count; at++) found.push((await handle(asked("/accounts/me"))).status);
    return found;
  };

  test("strangers count by the address that the host tells, normalised", async () => {
    const spoken = ["203.0.113.7", "::ffff:203.0.113.7", "[::ffff:203.0.113.7]:443", "203.0.113.8"];
    let at = 0;
    const handle = fetchHandler(server.liveplane, { rateLimits: limits, addressOf: () => spoken[at++] ?? "" });
    expect(await statuses(handle, 4)).toEqual([401, 401, 429, 401]);
  });

  test("those of whom nobody knows it share one bucket", async () => {
    const handle = fetchHandler(server.liveplane, { rateLimits: limits, addressOf: () => null });
    expect(await statuses(handle, 3)).toEqual([401, 401, 429]);
  });

  test("what the host hands on beside the request reaches addressOf", async () => {
    const addressOf = (_request: Request, connection: { readonly peer: string }) => connection.peer;
    const handle = fetchHandler(server.liveplane, { rateLimits: limits, addressOf });
    for (const [peer, status] of [
      ["a", 401],
      ["a", 401],
      ["a", 429],
      ["b", 401],
    ] as const)
      expect((await handle(asked("/accounts/me"), { peer })).status).toBe(status);
  });

  test.each([
    ["gives nothing", (() => undefined) as never],
    [
      "fails",
      () => {
        throw new TypeError("no such header");
      },
    ],
  ])("an addressOf that %s is the host's mistake", async (_what, addressOf) => {
    const told: Answered[] = [];
    const handle = fetchHandler(server.liveplane, { addressOf, onAnswer: (answered) => void told.push(answered) });
    const answer = await handle(asked("/accounts/me"));
    expect([answer.status, await answer.json()]).toMatchObject([500, { code: "InternalError" }]);
    expect(told).toMatchObject([
      { status: 500, cause: { message: expect.stringMatching(/addressOf gave neither|no such header/) } },
    ]);
  });
});

test("on Deno a request's signal isn't asked for: it fires after every answer, and asking is warned of", async () => {
  vi.stubGlobal("Deno", {});
  try {
    const request = asked("/accounts/me", { token: ada.token });
    const signal = vi.fn(() => AbortSignal.abort());
    Object.defineProperty(request, "signal", { get: signal });
    expect((await fetchHandler(server.liveplane, off)(request)).status).toBe(200);
    expect(signal).not.toHaveBeenCalled();
  } finally {
    vi.unstubAllGlobals();
  }
});

describe("options", () => {
  const making = (options: object | undefined, liveplane: unknown = server.liveplane) => {
    try {
      fetchHandler(liveplane as Liveplane, options as FetchHandlerOptions);
      return "taken";
    } catch (error) {
      expect(error).toMatchObject({ code: "ConfigurationInvalid" });
      return (error as Error).message;
    }
  };

  test.each([
    [undefined, /addressOf is missing.*request\.headers\.get\("x-real-ip"\).*rateLimits: "off"/],
    [{}, /addressOf is missing/],
    [{ rateLimits: {} }, /addressOf is missing/],
    [{ ...off, addressof: () => null }, /addressof isn't an option of fetchHandler; did you mean addressOf\?/],
    [{ ...off, nothing: 1 }, /^nothing isn't an option of fetchHandler\.$/],
    [{ ...off, basePath: "control" }, /basePath has the wrong type or value. Example: basePath: "\/control-plane"\./],
    [{ ...off, basePath: "/control/" }, /basePath/],
    [{ ...off, addressOf: "203.0.113.7" }, /addressOf has the wrong type or value. Example: addressOf: \(request\)/],
    [{ addressOf: () => null, rateLimits: { read: 1 } }, /rateLimits has the wrong/],
    [{ addressOf: () => null, rateLimits: { reads: 0 } }, /rateLimits has the wrong/],
    [{ ...off, corsOrigins: "https://a.example" }, /corsOrigins/],
    [{ ...off, corsOrigins: ["https://a.example/path"] }, /corsOrigins/],
    [{ ...off, onAnswer: 1 }, /onAnswer/],
    [{ ...off, stopping: new AbortController() }, /stopping: controller\.signal/],
  ])("%j is refused by its name", (options, said) => {
    expect(making(options)).toMatch(said);
  });

  test("something that is no control plane is refused", () => {
    expect(making(off, {})).toMatch(/first argument must be the result of createLiveplane/);
    expect(making(off, null)).toMatch(/createLiveplane/);
  });

  test("what is left undefined isn't said", () => {
    expect(making({ ...off, basePath: undefined, onAnswer: undefined })).toBe("taken");
  });
});

test("pages of the origins that are named may ask beforehand, and no others", async () => {
  const handle = fetchHandler(server.liveplane, { ...off, corsOrigins: ["https://app.example"] });
  const ask = (origin: string) =>
    handle(asked("/accounts/me", { method: "OPTIONS", headers: { origin, "access-control-request-method": "PUT" } }));
  const allowed = await ask("https://app.example");
  expect([allowed.status, allowed.headers.get("access-control-allow-origin")]).toEqual([204, "https://app.example"]);
  expect((await ask("https://evil.example")).headers.get("access-control-allow-methods")).toBeNull();
});

test("HEAD has the length of what GET answers, and no body", async () => {
  const handle = fetchHandler(server.liveplane, off);
  const get = await handle(asked("/accounts/me", { token: ada.token }));
  const head = await handle(asked("/accounts/me", { method: "HEAD", token: ada.token }));
  expect(head.headers.get("content-length")).toBe(String((await get.arrayBuffer()).byteLength));
  expect(head.body).toBeNull();
});

test("a target that is too long is refused unread", async () => {
  const handle = fetchHandler(server.liveplane, off);
  expect((await handle(asked(`/environments?cursor=${"a".repeat(9_000)}`))).status).toBe(414);
});
