import { request as httpRequest } from "node:http";
import { argon2Hasher } from "@liveplane/adapters/argon2-hasher";
import { nodeDefaults } from "@liveplane/adapters/node";
import { type CostlyWork, createLiveplane, type LiveplaneOptions } from "@liveplane/core";
import { LiveplaneError } from "@liveplane/core/errors";
import { expect, onTestFinished, test, vi } from "vitest";
import { emptyFolder } from "../../adapters/test/empty-folder.ts";
import { createServer } from "../src/server.ts";
import { send } from "./raw-http.ts";

const password = "correct horse battery";
/** Two places: one for each address. Each hash takes long enough that the others are there before it is done. */
const hasher = await argon2Hasher({ slots: 2 });

/** A server on ports of a test's own, and somebody with an environment. */
async function start(ports: Partial<Pick<LiveplaneOptions, "hasher" | "sshKeys">>) {
  const dataDir = emptyFolder();
  const settings = { openRegistration: true };
  const liveplane = await createLiveplane({ ...(await nodeDefaults({ dataDir, settings })), hasher, ...ports });
  const server = createServer({ liveplane, rateLimits: "off", trustedProxies: 1, drainMs: 0 });
  const url = await server.listen(0, "127.0.0.1");
  onTestFinished(async () => {
    await server.close();
    await liveplane.stop();
  });
  return { url, liveplane };
}

async function ada({ liveplane, url }: Awaited<ReturnType<typeof start>>) {
  const nobody = liveplane.as({ kind: "anonymous" });
  const { id } = await nobody.accounts.createWithCredentials({ username: "ada", password });
  const { accessToken: token } = await nobody.sessions.create({ username: "ada", password });
  await send(url, { method: "POST", path: `/environments/Personal/${id}/web`, token, json: {} });
  return { id, token, profiles: `/environments/Personal/${id}/web/ci-cd-profiles/bulk` };
}

/** Sends a request and hangs up once the work that it causes has begun. */
async function hangUp(
  url: string,
  parts: { method: string; path: string; token?: string; json: unknown },
  begun: () => boolean,
) {
  const { method, path, token, json } = parts;
  const headers = { "content-type": "application/json", ...(token && { authorization: `Bearer ${token}` }) };
  const request = httpRequest(`${url}${path}`, { method, headers, agent: false }).on("error", () => {});
  request.end(JSON.stringify(json));
  await vi.waitUntil(begun);
  request.destroy();
}

/** Work that never ends by itself, and whose it was. */
function endless() {
  const begun: CostlyWork[] = [];
  let given = 0;
  const work = (whose: CostlyWork = {}): Promise<never> => {
    begun.push(whose);
    return new Promise((_, reject) => {
      whose.signal?.addEventListener("abort", () => {
        given += 1;
        reject(new LiveplaneError("Aborted"));
      });
    });
  };
  return { begun, work, givenUp: () => given };
}

const key = (shortName: string) => ({ shortName, sshPrivateKeyData: "a key", sshPrivateKeyPassphrase: "secret" });

test("a caller who hangs up takes their keys with them, each of a list", async () => {
  const { begun, work, givenUp } = endless();
  const server = await start({ sshKeys: { inspect: (_key, _passphrase, whose) => work(whose) } });
  const { id, token, profiles } = await ada(server);
  const json = Array.from({ length: 8 }, (_, at) => key(`key-${at}`));
  await hangUp(server.url, { method: "POST", path: profiles, token, json }, () => begun.length === 8);
  await vi.waitUntil(() => givenUp() === 8);
  expect(new Set(begun.map(({ share }) => share))).toEqual(new Set([id]));
});

test("a caller who hangs up takes their sign-in with them, which is shared by address", async () => {
  const { begun, work, givenUp } = endless();
  const server = await start({
    hasher: { hash: async () => "a hash", verify: (_hash, _password, whose) => work(whose) },
  });
  const json = { username: "ada", password };
  await hangUp(server.url, { method: "POST", path: "/auth/sessions", json }, () => begun.length === 1);
  await vi.waitUntil(() => givenUp() === 1);
  expect(begun[0]?.share).toBe("127.0.0.1");
});

test("what can't be begun in time is 503 with Retry-After, and one such key gives up the others of its list", async () => {
  const { begun, work, givenUp } = endless();
  const details = { retryAfterSeconds: 15 };
  const inspect = (_key: string, _passphrase: string | null, whose?: CostlyWork) =>
    begun.length < 2 ? work(whose) : Promise.reject(new LiveplaneError("Unavailable", "Too much.", { details }));
  const server = await start({ sshKeys: { inspect } });
  const { token, profiles } = await ada(server);
  const json = [key("one"), key("two"), key("three")];
  const refused = await send(server.url, { method: "POST", path: profiles, token, json });
  expect(refused).toMatchObject({ status: 503, json: { code: "Unavailable" }, headers: { "retry-after": "15" } });
  expect(refused.json).not.toHaveProperty("errors");
  expect(givenUp()).toBe(2);
});

test.each([
  ["address", () => "203.0.113.9"],
  ["network of IPv6, each from another address of it,", (at: number) => `2001:db8::${at.toString(16)}`],
])("a flood of sign-ins from one %s doesn't hold up another", async (_, addressOf) => {
  const { url } = await start({});
  const answered: string[] = [];
  const signIn = async (name: string, address: string) => {
    const headers = { "x-forwarded-for": address };
    const json = { username: name, password };
    const { status } = await send(url, { method: "POST", path: "/auth/sessions", headers, json });
    expect(status).toBe(401);
    answered.push(address);
  };
  const flood = Array.from({ length: 40 }, (_, at) => signIn(`nobody-${at}`, addressOf(at + 1)));
  await Promise.race(flood);
  await signIn("nobody", "198.51.100.7");
  expect(answered.length).toBeLessThan(15);
  await Promise.all(flood);
});
