import { expect, test } from "vitest";
import { createClient } from "../src/client.ts";
import { createHttp } from "../src/http.ts";
import { createClientTokens } from "../src/tokens.ts";
import { baseUrl, json, problem, standInService } from "./service.ts";

const { answers } = standInService();
const person = { username: "ada", password: "a long enough secret" };
const session = (token: string, expiresIn = 600) =>
  json({ accessToken: token, refreshToken: `refresh-${token}`, expiresIn }, { status: 201 });
const refreshed = (token: string) => json({ access_token: token, refresh_token: `refresh-${token}`, expires_in: 600 });

function clock() {
  let time = 0;
  const advance = (ms: number) => {
    time += ms;
  };
  return { now: () => time, advance };
}

test("many calls that wait for a token make one sign-in", async () => {
  const seen = answers(session("one"), json({ items: [], nextCursor: null }));
  const api = createClient({ baseUrl, credentials: person });
  await Promise.all(Array.from({ length: 20 }, () => api.organizations.list()));
  expect(seen.filter(({ path }) => path === "/auth/sessions")).toHaveLength(1);
  expect(seen.slice(1).every(({ headers }) => headers.get("authorization") === "Bearer one")).toBe(true);
});

test("a token is refreshed before it ends, once for all", async () => {
  const { now, advance } = clock();
  const seen = answers(session("one"), refreshed("two"));
  const tokens = createClientTokens(createHttp({ baseUrl }), person, now);
  expect(await tokens.current()).toBe("one");
  advance(571_000);
  expect(await Promise.all([tokens.current(), tokens.current()])).toEqual(["two", "two"]);
  expect(seen.map(({ path }) => path)).toEqual(["/auth/sessions", "/auth/token"]);
  expect(JSON.parse(seen[1]?.body ?? "")).toEqual({ grant_type: "refresh_token", refresh_token: "refresh-one" });
});

test("a person signs in anew when the refresh token is no longer good", async () => {
  const { now, advance } = clock();
  const seen = answers(session("one"), problem(400, "InvalidCredentials"), session("two"));
  const tokens = createClientTokens(createHttp({ baseUrl }), person, now);
  await tokens.current();
  advance(600_000);
  expect(await tokens.current()).toBe("two");
  expect(seen.map(({ path }) => path)).toEqual(["/auth/sessions", "/auth/token", "/auth/sessions"]);
});

test("a refresh token outlives a service that is down", async () => {
  const kept: string[] = [];
  answers(problem(503, "Unavailable"), refreshed("one"));
  const keep = (token: string) => void kept.push(token);
  const tokens = createClientTokens(createHttp({ baseUrl }), { refreshToken: "first", keep });
  await expect(tokens.current()).rejects.toMatchObject({ code: "Unavailable" });
  expect(await tokens.current()).toBe("one");
  expect(kept).toEqual(["refresh-one"]);
});

test("a token that was revoked in between is replaced, and the call repeated once", async () => {
  const seen = answers(session("one"), problem(401, "TokenRevoked"), refreshed("two"), json({ id: "me" }));
  const api = createClient({ baseUrl, credentials: person });
  expect(await api.accounts.me()).toEqual({ id: "me" });
  expect(seen.map(({ path }) => path)).toEqual(["/auth/sessions", "/accounts/me", "/auth/token", "/accounts/me"]);
});

test("a token that the host gives is never replaced", async () => {
  const seen = answers(problem(401, "TokenExpired"));
  for (const token of ["mine", () => "mine"])
    await expect(createClient({ baseUrl, token }).accounts.me()).rejects.toMatchObject({ code: "TokenExpired" });
  expect(seen).toHaveLength(2);
});

test("a function that gives tokens is asked again when one has ended", async () => {
  const seen = answers(problem(401, "TokenExpired"), json({ id: "me" }));
  const given = ["old", "new"];
  expect(await createClient({ baseUrl, token: () => given.shift() ?? "" }).accounts.me()).toEqual({ id: "me" });
  expect(seen.map(({ headers }) => headers.get("authorization"))).toEqual(["Bearer old", "Bearer new"]);
});

test("a service account signs in with its secret", async () => {
  const seen = answers(json({ access_token: "one", expires_in: 600 }), json({ id: "me" }));
  await createClient({ baseUrl, credentials: { clientId: "id", clientSecret: "secret" } }).accounts.me();
  expect(JSON.parse(seen[0]?.body ?? "")).toEqual({
    grant_type: "client_credentials",
    client_id: "id",
    client_secret: "secret",
  });
});
