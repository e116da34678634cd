import { expect, test, vi } from "vitest";
import { memoryStore } from "../../src/ports/memory-store.ts";
import { fakeRuntime } from "../../src/testing/fake-runtime.ts";
import { identityWorld } from "../builders/identity.ts";

const email = "ada@example.com";
const [minute, hour, day] = [60_000, 3_600_000, 86_400_000];

/** Two processes over one store, the second of which has a wall clock of its own, and a mail server that answers when told to. */
async function twoProcesses({ apartMs = 0 } = {}) {
  const time = fakeRuntime();
  const memory = memoryStore({ now: () => 0 });
  const store = { ...memory, capabilities: { ...memory.capabilities, sharedByProcesses: true } };
  const elsewhere = { ...time, clock: { ...time.clock, now: () => time.clock.now() + apartMs } };
  const first = await identityWorld({}, undefined, { runtime: time, store });
  const second = await identityWorld({}, undefined, { runtime: elsewhere, store });
  const answer = Promise.withResolvers<void>();
  const { send } = first.mailer;
  first.mailer.send = async (mail) => {
    await answer.promise;
    await send.call(first.mailer, mail);
  };
  await first.nobody.accounts.createWithEmail({ email });
  await vi.waitFor(async () => expect((await first.kept("mail"))[0]).toMatchObject({ attempts: 1 }));
  return {
    ...{ first, second, time },
    answer: answer.resolve,
    sent: () => [...first.mailer.mails, ...second.mailer.mails].length,
  };
}

test.each([
  ["agree", 0],
  ["are hours apart", 5 * hour],
  ["are hours apart the other way", -5 * hour],
])("a mail that one process is sending is sent by no other, where their clocks %s", async (_, apartMs) => {
  const { first, second, time, answer, sent } = await twoProcesses({ apartMs });
  await second.housekeep();
  await time.advance(59_000);
  await second.housekeep();
  expect(sent()).toBe(0);
  answer();
  await vi.waitFor(async () => expect(await first.kept("mail")).toEqual([]));
  await second.housekeep();
  expect(sent()).toBe(1);
});

test.each([
  ["stays where it is", 0],
  ["goes back by a day", -day],
  ["goes forth by a day", day],
])("a mail of a process that died is sent by another, where the wall clock %s", async (_, ms) => {
  const { second, time, sent } = await twoProcesses();
  await second.housekeep();
  time.jump(ms);
  await second.housekeep();
  expect(sent()).toBe(0);
  // It rests for a minute, and is watched for one.
  for (let minutes = 0; minutes < 2; minutes++) {
    await time.advance(minute);
    await second.housekeep();
  }
  expect(sent()).toBe(1);
  expect(await second.kept("mail")).toEqual([]);
});

test("a mail that couldn't be sent is anybody's when it is due again", async () => {
  const { first, second, time, answer, sent } = await twoProcesses();
  first.mailer.failing = true;
  answer();
  await vi.waitFor(async () => expect((await first.kept("mail"))[0]).toMatchObject({ claim: null }));
  await time.advance(minute);
  await second.housekeep();
  expect(sent()).toBe(1);
});
