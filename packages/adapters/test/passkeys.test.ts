import { passkeyVerifier } from "@liveplane/adapters/passkey-verifier";
import type { PasskeyCreation } from "@liveplane/core/contract";
import { expect, test } from "vitest";
import { softwareAuthenticator, type Wrong } from "../../core/test/builders/authenticator.ts";
import { withApp } from "../../core/test/builders/factors.ts";
import { identityWorld, refusal } from "../../core/test/builders/identity.ts";

const origin = "https://liveplane.example";
const refused = { code: "InvalidCredentials", status: 401 };
const refusedNew = { code: "InvalidCredentials", status: 400, at: "#/credential" };

async function withAda(settings = {}) {
  const world = await identityWorld({ consoleUrl: `${origin}/console`, ...settings }, undefined, {
    passkeyVerifier: await passkeyVerifier(),
  });
  return { ...world, ...(await world.person("ada")), device: softwareAuthenticator(origin) };
}

/** Ada has a passkey. */
async function withPasskey() {
  const world = await withAda();
  const { factors } = world.api.accounts;
  const credential = await world.device.create(await factors.beginPasskey());
  const factor = await factors.addPasskey({ name: "Laptop", credential });
  const byPasskey = async (wrong: Wrong = {}) => {
    const signed = await world.device.sign(await world.nobody.sessions.beginByPasskey(), wrong);
    return world.nobody.sessions.createByPasskey({ credential: signed });
  };
  const half = async () => world.bearer((await world.signIn("ada")).accessToken);
  return { ...world, factor, byPasskey, half };
}

test("a passkey is added with its name, is a second factor from then on, and is offered to no browser twice", async () => {
  const { api, device, events, account } = await withAda();
  const creation = await api.accounts.factors.beginPasskey();
  expect(creation.publicKey).toMatchObject({
    rp: { id: "liveplane.example", name: "liveplane" },
    user: { id: Buffer.from(account.id).toString("base64url"), name: "ada", displayName: "ada" },
    excludeCredentials: [],
    authenticatorSelection: { residentKey: "required", userVerification: "required" },
  });
  const credential = await device.create(creation);
  const factor = await api.accounts.factors.addPasskey({ name: "Laptop", credential });
  expect(factor).toMatchObject({ kind: "passkey", name: "Laptop", lastUsedAt: null, remaining: null });
  expect((await api.accounts.me()).hasSecondFactor).toBe(true);
  expect(await events("factor.added")).toMatchObject([{ data: { factorId: factor.id, kind: "passkey" } }]);
  const again = await api.accounts.factors.beginPasskey();
  const descriptor = { id: credential.id, type: "public-key", transports: ["internal"] };
  expect(again.publicKey.excludeCredentials).toEqual([descriptor]);
});

test("a passkey alone signs in, as both factors, and is fresh enough for what is costly", async () => {
  const { byPasskey, bearer, events, factor } = await withPasskey();
  const tokens = await byPasskey();
  expect(tokens.secondFactorRequired).toBe(false);
  const ada = bearer(tokens.accessToken);
  const { items } = await ada.sessions.list();
  expect(items.find(({ current }) => current)).toMatchObject({ signedInBy: "passkey", secondFactor: "passkey" });
  expect((await events("session.started")).at(-1)).toMatchObject({ data: { signedInBy: "passkey" } });
  expect((await ada.accounts.factors.list()).items).toMatchObject([{ id: factor.id, lastUsedAt: expect.any(String) }]);
  await ada.accounts.factors.delete({ factorId: factor.id });
  expect(await refusal(byPasskey())).toEqual(refused);
});

test("a sign-in that is too old for what is costly is renewed by a passkey", async () => {
  const { byPasskey, bearer, nobody, advance, tokens, factor } = await withPasskey();
  await advance(600_001);
  const refresh = { grant_type: "refresh_token", refresh_token: tokens.refreshToken } as const;
  const late = bearer((await nobody.tokens.create(refresh)).access_token);
  const { id: factorId } = factor;
  expect(await refusal(late.accounts.factors.delete({ factorId }))).toMatchObject({ code: "SignInNotFresh" });
  await bearer((await byPasskey()).accessToken).accounts.factors.delete({ factorId });
});

test("after the password a passkey completes the sign-in, for the session that asked", async () => {
  const { half: signInHalf, device, bearer, nobody } = await withPasskey();
  const [one, other] = [await signInHalf(), await signInHalf()];
  expect(await refusal(one.accounts.me())).toMatchObject({ code: "SecondFactorRequired" });
  const request = await one.sessions.beginByPasskey();
  expect(request.publicKey.allowCredentials).toMatchObject([{ id: device.passkeys[0]?.id }]);
  const credential = await device.sign(request);
  expect(await refusal(other.sessions.createByFactor({ credential }))).toEqual(refused);
  expect(await refusal(nobody.sessions.createByPasskey({ credential }))).toEqual(refused);
  const whole = bearer((await one.sessions.createByFactor({ credential })).accessToken);
  const { items } = await whole.sessions.list();
  expect(items.find(({ current }) => current)).toMatchObject({ signedInBy: "password", secondFactor: "passkey" });
  const forSignIn = await device.sign(await nobody.sessions.beginByPasskey());
  expect(await refusal(other.sessions.createByFactor({ credential: forSignIn }))).toEqual(refused);
});

test("wrong codes lock the codes, but not the passkey; nothing but a code or a passkey is taken", async () => {
  const { half, device } = await withPasskey();
  const session = await half();
  for (let tries = 0; tries < 6; tries++)
    expect(await refusal(session.sessions.createByFactor({ code: "000000" }))).toEqual(refused);
  const credential = await device.sign(await session.sessions.beginByPasskey());
  const both = session.sessions.createByFactor({ code: "000000", credential });
  expect(await refusal(both)).toMatchObject({ code: "ValidationFailed" });
  expect(await refusal(session.sessions.createByFactor({}))).toMatchObject({ code: "ValidationFailed" });
  await session.sessions.createByFactor({ credential });
});

const wrongs: readonly (readonly [name: string, wrong: Wrong])[] = [
  ["another origin", { origin: "https://liveplane.example.evil.example" }],
  ["another port of the origin", { origin: `${origin}:8443` }],
  ["another relying party", { relyingParty: "example" }],
  ["another purpose", { type: "payment.get" }],
  ["a challenge that nobody gave", { challenge: "bm9ib2R5" }],
  ["no user verification", { isUserVerified: false }],
];

test.each(wrongs)("an answer with %s neither adds a passkey nor signs in", async (_name, wrong) => {
  const { api, device, byPasskey, half, events } = await withPasskey();
  const credential = await device.create(await api.accounts.factors.beginPasskey(), wrong);
  expect(await refusal(api.accounts.factors.addPasskey({ credential }))).toEqual(refusedNew);
  device.passkeys.pop();
  expect(await refusal(byPasskey(wrong))).toEqual(refused);
  const session = await half();
  const signed = await device.sign(await session.sessions.beginByPasskey(), wrong);
  expect(await refusal(session.sessions.createByFactor({ credential: signed }))).toEqual(refused);
  expect(await events("session.failed")).toHaveLength(2);
  await byPasskey();
});

test("a challenge works once, for ten minutes, and only in the session and for the purpose that it was made for", async () => {
  const { api, device, nobody, advance, bearer, byPasskey } = await withPasskey();
  const request = await nobody.sessions.beginByPasskey();
  const credential = await device.sign(request);
  await nobody.sessions.createByPasskey({ credential });
  expect(await refusal(nobody.sessions.createByPasskey({ credential }))).toEqual(refused);
  const counted = await device.sign(request);
  expect(await refusal(nobody.sessions.createByPasskey({ credential: counted }))).toEqual(refused);

  const answers = await device
    .sign(await nobody.sessions.beginByPasskey())
    .then((signed) => Promise.allSettled([0, 1, 2].map(() => nobody.sessions.createByPasskey({ credential: signed }))));
  expect(answers.filter(({ status }) => status === "fulfilled")).toHaveLength(1);

  const late = await device.sign(await nobody.sessions.beginByPasskey());
  await advance(600_000);
  expect(await refusal(nobody.sessions.createByPasskey({ credential: late }))).toEqual(refused);

  const fresh = bearer((await byPasskey()).accessToken);
  const created = await device.create(await fresh.accounts.factors.beginPasskey());
  const other = bearer((await byPasskeyOf(device.passkeys.slice(0, 1))).accessToken);
  expect(await refusal(other.accounts.factors.addPasskey({ credential: created }))).toEqual(refusedNew);
  await fresh.accounts.factors.addPasskey({ credential: created });
  expect(await refusal(fresh.accounts.factors.addPasskey({ credential: created }))).toEqual(refusedNew);

  async function byPasskeyOf(some: typeof device.passkeys) {
    const { publicKey } = await nobody.sessions.beginByPasskey();
    const allowCredentials = some.map(({ id }) => ({ id, type: "public-key" as const, transports: [] }));
    const signed = await device.sign({ publicKey: { ...publicKey, allowCredentials } });
    return nobody.sessions.createByPasskey({ credential: signed });
  }
  await expect(api.accounts.me()).rejects.toThrow();
});

test("a counter that doesn't go on is a copy's and is refused, but a passkey that doesn't count may stay at zero", async () => {
  const { byPasskey, api, device, lines } = await withPasskey();
  await byPasskey({ counter: 0 });
  await byPasskey({ counter: 0 });
  await byPasskey({ counter: 7 });
  for (const counter of [7, 6, 0]) expect(await refusal(byPasskey({ counter }))).toEqual(refused);
  expect(lines.filter((line) => line.includes("may have been copied"))).toHaveLength(3);
  await byPasskey({ counter: 8 });
  const credential = await device.create(await api.accounts.factors.beginPasskey(), { counter: 5 });
  await api.accounts.factors.addPasskey({ credential });
  expect(await refusal(byPasskey({ counter: 5 }))).toEqual(refused);
  await byPasskey({ counter: 6 });
});

test("no answer tells who has an account or a passkey", async () => {
  const { nobody, device, byPasskey, person, events } = await withPasskey();
  const grace = await person("grace");
  const request = await nobody.sessions.beginByPasskey();
  expect(request.publicKey.allowCredentials).toEqual([]);
  const handles = [grace.account.id, "9f1f7a3e-9d5b-4c62-8d6f-3a1b2c3d4e5e", "\u0000"].map((of) =>
    Buffer.from(of).toString("base64url"),
  );
  const answers = [null, ...handles, "_w"].map((userHandle) => refusal(byPasskey({ userHandle })));
  expect(await Promise.all(answers)).toEqual(answers.map(() => refused));
  const stranger = softwareAuthenticator(origin);
  await stranger.create(await grace.api.accounts.factors.beginPasskey());
  const unknown = await stranger.sign(await nobody.sessions.beginByPasskey());
  expect(await refusal(nobody.sessions.createByPasskey({ credential: unknown }))).toEqual(refused);
  const known = await device.sign(await nobody.sessions.beginByPasskey());
  const forged = { ...known, response: { ...known.response, signature: unknown.response.signature } };
  expect(await refusal(nobody.sessions.createByPasskey({ credential: forged }))).toEqual(refused);
  const failed = (await events("session.failed")).map(({ subject }) => subject);
  expect(failed.filter((subject) => subject === grace.account.id)).toHaveLength(2);
});

test("a suspended account's passkey says so only once it has signed", async () => {
  const { byPasskey, operator, account } = await withPasskey();
  const boss = await operator();
  await boss.api.accounts.suspend({ accountId: account.id });
  expect(await refusal(byPasskey())).toEqual({ code: "AccountNotActive", status: 403 });
  expect(await refusal(byPasskey({ isUserVerified: false }))).toEqual(refused);
  await boss.api.accounts.delete({ accountId: account.id });
  expect(await refusal(byPasskey())).toEqual(refused);
});

test("a removed passkey signs nobody in, also where it is the second factor, and recovery codes still work", async () => {
  const { api, half, device, factor, byPasskey, runtime } = await withPasskey();
  await withApp(api, runtime.clock);
  const { codes } = await api.accounts.factors.issueRecoveryCodes();
  const session = await half();
  const request = await session.sessions.beginByPasskey();
  const credential = await device.sign(request);
  await api.accounts.factors.delete({ factorId: factor.id });
  expect(await refusal(byPasskey())).toEqual(refused);
  expect(await refusal(session.sessions.createByFactor({ credential }))).toMatchObject({ code: "TokenRevoked" });
  const next = await half();
  expect(await refusal(next.sessions.createByFactor({ credential }))).toEqual(refused);
  await next.sessions.createByFactor({ code: codes[0] ?? "" });
});

test("an account has at most ten factors, passkeys too", async () => {
  const { api, device } = await withAda();
  const creations: PasskeyCreation[] = [];
  for (let count = 0; count < 11; count++) creations.push(await api.accounts.factors.beginPasskey());
  const added = [];
  for (const creation of creations) {
    const credential = await device.create(creation);
    added.push(
      await refusal(api.accounts.factors.addPasskey({ credential })).then(
        ({ code }) => code,
        () => "added",
      ),
    );
  }
  expect(added.filter((what) => what === "InvalidState")).toHaveLength(1);
  expect(await refusal(api.accounts.factors.beginPasskey())).toMatchObject({ code: "InvalidState" });
});

test.each([
  "",
  "not a URL",
  "http://liveplane.example",
  "https://192.0.2.1",
  "https://[2001:db8::1]",
  "ftp://localhost",
])("without an address that browsers accept for passkeys there are none: %s", async (consoleUrl) => {
  const { api, nobody } = await withAda({ consoleUrl });
  expect((await nobody.sessions.methods()).passkey).toBe(false);
  expect(await refusal(nobody.sessions.beginByPasskey())).toEqual({ code: "FeatureDisabled", status: 403 });
  expect(await refusal(api.accounts.factors.beginPasskey())).toEqual({ code: "FeatureDisabled", status: 403 });
});

test("localhost has passkeys without https, for development, and a service account has none", async () => {
  const { api, nobody, device, bearer } = await withAda({ consoleUrl: "http://localhost:8080" });
  expect(await nobody.sessions.methods()).toEqual({
    password: true,
    openId: false,
    passkey: true,
    consoleUrl: "http://localhost:8080",
    revealSecrets: false,
  });
  const creation = await api.accounts.factors.beginPasskey();
  expect(creation.publicKey.rp.id).toBe("localhost");
  const credential = await device.create(creation, { origin: "http://localhost:8080" });
  await api.accounts.factors.addPasskey({ credential });
  const { serviceAccountId } = await api.accounts.serviceAccount();
  const { secret } = await api.accounts.issueServiceAccountSecret();
  const given = { grant_type: "client_credentials", client_id: serviceAccountId ?? "", client_secret: secret } as const;
  const robot = bearer((await nobody.tokens.create(given)).access_token);
  expect(await refusal(robot.accounts.factors.beginPasskey())).toMatchObject({ code: "PermissionDenied" });
});
