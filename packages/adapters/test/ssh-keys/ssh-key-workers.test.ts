import { Worker } from "node:worker_threads";
import { nodeSshKeys } from "@liveplane/adapters/ssh-keys";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createSshKeyWorkers } from "../../src/ssh-keys/ssh-key-workers.ts";
import { keptKeys } from "./ssh-keys-kept.ts";

const { text: plain, facts } = keptKeys["ed25519 as OPENSSH"];
const { text: locked, passphrase } = keptKeys["ed25519 as OPENSSH, locked"];
const fingerprint = facts.fingerprint;

/** The locked key, as if its derivation took 256 rounds: seconds, for a passphrase that doesn't open it then. */
const costly = withRounds(locked, 256);

function withRounds(text: string, rounds: number): string {
  const lines = text.trim().split("\n");
  const body = Buffer.from(lines.slice(1, -1).join(""), "base64");
  // Behind the derivation's name come the length of its options, and in them a salt of sixteen bytes and the rounds.
  const at = body.indexOf("bcrypt") + 6 + 4 + 4 + 16;
  body.writeUInt32BE(rounds, at);
  return `${lines[0]}\n${body.toString("base64")}\n${lines.at(-1)}\n`;
}

/** The threads that were given keys, in order. */
const threads: Worker[] = [];
beforeEach(() => {
  threads.length = 0;
  const { postMessage } = Worker.prototype;
  vi.spyOn(Worker.prototype, "postMessage").mockImplementation(function (this: Worker, ...key) {
    threads.push(this);
    postMessage.apply(this, key);
  });
});
afterEach(() => vi.restoreAllMocks());
const stopped = () => new Set(threads.filter(({ threadId }) => threadId === -1)).size;

const codeOf = (outcome: Promise<unknown>) =>
  outcome.then(
    () => "taken",
    (error: { code: string }) => error.code,
  );

test("a plain key passes by while another's costly keys are opened, and a locked one has a place to itself", async () => {
  const keys = nodeSshKeys();
  const left = new AbortController();
  let hogs = 0;
  const many = Array.from({ length: 8 }, () =>
    codeOf(keys.inspect(costly, "no", { share: "hog", signal: left.signal })).finally(() => hogs++),
  );
  expect(await keys.inspect(plain, null, { share: "hog" })).toMatchObject({ fingerprint });
  expect(await keys.inspect(plain, null, { share: "other" })).toMatchObject({ fingerprint });
  expect(await keys.inspect(locked, passphrase, { share: "other" })).toMatchObject({ hasPassphrase: true });
  expect(hogs).toBeLessThan(8);
  left.abort();
  expect(new Set(await Promise.all(many))).toContain("Aborted");
});

test("a thread is kept for the next key", async () => {
  const keys = nodeSshKeys();
  for (let read = 0; read < 3; read++) await keys.inspect(plain, null);
  await keys.inspect(locked, passphrase);
  expect(new Set(threads).size).toBe(1);
});

test("a derivation that nobody waits for is stopped, and the next key has a thread and a place", async () => {
  const keys = nodeSshKeys({ atOnce: 1 });
  const left = new AbortController();
  const outcome = codeOf(keys.inspect(costly, "no", { signal: left.signal }));
  await vi.waitUntil(() => threads.length === 1);
  const next = keys.inspect(locked, passphrase);
  left.abort();
  expect(await outcome).toBe("Aborted");
  expect(await next).toMatchObject({ hasPassphrase: true });
  expect(stopped()).toBe(1);
});

test("a derivation that takes too long is stopped, and is no mistake of whoever sent the key", async () => {
  const keys = nodeSshKeys({ timeoutMs: 50 });
  await expect(keys.inspect(costly, "no")).rejects.toMatchObject({
    code: "Unavailable",
    status: 503,
    details: { retryAfterSeconds: 1 },
  });
  expect(stopped()).toBe(1);
});

test("a thread that breaks fails its key alone, and is replaced", async () => {
  const workers = createSshKeyWorkers({ timeoutMs: 60_000 });
  const key = { format: "openssh", encrypted: false, text: plain, passphrase: null } as const;
  await expect(workers.read(null as never)).rejects.toMatchObject({ code: "InternalError" });
  expect(await workers.read(key)).toMatchObject({ ok: true, fingerprint });
  await threads.at(-1)?.terminate();
  expect(await workers.read(key)).toMatchObject({ ok: true, fingerprint });
  const failed = codeOf(workers.read({ ...key, encrypted: true, text: costly, passphrase: "no" }));
  await threads.at(-1)?.terminate();
  expect(await failed).toBe("InternalError");
  expect(await workers.read(key)).toMatchObject({ ok: true, fingerprint });
});
