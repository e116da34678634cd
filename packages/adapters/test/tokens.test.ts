import { joseTokens } from "@liveplane/adapters/jose-tokens";
import type { SigningKey, TokenClaims, TokenSigner } from "@liveplane/core";
import { base64url, importJWK, type JWTPayload, SignJWT } from "jose";
import { beforeAll, expect, test } from "vitest";

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
