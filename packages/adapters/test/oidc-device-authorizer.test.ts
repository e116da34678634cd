import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { oidcDeviceAuthorizer } from "@liveplane/adapters/oidc-device-authorizer";
import { type KoaContextWithOIDC, Provider } from "oidc-provider";
import { afterEach, expect, test } from "vitest";
import { callOf, initializationWorld, subscriptionId } from "../../core/test/builders/initialization.ts";
import { keptInMemory, signingKey } from "./openid/openid-provider.ts";

const authenticate = "environments.providerA.authenticate";
const authentication = "environments.providerA.authentication";
const locations = "environments.providerA.locations";
const running: Server[] = [];

afterEach(async () => {
  for (const server of running.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

/** A real OpenID provider on loopback, with a person who signs in at the other device. */
async function provider({ intervalMs = 0 } = {}) {
  const server = createServer();
  running.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const oidc = new Provider(issuer, {
    clients: [
      {
        client_id: "liveplane",
        token_endpoint_auth_method: "none",
        grant_types: ["urn:ietf:params:oauth:grant-type:device_code"],
        redirect_uris: [],
        response_types: [],
      },
    ],
    features: { deviceFlow: { enabled: true }, devInteractions: { enabled: false } },
    findAccount: (_, sub) => ({ accountId: sub, claims: async () => ({ sub }) }),
    ttl: { DeviceCode: 600, AccessToken: 1200, IdToken: 1200, Grant: 1200 },
    adapter: keptInMemory(),
    cookies: { keys: ["of the test"] },
    jwks: { keys: [(await signingKey()).jwk] },
  });
  let time = 0;
  oidc.use(slowingDown(intervalMs, () => time));
  server.on("request", oidc.callback());
  const deviceCode = async (userCode: string) => {
    const found = await oidc.DeviceCode.findByUserCode(userCode.replaceAll("-", ""));
    if (found === undefined) throw new TypeError("no such code");
    return found;
  };
  return {
    issuer,
    server,
    pass(ms: number) {
      time += ms;
    },
    async complete(userCode: string) {
      const code = await deviceCode(userCode);
      const grant = new oidc.Grant({ clientId: "liveplane", accountId: "alice" });
      grant.addOIDCScope("openid");
      Object.assign(code, {
        accountId: "alice",
        grantId: await grant.save(),
        scope: "openid",
        claims: {},
        authTime: 1,
        inFlight: true,
      });
      await code.save();
    },
    async expire(userCode: string) {
      const code = await deviceCode(userCode);
      Object.assign(code, { exp: 1 });
      await code.save();
    },
    async deny(userCode: string) {
      const code = await deviceCode(userCode);
      Object.assign(code, { error: "access_denied", errorDescription: "End-User aborted interaction", inFlight: true });
      await code.save();
    },
  };
}

/** The provider leaves it to its host to slow down who polls too fast (RFC 8628 §3.5). */
function slowingDown(intervalMs: number, now: () => number) {
  let polled = Number.NEGATIVE_INFINITY;
  return async (context: KoaContextWithOIDC, next: () => Promise<void>) => {
    const early = context.path === "/token" && now() - polled < intervalMs;
    if (context.path === "/token") polled = now();
    if (!early) return next();
    context.status = 400;
    context.body = { error: "slow_down", error_description: "canary-description" };
  };
}

const authorizerOf = (issuer: string, now?: () => number) =>
  oidcDeviceAuthorizer({ issuerFor: () => issuer, clientId: "liveplane", ...(now && { now }) });

test("begins with a code for a person, and waits for them", async () => {
  const { issuer } = await provider();
  const authorizer = authorizerOf(issuer);
  const grant = await authorizer.begin("common");
  expect(grant).toMatchObject({
    userCode: expect.stringMatching(/^\S{4,}$/),
    verificationUri: `${issuer}/device`,
    intervalSeconds: 5,
  });
  expect(grant.message).toContain(grant.userCode);
  expect(grant.expiresInSeconds).toBeGreaterThan(590);
  expect(await authorizer.poll("common", grant.deviceCode)).toEqual({ status: "Pending", slowDown: false });
});

test("gives the delegated credential when the person has signed in", async () => {
  const { issuer, complete } = await provider();
  const authorizer = authorizerOf(issuer, () => 1_000_000);
  const grant = await authorizer.begin("common");
  await complete(grant.userCode);
  const outcome = await authorizer.poll("common", grant.deviceCode);
  expect(outcome).toEqual({
    status: "Completed",
    credential: expect.stringMatching(/^\S{20,}$/),
    expiresAt: 1_000_000 + 1_200_000,
  });
  expect(await authorizer.poll("common", grant.deviceCode)).toEqual({ status: "Expired" });
});

test("says that the person refused", async () => {
  const { issuer, deny } = await provider();
  const authorizer = authorizerOf(issuer);
  const grant = await authorizer.begin("common");
  await deny(grant.userCode);
  expect(await authorizer.poll("common", grant.deviceCode)).toEqual({ status: "Denied" });
});

test("says that the code has expired", async () => {
  const { issuer, expire } = await provider();
  const authorizer = authorizerOf(issuer);
  const grant = await authorizer.begin("common");
  await expire(grant.userCode);
  expect(await authorizer.poll("common", grant.deviceCode)).toEqual({ status: "Expired" });
});

test("goes on with a code that another process began with", async () => {
  const { issuer, complete } = await provider();
  const { deviceCode, userCode } = await authorizerOf(issuer).begin("common");
  await complete(userCode);
  expect(await authorizerOf(issuer).poll("common", deviceCode)).toMatchObject({ status: "Completed" });
});

test("carries the environment's authentication through a restart", async () => {
  const { issuer, complete } = await provider();
  const authorizer = authorizerOf(issuer, () => Date.UTC(2026, 0, 1));
  const before = await initializationWorld({ authorizer });
  const { userCode } = (await before.handlers[authenticate](callOf(authenticate))).value;
  expect((await before.handlers[authentication](callOf(authentication))).value).toMatchObject({ status: "Pending" });
  await complete(userCode ?? "");
  const { store, runtime } = before;
  const after = await initializationWorld({ authorizer: authorizerOf(issuer, runtime.clock.now), store, runtime });
  await runtime.advance(5000);
  expect((await after.handlers[authentication](callOf(authentication))).value).toMatchObject({ status: "Completed" });
  const places = await after.handlers[locations](callOf(locations, { query: { subscriptionId } }));
  expect(places.value.items.length).toBeGreaterThan(1);
});

test("tells the environment's people that one of them refused, or let it expire", async () => {
  const { issuer, deny, expire } = await provider();
  for (const [decide, status] of [
    [deny, "Denied"],
    [expire, "Expired"],
  ] as const) {
    const { handlers, runtime } = await initializationWorld({ authorizer: authorizerOf(issuer) });
    const { userCode } = (await handlers[authenticate](callOf(authenticate))).value;
    await decide(userCode ?? "");
    await runtime.advance(5000);
    expect((await handlers[authentication](callOf(authentication))).value).toMatchObject({ status });
    const listing = handlers[locations](callOf(locations, { query: { subscriptionId } }));
    await expect(listing).rejects.toMatchObject({ code: "ProviderCredentialsMissing" });
  }
});

test("slows down when the provider asks for it, and is done all the same", async () => {
  const { issuer, complete, pass } = await provider({ intervalMs: 5000 });
  const authorizer = authorizerOf(issuer);
  const grant = await authorizer.begin("common");
  expect(await authorizer.poll("common", grant.deviceCode)).toEqual({ status: "Pending", slowDown: false });
  await complete(grant.userCode);
  expect(await authorizer.poll("common", grant.deviceCode)).toEqual({ status: "Pending", slowDown: true });
  pass(5000);
  expect(await authorizer.poll("common", grant.deviceCode)).toMatchObject({ status: "Completed" });
});

test("passes on that it polls too fast", async () => {
  const { issuer } = await fixedProvider(400, { error: "slow_down", error_description: "canary-description" });
  expect(await authorizerOf(issuer).poll("common", "code")).toEqual({ status: "Pending", slowDown: true });
});

test("takes no vendor's error out, and no secret", async () => {
  const { issuer } = await fixedProvider(500, { error: "server_error", error_description: "canary-description" });
  const error = await authorizerOf(issuer)
    .poll("common", "canary-device-code")
    .catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ name: "LiveplaneError", code: "ProviderError", retryable: true });
  expect(JSON.stringify(error) + String((error as Error).stack)).not.toContain("canary");
  expect((error as Error).cause).toBeUndefined();
});

test("is retryable when nobody answers, and asks again then", async () => {
  const { issuer, server } = await provider();
  const authorizer = authorizerOf(issuer);
  const port = (server.address() as AddressInfo).port;
  await new Promise((resolve) => server.close(resolve));
  await expect(authorizer.begin("common")).rejects.toMatchObject({ code: "ProviderError", retryable: true });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  await expect(authorizer.begin("common")).resolves.toMatchObject({ deviceCode: expect.any(String) });
});

test("refuses an issuer without encryption, but on this machine", async () => {
  await expect(authorizerOf("http://login.example").begin("common")).rejects.toMatchObject({
    code: "ConfigurationInvalid",
  });
  await expect(authorizerOf("nowhere").begin("common")).rejects.toMatchObject({ code: "ConfigurationInvalid" });
});

test("stops for a caller who has gone", async () => {
  const { issuer } = await provider();
  await expect(authorizerOf(issuer).begin("common", { signal: AbortSignal.abort() })).rejects.toMatchObject({
    code: "Aborted",
  });
});

/** A provider whose token endpoint answers one thing. */
async function fixedProvider(status: number, body: object) {
  const server = createServer((request, response) => {
    const issuer = `http://${request.headers.host}`;
    const metadata = { issuer, token_endpoint: `${issuer}/token`, device_authorization_endpoint: `${issuer}/device` };
    const discovery = request.url?.startsWith("/.well-known/") === true;
    response.writeHead(discovery ? 200 : status, { "content-type": "application/json" });
    response.end(JSON.stringify(discovery ? metadata : body));
  });
  running.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { issuer: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}
