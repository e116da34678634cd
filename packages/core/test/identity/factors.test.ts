import { expect, test } from "vitest";
import { authenticatorApp, withApp } from "../builders/factors.ts";
import { identityWorld, otherPassword, password, refusal } from "../builders/identity.ts";

const stepMs = 30_000;
const wrongCode = { code: "InvalidCredentials", status: 401 };
const required = { code: "SecondFactorRequired", status: 403 };

async function withAda() {
  const world = await identityWorld();
  const ada = await world.person("ada");
  return { ...world, ...ada };
}

/** Ada has an authenticator app, and its code of this step is used. */
async function withFactor() {
  const world = await withAda();
  const app = await withApp(world.api, world.runtime.clock);
  const half = async () => {
    const tokens = await world.signIn("ada");
    return { tokens, half: world.bearer(tokens.accessToken) };
  };
  const nextCode = async () => {
    await world.advance(stepMs);
    return app.code();
  };
  return { ...world, app, half, nextCode };
}

test("an authenticator app becomes a factor with its first code, which names it", async () => {
  const { api, runtime, events, account } = await withAda();
  const { id, secret, uri } = await api.accounts.factors.addTotp({ name: "Phone" });
  expect(secret).toMatch(/^[A-Z2-7]{32}$/);
  expect(uri).toBe(`otpauth://totp/liveplane:ada?secret=${secret}&issuer=liveplane`);
  expect((await api.accounts.factors.list()).items).toEqual([]);
  expect((await api.accounts.me()).hasSecondFactor).toBe(false);

  const code = await authenticatorApp(secret).codeAt(runtime.clock.now());
  const factor = await api.accounts.factors.confirmTotp({ code: `${code.slice(0, 3)} ${code.slice(3)}` });
  expect(factor).toMatchObject({ id, kind: "totp", name: "Phone", lastUsedAt: null, remaining: null });
  expect((await api.accounts.factors.list()).items).toEqual([factor]);
  expect((await api.accounts.me()).hasSecondFactor).toBe(true);
  expect(await events("factor.added")).toMatchObject([{ subject: account.id, data: { factorId: id, kind: "totp" } }]);
});

test("a wrong code confirms nothing, and no app waits before one was added", async () => {
  const { api } = await withAda();
  expect(await refusal(api.accounts.factors.confirmTotp({ code: "123456" }))).toMatchObject({ code: "InvalidState" });
  await api.accounts.factors.addTotp();
  const refused = await refusal(api.accounts.factors.confirmTotp({ code: "123456" }));
  expect(refused).toEqual({ code: "InvalidCredentials", status: 400, at: "#/code" });
  expect((await api.accounts.me()).hasSecondFactor).toBe(false);
});

test("with a factor, the password alone opens a session that can only give it", async () => {
  const { half: signInHalf, nextCode, bearer, events } = await withFactor();
  const { tokens, half } = await signInHalf();
  expect(tokens.secondFactorRequired).toBe(true);
  expect(await refusal(half.accounts.me())).toEqual(required);
  expect(await refusal(half.environments.list())).toEqual(required);
  expect(await refusal(half.sessions.list())).toEqual(required);
  expect(await refusal(half.accounts.deleteMe())).toEqual(required);
  expect((await half.accounts.factors.list()).items).toHaveLength(1);
  const claims = JSON.parse(Buffer.from(tokens.accessToken.split(".")[1] ?? "", "base64url").toString());
  expect(claims.scope).toBe("");

  const whole = await half.sessions.createByFactor({ code: await nextCode() });
  expect(whole.secondFactorRequired).toBe(false);
  const { items } = await bearer(whole.accessToken).sessions.list();
  expect(items.find(({ current }) => current)).toMatchObject({ signedInBy: "password", secondFactor: "totp" });
  expect(await refusal(half.sessions.createByFactor({ code: await nextCode() }))).toMatchObject({
    code: "TokenRevoked",
  });
  const started = await events("session.started");
  expect(started.map(({ data }) => data.secondFactor)).toEqual([null, "needed", "totp"]);
});

test("a session that waits for its factor can't add another, remove one or get recovery codes", async () => {
  const { half: signInHalf, app } = await withFactor();
  const { half } = await signInHalf();
  const { factors } = half.accounts;
  expect(await refusal(factors.addTotp())).toEqual(required);
  expect(await refusal(factors.confirmTotp({ code: "123456" }))).toEqual(required);
  expect(await refusal(factors.issueRecoveryCodes())).toEqual(required);
  expect(await refusal(factors.delete({ factorId: app.id }))).toEqual(required);
});

test("a session waits ten minutes for its factor, refreshed or not", async () => {
  const { half: signInHalf, advance, nobody, bearer } = await withFactor();
  const { tokens } = await signInHalf();
  await advance(590_000);
  const again = await nobody.tokens.create({ grant_type: "refresh_token", refresh_token: tokens.refreshToken });
  expect(await refusal(bearer(again.access_token).accounts.me())).toEqual(required);
  await advance(10_000);
  const refresh = { grant_type: "refresh_token", refresh_token: again.refresh_token ?? "" } as const;
  expect(await refusal(nobody.tokens.create(refresh))).toMatchObject({ code: "InvalidCredentials" });
});

test("a code works once, even for two at the same time, and none before it works afterwards", async () => {
  const { half: signInHalf, nextCode, app, advance } = await withFactor();
  const [one, two, three] = [await signInHalf(), await signInHalf(), await signInHalf()];
  const early = await app.code();
  const code = await nextCode();
  const answers = await Promise.allSettled([one, two].map(({ half }) => half.sessions.createByFactor({ code })));
  expect(answers.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  expect(await refusal(three.half.sessions.createByFactor({ code }))).toEqual(wrongCode);
  expect(await refusal(three.half.sessions.createByFactor({ code: early }))).toEqual(wrongCode);
  await advance(stepMs);
  await three.half.sessions.createByFactor({ code: await app.code() });
});

test("five wrong codes lock the factor, which a right password doesn't lift; the owner is told", async () => {
  const { api, mailer, half: signInHalf, nextCode, bearer, events, settle } = await withFactor();
  await api.accounts.update({ email: "ada@example.com" });
  await settle();
  await bearer(mailer.last("ada@example.com").challenge ?? "").accounts.activate({});
  for (let tries = 0; tries < 5; tries++) {
    const { half } = await signInHalf();
    expect(await refusal(half.sessions.createByFactor({ code: "000000" }))).toEqual(wrongCode);
  }
  const { half } = await signInHalf();
  const code = await nextCode();
  expect(await events("session.failed")).toHaveLength(5);
  await settle();
  expect(mailer.last("ada@example.com").subject).toBe("Your account is temporarily locked");
  await half.sessions.createByFactor({ code });
});

test("while the factor is locked, the right code is refused too, and isn't spent", async () => {
  const { half: signInHalf, app, advance } = await withFactor();
  const { half } = await signInHalf();
  await advance(stepMs);
  for (let tries = 0; tries < 5; tries++) await refusal(half.sessions.createByFactor({ code: "000000" }));
  const code = await app.code();
  expect(await refusal(half.sessions.createByFactor({ code }))).toEqual(wrongCode);
  await advance(stepMs);
  await half.sessions.createByFactor({ code });
});

test("recovery codes replace the app, each once; new ones replace the old, and their use is mailed", async () => {
  const { api, half: signInHalf, everything, bearer, mailer, settle } = await withFactor();
  await api.accounts.update({ email: "ada@example.com" });
  await settle();
  await bearer(mailer.last("ada@example.com").challenge ?? "").accounts.activate({});
  const { codes: old } = await api.accounts.factors.issueRecoveryCodes();
  const { codes } = await api.accounts.factors.issueRecoveryCodes();
  expect(new Set(codes).size).toBe(10);
  for (const code of codes) expect(code).toMatch(/^([a-z2-7]{4}-){5}[a-z2-7]{4}$/);
  const [first = "", second = ""] = codes;

  const { half } = await signInHalf();
  expect(await refusal(half.sessions.createByFactor({ code: old[0] ?? "" }))).toEqual(wrongCode);
  const whole = await half.sessions.createByFactor({ code: first.toUpperCase().replaceAll("-", " ") });
  const { items } = await bearer(whole.accessToken).accounts.factors.list();
  expect(items.map(({ kind, remaining }) => [kind, remaining])).toEqual([
    ["totp", null],
    ["recoveryCodes", 9],
  ]);
  await settle();
  expect(mailer.last("ada@example.com").subject).toBe("A recovery code of your account was used");

  const { half: again } = await signInHalf();
  expect(await refusal(again.sessions.createByFactor({ code: first }))).toEqual(wrongCode);
  await again.sessions.createByFactor({ code: second });
  const kept = await everything();
  for (const code of codes) expect(kept).not.toContain(code.replaceAll("-", "").toUpperCase());
});

test("recovery codes need a factor that they replace", async () => {
  const { api } = await withAda();
  expect(await refusal(api.accounts.factors.issueRecoveryCodes())).toMatchObject({ code: "InvalidState" });
});

test("removing the last factor removes the recovery codes, and the password is enough again", async () => {
  const { api, app, signIn, events } = await withFactor();
  await api.accounts.factors.issueRecoveryCodes();
  await api.accounts.factors.delete({ factorId: app.id });
  expect((await api.accounts.factors.list()).items).toEqual([]);
  expect((await api.accounts.me()).hasSecondFactor).toBe(false);
  expect((await signIn("ada")).secondFactorRequired).toBe(false);
  const removed = await events("factor.removed");
  expect(removed.map(({ data }) => data.kind)).toEqual(["totp", "recoveryCodes"]);
  expect(await refusal(api.accounts.factors.delete({ factorId: app.id }))).toMatchObject({ code: "NotFound" });
});

test("each change of the factors ends the account's other sessions, and keeps the caller's", async () => {
  const { api, signIn, bearer, runtime } = await withAda();
  const other = bearer((await signIn("ada")).accessToken);
  await other.accounts.me();
  await withApp(api, runtime.clock);
  expect(await refusal(other.accounts.me())).toMatchObject({ code: "TokenRevoked" });
  await api.accounts.me();
});

test("a reset password leaves the factors in place", async () => {
  const { api, mailer, nobody, bearer, signIn, settle } = await withFactor();
  await api.accounts.update({ email: "ada@example.com" });
  await settle();
  await bearer(mailer.last("ada@example.com").challenge ?? "").accounts.activate({});
  await nobody.accounts.requestPasswordReset({ email: "ada@example.com" });
  await settle();
  const reset = bearer(mailer.last("ada@example.com").challenge ?? "");
  await reset.accounts.resetPassword({ newPassword: otherPassword });
  expect((await signIn("ada", otherPassword)).secondFactorRequired).toBe(true);
});

test("an operator removes a person's factors, which ends their sessions and is an event of the operator's", async () => {
  const { api, account, operator, signIn, liveplane } = await withFactor();
  const boss = await operator();
  await boss.api.accounts.removeFactors({ accountId: account.id });
  expect(await refusal(api.accounts.me())).toMatchObject({ code: "TokenRevoked" });
  expect((await signIn("ada")).secondFactorRequired).toBe(false);
  const [removed] = (await liveplane.log.read(0, 1000)).filter(({ type }) => type === "factor.removed");
  expect(removed).toMatchObject({ actor: boss.account.id, subject: account.id });
  expect(await refusal(boss.api.accounts.removeFactors({ accountId: account.id }))).toMatchObject({ code: "NotFound" });
});

test("a change of the factors is mailed to the account's address", async () => {
  const { nobody, bearer, mailer, registered, runtime, settle } = await identityWorld();
  const { challenge } = await registered("eve@example.com");
  await bearer(challenge).accounts.activate({ password });
  const { accessToken } = await nobody.sessions.create({ username: "eve@example.com", password });
  await withApp(bearer(accessToken), runtime.clock);
  await settle();
  expect(mailer.last("eve@example.com").subject).toBe("The second factors of your account changed");
});

test("the secret of an app is sealed, and is forgotten with its account", async () => {
  const { api, app, everything, kept, advance, housekeep, signIn, bearer, nextCode } = await withFactor();
  expect(await everything()).not.toContain(app.secret);
  const half = bearer((await signIn("ada")).accessToken);
  const whole = bearer((await half.sessions.createByFactor({ code: await nextCode() })).accessToken);
  expect(await kept("factors")).toHaveLength(1);
  await whole.accounts.deleteMe();
  expect(await refusal(api.accounts.me())).toMatchObject({ code: "TokenRevoked" });
  await advance(31 * 86_400_000);
  await housekeep();
  expect(await kept("factors")).toEqual([]);
});

test("an account has at most ten factors", async () => {
  const { api, runtime } = await withAda();
  for (let count = 0; count < 10; count++) await withApp(api, runtime.clock);
  expect(await refusal(api.accounts.factors.addTotp())).toMatchObject({ code: "InvalidState" });
});
