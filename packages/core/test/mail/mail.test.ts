import { expect, test } from "vitest";
import { longestRestMs, restAfter } from "../../src/mail/mail-rests.ts";
import { memoryStore } from "../../src/ports/memory-store.ts";
import type { Json } from "../../src/ports/store.ts";
import { fakeRuntime } from "../../src/testing/fake-runtime.ts";
import { identityWorld, password, refusal } from "../builders/identity.ts";

const email = "ada@example.com";
const [minute, hour, day] = [60_000, 3_600_000, 86_400_000];
const challengesTo = (mails: readonly { to: string; challenge?: string }[], to = email) =>
  mails.filter((mail) => mail.to === to).flatMap(({ challenge }) => challenge ?? []);

test("pauses between attempts grow from a minute to hours, and make a day", () => {
  const rests: number[] = [];
  for (let rest = restAfter(1); rest !== null; rest = restAfter(rests.length + 1)) rests.push(rest);
  expect(rests[0]).toBe(minute);
  for (const [at, rest] of rests.entries()) {
    expect(rest).toBeGreaterThanOrEqual(rests[at - 1] ?? 0);
    expect(rest).toBeLessThanOrEqual(longestRestMs);
  }
  const together = rests.reduce((sum, rest) => sum + rest, 0);
  expect(together).toBeGreaterThanOrEqual(day);
  expect(together).toBeLessThan(day + longestRestMs);
});

test("a mail outlives half a day without a mail server, and its challenge is good for an hour from then", async () => {
  const { nobody, mailer, settle, advance, housekeep, bearer } = await identityWorld();
  mailer.failing = true;
  await nobody.accounts.createWithEmail({ email });
  await settle();
  for (let minutes = 0; minutes < 12 * 60; minutes += 10) {
    await advance(10 * minute);
    await housekeep();
  }
  mailer.failing = false;
  await advance(longestRestMs);
  await housekeep();
  const [challenge = ""] = challengesTo(mailer.mails);
  await advance(59 * minute);
  expect(await bearer(challenge).accounts.activate({ password })).toBe(true);
});

test("a mail is given up after a day, in some fifteen attempts", async () => {
  const { nobody, mailer, advance, housekeep, kept, lines } = await identityWorld();
  mailer.failing = true;
  await nobody.accounts.createWithEmail({ email });
  for (let hours = 0; hours < 36; hours++) {
    await advance(hour);
    await housekeep();
  }
  expect(await kept("mail")).toEqual([]);
  expect(lines.filter((line) => line.includes("could not be sent")).length).toBeLessThan(16);
  expect(lines.filter((line) => line.includes("was dropped"))).toHaveLength(1);
});

test("a hundred mails that nobody takes don't hold up the next one", async () => {
  const { nobody, mailer, advance, housekeep, settle } = await identityWorld();
  const { send } = mailer;
  mailer.send = (mail) => (mail.to.startsWith("no") ? Promise.reject(new RangeError("550")) : send.call(mailer, mail));
  for (let at = 0; at < 120; at++) await nobody.accounts.createWithEmail({ email: `no${at}@example.com` });
  await settle();
  for (let again = 0; again < 3; again++) {
    await advance(minute);
    await housekeep();
  }
  await nobody.accounts.createWithEmail({ email });
  await housekeep();
  expect(challengesTo(mailer.mails)).toHaveLength(1);
});

test("a mailer that answers nothing holds up the next mail for three minutes, and its own rests after that", async () => {
  const { nobody, mailer, advance, housekeep } = await identityWorld();
  const { send } = mailer;
  let hangs = true;
  mailer.send = (mail) => (hangs && mail.to === "slow@example.com" ? new Promise(() => {}) : send.call(mailer, mail));
  await nobody.accounts.createWithEmail({ email: "slow@example.com" });
  await nobody.accounts.createWithEmail({ email });
  await advance(3 * minute);
  expect(challengesTo(mailer.mails)).toHaveLength(1);
  hangs = false;
  await housekeep();
  expect(challengesTo(mailer.mails, "slow@example.com")).toHaveLength(0);
  await advance(minute);
  await housekeep();
  expect(challengesTo(mailer.mails, "slow@example.com")).toHaveLength(1);
});

test("a clock that is put back by years holds up no mail", async () => {
  const runtime = fakeRuntime();
  let jump = 0;
  const clock = { ...runtime.clock, now: () => runtime.clock.now() + jump };
  const store = memoryStore({ now: () => 0 });
  const world = await identityWorld({}, undefined, { runtime: { ...runtime, clock }, store });
  world.mailer.failing = true;
  await world.nobody.accounts.createWithEmail({ email });
  await runtime.settle();
  jump = -1000 * day;
  world.mailer.failing = false;
  await world.housekeep();
  expect(challengesTo(world.mailer.mails)).toHaveLength(1);
});

test("a mail whose challenge was ended while it waited is sent to nobody", async () => {
  const { nobody, mailer, settle, advance, housekeep, operator, kept } = await identityWorld();
  mailer.failing = true;
  const account = await nobody.accounts.createWithEmail({ email });
  await settle();
  await (await operator()).api.accounts.delete({ accountId: account.id });
  mailer.failing = false;
  await advance(hour);
  await housekeep();
  expect(mailer.mails).toEqual([]);
  expect(await kept("mail")).toEqual([]);
});

test("a stranger's requests put three mails of a kind in a mailbox, and the last one's challenge stays good", async () => {
  const { registered, nobody, mailer, settle, bearer, advance, signIn } = await identityWorld();
  const { challenge } = await registered(email);
  for (let again = 0; again < 30; again++) await nobody.accounts.resendChallenge({ email });
  await settle();
  const sent = challengesTo(mailer.mails);
  expect(sent).toHaveLength(3);
  expect(sent[0]).toBe(challenge);
  expect(await bearer(sent[2] ?? "").accounts.activate({ password })).toBe(true);
  for (const ask of [nobody.accounts.requestPasswordReset, nobody.accounts.createWithEmail])
    for (let again = 0; again < 30; again++) await ask({ email });
  for (let again = 0; again < 30; again++) {
    for (let tries = 0; tries < 5; tries++) await refusal(signIn(email, "not the password"));
    await advance(minute);
  }
  await settle();
  expect(mailer.mails.slice(3)).toHaveLength(9);
  await bearer(challengesTo(mailer.mails)[5] ?? "").accounts.resetPassword({ newPassword: "kT7-wV3-zNRb-5h" });
});

test("many accounts together can't fill the mailbox of an address that none of them has", async () => {
  const { person, mailer, settle, advance } = await identityWorld();
  const ask = async (name: string) => {
    const { api } = await person(name);
    for (let again = 0; again < 3; again++) await api.accounts.update({ email });
  };
  for (const name of ["ada", "grace", "joan", "mary"]) await ask(name);
  await settle();
  expect(challengesTo(mailer.mails)).toHaveLength(3);
  await advance(hour);
  await ask("emmy");
  await settle();
  expect(challengesTo(mailer.mails)).toHaveLength(6);
});

test("an address that a mail server could read as another's gets no mail", async () => {
  const { nobody, store, mailer, housekeep, kept, advance } = await identityWorld();
  mailer.failing = true;
  await nobody.accounts.createWithEmail({ email });
  const waiting = await store.list({ prefix: ["record", "mail"], limit: 9 });
  await store.commit({
    sets: waiting.map(({ key, value }) => ({ key, value: { ...(value as object), to: "<a>@example.com" } as Json })),
  });
  mailer.failing = false;
  await advance(day);
  await housekeep();
  expect([waiting.length, mailer.mails, await kept("mail")]).toEqual([1, [], []]);
});
