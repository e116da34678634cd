import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { nodeDefaults } from "@liveplane/adapters/node";
import { oidcSignIn } from "@liveplane/adapters/oidc-sign-in";
import { createLiveplane } from "@liveplane/core";
import { createServer } from "@liveplane/server-express";
import { afterAll, expect, test } from "vitest";
import { type Browser, openBrowser } from "../../adapters/test/openid/browser.ts";
import { clientId, clientSecret, openIdProvider } from "../../adapters/test/openid/openid-provider.ts";
import { personsPassword } from "./running-server.ts";
import { typedLine } from "./typed-line.ts";

const provider = await openIdProvider();
const { issuer } = provider;
const home = mkdtempSync(join(tmpdir(), "liveplane-sign-in-"));
const ports = await nodeDefaults({ dataDir: join(home, "data") });

const signInIssuer = await oidcSignIn({ issuer, clientId, clientSecret });
const settings = { provisioning: "verified-email" } as const;
const liveplane = createLiveplane({ ...ports, signInIssuer, settings });

const server = createServer({ liveplane, rateLimits: "off", needsAgent: false, drainMs: 0 });
const url = await server.listen(0);
await provider.serve(`${url}/auth/oidc/callback`);
afterAll(async () => {
  await server.close();
  await liveplane.stop();
  await provider.end();
  rmSync(home, { recursive: true, force: true });
});

interface Typed {
  /** What is typed where something is asked for: known before, or found out from what was said. */
  readonly answers?: readonly (string | ((said: string) => Promise<string>))[];
  /** What the person does with the address that is shown. */
  readonly browse?: (address: string) => Promise<unknown>;
}

/** Goes to an address, and confirms what the page there asks. */
async function confirming(address: string) {
  const browser = openBrowser();
  const visited = await browser.visit(address);
  return visited.text.includes("<form") ? browser.submit(visited) : visited;
}

/** Types a line, with a browser at hand. */
async function typed(line: string, { answers = [], browse = confirming }: Typed = {}) {
  const [left, said, browsing] = [[...answers], [] as string[], [] as Promise<unknown>[]];
  const ask = async () => {
    const next = left.shift() ?? "";
    return typeof next === "string" ? next : next(said.join("\n"));
  };
  const told = await typedLine(line.split(" ").slice(1), {
    environment: { LIVEPLANE_URL: url },
    folder: home,
    say: (lines) => void said.push(...[lines].flat()),
    ...{ ask, askSecret: ask },
    openPage: (address) => void browsing.push(browse(address)),
  });
  await Promise.all(browsing);
  return told;
}

const guide = readFileSync(new URL("../../../docs/how-to/sign-in.md", import.meta.url), "utf8");
const [byProvider = [], byDevice = [], linking = []] = [...guide.matchAll(/```sh\n(.*?)```/gs)].map(([, lines = ""]) =>
  lines.trim().split("\n"),
);

test("the guide's lines sign in with a browser, and out", async () => {
  provider.people.ada = { email: "ada@example.com", email_verified: true };
  const answers = [];
  for (const line of byProvider) answers.push({ line, ...(await typed(line)) });
  expect(answers.filter(({ code }) => code !== 0)).toEqual([]);
  const [signedIn, me, identities, sessions] = answers;
  expect(signedIn?.said).toContain(`Signed in to ${url} as ada@example.com.`);
  expect(me?.out).toContain('"ada@example.com"');
  expect(identities?.out).toContain(issuer);
  expect(sessions?.out).toContain("openid");
});

/** Goes to the address that was said with a browser of another machine: the page there, and its code. */
async function elsewhere(said: string) {
  const [address = ""] = /https?:\S+/.exec(said) ?? [];
  const visited = await confirming(address);
  const [, code = ""] = /<p><code>([\w-]{43})<\/code><\/p>/.exec(visited.text) ?? [];
  return { ...visited, code };
}

const codeElsewhere = async (said: string) => (await elsewhere(said)).code;

test("the guide's line signs in by a code that a browser on another machine shows, copied wrongly at first", async () => {
  provider.who = "ada";
  const browse = () => Promise.reject(new TypeError("There is no browser here."));
  const answers = ["of another page", async (said: string) => ` ${await codeElsewhere(said)}\n`];
  const { code, said } = await typed(byDevice.join("\n"), { answers, browse });
  expect(said).toMatch(/to sign in:\nhttp.*\nThat code is wrong.*\nSigned in to .* as ada@example\.com\.$/s);
  expect(code).toBe(0);
  expect(await typed("liveplane login --device", { answers: [""] })).toMatchObject({ code: 2 });
  expect(await typed("liveplane login --device", { answers: ["a", "b", "c"] })).toMatchObject({
    code: 1,
    said: expect.stringContaining("SignInInvalid"),
  });
});

test("a code that is shown is good once, for the program that printed the address, and on a page that loads nothing", async () => {
  let shown: Awaited<ReturnType<typeof elsewhere>> | null = null;
  const read = async (said: string) => {
    shown = await elsewhere(said);
    return "";
  };
  await typed("liveplane login --device", { answers: [read] });
  const { text = "", headers, way = [], code = "" } = shown ?? (await elsewhere(""));
  expect(headers.get("content-security-policy")).toContain("default-src 'none'");
  expect([headers.get("cache-control"), text]).toEqual(["no-store", expect.not.stringMatching(/<script|style=|<img/)]);
  expect(way.join("\n")).not.toContain(code);
  const { sessions } = liveplane.as({ kind: "anonymous" });
  for (const codeVerifier of ["x".repeat(43), "y".repeat(43)])
    await expect(sessions.createByCode({ code, codeVerifier })).rejects.toMatchObject({ code: "SignInInvalid" });
});

test("whoever is refused in a browser elsewhere is told there", async () => {
  provider.people.eve = { email: "eve@example.com", email_verified: false };
  provider.who = "eve";
  let refused = "";
  const read = async (said: string) => {
    refused = (await elsewhere(said)).text;
    return "";
  };
  await typed("liveplane login --device", { answers: [read] });
  expect(refused).toContain("AddressNotVerified");
  expect((await openBrowser().visit(`${url}/auth/oidc/start?device=1`)).text).toContain("code_challenge");
});

test("the guide's lines link an identity to an account that has a password", async () => {
  const host = liveplane.as({ kind: "system", name: "host" });
  await host.accounts.createWithCredentials({ username: "bob", password: personsPassword });
  provider.who = "bob";
  const answers = [];
  for (const line of linking) answers.push({ line, ...(await typed(line, { answers: ["bob", personsPassword] })) });
  expect(answers.filter(({ code }) => code !== 0)).toEqual([]);
  expect(answers.at(-1)?.said).toContain(`Signed in to ${url} as bob.`);
  expect(statSync(join(home, "session.json")).mode & 0o777).toBe(0o600);
});

test("an identity is linked by a browser on another machine, too", async () => {
  const host = liveplane.as({ kind: "system", name: "host" });
  await host.accounts.createWithCredentials({ username: "carol", password: personsPassword });
  provider.who = "carol";
  await typed("liveplane login", { answers: ["carol", personsPassword] });
  const linked = await typed("liveplane link --device", { answers: [codeElsewhere] });
  expect(linked).toMatchObject({ code: 0, said: expect.stringContaining("Linked carol. You can now sign in with") });
  // The session stands in for PKCE, so the address has no challenge that would prove nothing.
  expect(linked.said).toMatch(/\/auth\/oidc\/start\?link=[\w.-]+&device=1\n/);
});

test("what the service refuses is said in the terminal, and in the browser", async () => {
  provider.people.eve = { email: "eve@example.com", email_verified: false };
  provider.who = "eve";
  let shown = "";
  const browse = async (address: string) => {
    shown = (await openBrowser().visit(address)).text;
  };
  const { code, said } = await typed("liveplane login --oidc", { browse });
  expect(code).toBe(1);
  expect(said).toContain("AddressNotVerified: The provider hasn't verified your address.");
  expect(shown).toContain("AddressNotVerified");
});

test("who comes to the program's port with something else is turned away, and it waits on", async () => {
  provider.who = "ada";
  const answers: number[] = [];
  const browse = async (address: string) => {
    const port = new URL(address).searchParams.get("loopback");
    const at = `http://127.0.0.1:${port}`;
    for (const query of ["", "?code=x&state=another", "?error=x", `?state=${"s".repeat(22)}&code=<script>`])
      answers.push((await fetch(`${at}/${query}`)).status);
    const { searchParams: query } = new URL(address);
    // A page with a name of its own for this machine.
    answers.push(
      (await fetch(`http://localhost:${port}/?state=${query.get("state")}&code=x`).catch(() => ({ status: 404 })))
        .status,
    );
    await openBrowser().visit(address);
  };
  expect(await typed("liveplane login --oidc", { browse })).toMatchObject({ code: 0 });
  expect(answers).toEqual([404, 404, 404, 404, 404]);
});

test("no secret stands in what is shown, said or sent on but the code, which is good for this program alone", async () => {
  provider.who = "ada";
  const visits: string[] = [];
  const browser: Browser = openBrowser();
  const browse = async (address: string) => void visits.push(...(await browser.visit(address)).way);
  const { said } = await typed("liveplane login --oidc", { browse });
  const code = new URL(visits.at(-1) ?? "").searchParams.get("code") ?? "";
  const session = JSON.parse(readFileSync(join(home, "session.json"), "utf8"));
  for (const secret of [session.accessToken, session.refreshToken]) {
    expect(said).not.toContain(secret);
    expect(visits.join("\n")).not.toContain(secret);
  }
  const again = liveplane.as({ kind: "anonymous" }).sessions.createByCode({ code, codeVerifier: "x".repeat(43) });
  await expect(again).rejects.toMatchObject({ code: "SignInInvalid" });
});

test("a service without a provider says so", async () => {
  const dataDir = mkdtempSync(join(home, "plain-"));
  const plain = createLiveplane(await nodeDefaults({ dataDir }));
  const other = createServer({ liveplane: plain, rateLimits: "off", needsAgent: false, drainMs: 0 });
  const { code, said } = await typed(`liveplane login --oidc --url ${await other.listen(0)}`);
  expect({ code, said }).toEqual({
    code: 2,
    said: "This service has no OpenID provider. To sign in with a password, run liveplane login.",
  });
  await other.close();
  await plain.stop();
});

test("whoever is still signed in at the provider is told how to sign in there again, and may then do what is costly", async () => {
  provider.people.old = {
    email: "old@example.com",
    email_verified: true,
    signedInAt: Math.floor(Date.now() / 1000) - 3600,
  };
  provider.who = "old";
  const browser = openBrowser();
  const browse = (address: string) => browser.visit(address);
  expect(await typed("liveplane login --oidc", { browse })).toMatchObject({ code: 0 });
  const late = await typed("liveplane accounts factors add-totp");
  expect(late.code).toBe(1);
  expect(late.said).toContain("SignInNotFresh");
  expect(late.said).toContain(
    "To sign in again: liveplane login, or at the OpenID provider: liveplane login --oidc --fresh",
  );
  provider.people.old = { email: "old@example.com", email_verified: true };
  expect(await typed("liveplane login --oidc --fresh", { browse })).toMatchObject({ code: 0 });
  expect(await typed("liveplane accounts factors add-totp")).toMatchObject({ code: 0 });
  provider.who = "ada";
  const misused = await typed("liveplane login --fresh");
  expect(misused).toMatchObject({ code: 2, said: expect.stringContaining("--fresh needs --oidc or --device") });
});
