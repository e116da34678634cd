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

test("a sign-in is never sent twice", async () => {
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
