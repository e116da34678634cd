import { expect, test } from "vitest";
import { identityWorld, otherPassword, password, refusal } from "../builders/identity.ts";

const email = "ada.lovelace@example.com";

test("registering an address answers a Registered account and mails the whole challenge", async () => {
  const { nobody, mailer, settle } = await identityWorld();
  const account = await nobody.accounts.createWithEmail({ email });
  await settle();
  expect(account).toMatchObject({
    email,
    username: null,
    status: "Registered",
    name: null,
    forcePasswordChange: false,
  });
  expect(account.createdBy).toBe(account.id);
  expect(account.subscriptionId).toMatch(/^[0-9a-f-]{36}$/);
  expect(account.challenge).toMatch(/^[0-9a-f-]{36}$/);
  const mail = mailer.last(email);
  expect(mail.challenge).toMatch(new RegExp(`^${account.challenge}\\.[\\w-]{43}$`));
  expect(mail.text).toContain(mail.challenge);
});

test("a taken address gets an answer with an id of its own, and a notice without a challenge", async () => {
  const { registered, bearer, nobody, mailer, settle } = await identityWorld();
  const { account, challenge } = await registered(email);
  await bearer(challenge).accounts.activate({ password });
  const again = await nobody.accounts.createWithEmail({ email: email.toUpperCase() });
  await settle();
  expect(again).toMatchObject({ email, createdBy: again.id });
  expect(again.id).not.toBe(account.id);
  expect(Number(again.version)).toBeGreaterThan(Number(account.version));
  expect(Number(again.version)).toBeLessThan(10_000);
  expect(mailer.last(email).challenge).toBeUndefined();
});

test("the mail of an activation says where the code is entered", async () => {
  const consoleUrl = "https://console.example/";
  for (const [settings, where] of [
    [{}, "Enter it where you sign in."],
    [{ consoleUrl }, `Open ${consoleUrl} and choose "I have a code from a mail".`],
  ] as const) {
    const { registered, mailer } = await identityWorld(settings);
    const { challenge } = await registered(email);
    expect(mailer.last(email).text).toContain(`\n\n${challenge}\n\n${where}\n`);
  }
});

test("an address that waits for its activation gets the same challenge again, until it has expired", async () => {
  const { registered, nobody, mailer, settle, advance, bearer } = await identityWorld();
  const { account, challenge } = await registered(email);
  await nobody.accounts.createWithEmail({ email });
  await settle();
  expect(mailer.mails.map((mail) => mail.challenge)).toEqual([challenge, challenge]);
  await advance(3_600_000);
  await nobody.accounts.createWithEmail({ email });
  await settle();
  const fresh = mailer.last(email).challenge as string;
  expect(fresh).not.toBe(challenge);
  expect(fresh.split(".")[0]).not.toBe(account.challenge);
  expect(await bearer(fresh).accounts.activate({ password })).toBe(true);
});

test("activating gives names and a password, and ends the challenge", async () => {
  const { registered, bearer, signIn } = await identityWorld();
  const { challenge } = await registered(email);
  expect(await bearer(challenge).accounts.activate({ name: "Ada", surname: null, password })).toBe(true);
  const { accessToken } = await signIn(email.toUpperCase());
  const me = await bearer(accessToken).accounts.me();
  expect(me).toMatchObject({ name: "Ada", surname: null, status: "Active", challenge: "" });
  await expect(bearer(challenge).accounts.activate({ password })).rejects.toMatchObject({
    code: "ChallengeInvalid",
    message: "The code is wrong, expired or already used",
  });
});

test("a refused body doesn't spend the challenge, nor a try", async () => {
  const { registered, bearer } = await identityWorld();
  const { challenge } = await registered(email);
  for (let again = 0; again < 6; again++) {
    const weak = { code: "WeakPassword", status: 400, at: "#/password" };
    expect(await refusal(bearer(challenge).accounts.activate({ password: "short" }))).toEqual(weak);
  }
  const missing = { code: "ValueRequired", status: 400, at: "#/password" };
  expect(await refusal(bearer(challenge).accounts.activate({}))).toEqual(missing);
  expect(await bearer(challenge).accounts.activate({ password })).toBe(true);
});

test("five wrong secrets end the challenge; other handles and accounts cost nothing", async () => {
  const { registered, bearer, nobody } = await identityWorld();
  const { account, challenge } = await registered(email);
  const wrong = { code: "ChallengeInvalid", status: 401 };
  const elsewhere = { accountId: "8c5e4b1a-0000-4000-8000-000000000001" };
  for (let again = 0; again < 4; again++) {
    expect(await refusal(bearer(`${account.challenge}.wrong`).accounts.activate({ password }))).toEqual(wrong);
    expect(await refusal(bearer("another.wrong").accounts.activate({ password }))).toEqual(wrong);
    const notThere = { code: "NotFound", status: 404 };
    expect(await refusal(bearer(challenge).accounts.activateById(elsewhere, { password: "" }))).toEqual(notThere);
  }
  expect(await refusal(nobody.accounts.activate({ password }))).toEqual({ code: "Unauthenticated", status: 401 });
  expect(await refusal(bearer(`${account.challenge}.wrong`).accounts.activate({ password }))).toEqual(wrong);
  expect(await refusal(bearer(challenge).accounts.activate({ password }))).toEqual(wrong);
});

test("a wrong credential is 401 whatever the body is", async () => {
  const { bearer } = await identityWorld();
  const call = bearer("no-such.challenge").accounts.activate({ nonsense: 1 } as never);
  expect(await refusal(call)).toEqual({ code: "ChallengeInvalid", status: 401 });
});

test("many guesses at once have five tries together", async () => {
  const { registered, bearer, during } = await identityWorld();
  const { account, challenge } = await registered(email);
  const guesses = Array.from({ length: 20 }, () =>
    refusal(bearer(`${account.challenge}.x`).accounts.activate({ password })),
  );
  for (const { code } of await during(Promise.all(guesses))) expect(code).toBe("ChallengeInvalid");
  expect((await refusal(bearer(challenge).accounts.activate({ password }))).code).toBe("ChallengeInvalid");
});

test("of two activations at once one wins", async () => {
  const { registered, bearer, signIn } = await identityWorld();
  const { challenge } = await registered(email);
  const both = [password, otherPassword];
  const outcomes = await Promise.allSettled(both.map((one) => bearer(challenge).accounts.activate({ password: one })));
  const [winner = "", ...others] = both.filter((_, at) => outcomes[at]?.status === "fulfilled");
  expect(others).toEqual([]);
  await expect(signIn(email, winner)).resolves.toBeDefined();
});

test("a challenge ends after an hour, and the account shows none then", async () => {
  const { registered, bearer, advance, operator } = await identityWorld();
  const { challenge } = await registered(email);
  const { api } = await operator();
  expect((await api.accounts.list()).items.find((one) => one.email === email)?.challenge).not.toBe("");
  await advance(3_600_000);
  const { api: later } = await operator("second");
  expect((await later.accounts.list()).items.find((one) => one.email === email)?.challenge).toBe("");
  expect((await refusal(bearer(challenge).accounts.activate({ password }))).code).toBe("ChallengeInvalid");
});

test("asking again ends the old challenge; the answer is the same for any address", async () => {
  const { registered, bearer, nobody, mailer, settle } = await identityWorld();
  const { challenge } = await registered(email);
  expect(await nobody.accounts.resendChallenge({ email })).toEqual({});
  expect(await nobody.accounts.resendChallenge({ email: "unknown@example.com" })).toEqual({});
  await settle();
  const fresh = mailer.last(email).challenge as string;
  expect(fresh).not.toBe(challenge);
  expect(mailer.mails.filter(({ to }) => to === "unknown@example.com")).toEqual([]);
  expect((await refusal(bearer(challenge).accounts.activate({ password }))).code).toBe("ChallengeInvalid");
  expect(await bearer(fresh).accounts.activate({ password })).toBe(true);
});

test("the deprecated activation takes the account's own id, in capitals too", async () => {
  const { registered, bearer } = await identityWorld();
  const { account, challenge } = await registered(email);
  expect(await bearer(challenge).accounts.activateById({ accountId: account.id.toUpperCase() }, { password })).toBe(
    true,
  );
});

test("a mail that fails is tried again, and neither log nor store holds its secret", async () => {
  const { nobody, mailer, liveplane, settle, advance, everything, bearer } = await identityWorld();
  mailer.failing = true;
  await nobody.accounts.createWithEmail({ email });
  await settle();
  expect(mailer.mails).toEqual([]);
  mailer.failing = false;
  await advance(61_000);
  await liveplane.as({ kind: "anonymous" }).accounts.resendChallenge({ email: "unknown@example.com" });
  await settle();
  const { challenge = "" } = mailer.last(email);
  expect(await everything()).not.toContain(challenge.split(".")[1]);
  expect(await bearer(challenge).accounts.activate({ password })).toBe(true);
});

test("registering by user name is for operators, unless the host opens it", async () => {
  const { nobody, operator, bearer } = await identityWorld();
  const wish = { username: "grace", password };
  expect((await refusal(nobody.accounts.createWithCredentials({ nonsense: 1 } as never))).code).toBe("Unauthenticated");
  expect((await refusal(bearer("nonsense").accounts.createWithCredentials(wish))).status).toBe(401);
  const { api: operating, account: operatorAccount } = await operator();
  const made = await operating.accounts.createWithCredentials(wish);
  expect(made).toMatchObject({
    username: "grace",
    email: null,
    status: "Active",
    forcePasswordChange: true,
    createdBy: operatorAccount.id,
  });
});

test("an operator is told until when a deleted account keeps a user name, and nobody else", async () => {
  const { nobody, operator, runtime } = await identityWorld({ openRegistration: true });
  const { api } = await operator();
  const grace = { username: "grace", password };
  const { id, version } = await api.accounts.createWithCredentials(grace);
  await expect(api.accounts.createWithCredentials(grace)).rejects.toThrow("This user name is taken.");
  await api.accounts.delete({ accountId: id }, { ifMatch: version });
  const until = new Date(runtime.clock.now() + 30 * 86_400_000).toISOString().slice(0, 10);
  const kept = `A deleted account keeps this user name until ${until}.`;
  await expect(api.accounts.createWithCredentials(grace)).rejects.toThrow(kept);
  await expect(nobody.accounts.createWithCredentials(grace)).rejects.toThrow("This user name is taken.");
});

test("an operator sets a one-time password for somebody who has lost theirs, which ends their sessions", async () => {
  const { operator, registered, bearer, signIn, liveplane } = await identityWorld();
  const boss = await operator();
  const { id } = await boss.api.accounts.createWithCredentials({ username: "grace", password });
  const { accessToken } = await signIn("grace");
  const anew = "another phrase that nobody guesses";
  expect((await refusal(boss.api.accounts.setPassword({ accountId: id }, { newPassword: "grace" }))).code).toBe(
    "WeakPassword",
  );
  await boss.api.accounts.setPassword({ accountId: id }, { newPassword: anew });
  expect(
    (await refusal(bearer(accessToken).accounts.changePassword({ oldPassword: password, newPassword: anew }))).code,
  ).toBe("TokenRevoked");
  expect((await refusal(signIn("grace"))).code).toBe("InvalidCredentials");
  const session = await signIn("grace", anew);
  expect((await refusal(bearer(session.accessToken).accounts.me())).code).toBe("PasswordChangeRequired");
  const changed = (await liveplane.log.read(0, 1000)).filter(({ type }) => type === "account.password_changed");
  expect(changed).toMatchObject([{ actor: boss.account.id, subject: id }]);
  const { account } = await registered("eve@example.com");
  expect((await refusal(boss.api.accounts.setPassword({ accountId: account.id }, { newPassword: anew }))).code).toBe(
    "InvalidState",
  );
});

test("where registration is open anyone registers, and nobody must change the password", async () => {
  const { nobody, bearer, signIn } = await identityWorld({ openRegistration: true });
  const made = await nobody.accounts.createWithCredentials({ username: "Grace", password });
  expect(made).toMatchObject({ status: "Active", forcePasswordChange: false, createdBy: made.id });
  expect(await bearer("nonsense").accounts.createWithCredentials({ username: "ada", password })).toMatchObject({
    username: "ada",
  });
  await expect(signIn("gRACE")).resolves.toMatchObject({ forcePasswordChange: false });
});

test("a user name is taken in any case, holds no @, and is needed", async () => {
  const { nobody } = await identityWorld({ openRegistration: true });
  const create = (wish: object) => refusal(nobody.accounts.createWithCredentials(wish));
  await nobody.accounts.createWithCredentials({ username: "grace", password });
  expect(await create({ username: "GRACE", password })).toEqual({ code: "AlreadyExists", status: 409 });
  expect(await create({ username: "grace@example.com", password })).toMatchObject({
    code: "ValidationFailed",
    at: "#/username",
  });
  expect(await create({ username: null, password })).toEqual({ code: "ValueRequired", status: 400, at: "#/username" });
  expect(await create({ username: "ada", password: null })).toEqual({
    code: "ValueRequired",
    status: 400,
    at: "#/password",
  });
});

test("of two that want one name at once one gets it", async () => {
  const { nobody } = await identityWorld({ openRegistration: true });
  const tries = Array.from({ length: 4 }, () => nobody.accounts.createWithCredentials({ username: "grace", password }));
  const refused = (await Promise.allSettled(tries)).filter(({ status }) => status === "rejected");
  expect(refused).toMatchObject([{}, {}, {}].map(() => ({ reason: { code: "AlreadyExists" } })));
});

test("of many that register one address at once one does", async () => {
  const { nobody, operator, settle, during } = await identityWorld();
  await during(Promise.all(Array.from({ length: 4 }, () => nobody.accounts.createWithEmail({ email }))));
  await settle();
  const { api } = await operator();
  expect((await api.accounts.list()).items.filter((one) => one.email === email)).toHaveLength(1);
});

test.each([
  ["eleven characters", "vK9-mQ2-xPL"],
  ["257 characters", "vK9-".padEnd(257, "x")],
  ["a common one", "QwertyQwerty"],
  ["the address's local part", "x-ADA.lovelace-9"],
  ["the address", email.toUpperCase()],
  ["the name", "my-name-is-BYRON"],
])("a password of %s is weak", async (_, weak) => {
  const { registered, bearer } = await identityWorld();
  const { challenge } = await registered(email);
  const call = bearer(challenge).accounts.activate({ name: "Byron", surname: "Li", password: weak });
  expect(await refusal(call)).toEqual({ code: "WeakPassword", status: 400, at: "#/password" });
});

test.each([
  ["twelve characters", "vK9-mQ2-xPLw"],
  ["256 code points", "𝒳".repeat(256)],
  ["a short name in it", "vK9-Li-mQ2-xPLw"],
  ["spaces at its ends", "  vK9 mQ2 xP "],
])("a password of %s is good", async (_, good) => {
  const { registered, bearer, signIn } = await identityWorld();
  const { challenge } = await registered(email);
  await bearer(challenge).accounts.activate({ name: "Byron", surname: "Li", password: good });
  await expect(signIn(email, good)).resolves.toBeDefined();
  expect((await refusal(signIn(email, [...good].slice(0, -1).join("")))).code).toBe("InvalidCredentials");
});

test("an account that never activates is purged after a week, and its address is free", async () => {
  const { registered, advance, housekeep, nobody, operator, settle, kept } = await identityWorld();
  const { account } = await registered(email);
  const subscriptionsOf = async () =>
    (await kept("subscription")).filter((one) => (one as { accountId?: string }).accountId === account.id).length;
  expect(await subscriptionsOf()).toBe(1);
  await advance(6 * 86_400_000);
  await housekeep();
  const before = await operator();
  expect((await before.api.accounts.list()).items.some(({ id }) => id === account.id)).toBe(true);
  await advance(86_400_001);
  await housekeep();
  const { api } = await operator("second");
  expect((await api.accounts.list()).items.some(({ id }) => id === account.id)).toBe(false);
  expect(await subscriptionsOf()).toBe(0);
  const again = await nobody.accounts.createWithEmail({ email });
  await settle();
  expect((await api.accounts.list()).items.map(({ id }) => id)).toContain(again.id);
});
