import { describe, expect, test } from "vitest";
import { send } from "../raw-http.ts";
import { runServer } from "../running-server.ts";

const password = "correct horse battery";
const nowhere = "00000000-0000-4000-8000-000000000000";

describe("rate limits", () => {
  test("the documented quotas stand in the headers, bucket by bucket", async () => {
    const server = await runServer({ LIVEPLANE_RATE_LIMITS: "{}" });
    const ada = await server.person("ada");
    const policyOf = async (method: string, path: string, json?: unknown) => {
      const { headers } = await send(server.url, {
        method,
        path,
        token: ada.token,
        ...(json !== undefined && { json }),
      });
      return headers["ratelimit-policy"];
    };
    const environment = `/environments/Personal/${ada.id}/web`;
    expect(await policyOf("GET", "/accounts/me")).toBe('"reads";q=300;w=60');
    expect(await policyOf("HEAD", "/accounts/me")).toBe('"reads";q=300;w=60');
    expect(await policyOf("POST", environment, {})).toBe('"writes";q=90;w=60');
    expect(await policyOf("POST", `${environment}/secrets`, { shortName: "a", value: "b" })).toMatch(/;q=120;w=60$/);
    expect(await policyOf("POST", "/auth/sessions", { username: "ada", password })).toMatch(/;q=10;w=60$/);
    expect(await policyOf("POST", "/auth/token", {})).toMatch(/;q=60;w=60$/);
    expect(await policyOf("POST", "/accounts/challenge", { email: "a@b.example" })).toMatch(/;q=10;w=60$/);
    expect(await policyOf("POST", "/accounts/credentials", { username: "eve", password })).toMatch(/;q=10;w=60$/);
  });

  test("the last call of a quota is answered, the next is refused until the time that is told", async () => {
    const server = await runServer({ LIVEPLANE_RATE_LIMITS: '{"reads":3}' });
    const ada = await server.person("ada");
    const eve = await server.person("eve");
    const read = (token: string) => send(server.url, { path: "/accounts/me", token });
    const answers = [await read(ada.token), await read(ada.token), await read(ada.token)];
    expect(answers.map(({ status, headers }) => [status, headers.ratelimit?.replace(/;t=\d+/, "")])).toEqual([
      [200, '"reads";r=2'],
      [200, '"reads";r=1'],
      [200, '"reads";r=0'],
    ]);
    const refused = await read(ada.token);
    expect(refused).toMatchObject({ status: 429, json: { code: "RateLimited" } });
    expect(refused.headers["ratelimit-policy"]).toBe('"reads";q=3;w=60');
    const seconds = Number(refused.headers["retry-after"]);
    expect(seconds).toBeGreaterThan(0);
    expect(seconds).toBeLessThanOrEqual(60);
    expect(refused.headers.ratelimit).toBe(`"reads";r=0;t=${seconds}`);
    expect((await read(eve.token)).status).toBe(200);
    const write = { method: "POST", path: `/environments/Personal/${ada.id}/web`, token: ada.token, json: {} };
    expect((await send(server.url, write)).status).toBe(201);
  });

  test("what is refused counts like what is answered", async () => {
    const server = await runServer({ LIVEPLANE_RATE_LIMITS: '{"reads":4}' });
    const ada = await server.person("ada");
    for (const path of [`/organizations/${nowhere}`, "/organizations?limit=x", `/livesystems/${nowhere}`, "/accounts"])
      expect((await send(server.url, { path, token: ada.token })).status).toBeLessThan(429);
    expect((await send(server.url, { path: "/accounts/me", token: ada.token })).status).toBe(429);
  });

  test("whoever isn't known counts by address: bad tokens and unknown paths too", async () => {
    const server = await runServer({ LIVEPLANE_RATE_LIMITS: '{"reads":3}', LIVEPLANE_TRUST_PROXY: "1" });
    const from = (address: string, path: string, token?: string) =>
      send(server.url, { path, headers: { "x-forwarded-for": address }, ...(token !== undefined && { token }) });
    expect((await from("192.0.2.1", "/nothing")).status).toBe(404);
    expect((await from("192.0.2.1", "/accounts/me")).status).toBe(401);
    expect((await from("192.0.2.1", "/accounts/me", "forged")).status).toBe(401);
    expect((await from("192.0.2.1", "/nothing")).status).toBe(429);
    expect((await from("192.0.2.2", "/nothing")).status).toBe(404);
    expect((await from("192.0.2.1, 192.0.2.2", "/nothing")).headers.ratelimit).toContain("r=1");
  });

  test("one network is one caller, in whatever spelling a proxy tells it; what is no address counts for the proxy", async () => {
    const server = await runServer({ LIVEPLANE_RATE_LIMITS: '{"reads":50}', LIVEPLANE_TRUST_PROXY: "1" });
    const left = async (address: string) => {
      const { headers } = await send(server.url, { path: "/nothing", headers: { "x-forwarded-for": address } });
      return Number(/r=(\d+)/.exec(headers.ratelimit ?? "")?.[1]);
    };
    const alike = [
      ["192.0.2.1", "::ffff:192.0.2.1", "::FFFF:C000:201", "[::ffff:192.0.2.1]:443", "192.0.2.1:8080", '"192.0.2.1"'],
      ["2001:db8:1:2::1", "2001:DB8:1:2:ffff::9", "[2001:db8:1:2::3]:80", "2001:0db8:0001:0002::4%eth0"],
      ["junk", "", "unknown", "1.2.3", "::1::", "127.0.0.1"],
    ];
    for (const spellings of alike)
      for (const [at, spelling] of spellings.entries())
        expect([spelling, await left(spelling)]).toEqual([spelling, 49 - at]);
    expect(await left("2001:db8:1:3::1")).toBe(49);
  });

  test("a name that is tried too often rests, whoever tries it, and whether it is an account's or nobody's", async () => {
    const limits = '{"signIn":1000,"challenges":1000,"signInName":4,"challengeName":4}';
    const server = await runServer({ LIVEPLANE_RATE_LIMITS: limits, LIVEPLANE_TRUST_PROXY: "1" });
    await server.person("ada");
    let from = 0;
    const post = (path: string, json: unknown) =>
      send(server.url, { method: "POST", path, json, headers: { "x-forwarded-for": `192.0.2.${from++}` } });
    const tried = async (path: string, bodies: readonly unknown[]) => {
      const answers = [];
      for (const body of bodies) answers.push(await post(path, body));
      const [last] = answers.slice(-1);
      // What is left of a window depends on when one asks, and says nothing of the name.
      const told = JSON.stringify({ ...last?.json, requestId: 0, instance: 0 }).replaceAll(
        /\d+ s\b|(?<=Seconds":)\d+/g,
        "a while",
      );
      return { statuses: answers.map(({ status }) => status), last: told };
    };
    const signIns = (names: readonly string[]) =>
      tried(
        "/auth/sessions",
        names.map((username) => ({ username, password: "wrong" })),
      );
    const known = await signIns(["ada", "ADA", "Ada", "ada", "aDa"]);
    const unknown = await signIns(["eve", "EVE", "Eve", "eve", "eVe"]);
    expect(known.statuses).toEqual([401, 401, 401, 401, 429]);
    expect(unknown).toEqual(known);
    for (const path of ["/accounts/challenge", "/accounts/password-reset"]) {
      const mails = await tried(path, Array(5).fill({ email: `${path.length}@example.com` }));
      expect(mails.statuses).toEqual([202, 202, 202, 202, 429]);
    }
    expect((await post("/auth/sessions", { username: "somebody", password: "wrong" })).status).toBe(401);
  });

  test("signing in rightly uses up nothing of the name", async () => {
    const server = await runServer({ LIVEPLANE_RATE_LIMITS: '{"signIn":1000,"signInName":2}' });
    await server.person("ada");
    const signIn = (secret: string) =>
      send(server.url, { method: "POST", path: "/auth/sessions", json: { username: "ada", password: secret } });
    for (let at = 0; at < 5; at++) expect((await signIn(password)).status).toBe(201);
    expect((await signIn("wrong")).status).toBe(401);
    expect((await signIn("wrong")).status).toBe(401);
    const refused = await signIn(password);
    expect(refused).toMatchObject({ status: 429, headers: { "ratelimit-policy": '"signInName";q=2;w=900' } });
    expect(Number(refused.headers["retry-after"])).toBeLessThanOrEqual(900);
  });

  test("without a trusted proxy nobody chooses an address", async () => {
    const server = await runServer({ LIVEPLANE_RATE_LIMITS: '{"reads":2}' });
    const statuses: number[] = [];
    for (let at = 0; at < 3; at++) {
      const headers = { "x-forwarded-for": `192.0.2.${at}`, forwarded: `for=192.0.2.${at}` };
      statuses.push((await send(server.url, { path: "/nothing", headers })).status);
    }
    expect(statuses).toEqual([404, 404, 429]);
  });

  test("probes and the simulated clouds' console aren't counted", async () => {
    const server = await runServer({ LIVEPLANE_RATE_LIMITS: '{"reads":1,"writes":1}' });
    for (let at = 0; at < 5; at++) {
      expect((await send(server.url, { path: "/healthz" })).status).toBe(200);
      expect((await send(server.url, { path: "/openapi.json" })).status).toBe(200);
      expect((await send(server.url, { path: "/simulator/provider-a/resources" })).status).toBe(401);
    }
  });

  test("switched off, nothing is told and nothing refused", async () => {
    const server = await runServer();
    const { headers } = await send(server.url, { path: "/nothing" });
    expect(headers).not.toHaveProperty("ratelimit");
    expect(headers).not.toHaveProperty("ratelimit-policy");
  });
});
