import { expect, test } from "vitest";
import { identityWorld, otherPassword, password, refusal } from "../builders/identity.ts";

const invalidGrant = { code: "InvalidCredentials", status: 400, error: "invalid_grant" };
const wrong = { code: "InvalidCredentials", status: 401 };

test("a sign-in gives tokens that open the account", async () => {
  const { person, tokens } = await signedIn();
  expect(tokens).toEqual({
    accessToken: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
    tokenType: "Bearer",
    expiresIn: 600,
    refreshToken: expect.stringMatching(/^[0-9a-f-]{36}\.[\w-]{86}$/),
    forcePasswordChange: false,
    secondFactorRequired: false,
  });
  expect(await person.accounts.me()).toMatchObject({ username: "ada" });
});

async function signedIn() {
  const world = await identityWorld();
  const { account, tokens, api } = await world.person("ada");
  const refresh = (refresh_token: string) => world.nobody.tokens.create({ grant_type: "refresh_token", refresh_token });
  return { ...world, account, tokens, person: api, refresh };
}

test("an access token ends after ten minutes", async () => {
  const { person, advance } = await signedIn();
  await advance(599_000);
  await person.accounts.me();
  await advance(1000);
  expect(await refusal(person.accounts.me())).toEqual({ code: "TokenExpired", status: 401 });
});

test("unknown, wrong, locked and not yet activated get the same answer for the same work", async () => {
  const { signIn, hasher, registered, person } = await identityWorld();
  await person("ada");
  await registered("grace@example.com");
  const seen: unknown[] = [];
  const attempt = async (username: string, secret: string) => {
    const before = { ...hasher.work };
    const answer = await refusal(signIn(username, secret));
    seen.push({
      ...answer,
      hashed: hasher.work.hashed - before.hashed,
      verified: hasher.work.verified - before.verified,
    });
  };
  await attempt("nobody", password);
  await attempt("grace@example.com", password);
  for (let again = 0; again < 6; again++) await attempt("ada", otherPassword);
  await attempt("ada", password);
  for (const one of seen) expect(one).toEqual({ ...wrong, hashed: 0, verified: 1 });
});

test("five failures lock for 30 seconds, doubling to fifteen minutes; success forgets them", async () => {
  const { signIn, advance } = await signedIn();
  const fail = async (times: number) => {
    for (let again = 0; again < times; again++) expect(await refusal(signIn("ada", otherPassword))).toEqual(wrong);
  };
  await fail(4);
  await signIn("ada");
  await fail(5);
  for (const seconds of [30, 60, 120, 240, 480, 900, 900]) {
    await advance(seconds * 1000 - 1);
    expect(await refusal(signIn("ada"))).toEqual(wrong);
    await advance(1);
    await fail(5);
  }
  await advance(900_000);
  await signIn("ada");
  await fail(5);
  await advance(30_000);
  await signIn("ada");
});

test("attempts while locked neither count nor extend the lock", async () => {
  const { signIn, advance } = await signedIn();
  for (let again = 0; again < 5; again++) await refusal(signIn("ada", otherPassword));
  await advance(29_000);
  for (let again = 0; again < 20; again++) await refusal(signIn("ada", otherPassword));
  await advance(1000);
  await signIn("ada");
});

test("of many guesses at once no more are judged than there are tries", async () => {
  const { signIn, nobody, during } = await signedIn();
  const guesses = Array.from({ length: 40 }, (_, at) => `guess number ${at}`);
  const answers = await during(Promise.all(guesses.map((guess) => refusal(signIn("ada", guess)))));
  for (const answer of answers) expect(answer).toEqual(wrong);
  expect(await refusal(nobody.sessions.create({ username: "ada", password }))).toEqual(wrong);
});

test("many right sign-ins at once all succeed", async () => {
  const { signIn } = await signedIn();
  const sets = await Promise.all(Array.from({ length: 12 }, () => signIn("ada")));
  expect(new Set(sets.map(({ refreshToken }) => refreshToken)).size).toBe(12);
});

test("a name that nobody has is locked like another; nobody signed in is the actor of what is refused", async () => {
  const { signIn, events, account } = await signedIn();
  for (let again = 0; again < 6; again++) expect(await refusal(signIn("nobody", password))).toEqual(wrong);
  expect(await events("session.failed")).toHaveLength(6);
  expect(await refusal(signIn("ada", otherPassword))).toEqual(wrong);
  const [last] = (await events("session.failed")).toReversed();
  expect(last).toMatchObject({ subject: account.id, actor: "anonymous" });
});

test("a refresh token gives the next, once; using it again ends the family", async () => {
  const { refresh, tokens, bearer, events, account } = await signedIn();
  const second = await refresh(tokens.refreshToken);
  expect(second).toEqual({
    access_token: expect.any(String),
    token_type: "Bearer",
    expires_in: 600,
    refresh_token: expect.any(String),
    scope: "accounts environments livesystems organizations subscriptions",
  });
  const third = await refresh(second.refresh_token as string);
  await bearer(third.access_token).accounts.me();
  expect(await refusal(refresh(tokens.refreshToken))).toEqual(invalidGrant);
  expect(await refusal(bearer(third.access_token).accounts.me())).toEqual({ code: "TokenRevoked", status: 401 });
  expect(await refusal(refresh(third.refresh_token as string))).toEqual(invalidGrant);
  expect(await events("session.reuse_detected")).toMatchObject([{ subject: account.id }]);
});

test("two refreshes with one token at once end the family", async () => {
  const { refresh, tokens, bearer } = await signedIn();
  const both = await Promise.all([1, 2].map(() => refresh(tokens.refreshToken).catch(() => null)));
  const given = both.filter((one) => one !== null);
  expect(given).toHaveLength(1);
  expect(await refusal(bearer(given[0]?.access_token ?? "").accounts.me())).toEqual({
    code: "TokenRevoked",
    status: 401,
  });
});

test("knowing a session's id is not enough to refresh or to end it", async () => {
  const { refresh, tokens, person, nobody } = await signedIn();
  const [id = ""] = tokens.refreshToken.split(".");
  for (const forged of [id, `${id}.`, `${id}.${"A".repeat(86)}`, `${id}.a.b`, "nonsense"]) {
    expect(await refusal(refresh(forged))).toEqual(invalidGrant);
    expect(await nobody.tokens.revoke({ token: forged })).toBe(true);
  }
  await person.accounts.me();
  await refresh(tokens.refreshToken);
});

test("a refresh token ends when idle for a week, and after thirty days in any case", async () => {
  const { refresh, tokens, advance, signIn } = await signedIn();
  await advance(604_800_000);
  expect(await refusal(refresh(tokens.refreshToken))).toEqual(invalidGrant);
  let { refreshToken } = await signIn("ada");
  for (let day = 0; day < 28; day += 4) {
    await advance(4 * 86_400_000);
    refreshToken = (await refresh(refreshToken)).refresh_token as string;
  }
  await advance(2 * 86_400_000);
  expect(await refusal(refresh(refreshToken))).toEqual(invalidGrant);
});

test.each(["refreshToken", "accessToken"] as const)(
  "revoking by the %s ends the session, and says nothing else",
  async (which) => {
    const { tokens, nobody, person, refresh, events } = await signedIn();
    expect(await nobody.tokens.revoke({ token: tokens[which], token_type_hint: "anything" })).toBe(true);
    expect(await refusal(person.accounts.me())).toEqual({ code: "TokenRevoked", status: 401 });
    expect(await refusal(refresh(tokens.refreshToken))).toEqual(invalidGrant);
    expect(await nobody.tokens.revoke({ token: tokens[which] })).toBe(true);
    expect(await nobody.tokens.revoke({ token: "a.b.c" })).toBe(true);
    expect(await events("session.revoked")).toHaveLength(1);
  },
);

test("one lists one's own sessions, knows the current one, and ends any", async () => {
  const { person: api, tokens, signIn, bearer, advance } = await signedIn();
  await advance(1000);
  const second = await signIn("ada");
  const { items } = await api.sessions.list();
  expect(items).toMatchObject([{ current: true, userAgent: null }, { current: false }]);
  expect(items[0]?.id).toBe(tokens.refreshToken.split(".")[0]);
  const other = { sessionId: items[1]?.id ?? "" };
  expect(await api.sessions.delete(other)).toBe(true);
  expect((await refusal(api.sessions.delete(other))).code).toBe("NotFound");
  expect((await refusal(bearer(second.accessToken).accounts.me())).code).toBe("TokenRevoked");
  expect((await api.sessions.list()).items).toHaveLength(1);
});

test("changing the password ends all other sessions", async () => {
  const { person, signIn, bearer, refresh, tokens } = await signedIn();
  const other = await signIn("ada");
  expect(await person.accounts.changePassword({ oldPassword: password, newPassword: otherPassword })).toBe(true);
  expect((await refusal(bearer(other.accessToken).accounts.me())).code).toBe("TokenRevoked");
  expect(await refusal(refresh(other.refreshToken))).toEqual(invalidGrant);
  await person.accounts.me();
  expect((await person.sessions.list()).items).toHaveLength(1);
  await refresh(tokens.refreshToken);
  expect(await refusal(signIn("ada"))).toEqual(wrong);
  await signIn("ada", otherPassword);
});

test("a password changes only by the old one, to a good new one", async () => {
  const { person, signIn } = await signedIn();
  const change = (oldPassword: string | null, newPassword: string | null) =>
    refusal(person.accounts.changePassword({ oldPassword, newPassword }));
  expect(await change(otherPassword, `${otherPassword}!`)).toEqual({
    code: "InvalidCredentials",
    status: 400,
    at: "#/oldPassword",
  });
  expect(await change(password, password)).toEqual({ code: "WeakPassword", status: 400, at: "#/newPassword" });
  expect(await change(password, "short")).toEqual({ code: "WeakPassword", status: 400, at: "#/newPassword" });
  expect(await change(null, otherPassword)).toEqual({ code: "ValueRequired", status: 400, at: "#/oldPassword" });
  expect(await change(password, null)).toEqual({ code: "ValueRequired", status: 400, at: "#/newPassword" });
  await signIn("ada");
});

test("the lock covers the old password, and right ones don't count against it", async () => {
  const { person, advance } = await signedIn();
  for (let again = 0; again < 6; again++)
    await refusal(person.accounts.changePassword({ oldPassword: password, newPassword: password }));
  const fail = () =>
    refusal(person.accounts.changePassword({ oldPassword: otherPassword, newPassword: `${otherPassword}!` }));
  for (let again = 0; again < 5; again++) await fail();
  const locked = await refusal(person.accounts.changePassword({ oldPassword: password, newPassword: otherPassword }));
  expect(locked).toEqual({ code: "InvalidCredentials", status: 400, at: "#/oldPassword" });
  await advance(30_000);
  expect(await person.accounts.changePassword({ oldPassword: password, newPassword: otherPassword })).toBe(true);
});

test("who must change the password may do nothing else but end that session", async () => {
  const { operator, nobody, bearer, signIn } = await identityWorld();
  const { api } = await operator();
  await api.accounts.createWithCredentials({ username: "ada", password });
  const [first, second] = [await signIn("ada"), await signIn("ada")];
  expect(first.forcePasswordChange).toBe(true);
  const forced = bearer(first.accessToken);
  const must = { code: "PasswordChangeRequired", status: 403 };
  const idOf = ({ refreshToken }: { refreshToken: string }) => ({ sessionId: refreshToken.split(".")[0] ?? "" });
  expect(await refusal(forced.sessions.delete(idOf(second)))).toEqual(must);
  const next = await nobody.tokens.create({ grant_type: "refresh_token", refresh_token: second.refreshToken });
  expect(await refusal(bearer(next.access_token).accounts.me())).toEqual(must);
  expect(await bearer(next.access_token).sessions.delete(idOf(second))).toBe(true);
  expect(await forced.accounts.changePassword({ oldPassword: password, newPassword: otherPassword })).toBe(true);
  expect(await forced.accounts.me()).toMatchObject({ forcePasswordChange: false });
});

test("a forgotten password is replaced by mail: sessions end, locks lift, nobody must change it again", async () => {
  const { registered, bearer, signIn, nobody, mailer, settle } = await identityWorld();
  const email = "ada@example.com";
  const { challenge } = await registered(email);
  await bearer(challenge).accounts.activate({ password });
  const session = await signIn(email);
  for (let again = 0; again < 5; again++) await refusal(signIn(email, otherPassword));
  expect(await nobody.accounts.requestPasswordReset({ email })).toEqual({});
  await settle();
  const reset = mailer.last(email).challenge as string;
  const confirm = (newPassword: string) => bearer(reset).accounts.resetPassword({ newPassword });
  expect(await refusal(confirm("short"))).toEqual({ code: "WeakPassword", status: 400, at: "#/newPassword" });
  expect(await refusal(confirm(password))).toEqual({ code: "WeakPassword", status: 400, at: "#/newPassword" });
  expect(await refusal(bearer(reset).accounts.activate({ password }))).toEqual({
    code: "ChallengeInvalid",
    status: 401,
  });
  expect(await confirm(otherPassword)).toBe(true);
  expect(await refusal(confirm(otherPassword))).toEqual({ code: "ChallengeInvalid", status: 401 });
  expect((await refusal(bearer(session.accessToken).accounts.me())).code).toBe("TokenRevoked");
  await signIn(email, otherPassword);
});

test("a reset of an unknown, registered or suspended account answers the same and mails nothing", async () => {
  const { registered, nobody, mailer, settle } = await identityWorld();
  await registered("ada@example.com");
  const mails = mailer.mails.length;
  expect(await nobody.accounts.requestPasswordReset({ email: "ada@example.com" })).toEqual({});
  expect(await nobody.accounts.requestPasswordReset({ email: "unknown@example.com" })).toEqual({});
  await settle();
  expect(mailer.mails).toHaveLength(mails);
});

test("a sign-in hashes anew when the parameters have risen", async () => {
  const { signIn, hasher } = await signedIn();
  hasher.raise();
  const before = hasher.work.hashed;
  await signIn("ada");
  await signIn("ada");
  expect(hasher.work.hashed - before).toBe(1);
});

test("a suspended account says so only to the right password, and its tokens are revoked at once", async () => {
  const { person, account, operator, signIn, refresh, tokens } = await signedIn();
  const { api } = await operator();
  const accountId = { accountId: account.id };
  expect(await api.accounts.suspend(accountId)).toMatchObject({ status: "Suspended" });
  expect(await api.accounts.suspend(accountId)).toMatchObject({ status: "Suspended" });
  expect((await refusal(person.accounts.me())).code).toBe("TokenRevoked");
  for (let again = 0; again < 6; again++)
    expect(await refusal(signIn("ada"))).toEqual({ code: "AccountNotActive", status: 403 });
  expect(await refusal(signIn("ada", otherPassword))).toEqual(wrong);
  expect(await api.accounts.resume(accountId)).toMatchObject({ status: "Active" });
  expect(await api.accounts.resume(accountId)).toMatchObject({ status: "Active" });
  expect((await refusal(person.accounts.me())).code).toBe("TokenRevoked");
  expect(await refusal(refresh(tokens.refreshToken))).toEqual(invalidGrant);
  await signIn("ada");
});

test("no password, token or challenge is found in the store, the log or the events", async () => {
  const { everything, events, person, tokens, refresh, nobody, registered, bearer } = await signedIn();
  const next = await refresh(tokens.refreshToken);
  const { challenge } = await registered("grace@example.com");
  await bearer(challenge).accounts.activate({ password: "canary-password-1" });
  await person.accounts.changePassword({ oldPassword: password, newPassword: otherPassword });
  await person.accounts.serviceAccount();
  const { secret } = await person.accounts.issueServiceAccountSecret();
  await refusal(nobody.sessions.create({ username: "ada", password: "canary-password-2" }));
  const text = (await everything()) + JSON.stringify(await events());
  const secrets = [
    tokens.accessToken,
    tokens.refreshToken,
    next.access_token,
    next.refresh_token,
    challenge,
    secret,
    password,
    otherPassword,
  ];
  const parts = secrets.flatMap((one) => [one ?? "", (one ?? "").split(".").at(-1) ?? ""]).concat("canary-password");
  for (const part of parts) expect(text.includes(part), part).toBe(false);
  expect(text.length).toBeGreaterThan(5000);
});
