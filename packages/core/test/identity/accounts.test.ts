import { expect, test } from "vitest";
import { identityWorld, password, refusal } from "../builders/identity.ts";

const email = "ada@example.com";

async function active() {
  const world = await identityWorld();
  const { challenge, account } = await world.registered(email);
  await world.bearer(challenge).accounts.activate({ password });
  const { accessToken } = await world.signIn(email);
  return { ...world, account, api: world.bearer(accessToken) };
}

test("what is left out stays, null clears, the version moves, and the event names members without values", async () => {
  const { api, account, events } = await active();
  const first = await api.accounts.update({
    name: "Ada",
    surname: "Lovelace",
    phoneNumber: "+41445551234",
    avatarUrl: "https://example.com/a.png",
  });
  expect(first).toMatchObject({ id: account.id, name: "Ada", surname: "Lovelace", updatedBy: account.id });
  const second = await api.accounts.update({ surname: null });
  expect(second).toMatchObject({ name: "Ada", surname: null, phoneNumber: "+41445551234" });
  expect(second.version).not.toBe(first.version);
  expect(await api.accounts.me()).toEqual(second);
  const [event] = await events("account.updated");
  expect(event?.data).toEqual({ changed: ["name", "surname", "avatarUrl", "phoneNumber"] });
});

test("an address changes only once its new owner confirms it", async () => {
  const { api, settle, mailer, bearer, signIn } = await active();
  expect(await api.accounts.update({ email: "new@example.com" })).toMatchObject({ email, challenge: "" });
  await settle();
  const { challenge = "" } = mailer.last("new@example.com");
  expect((await api.accounts.me()).email).toBe(email);
  expect(await bearer(challenge).accounts.activate({})).toBe(true);
  expect((await api.accounts.me()).email).toBe("new@example.com");
  await signIn("new@example.com");
  expect((await refusal(signIn(email))).code).toBe("InvalidCredentials");
  expect((await refusal(bearer(challenge).accounts.activate({}))).code).toBe("ChallengeInvalid");
});

test("an address that somebody else took meanwhile can't be confirmed", async () => {
  const { api, settle, mailer, registered, bearer } = await active();
  await api.accounts.update({ email: "new@example.com" });
  await settle();
  const { challenge = "" } = mailer.last("new@example.com");
  await registered("new@example.com");
  expect((await refusal(bearer(challenge).accounts.activate({}))).code).toBe("ChallengeInvalid");
  expect((await api.accounts.me()).email).toBe(email);
});

test("an address can be cleared only where there is a user name to sign in with", async () => {
  const { api, person, settle, mailer, bearer } = await active();
  expect(await refusal(api.accounts.update({ email: null }))).toEqual({
    code: "ValueRequired",
    status: 400,
    at: "#/email",
  });
  const { api: named } = await person("grace");
  await named.accounts.update({ email: "grace@example.com" });
  await settle();
  await bearer(mailer.last("grace@example.com").challenge ?? "").accounts.activate({});
  expect((await named.accounts.me()).email).toBe("grace@example.com");
  expect(await named.accounts.update({ email: null })).toMatchObject({ email: null, username: "grace" });
});

test("deleting one's account ends its sessions; its address is free after the purge", async () => {
  const { api, account, nobody, advance, housekeep, operator, settle, signIn, mailer } = await active();
  expect(await api.accounts.deleteMe()).toMatchObject({ id: account.id, status: "Deleted" });
  expect((await refusal(api.accounts.me())).code).toBe("TokenRevoked");
  expect(await refusal(signIn(email))).toEqual({ code: "InvalidCredentials", status: 401 });
  const { api: operating } = await operator();
  expect((await operating.accounts.list()).items.map(({ id }) => id)).not.toContain(account.id);
  expect((await refusal(operating.accounts.delete({ accountId: account.id }))).code).toBe("NotFound");
  await nobody.accounts.createWithEmail({ email });
  await settle();
  expect(mailer.last(email).challenge).toBeUndefined();
  await advance(30 * 86_400_000 + 1);
  await housekeep();
  await nobody.accounts.createWithEmail({ email });
  await settle();
  expect(mailer.last(email).challenge).toBeDefined();
});

test("one may delete oneself by id", async () => {
  const { api, account } = await active();
  expect(await api.accounts.delete({ accountId: account.id })).toMatchObject({ status: "Deleted" });
});

test("the last operator can be neither deleted nor suspended", async () => {
  const { operator } = await active();
  const { api, account } = await operator();
  const last = { code: "LastAdmin", status: 409 };
  expect(await refusal(api.accounts.deleteMe())).toEqual(last);
  expect(await refusal(api.accounts.suspend({ accountId: account.id }))).toEqual(last);
  const second = await operator("second");
  expect(await second.api.accounts.suspend({ accountId: account.id })).toMatchObject({ status: "Suspended" });
  expect(await refusal(second.api.accounts.deleteMe())).toEqual(last);
});

test("two operators that delete themselves at once don't both go", async () => {
  const { operator } = await active();
  const both = [await operator("first"), await operator("second")];
  const outcomes = await Promise.allSettled(both.map(({ api }) => api.accounts.deleteMe()));
  expect(outcomes.map((one) => (one.status === "rejected" ? one.reason.code : "gone")).sort()).toEqual([
    "LastAdmin",
    "gone",
  ]);
});

test("the last Admin of an organization can't go", async () => {
  const { api, account, operator } = await active();
  await api.organizations.create({ name: "Analytical Engines" });
  const last = { code: "LastAdmin", status: 409 };
  expect(await refusal(api.accounts.deleteMe())).toEqual(last);
  const { api: operating } = await operator();
  expect(await refusal(operating.accounts.suspend({ accountId: account.id }))).toEqual(last);
});

test("an account that was never activated can't be suspended", async () => {
  const { registered, operator } = await identityWorld();
  const { account } = await registered(email);
  const { api } = await operator();
  expect(await refusal(api.accounts.suspend({ accountId: account.id }))).toEqual({ code: "InvalidState", status: 409 });
});

test("each step of an account is an event", async () => {
  const { api, account, events, operator } = await active();
  const { api: operating } = await operator();
  await operating.accounts.suspend({ accountId: account.id });
  await operating.accounts.resume({ accountId: account.id });
  await operating.accounts.delete({ accountId: account.id });
  expect((await refusal(api.accounts.me())).code).toBe("TokenRevoked");
  const own = (await events()).filter(({ subject }) => subject === account.id).map(({ type }) => type);
  expect(own.filter((type) => type.startsWith("account."))).toEqual([
    "account.registered",
    "account.activated",
    "account.suspended",
    "account.resumed",
    "account.deleted",
  ]);
});
