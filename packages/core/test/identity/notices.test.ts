import { expect, test } from "vitest";
import { identityWorld, otherPassword, password, refusal } from "../builders/identity.ts";

const email = "grace@example.com";
const wrong = "not the password";

/** Grace, with an address, whose mails so far are forgotten. */
async function setUp() {
  const world = await identityWorld();
  const { challenge, account } = await world.registered(email);
  await world.bearer(challenge).accounts.activate({ password });
  const api = world.bearer((await world.signIn(email)).accessToken);
  world.mailer.mails.length = 0;
  /** What was mailed since: to whom, and about what. */
  const told = async () => {
    await world.housekeep();
    await world.settle();
    return world.mailer.mails.map(({ to, subject }) => [to, subject]);
  };
  return { ...world, api, account, told };
}

const passwordChanged = [email, "Your password was changed"];

test("a changed password, a reset one and one that the host sets are told to the account's address", async () => {
  const { api, nobody, bearer, mailer, settle, told, liveplane, account } = await setUp();
  await api.accounts.changePassword({ oldPassword: password, newPassword: otherPassword });
  expect(await told()).toEqual([passwordChanged]);
  await nobody.accounts.requestPasswordReset({ email });
  await settle();
  await bearer(mailer.last(email).challenge ?? "").accounts.resetPassword({ newPassword: password });
  expect((await told()).slice(2)).toEqual([passwordChanged]);
  await liveplane.administration.setPassword(account.id, otherPassword, { oneTime: true });
  expect((await told()).slice(3)).toEqual([passwordChanged]);
});

test("a change of address is told to the address that the account leaves", async () => {
  const { api, bearer, mailer, settle, told } = await setUp();
  await api.accounts.update({ email: "new@example.com" });
  await settle();
  await bearer(mailer.last("new@example.com").challenge ?? "").accounts.activate({});
  expect((await told()).slice(1)).toEqual([[email, "Your address was changed"]]);
});

test("an address that is cleared is told of it, once", async () => {
  const { api, person, bearer, mailer, settle } = await setUp();
  await api.accounts.update({ name: "Grace" });
  const { api: named } = await person("grace");
  await named.accounts.update({ email: "named@example.com" });
  await settle();
  await bearer(mailer.last("named@example.com").challenge ?? "").accounts.activate({});
  await named.accounts.update({ email: null });
  await named.accounts.update({ email: null });
  await settle();
  const subjects = mailer.mails.map(({ to, subject }) => [to, subject]);
  expect(subjects.slice(1)).toEqual([["named@example.com", "Your address was changed"]]);
});

test("a new secret of a service account of one's own is told, in a personal environment too", async () => {
  const { api, account, told, runtime } = await setUp();
  await api.accounts.serviceAccount();
  await api.accounts.issueServiceAccountSecret({});
  const secretIssued = [email, "Your service account has a new secret"];
  expect(await told()).toEqual([secretIssued]);
  const web = { type: "Personal", ownerId: account.id, shortName: "web" } as const;
  const robot = { ...web, principalId: runtime.newId() };
  await api.environments.create(web, {});
  await api.environments.serviceAccounts.assign(robot, { serviceAccountRole: "Bot" });
  await api.environments.serviceAccounts.issueSecret(robot, {});
  expect(await told()).toEqual([secretIssued, secretIssued]);
});

test("a lock is told to the account's address", async () => {
  const { signIn, told } = await setUp();
  for (let tries = 0; tries < 4; tries++) await refusal(signIn(email, wrong));
  expect(await told()).toEqual([]);
  await refusal(signIn(email, wrong));
  expect(await told()).toEqual([[email, "Your account is temporarily locked"]]);
});

test("no notice carries a secret, a password or a name", async () => {
  const { api, signIn, told, mailer } = await setUp();
  await api.accounts.update({ name: "canary-name" });
  await api.accounts.serviceAccount();
  const { secret, id } = await api.accounts.issueServiceAccountSecret({});
  await api.accounts.changePassword({ oldPassword: password, newPassword: otherPassword });
  for (let tries = 0; tries < 5; tries++) await refusal(signIn(email, wrong));
  expect(await told()).toHaveLength(3);
  const text = JSON.stringify(mailer.mails);
  for (const canary of [secret, id, password, otherPassword, wrong, "canary-name"]) expect(text).not.toContain(canary);
  for (const mail of mailer.mails) expect(mail.challenge).toBeUndefined();
});
