import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createClient } from "../src/client.ts";
import { waitFor } from "../src/index.ts";
import { baseUrl, json, problem } from "./service.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const at = { organizationId: "0b6b4b6e-7a5c-4d4e-8f1a-2b3c4d5e6f70" };
const session = () => json({ accessToken: "one", refreshToken: "two", expiresIn: 600 }, { status: 201 });

/** Never answers, as `fetch` doesn't: until its signal fires. */
function silence(_input: unknown, init?: RequestInit): Promise<Response> {
  const signal = _input instanceof Request ? _input.signal : init?.signal;
  return new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
}

/** Answers in turn, the last answer for ever, and tells when each request came. */
function service(...replies: (() => Response | Promise<Response>)[]) {
  const times: number[] = [];
  const fetch: typeof globalThis.fetch = async (input, init) => {
    times.push(Date.now() - startedAt);
    const reply = replies[Math.min(times.length, replies.length) - 1];
    return reply === undefined ? silence(input, init) : reply();
  };
  const startedAt = Date.now();
  return { fetch, times };
}

test("a call is tried again when the service said that it would be there", async () => {
  const { fetch, times } = service(
    () => problem(429, "RateLimited", { "retry-after": "20" }),
    () => problem(503, "Unavailable", { "retry-after": "40" }),
    () => json({ name: "a" }),
  );
  const call = createClient({ baseUrl, token: "t", fetch }).organizations.get(at);
  await vi.advanceTimersByTimeAsync(61_000);
  expect(await call).toEqual({ name: "a" });
  expect(times).toEqual([0, 20_000, 60_000]);
});

test("a call is tried again at the date that the service said, and a broken network soon", async () => {
  const { fetch, times } = service(
    () => problem(503, "Unavailable", { "retry-after": new Date(Date.now() + 20_000).toUTCString() }),
    () => Promise.reject(new TypeError("fetch failed")),
    () => json({ name: "a" }),
  );
  const call = createClient({ baseUrl, token: "t", fetch }).organizations.get(at);
  await vi.advanceTimersByTimeAsync(21_000);
  expect(await call).toEqual({ name: "a" });
  const [, second = 0, third = 0] = times;
  expect(second).toBeGreaterThan(18_000);
  // The second pause is of up to 600 ms.
  expect(third - second).toBeLessThanOrEqual(600);
});

test("a service that asks for an hour is asked again after a minute, and one that asks for nothing within seconds", async () => {
  const { fetch, times } = service(
    () => problem(429, "RateLimited", { "retry-after": "3600" }),
    () => problem(502, "ProviderError", { "retry-after": "3600" }),
    () => json({ name: "a" }),
  );
  const call = createClient({ baseUrl, token: "t", fetch }).organizations.get(at);
  await vi.advanceTimersByTimeAsync(62_000);
  expect(await call).toEqual({ name: "a" });
  expect(times.slice(0, 2)).toEqual([0, 60_000]);
});

test("a try that isn't answered ends at its timeout, and the call after its last try", async () => {
  const { fetch, times } = service();
  const call = createClient({ baseUrl, token: "t", fetch, timeoutMs: 5_000, retries: 1 }).organizations.get(at);
  const refused = expect(call).rejects.toMatchObject({
    code: "Unavailable",
    message: "The server at http://liveplane.test did not answer in time.",
    retryable: true,
  });
  await vi.advanceTimersByTimeAsync(20_000);
  await refused;
  expect(times).toHaveLength(2);
});

test("an answer that never becomes whole ends at its timeout", async () => {
  const half = () => new Response(new ReadableStream({ start: (body) => body.enqueue(new TextEncoder().encode("{")) }));
  const { fetch } = service(half);
  const call = createClient({ baseUrl, token: "t", fetch, timeoutMs: 5_000, retries: 0 }).organizations.get(at);
  const refused = expect(call).rejects.toMatchObject({ code: "Unavailable" });
  await vi.advanceTimersByTimeAsync(5_000);
  await refused;
});

test("a call may have a time of its own", async () => {
  const { fetch, times } = service();
  const api = createClient({ baseUrl, token: "t", fetch, retries: 0 });
  const refused = expect(api.organizations.get(at, { timeoutMs: 1_000 })).rejects.toMatchObject({
    code: "Unavailable",
  });
  await vi.advanceTimersByTimeAsync(1_000);
  await refused;
  expect(times).toHaveLength(1);
});

test.each([0, -1, Number.NaN, 2 ** 31, "5"])("%j is no time for a call to have", async (timeoutMs) => {
  const { fetch, times } = service();
  const call = createClient({ baseUrl, fetch }).organizations.get(at, { timeoutMs: timeoutMs as number });
  await expect(call).rejects.toMatchObject({
    code: "ValidationFailed",
    details: { errors: [{ parameter: "timeoutMs" }] },
  });
  expect(times).toEqual([]);
});

test("a call ends with its signal also where its request has forgotten it", async () => {
  const fetch = () => new Promise<Response>(() => {});
  const controller = new AbortController();
  const call = createClient({ baseUrl, token: "t", fetch }).organizations.get(at, { signal: controller.signal });
  const refused = expect(call).rejects.toMatchObject(aborted);
  await vi.advanceTimersByTimeAsync(1_000);
  controller.abort();
  await refused;
});

test("a stream that isn't answered is opened again", async () => {
  const open = () =>
    new Response('id: 1\ndata: {"sequence":1}\n\n', { headers: { "content-type": "text/event-stream" } });
  let isOpen = false;
  const { fetch, times } = service();
  const client = createClient({
    baseUrl,
    token: "t",
    timeoutMs: 5_000,
    retries: 0,
    fetch: (input, init) => (isOpen ? Promise.resolve(open()) : fetch(input, init)),
  });
  const first = client.events.follow()[Symbol.asyncIterator]().next();
  await vi.advanceTimersByTimeAsync(4_000);
  isOpen = true;
  await vi.advanceTimersByTimeAsync(2_000);
  expect((await first).value).toEqual({ sequence: 1 });
  expect(times).toEqual([0]);
});

test("a caller who gives up while a sign-in is under way ends only their own call", async () => {
  const signedIn = Promise.withResolvers<Response>();
  const { fetch } = service(
    () => signedIn.promise,
    () => json({ name: "a" }),
  );
  const api = createClient({ baseUrl, fetch, credentials: { username: "ada", password: "a long enough secret" } });
  const controller = new AbortController();
  const hasty = api.organizations.get(at, { signal: controller.signal });
  const patient = api.organizations.get(at, { signal: new AbortController().signal });
  controller.abort();
  await expect(hasty).rejects.toMatchObject({ code: "Aborted" });
  signedIn.resolve(session());
  expect(await patient).toEqual({ name: "a" });
});

const aborted = { code: "Aborted", retryable: false };
const signalOf = (ms: number) => {
  const controller = new AbortController();
  setTimeout(() => controller.abort(), ms);
  return controller.signal;
};

test.each([
  ["that is aborted before it begins", 0, []],
  ["that waits for its answer", 1_000, []],
  ["that waits for its next try", 1_000, [() => problem(503, "Unavailable", { "retry-after": "30" })]],
] as const)("a call %s ends with its signal", async (_when, ms, replies) => {
  const { fetch, times } = service(...replies);
  const signal = ms === 0 ? AbortSignal.abort() : signalOf(ms);
  const call = createClient({ baseUrl, token: "t", fetch }).organizations.get(at, { signal });
  const refused = expect(call).rejects.toMatchObject(aborted);
  await vi.advanceTimersByTimeAsync(ms);
  await refused;
  expect(times.length).toBeLessThanOrEqual(1);
});

test("a list that is followed ends with its signal, between two pages too", async () => {
  const { fetch } = service(() => json({ items: [1], nextCursor: "c" }));
  const controller = new AbortController();
  const api = createClient({ baseUrl, token: "t", fetch });
  const seen: unknown[] = [];
  const reading = (async () => {
    for await (const item of api.organizations.list.all({ signal: controller.signal })) {
      seen.push(item);
      if (seen.length === 3) controller.abort();
    }
  })();
  await expect(reading).rejects.toMatchObject(aborted);
  expect(seen).toHaveLength(3);
});

test("waiting for a status ends with its signal, and tells of each look", async () => {
  const { fetch } = service(() => json({ status: "Updating" }));
  const looks: unknown[] = [];
  const waiting = waitFor(createClient({ baseUrl, token: "t", fetch }), "system/web", "Active", {
    signal: signalOf(5_000),
    onProgress: ({ status }) => looks.push(status),
  });
  const refused = expect(waiting).rejects.toMatchObject(aborted);
  await vi.advanceTimersByTimeAsync(5_000);
  await refused;
  // At once, and after 0.25, 0.75, 1.75 and 3.75 seconds.
  expect(looks).toEqual(Array.from({ length: 5 }, () => "Updating"));
});

test("a host that has no token is told so in its own words, and isn't asked for ever", async () => {
  const { fetch, times } = service();
  const api = createClient({ baseUrl, fetch, token: () => Promise.reject(new RangeError("signed out")) });
  await expect(api.organizations.get(at)).rejects.toThrow("signed out");
  await expect(api.events.follow()[Symbol.asyncIterator]().next()).rejects.toThrow("signed out");
  expect(times).toEqual([]);
});
