import { describe, expect, test } from "vitest";
import { send } from "./raw-http.ts";
import { runServer } from "./running-server.ts";

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
