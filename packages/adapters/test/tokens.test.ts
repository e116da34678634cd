import { joseTokens } from "@liveplane/adapters/jose-tokens";
import type { SigningKey, TokenClaims, TokenSigner } from "@liveplane/core";
import { base64url, exportJWK, generateKeyPair, importJWK, type JWTPayload, SignJWT } from "jose";
import { beforeAll, expect, test } from "vitest";
import { identityWorld } from "../../core/test/builders/identity.ts";

const now = Date.UTC(2026, 0, 1);
const seconds = now / 1000;
const claims: TokenClaims = {
  iss: "liveplane",
  aud: "liveplane",
  sub: "8c5e4b1a-0000-4000-8000-000000000001",
  iat: seconds,
  exp: seconds + 600,
  jti: "j",
  sid: "s",
  scope: "accounts environments",
  pty: "account",
};
let signer: TokenSigner;
let key: SigningKey;
let other: SigningKey;

beforeAll(async () => {
  signer = await joseTokens();
  [key, other] = await Promise.all([signer.generateKey(), signer.generateKey()]);
});

const expected = (at = now, keys = [key.publicJwk]) => ({ keys, issuer: "liveplane", audience: "liveplane", now: at });
const refused = { code: "Unauthenticated" };

/** A token as somebody else might make it. */
async function forge({
  header = {},
  payload = {},
  by = key,
  hmac,
}: {
  header?: object;
  payload?: object;
  by?: SigningKey;
  hmac?: Uint8Array;
} = {}) {
  const jwt = new SignJWT({ ...claims, ...payload } as JWTPayload);
  jwt.setProtectedHeader({ alg: "EdDSA", typ: "at+jwt", kid: by.id, ...header });
  return jwt.sign(hmac ?? (await importJWK(JSON.parse(by.secret), "EdDSA")));
}

test("a token that was signed gives its claims back", async () => {
  const token = await signer.sign(claims, key);
  expect(await signer.verify(token, expected())).toEqual(claims);
  expect(JSON.parse(new TextDecoder().decode(base64url.decode(token.split(".")[0] as string)))).toEqual({
    alg: "EdDSA",
    typ: "at+jwt",
    kid: key.id,
  });
});

test("a public key says what it is for and nothing private", () => {
  expect(key.publicJwk).toEqual({
    kty: "OKP",
    crv: "Ed25519",
    x: expect.any(String),
    kid: key.id,
    alg: "EdDSA",
    use: "sig",
  });
  expect(JSON.parse(key.secret)).toHaveProperty("d");
});

test("it is good until the second it expires at", async () => {
  const token = await signer.sign(claims, key);
  await expect(signer.verify(token, expected(now + 599_999))).resolves.toEqual(claims);
  await expect(signer.verify(token, expected(now + 600_000))).rejects.toMatchObject({ code: "TokenExpired" });
  await expect(signer.verify(token, expected(now + 601_000))).rejects.toMatchObject({ code: "TokenExpired" });
});

test("one that is late and bad besides is bad", async () => {
  const late = expected(now + 601_000);
  const token = await signer.sign(claims, key);
  await expect(signer.verify(await forge({ by: other }), late)).rejects.toMatchObject(refused);
  await expect(signer.verify(await forge({ payload: { aud: "another" } }), late)).rejects.toMatchObject(refused);
  await expect(signer.verify(`${token}A`, late)).rejects.toMatchObject(refused);
});

test("a rotated key is good as long as it is among the keys", async () => {
  const token = await signer.sign(claims, other);
  await expect(signer.verify(token, expected(now, [key.publicJwk, other.publicJwk]))).resolves.toEqual(claims);
  await expect(signer.verify(token, expected(now, [key.publicJwk]))).rejects.toMatchObject(refused);
  await expect(signer.verify(token, expected(now, []))).rejects.toMatchObject(refused);
});

test("no other algorithm is taken: none, HS256 keyed with the public key", async () => {
  const part = (value: object) => base64url.encode(JSON.stringify(value));
  const none = `${part({ alg: "none", typ: "at+jwt", kid: key.id })}.${part(claims)}.`;
  await expect(signer.verify(none, expected())).rejects.toMatchObject(refused);
  for (const secret of [
    base64url.decode(key.publicJwk.x as string),
    new TextEncoder().encode(JSON.stringify(key.publicJwk)),
  ]) {
    const hmac = secret.length < 32 ? new Uint8Array([...secret, ...new Uint8Array(32)]) : secret;
    const token = await forge({ header: { alg: "HS256" }, hmac });
    await expect(signer.verify(token, expected())).rejects.toMatchObject(refused);
  }
});

test.each([
  ["another type", { header: { typ: "JWT" } }],
  ["no type", { header: { typ: undefined } }],
  ["a key id that is unknown", { header: { kid: "unknown" } }],
  ["no key id", { header: { kid: undefined } }],
  ["a critical header that nobody knows", { header: { crit: ["exp"] } }],
  ["another issuer", { payload: { iss: "another" } }],
  ["another audience", { payload: { aud: "another" } }],
  ["no expiry", { payload: { exp: undefined } }],
  ["no subject", { payload: { sub: undefined } }],
  ["no session", { payload: { sid: undefined } }],
  ["a kind of principal that there isn't", { payload: { pty: "operator" } }],
  ["a time it isn't good before", { payload: { nbf: seconds + 60 } }],
])("a token with %s is refused", async (_, parts) => {
  const token = await forge(parts).catch(() => "unsignable");
  await expect(signer.verify(token, expected())).rejects.toMatchObject(refused);
});

test("a key that a token brings along, or says where to find, is not the one it is verified with", async () => {
  for (const header of [
    { kid: key.id },
    { kid: key.id, jwk: other.publicJwk },
    { kid: other.id, jwk: other.publicJwk },
    { kid: key.id, jku: "https://keys.example/jwks.json" },
    { kid: [key.id] },
    { kid: "__proto__" },
  ]) {
    const token = await forge({ by: other, header });
    await expect(signer.verify(token, expected()), JSON.stringify(header)).rejects.toMatchObject(refused);
  }
});

test("a known key of another kind verifies nothing", async () => {
  const { publicKey, privateKey } = await generateKeyPair("ES256", { extractable: true });
  const { crv = "", x = "", y = "" } = await exportJWK(publicKey);
  const jwk = { kty: "EC", crv, x, y, kid: "elliptic" };
  const jwt = new SignJWT({ ...claims }).setProtectedHeader({ alg: "ES256", typ: "at+jwt", kid: "elliptic" });
  const token = await jwt.sign(privateKey);
  await expect(signer.verify(token, expected(now, [key.publicJwk, jwk]))).rejects.toMatchObject(refused);
});

test("a token that was tampered with anywhere is refused", async () => {
  const token = await signer.sign(claims, key);
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  for (let at = 0; at < token.length; at++) {
    const was = alphabet.indexOf(token.charAt(at));
    // The lowest bits of a last character may stand for nothing: its highest one is what counts.
    const other = was === -1 ? "A" : alphabet.charAt(was ^ 32);
    const tampered = token.slice(0, at) + other + token.slice(at + 1);
    await expect(signer.verify(tampered, expected()), `at ${at}`).rejects.toMatchObject(refused);
  }
});

test.each(["", "a", "a.b", "a.b.c", "a.b.c.d", "....", "null", "Bearer x"])("%j is refused", async (token) => {
  await expect(signer.verify(token, expected())).rejects.toMatchObject(refused);
});

test("a refusal says nothing of the token", async () => {
  const token = await forge({ payload: { aud: "canary" } });
  const error = await signer.verify(token, expected()).catch((caught: unknown) => caught);
  expect(JSON.stringify(error) + String(error) + String((error as Error).cause)).not.toContain("canary");
});

/** A control plane over real tokens, whose signing keys are known: tokens can be made as it makes them. */
async function planeWithKeys() {
  const keys: SigningKey[] = [];
  const tokens: TokenSigner = {
    ...signer,
    async generateKey() {
      const made = await signer.generateKey();
      keys.push(made);
      return made;
    },
  };
  const world = await identityWorld({ signingKeySeconds: 3600 }, undefined, { tokens });
  const ada = await world.person("ada");
  const own = await signer.verify(ada.tokens.accessToken, {
    ...{ keys: keys.map(({ publicJwk }) => publicJwk), issuer: "liveplane", audience: "liveplane" },
    now: world.runtime.clock.now(),
  });
  const tried = async (token: string) =>
    world
      .bearer(token)
      .accounts.me()
      .then(
        () => "answered",
        ({ code, status }: { code: string; status: number }) => `${status} ${code}`,
      );
  const made = (payload: object = {}, header: object = {}) =>
    forge({ payload: { ...own, ...payload }, header, by: keys[0] as SigningKey });
  return { ...world, ada, own, keys, tried, made };
}

test("each bad token is refused by the control plane with the code that says what to do about it", async () => {
  const { own, tried, made, person, runtime } = await planeWithKeys();
  const late = Math.floor(runtime.clock.now() / 1000);
  const grace = await person("grace");
  const [head = "", body = "", seal = ""] = (await made()).split(".");
  const bytes = (part: string) => new TextDecoder().decode(base64url.decode(part));
  expect(await tried(await made())).toBe("answered");
  expect(await tried(await made({ exp: late + 1 }))).toBe("answered");
  expect(await tried(await made({ exp: late }))).toBe("401 TokenExpired");
  expect(await tried(await made({ exp: late - 1 }))).toBe("401 TokenExpired");
  expect(await tried(await made({ sub: grace.account.id }))).toBe("401 TokenRevoked");
  expect(await tried(await made({ sid: "8c5e4b1a-0000-4000-8000-000000000009" }))).toBe("401 TokenRevoked");
  for (const token of [
    await made({ iss: "liveplane/" }),
    await made({ aud: "another" }),
    await made({}, { typ: "JWT" }),
    await made({}, { kid: "unknown" }),
    `${head}.${base64url.encode(bytes(body).replace(own.sub, grace.account.id))}.${seal}`,
    `${base64url.encode(bytes(head).replace("EdDSA", "none"))}.${body}.`,
    `${head}.${body}.`,
    `${head}.${body}`,
  ])
    expect(await tried(token)).toBe("401 Unauthenticated");
});

test("a key that was rotated out long enough ago verifies nothing more, the new one does", async () => {
  const { tried, made, keys, runtime, advance, signIn, bearer } = await planeWithKeys();
  await advance(3_600_000);
  await signIn("ada");
  await advance(30_000);
  const { accessToken } = await signIn("ada");
  expect(keys).toHaveLength(2);
  const exp = Math.floor(runtime.clock.now() / 1000) + 7200;
  const long = await made({ exp });
  expect(await tried(await made({ exp: exp - 1 }))).toBe("answered");
  await expect(bearer(accessToken).accounts.me()).resolves.toMatchObject({ username: "ada" });
  await advance(700_000);
  expect(await tried(long)).toBe("401 Unauthenticated");
  await expect(signIn("ada")).resolves.toBeDefined();
});
