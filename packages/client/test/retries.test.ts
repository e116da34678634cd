import type { CallAnswer } from "@liveplane/core/contract";
import { expect, test } from "vitest";
import { createClient } from "../src/client.ts";
import { baseUrl, json, problem, standInService, unreachable } from "./service.ts";

const { answers } = standInService();
const at = { organizationId: "0b6b4b6e-7a5c-4d4e-8f1a-2b3c4d5e6f70" };
const soon = { "retry-after": "0" };
const api = createClient({ baseUrl, token: "t" });

test("a read is tried again until the service is there", async () => {
  const seen = answers(problem(503, "Unavailable", soon), problem(503, "Unavailable", soon), json({ name: "a" }));
  expect(await api.organizations.get(at)).toEqual({ name: "a" });
  expect(seen).toHaveLength(3);
});

test("what makes something is sent again under the same key", async () => {
  const seen = answers(problem(503, "Unavailable", soon), json({ name: "a" }, { status: 201 }));
  await api.organizations.create({ name: "a" });
  const [first, second] = seen.map(({ headers }) => headers.get("idempotency-key"));
  expect(second).toBe(first);
  expect(second).not.toBeNull();
});

test("a repeated request waits for the first one that is still under way", async () => {
  const seen = answers(problem(409, "IdempotencyInFlight"), json({ name: "a" }, { status: 201 }));
  expect(await api.organizations.create({ name: "a" })).toEqual({ name: "a" });
  expect(seen).toHaveLength(2);
});

test("a sign-in survives one reset, and no more", async () => {
  const session = json({ accessToken: "one", refreshToken: "two", expiresIn: 600 }, { status: 201 });
  const seen = answers(unreachable, session, unreachable);
  expect(await api.sessions.create({ username: "a", password: "b" })).toMatchObject({ accessToken: "one" });
  expect(seen).toHaveLength(2);
  await expect(api.sessions.create({ username: "a", password: "b" })).rejects.toMatchObject({ code: "Unavailable" });
  expect(seen).toHaveLength(4);
});

test("of a write whose answer is lost nothing is claimed; of a read, or under the caller's own key, it may be made again", async () => {
  const unknown = { code: "Unavailable", retryable: false, details: { outcome: "unknown" } };
  const again = { code: "Unavailable", retryable: true, details: {} };
  answers(unreachable);
  await expect(api.accounts.createWithEmail({ email: "a@example.com" })).rejects.toMatchObject(unknown);
  const hasty = createClient({ baseUrl, retries: 0 });
  await expect(hasty.organizations.create({ name: "a" })).rejects.toMatchObject(unknown);
  await expect(hasty.organizations.create({ name: "a" }, { idempotencyKey: "mine" })).rejects.toMatchObject(again);
  await expect(hasty.organizations.get(at)).rejects.toMatchObject(again);
  answers(new Response("<html>", { status: 502 }));
  await expect(hasty.organizations.create({ name: "a" })).rejects.toMatchObject({ ...unknown, status: 502 });
  answers(problem(503, "Unavailable"));
  await expect(hasty.organizations.create({ name: "a" })).rejects.toMatchObject(again);
});

test("a write that nobody took is known not to be done, unless an earlier try may have been", async () => {
  const refused = () => Promise.reject(Object.assign(new TypeError("fetch failed"), { code: "ECONNREFUSED" }));
  const lost = () => Promise.reject(Object.assign(new TypeError("fetch failed"), { code: "ECONNRESET" }));
  const made = (...tries: readonly (() => Promise<Response>)[]) => {
    const left = [...tries];
    const client = createClient({ baseUrl, retries: tries.length - 1, fetch: () => (left.shift() ?? refused)() });
    return client.organizations.create({ name: "a" });
  };
  await expect(made(refused, refused)).rejects.toMatchObject({ retryable: true, details: {} });
  await expect(made(lost, refused)).rejects.toMatchObject({ retryable: false, details: { outcome: "unknown" } });
});

test("what may end its own credential is never sent twice", async () => {
  const seen = answers(unreachable);
  const sessionId = "0b6b4b6e-7a5c-4d4e-8f1a-2b3c4d5e6f70";
  await expect(api.sessions.delete({ sessionId })).rejects.toMatchObject({ code: "Unavailable" });
  await expect(api.accounts.deleteMe()).rejects.toMatchObject({ code: "Unavailable" });
  expect(seen).toHaveLength(2);
});

test("an answer that breaks off is asked for again", async () => {
  const broken = () =>
    new Response(
      new ReadableStream({
        start: (body) => body.enqueue(new TextEncoder().encode('{"na')),
        pull: (body) => body.error(new TypeError("terminated")),
      }),
      { status: 200, headers: { "content-type": "application/json" } },
    );
  const seen = answers(broken, json({ name: "a" }));
  expect(await api.organizations.get(at)).toEqual({ name: "a" });
  expect(seen).toHaveLength(2);
});

test.each([502, 504])("a proxy's %i is Unavailable, and one with a problem what that says", async (status) => {
  const hasty = createClient({ baseUrl, retries: 0 });
  answers(new Response("<html>", { status, headers: { "x-request-id": "request-7" } }));
  await expect(hasty.organizations.get(at)).rejects.toMatchObject({
    code: "Unavailable",
    status,
    requestId: "request-7",
  });
  answers(problem(status, "ProviderError"));
  await expect(hasty.organizations.get(at)).rejects.toMatchObject({ code: "ProviderError", requestId: "request-1" });
});

test("whoever asks is told what comes with an answer, and with a refusal", async () => {
  const told: unknown[] = [];
  const onAnswer = ({ status, requestId, headers }: CallAnswer) =>
    void told.push([status, requestId, headers.get("ratelimit")]);
  answers(json({ name: "a" }, { headers: { "x-request-id": "request-8", ratelimit: '"reads";r=1;t=2' } }));
  await api.organizations.get(at, { onAnswer });
  answers(problem(404, "NotFound"));
  await expect(api.organizations.get(at, { onAnswer })).rejects.toMatchObject({ code: "NotFound" });
  expect(told).toEqual([
    [200, "request-8", '"reads";r=1;t=2'],
    [404, null, null],
  ]);
});

test("a refusal names the option that the caller gave, not the header that it travels as", async () => {
  const header = "X-ProviderA-SP-Client-ID";
  const detail = "It is missing.";
  answers(
    json(
      {
        code: "ProviderCredentialsMissing",
        detail: `${header}: ${detail}`,
        errors: [{ header, code: "Required", detail }],
      },
      { status: 400 },
    ),
  );
  const environment = { type: "Personal", ownerId: at.organizationId, shortName: "web" } as const;
  await expect(api.environments.providerA.initialize(environment)).rejects.toMatchObject({
    message: `providerAClientId: ${detail}`,
    details: { errors: [{ parameter: "providerAClientId", code: "Required", detail }] },
  });
});

test("a sign-in that was answered is never sent twice", async () => {
  const seen = answers(problem(503, "Unavailable", soon));
  await expect(api.sessions.create({ username: "a", password: "b" })).rejects.toMatchObject({ code: "Unavailable" });
  expect(seen).toHaveLength(1);
});

test("a refusal is not tried again", async () => {
  const seen = answers(problem(409, "AlreadyExists"));
  await expect(api.organizations.create({ name: "a" })).rejects.toMatchObject({ code: "AlreadyExists", status: 409 });
  expect(seen).toHaveLength(1);
});

test("no more tries are made than were asked for", async () => {
  const seen = answers(problem(429, "RateLimited", soon));
  const patient = createClient({ baseUrl, retries: 1 });
  await expect(patient.organizations.get(at)).rejects.toMatchObject({
    code: "RateLimited",
    details: { retryAfterSeconds: 0 },
  });
  expect(seen).toHaveLength(2);
});

test("a network that is gone is Unavailable", async () => {
  answers(unreachable);
  const hasty = createClient({ baseUrl, retries: 0 });
  await expect(hasty.organizations.get(at)).rejects.toMatchObject({ code: "Unavailable", retryable: true });
});

test("the caller's signal ends a call", async () => {
  const controller = new AbortController();
  answers(() => {
    controller.abort();
    return problem(503, "Unavailable", { "retry-after": "50" });
  });
  await expect(api.organizations.get(at, { signal: controller.signal })).rejects.toMatchObject({ code: "Aborted" });
});

test("a list is followed to its last page", async () => {
  const seen = answers(json({ items: [1, 2], nextCursor: "c" }), json({ items: [3], nextCursor: null }));
  const items: unknown[] = [];
  for await (const item of api.organizations.list.all({ limit: 2 })) items.push(item);
  expect(items).toEqual([1, 2, 3]);
  expect(seen.map(({ path }) => path)).toEqual(["/organizations?limit=2", "/organizations?limit=2&cursor=c"]);
});
