import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { sessionFile } from "../../src/cli/session-file.ts";

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), "liveplane-cli-"));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
const session = { url: "http://a", refreshToken: "r", accessToken: "a", until: 1 };

test("only its owner reads it, and one that others may read is refused", async () => {
  const at = join(folder(), "liveplane");
  const file = sessionFile({ folder: at, sleep: turn });
  expect(await file.read()).toBeNull();
  await file.write(session);
  expect(await file.read()).toEqual(session);
  expect(readdirSync(at)).toEqual(["session.json"]);
  expect([statSync(at).mode & 0o777, statSync(join(at, "session.json")).mode & 0o777]).toEqual([0o700, 0o600]);
  for (const mode of [0o640, 0o604, 0o644]) {
    chmodSync(join(at, "session.json"), mode);
    await expect(file.read()).rejects.toMatchObject({
      code: "ConfigurationInvalid",
      message: expect.stringContaining("chmod 600"),
    });
  }
  await file.remove();
  expect(await file.read()).toBeNull();
});

test.each(["", "{", "null", "[]", '{"url": 1}'])("%j is no session, and nothing of it is told", async (text) => {
  const at = folder();
  writeFileSync(join(at, "session.json"), text, { mode: 0o600 });
  await expect(sessionFile({ folder: at, sleep: turn }).read()).rejects.toMatchObject({ code: "ConfigurationInvalid" });
});

test("one at a time holds it; who died with it holds nobody up", async () => {
  const at = folder();
  let inside = 0;
  let most = 0;
  const work = async () => {
    inside += 1;
    most = Math.max(most, inside);
    await turn();
    inside -= 1;
  };
  await Promise.all(Array.from({ length: 5 }, () => sessionFile({ folder: at, sleep: turn }).alone(work)));
  expect(most).toBe(1);
  await sessionFile({ folder: at, sleep: turn }).alone(async () => {
    for (const awayMs of [-60_000, 60_000, 86_400_000]) {
      const time = new Date(Date.now() + awayMs);
      utimesSync(join(at, "session.json.lock"), time, time);
      await sessionFile({ folder: at, sleep: turn }).alone(work);
      mkdirSync(join(at, "session.json.lock"));
    }
  });
});

test("nobody waits longer than a minute for the session, and is told what to do", async () => {
  const at = folder();
  const lock = join(at, "session.json.lock");
  let waitedMs = 0;
  const sleep = async (ms: number) => {
    waitedMs += ms;
    utimesSync(lock, new Date(), new Date());
    if (waitedMs > 120_000) throw new Error("It waits on.");
  };
  mkdirSync(lock);
  await expect(sessionFile({ folder: at, sleep }).alone(async () => {})).rejects.toMatchObject({
    code: "ConfigurationInvalid",
    message: `Another liveplane command has held ${lock} for a minute. If none is running, remove it.`,
  });
  expect(waitedMs).toBe(60_000);
});
