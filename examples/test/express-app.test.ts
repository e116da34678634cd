import { expect, test } from "vitest";
import { startExample } from "./run-example.ts";

test("express-app: who logs in to the app, and who brings the issuer's token, are one account", async () => {
  const child = startExample("examples/express-app/main.ts", { PORT: "0" });
  const exited = new Promise((resolve) => child.once("exit", resolve));
  let said = "";
  child.stdout?.on("data", (chunk) => {
    said += chunk;
  });
  await expect.poll(() => said, { timeout: 20_000 }).toContain("\n");
  const { url, token } = JSON.parse(said) as { url: string; token: string };
  const me = (bearer: string) =>
    fetch(`${url}/control-plane/accounts/me`, { headers: { authorization: `Bearer ${bearer}` } });

  expect((await me(token)).status).toBe(401);
  const login = await fetch(`${url}/login/ada`, { method: "POST" });
  const cookie = login.headers.get("set-cookie") ?? "";
  const { id } = (await (await me(token)).json()) as { id: string };

  expect((await fetch(`${url}/environments/production`, { method: "POST" })).status).toBe(401);
  const made = await fetch(`${url}/environments/production`, { method: "POST", headers: { cookie } });
  expect(await made.json()).toMatchObject({ id: { ownerId: id, shortName: "production" } });
  const seen = await fetch(`${url}/control-plane/environments/Personal/${id}/production`, {
    headers: { authorization: `Bearer ${token}` },
  });
  expect(seen.status).toBe(200);
  expect((await me(`${token.slice(0, -8)}AAAAAAAA`)).status).toBe(401);

  child.kill("SIGTERM");
  expect(await exited).toBe(0);
}, 60_000);
