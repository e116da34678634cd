import { expect, test } from "vitest";
import { identityWorld, otherPassword, password, refusal } from "../builders/identity.ts";

const cause = { actor: "test", requestId: "r" };

/** Somebody whose browser has a handle. */
async function handed() {
  const world = await identityWorld();
  const { api, tokens, account } = await world.person("ada");
  const { sessionHandles } = world.liveplane;
  const sessionId = (await api.sessions.list()).items[0]?.id ?? "";
  const handle = (await sessionHandles.open(cause, sessionId)) ?? "";
  return { ...world, newcomer: world.person, api, tokens, account, sessionId, handle, handles: sessionHandles };
}

test("a handle gives access tokens as often as it is asked, and stays the same", async () => {
  const { handles, handle, bearer } = await handed();
  const renewed = await Promise.all([1, 2, 3].map(() => handles.renew(cause, handle)));
  for (const one of renewed) {
    expect(one?.expiresIn).toBe(600);
    expect(await bearer(one?.accessToken ?? "").accounts.me()).toMatchObject({ username: "ada" });
  }
});

test("it is stored as a digest alone, and shows nowhere", async () => {
  const { handle, everything, api } = await handed();
  const [, secret = "none"] = handle.split(".");
  expect(secret).toMatch(/^[\w-]{43}$/);
  expect(await everything()).not.toContain(secret);
  expect(JSON.stringify(await api.sessions.list())).not.toMatch(/handle/);
});

test("whoever ends it is the account, though the browser sends nothing but the handle", async () => {
  const { handles, handle, account, liveplane } = await handed();
  await handles.end({ actor: "anonymous", requestId: "r" }, handle);
  await liveplane.log.sequence();
  const events = await liveplane.log.read(0, 100);
  expect(events.findLast(({ type }) => type === "session.revoked")).toMatchObject({ actor: account.id });
});

test("it takes the place of the session's refresh token, and of the handle before", async () => {
  const { handles, handle, tokens, nobody, sessionId } = await handed();
  const again = nobody.tokens.create({ grant_type: "refresh_token", refresh_token: tokens.refreshToken });
  expect(await refusal(again)).toMatchObject({ code: "InvalidCredentials" });
  const next = await handles.open(cause, sessionId);
  expect(await handles.renew(cause, handle)).toBeNull();
  expect(await handles.renew(cause, next ?? "")).not.toBeNull();
});

test("what is made up, another session's secret, and a session that has none open nothing, and end nobody's session", async () => {
  const { handles, handle, newcomer, sessionId, api } = await handed();
  const grace = await newcomer("grace");
  const graceSession = (await grace.api.sessions.list()).items[0]?.id ?? "";
  const [, secret] = handle.split(".");
  for (const forged of [`${graceSession}.${secret}`, `${sessionId}.${"A".repeat(43)}`, sessionId, "", ".", "a.b.c"]) {
    expect(await handles.renew(cause, forged)).toBeNull();
    await handles.end(cause, forged);
  }
  expect(await api.accounts.me()).toMatchObject({ username: "ada" });
  expect(await grace.api.accounts.me()).toMatchObject({ username: "grace" });
});

test("it idles out like a session, and ends at the latest when that would", async () => {
  const { handles, handle, advance, liveplane } = await handed();
  const { refreshIdleSeconds, refreshAbsoluteSeconds } = liveplane.settings;
  await advance((refreshIdleSeconds - 1) * 1000);
  expect(await handles.renew(cause, handle)).not.toBeNull();
  await advance((refreshIdleSeconds - 1) * 1000);
  expect(await handles.renew(cause, handle)).not.toBeNull();
  await advance(refreshIdleSeconds * 1000);
  expect(await handles.renew(cause, handle)).toBeNull();
  const other = await handed();
  for (let spent = 0; spent < refreshAbsoluteSeconds; spent += refreshIdleSeconds - 1) {
    await other.advance((refreshIdleSeconds - 1) * 1000);
    await other.handles.renew(cause, other.handle);
  }
  expect(await other.handles.renew(cause, other.handle)).toBeNull();
});

test("it ends with its session, however that ends; a password that its holder changes keeps it", async () => {
  const signedOut = await handed();
  await signedOut.handles.end(cause, signedOut.handle);
  expect(await refusal(signedOut.api.accounts.me())).toMatchObject({ code: "TokenRevoked" });
  expect(await signedOut.handles.renew(cause, signedOut.handle)).toBeNull();

  const elsewhere = await handed();
  await elsewhere
    .bearer((await elsewhere.signIn("ada")).accessToken)
    .sessions.delete({ sessionId: elsewhere.sessionId });
  expect(await elsewhere.handles.renew(cause, elsewhere.handle)).toBeNull();

  const changed = await handed();
  await changed.api.accounts.changePassword({ oldPassword: password, newPassword: otherPassword });
  expect(await changed.handles.renew(cause, changed.handle)).not.toBeNull();
  await changed.bearer((await changed.signIn("ada", otherPassword)).accessToken).accounts.changePassword({
    oldPassword: otherPassword,
    newPassword: password,
  });
  expect(await changed.handles.renew(cause, changed.handle)).toBeNull();

  const suspended = await handed();
  await suspended.host.accounts.suspend({ accountId: suspended.account.id });
  expect(await suspended.handles.renew(cause, suspended.handle)).toBeNull();
  expect(await suspended.handles.open(cause, suspended.sessionId)).toBeNull();
});

test("a session that isn't there, or is a service account's, gets none", async () => {
  const { handles, api, nobody, kept } = await handed();
  expect(await handles.open(cause, "no session")).toBeNull();
  const { serviceAccountId } = await api.accounts.serviceAccount();
  const { secret } = await api.accounts.issueServiceAccountSecret();
  const own = { client_id: serviceAccountId ?? "", client_secret: secret };
  const grant = { grant_type: "client_credentials", ...own } as const;
  const { access_token } = await nobody.tokens.create(grant);
  const { sid } = JSON.parse(atob(access_token.split(".")[1] ?? "")) as { sid: string };
  expect(JSON.stringify(await kept("session"))).toContain(sid);
  expect(await handles.open(cause, sid)).toBeNull();
});
