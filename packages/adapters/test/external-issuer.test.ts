import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { externalIssuer } from "@liveplane/adapters/external-issuer";
import { exportJWK, generateKeyPair, type JWK, SignJWT } from "jose";
import { afterEach, expect, test } from "vitest";

const running: Server[] = [];

afterEach(async () => {
  for (const server of running.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

/** An issuer on loopback that publishes its keys, and can be taken down. */
async function issuerOnLoopback() {
  const keys: JWK[] = [];
  const asked: string[] = [];
  const state = { down: false };
  const server = createServer((request, response) => {
    asked.push(request.url ?? "");
    if (state.down) return void response.writeHead(500).end();
    const body = request.url === "/keys" ? { keys } : { issuer, jwks_uri: `${issuer}/keys` };
    response.setHeader("content-type", "application/json").end(JSON.stringify(body));
  });
  running.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const addKey = async (kid: string, alg = "ES256") => {
    const pair = await generateKeyPair(alg, { extractable: true });
    keys.push({ ...(await exportJWK(pair.publicKey)), kid, alg, use: "sig" });
    return pair.privateKey;
  };
  const first = await addKey("first");
  const token = (claims: object = {}, header: object = {}, key: Parameters<SignJWT["sign"]>[0] = first) =>
    new SignJWT({ iss: issuer, aud: "liveplane", sub: "ada", exp: 2_000_000_000, ...claims })
      .setProtectedHeader({ alg: "ES256", typ: "at+jwt", kid: "first", ...header })
      .sign(key);
  return { issuer, asked, state, keys, addKey, token };
}

const now = () => 1_900_000_000_000;
const audience = "liveplane";

test("a good token stands for the account that its subject names", async () => {
  const { issuer, token } = await issuerOnLoopback();
  const verifier = await externalIssuer({ issuer, audience, now });
  expect(await verifier.verify(await token())).toEqual({ accountId: "ada", hasSecondFactor: false });
});

test("the host says which account and which scopes a token's claims stand for", async () => {
  const { issuer, token } = await issuerOnLoopback();
  const accountFor = ({ email }: Readonly<Record<string, unknown>>) =>
    email === "ada@example.com" ? "account-1" : null;
  const verifier = await externalIssuer({ issuer, audience, now, accountFor, scopesFor: () => ["environments"] });
  expect(await verifier.verify(await token({ email: "ada@example.com" }))).toEqual({
    accountId: "account-1",
    scopes: ["environments"],
    hasSecondFactor: false,
  });
  await expect(verifier.verify(await token({ email: "eve@example.com" }))).rejects.toMatchObject({
    code: "Unauthenticated",
  });
});

test("a token proves a second factor only where the host says how", async () => {
  const { issuer, token } = await issuerOnLoopback();
  const secondFactorFor = ({ amr }: Readonly<Record<string, unknown>>) => Array.isArray(amr) && amr.includes("mfa");
  const verifier = await externalIssuer({ issuer, audience, now, secondFactorFor });
  expect(await verifier.verify(await token({ amr: ["pwd", "mfa"] }))).toMatchObject({ hasSecondFactor: true });
  expect(await verifier.verify(await token({ amr: ["pwd"] }))).toMatchObject({ hasSecondFactor: false });
  const plain = await externalIssuer({ issuer, audience, now });
  expect(await plain.verify(await token({ amr: ["mfa"] }))).toMatchObject({ hasSecondFactor: false });
});

test("a token of another issuer, or none at all, is not its business", async () => {
  const { issuer, asked, token } = await issuerOnLoopback();
  const verifier = await externalIssuer({ issuer, audience, now });
  expect(await verifier.verify(await token({ iss: "https://elsewhere.example" }))).toBeNull();
  expect(await verifier.verify("not a token")).toBeNull();
  expect(asked).toEqual([]);
});

test.each([
  ["another audience", { aud: "another" }, {}],
  ["another type", {}, { typ: "JWT" }],
  ["no expiry", { exp: undefined }, {}],
  ["an unknown key", {}, { kid: "unknown" }],
])("a token with %s is refused", async (_, claims, header) => {
  const { issuer, token } = await issuerOnLoopback();
  const verifier = await externalIssuer({ issuer, audience, now });
  await expect(verifier.verify(await token(claims, header))).rejects.toMatchObject({ code: "Unauthenticated" });
});

test("an expired token is expired, one of somebody else's key is refused", async () => {
  const { issuer, token } = await issuerOnLoopback();
  const verifier = await externalIssuer({ issuer, audience, now });
  await expect(verifier.verify(await token({ exp: 1_900_000_000 }))).rejects.toMatchObject({ code: "TokenExpired" });
  const { privateKey } = await generateKeyPair("ES256");
  await expect(verifier.verify(await token({}, {}, privateKey))).rejects.toMatchObject({ code: "Unauthenticated" });
});

test("an algorithm that isn't named is refused, though the issuer publishes such a key", async () => {
  const { issuer, addKey, token } = await issuerOnLoopback();
  const key = await addKey("second", "EdDSA");
  const verifier = await externalIssuer({ issuer, audience, now, algorithms: ["ES256"] });
  await expect(verifier.verify(await token({}, { alg: "EdDSA", kid: "second" }, key))).rejects.toMatchObject({
    code: "Unauthenticated",
  });
});

test("its keys are fetched once and kept", async () => {
  const { issuer, asked, token } = await issuerOnLoopback();
  const verifier = await externalIssuer({ issuer, audience, now });
  for (let again = 0; again < 3; again++) await verifier.verify(await token());
  expect(asked).toEqual(["/.well-known/openid-configuration", "/keys"]);
});

test("an issuer that is down says nothing about the token, and is asked again", async () => {
  const { issuer, state, token } = await issuerOnLoopback();
  const verifier = await externalIssuer({ issuer, audience, now });
  state.down = true;
  await expect(verifier.verify(await token())).rejects.toMatchObject({ code: "Unavailable", retryable: true });
  state.down = false;
  expect(await verifier.verify(await token())).toMatchObject({ accountId: "ada" });
});

test.each([[["HS256"]], [["none"]], [[]]])("the algorithms %j are refused at once", async (algorithms) => {
  const refusal = externalIssuer({ issuer: "https://issuer.example", audience, algorithms });
  await expect(refusal).rejects.toMatchObject({ code: "ConfigurationInvalid" });
});
