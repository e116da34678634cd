import { expect, test } from "vitest";
import type { Api } from "../../src/contract/api.ts";
import { identityWorld, otherPassword, password, refusal } from "../builders/identity.ts";
import { toAccount } from "../builders/principals.ts";

const email = "grace@example.com";
const newEmail = "new@example.com";

/** Grace, with a user name and an address, and an operator. */
async function setUp() {
  const world = await identityWorld();
  const { api, account } = await world.person("grace");
  const mailed = async (to: string) => {
    await world.settle();
    return world.mailer.last(to).challenge ?? "";
  };
  const move = async (to: string) => {
    await api.accounts.update({ email: to });
    await world.bearer(await mailed(to)).accounts.activate({});
  };
  await move(email);
  const { api: operating } = await world.operator();
  const reset = async () => {
    await world.nobody.accounts.requestPasswordReset({ email });
    return mailed(email);
  };
  return { ...world, api, account, operating, mailed, move, reset, id: { accountId: account.id } };
}

type Setting = Awaited<ReturnType<typeof setUp>>;

/** What ends every pending challenge of an account; another challenge that it takes is one more. */
const endings: Readonly<Record<string, (setting: Setting) => Promise<unknown>>> = {
  "a changed password": ({ api }) => api.accounts.changePassword({ oldPassword: password, newPassword: otherPassword }),
  "a reset password": async ({ bearer, reset }) =>
    bearer(await reset()).accounts.resetPassword({ newPassword: otherPassword }),
  "a password set by the host": ({ liveplane, account }) =>
    liveplane.administration.setPassword(account.id, otherPassword, { oneTime: false }),
  "a changed address": ({ move }) => move("elsewhere@example.com"),
  "a cleared address": ({ api }) => api.accounts.update({ email: null }),
  "a suspension": async ({ operating, id }) => {
    await operating.accounts.suspend(id);
    await operating.accounts.resume(id);
  },
  "a deletion of one's own": ({ api }) => api.accounts.deleteMe(),
  "a deletion by an operator": ({ operating, id }) => operating.accounts.delete(id),
};

/** Each kind of challenge that an active account may have pending: how it comes to be, and how it is used. */
const pending: Readonly<Record<string, { begin(setting: Setting): Promise<string>; use(api: Api): Promise<unknown> }>> =
  {
    reset: {
      begin: ({ reset }) => reset(),
      use: (api) => api.accounts.resetPassword({ newPassword: "kT7-wV3-zNRb-5h" }),
    },
    "change of address": {
      async begin({ api, mailed }) {
        await api.accounts.update({ email: newEmail });
        return mailed(newEmail);
      },
      use: (api) => api.accounts.activate({}),
    },
  };

const cells = Object.keys(endings).flatMap((ending) => Object.keys(pending).map((kind) => [ending, kind] as const));

test.each(cells)("%s ends a pending %s", async (ending, kind) => {
  const setting = await setUp();
  const challenge = (await pending[kind]?.begin(setting)) ?? "";
  await endings[ending]?.(setting);
  const used = await refusal(pending[kind]?.use(setting.bearer(challenge)) ?? Promise.resolve());
  expect(used).toEqual({ code: "ChallengeInvalid", status: 401 });
  expect(await setting.kept("challenge")).toEqual([]);
});

test.each(Object.keys(pending))("a pending %s can be used as long as nothing of the kind happens", async (kind) => {
  const setting = await setUp();
  const challenge = (await pending[kind]?.begin(setting)) ?? "";
  await setting.api.accounts.update({ name: "Grace" });
  await setting.signIn("grace");
  expect(await pending[kind]?.use(setting.bearer(challenge))).toBe(true);
});

test("an operator's deletion ends a pending activation", async () => {
  const { registered, operator, bearer, kept } = await identityWorld();
  const { account, challenge } = await registered(email);
  await (await operator()).api.accounts.delete({ accountId: account.id });
  expect((await refusal(bearer(challenge).accounts.activate({ password }))).code).toBe("ChallengeInvalid");
  expect(await kept("challenge")).toEqual([]);
});

test("a challenge that was opened before the password changed is refused after it", async () => {
  const { api, reset, bearer } = await setUp();
  const challenge = await reset();
  const [changed, used] = await Promise.allSettled([
    api.accounts.changePassword({ oldPassword: password, newPassword: otherPassword }),
    bearer(challenge).accounts.resetPassword({ newPassword: "kT7-wV3-zNRb-5h" }),
  ]);
  expect([changed.status, used.status].sort()).toEqual(["fulfilled", "rejected"]);
});

/** Addresses that compare as another's without case, and are another mailbox: U+212A is the Kelvin sign. */
const alike = ["\u212Aate@example.com", "kate@example.com".toUpperCase()];

test.each(alike)("whoever writes %j gets no mail meant for kate@example.com", async (typed) => {
  const { registered, bearer, nobody, mailer, settle } = await identityWorld();
  const { challenge } = await registered("kate@example.com");
  const ask = async () => {
    const { accounts } = nobody;
    await Promise.allSettled([accounts.createWithEmail({ email: typed }), accounts.resendChallenge({ email: typed })]);
    await Promise.allSettled([accounts.requestPasswordReset({ email: typed })]);
    await settle();
  };
  await ask();
  const last = mailer.last("kate@example.com").challenge ?? challenge;
  await bearer(last).accounts.activate({ password });
  await ask();
  expect(new Set(mailer.mails.map(({ to }) => to))).toEqual(new Set(["kate@example.com"]));
});

test("an invitation reaches the address that it names, however a stranger spells it afterwards", async () => {
  const { api, mailer, nobody, settle } = await setUp();
  const { id: organizationId } = await api.organizations.create({ name: "Navy" });
  const grant = toAccount("Kate@Example.com", "Admin");
  await api.organizations.permissions.grant({ organizationId }, grant);
  await settle();
  await Promise.allSettled([nobody.accounts.createWithEmail({ email: "\u212Aate@example.com" })]);
  await settle();
  const invited = mailer.mails.filter(({ to }) => to.endsWith("ate@example.com"));
  expect(invited.map(({ to }) => to)).toEqual(["kate@example.com"]);
});

test("a taken address is told at the address that its account has stored", async () => {
  const { api, registered, mailer, settle } = await setUp();
  await registered("kate@example.com");
  await api.accounts.update({ email: "KATE@example.com" });
  await settle();
  expect(mailer.mails.at(-1)).toMatchObject({ to: "kate@example.com", subject: "You already have an account" });
  expect(mailer.mails.at(-1)?.challenge).toBeUndefined();
});
