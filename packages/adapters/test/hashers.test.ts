import { argon2Hasher } from "@liveplane/adapters/argon2-hasher";
import { scryptHasher } from "@liveplane/adapters/scrypt-hasher";
import type { PasswordHasher } from "@liveplane/core";
import { describe, expect, test } from "vitest";

const weakArgon2 = { memoryKiB: 1024, passes: 1 };
const weakScrypt = { logCost: 10 };
const hashers: [string, () => Promise<PasswordHasher> | PasswordHasher, RegExp][] = [
  ["argon2Hasher", () => argon2Hasher(weakArgon2), /^\$argon2id\$v=19\$m=1024,t=1,p=1\$/],
  ["scryptHasher", () => scryptHasher(weakScrypt), /^\$scrypt\$ln=10,r=8,p=1\$/],
];

describe.each(hashers)("%s", (_, create, shape) => {
  test("writes its parameters into the hash, and salts it", async () => {
    const hasher = await create();
    const hash = await hasher.hash("correct horse battery");
    expect(hash).toMatch(shape);
    expect(await hasher.hash("correct horse battery")).not.toBe(hash);
  });

  test("tells the right password from a wrong one", async () => {
    const hasher = await create();
    const hash = await hasher.hash("correct horse battery");
    expect(await hasher.verify(hash, "correct horse battery")).toEqual({ matches: true, outdated: false });
    expect(await hasher.verify(hash, "correct horse batterz")).toEqual({ matches: false, outdated: false });
  });

  test("reads all of a long password", async () => {
    const hasher = await create();
    const long = "𝒳".repeat(255);
    const hash = await hasher.hash(`${long}a`);
    expect((await hasher.verify(hash, `${long}a`)).matches).toBe(true);
    expect((await hasher.verify(hash, `${long}b`)).matches).toBe(false);
    expect((await hasher.verify(hash, long)).matches).toBe(false);
  });

  test("takes characters that some libraries end at", async () => {
    const hasher = await create();
    const hash = await hasher.hash("before\0after-the-nul");
    expect((await hasher.verify(hash, "before\0another-end")).matches).toBe(false);
  });

  test("refuses a hash that isn't one, without saying what it was", async () => {
    const hasher = await create();
    const refusal = hasher.verify("canary-not-a-hash", "correct horse battery");
    await expect(refusal).rejects.toMatchObject({ code: "InternalError" });
    await expect(refusal).rejects.not.toThrow(/canary/);
  });
});

test("a hash of lower parameters is outdated, one of higher parameters isn't", async () => {
  const [weak, strong] = [await argon2Hasher(weakArgon2), await argon2Hasher({ memoryKiB: 2048, passes: 2 })];
  expect(await strong.verify(await weak.hash("a password"), "a password")).toEqual({ matches: true, outdated: true });
  expect(await weak.verify(await strong.hash("a password"), "a password")).toEqual({ matches: true, outdated: false });
  const [low, high] = [scryptHasher(weakScrypt), scryptHasher({ logCost: 11 })];
  expect(await high.verify(await low.hash("a password"), "a password")).toEqual({ matches: true, outdated: true });
  expect(await low.verify(await high.hash("a password"), "a password")).toEqual({ matches: true, outdated: false });
});

test("argon2 uses 19456 KiB, two passes and one lane unless told otherwise", async () => {
  const hasher = await argon2Hasher();
  expect(await hasher.hash("a password")).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
});

test("who moves from scrypt to argon2 still signs in, with an outdated hash", async () => {
  const former = scryptHasher(weakScrypt);
  const hasher = await argon2Hasher({ ...weakArgon2, former });
  const hash = await former.hash("a password");
  expect(await hasher.verify(hash, "a password")).toEqual({ matches: true, outdated: true });
  expect((await hasher.verify(hash, "another")).matches).toBe(false);
});

test.each([
  ["argon2Hasher", (slots: number) => argon2Hasher({ ...weakArgon2, slots })],
  ["scryptHasher", (slots: number) => scryptHasher({ logCost: 14, slots })],
])("%s takes turns by share, and begins nothing that nobody waits for", async (_, create) => {
  const hasher = await create(1);
  const hash = await hasher.hash("a password");
  const left = new AbortController();
  const ended: string[] = [];
  const verify = (name: string, signal?: AbortSignal) =>
    hasher.verify(hash, "a password", { share: name.slice(0, 1), ...(signal && { signal }) }).then(
      () => void ended.push(name),
      (error: { code: string }) => void ended.push(`${name} ${error.code}`),
    );
  const all = ["a1", "a2", "a3", "a4"].map((name) => verify(name));
  all.push(verify("a5", left.signal), verify("b1"));
  left.abort();
  await Promise.all(all);
  expect(ended).toEqual(["a5 Aborted", "a1", "a2", "b1", "a3", "a4"]);
});
