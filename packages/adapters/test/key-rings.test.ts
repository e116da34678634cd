import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileKeyRing, rotateFileKeyRing, staticKeyRing } from "@liveplane/adapters/key-rings";
import { nodeDefaults } from "@liveplane/adapters/node";
import type { KeyRing } from "@liveplane/core";
import { isLiveplaneError, LiveplaneError } from "@liveplane/core/errors";
import { memoryStore, type Store } from "@liveplane/core/store";
import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { emptyFolder } from "./empty-folder.ts";

const folder = emptyFolder(afterAll);

let files = 0;
const freshFile = () => join(folder, `ring-${++files}`);
const newKey = () => randomBytes(32).toString("base64");
const context = Buffer.from("the place");

async function codeOf(work: () => unknown): Promise<string> {
  try {
    await work();
  } catch (error) {
    if (isLiveplaneError(error)) return error.code;
    throw error;
  }
  throw new TypeError("It was not refused.");
}

async function opens(ring: KeyRing, { keyId, wrapped }: { keyId: string; wrapped: Uint8Array }): Promise<string> {
  return Buffer.from(await ring.unwrap(keyId, wrapped, context)).toString();
}

test("a ring wraps with its first key, and unwraps with any", async () => {
  const [old, current] = [newKey(), newKey()];
  const before = await staticKeyRing({ keys: [old] }).wrap(Buffer.from("data key"), context);
  const ring = staticKeyRing({ keys: [current, old] });
  const after = await ring.wrap(Buffer.from("data key"), context);
  expect(after.keyId).toBe(await ring.currentKeyId());
  expect(after.keyId).not.toBe(before.keyId);
  expect([await opens(ring, before), await opens(ring, after)]).toEqual(["data key", "data key"]);
});

test("a key id tells nothing of the key, and is the same in every process", async () => {
  const key = newKey();
  const id = await staticKeyRing({ keys: [key] }).currentKeyId();
  expect(id).toMatch(/^[0-9a-f]{16}$/);
  expect(Buffer.from(key, "base64").toString("hex")).not.toContain(id);
  expect(await staticKeyRing({ keys: [newKey(), key] }).currentKeyId()).not.toBe(id);
  expect(await staticKeyRing({ keys: [key] }).currentKeyId()).toBe(id);
});

test("a wrapped key opens with no bit changed, cut anywhere, or for another context", () =>
  fc.assert(
    fc.asyncProperty(fc.nat(), fc.nat({ max: 59 }), async (bit, length) => {
      const ring = staticKeyRing({ keys: [newKey()] });
      const { keyId, wrapped } = await ring.wrap(randomBytes(32), context);
      const changed = Buffer.from(wrapped);
      const at = Math.floor(bit / 8) % changed.length;
      changed[at] = (changed[at] ?? 0) ^ (1 << (bit % 8));
      for (const other of [changed, wrapped.subarray(0, length), wrapped.subarray(1)])
        expect(await codeOf(() => ring.unwrap(keyId, other, context))).toBe("InternalError");
      expect(await codeOf(() => ring.unwrap(keyId, wrapped, Buffer.from("elsewhere")))).toBe("InternalError");
      expect(await codeOf(() => ring.unwrap("another", wrapped, context))).toBe("InternalError");
    }),
  ));

test.each([
  ["none", []],
  ["one that is too short", [randomBytes(31).toString("base64")]],
  ["one that is too long", [randomBytes(33).toString("base64")]],
  ["a word", ["a password of somebody"]],
  ["a good one and an empty one", [newKey(), ""]],
])("keys are refused when there is %s, without showing any", async (_, keys) => {
  const error = await Promise.resolve()
    .then(() => staticKeyRing({ keys }))
    .catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: "ConfigurationInvalid" });
  for (const key of keys.filter(Boolean)) expect(`${error} ${(error as Error).stack}`).not.toContain(key);
});

test("a key file is made at the first start, for its owner alone, and read at the next", async () => {
  const file = freshFile();
  const first = await fileKeyRing({ file });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readFileSync(file, "utf8")).toMatch(/^[A-Za-z0-9+/]{43}=\n$/);
  const wrapped = await first.wrap(Buffer.from("data key"), context);
  const second = await fileKeyRing({ file });
  expect(await second.currentKeyId()).toBe(await first.currentKeyId());
  expect(await opens(second, wrapped)).toBe("data key");
  expect(readdirSync(folder).filter((name) => name.startsWith(`ring-${files}`))).toEqual([`ring-${files}`]);
});

test("processes that start at once make one key together", async () => {
  for (let round = 0; round < 5; round++) {
    const file = freshFile();
    const rings = await Promise.all(Array.from({ length: 8 }, () => fileKeyRing({ file })));
    const ids = await Promise.all(rings.map((ring) => ring.currentKeyId()));
    expect(new Set(ids).size).toBe(1);
    expect(await (await fileKeyRing({ file })).currentKeyId()).toBe(ids[0]);
  }
  // Each of forty keys goes to the disk for good: a disk that others keep busy takes its time.
}, 60_000);

test("a key that is added becomes the current one, and the older still open", async () => {
  const file = freshFile();
  const before = await (await fileKeyRing({ file })).wrap(Buffer.from("data key"), context);
  await rotateFileKeyRing({ file });
  const ring = await fileKeyRing({ file });
  expect(await ring.currentKeyId()).not.toBe(before.keyId);
  expect(await opens(ring, before)).toBe("data key");
  expect(statSync(file).mode & 0o777).toBe(0o600);
  await rotateFileKeyRing({ file });
  expect(readFileSync(file, "utf8").trim().split("\n")).toHaveLength(3);
  expect(await opens(await fileKeyRing({ file }), before)).toBe("data key");
});

test("a half-written file of a crash is not taken for the ring", async () => {
  const file = freshFile();
  writeFileSync(`${file}.part`, "half a k");
  const ring = await fileKeyRing({ file });
  expect(await (await fileKeyRing({ file })).currentKeyId()).toBe(await ring.currentKeyId());
});

test("a file that can't be read or holds no key stops the start, rather than a new key being made", async () => {
  const directory = freshFile();
  mkdirSync(directory);
  expect(await codeOf(() => fileKeyRing({ file: directory }))).toBe("ConfigurationInvalid");
  for (const content of ["", "\n\n", "no key\n", `${newKey()}\nhalf`]) {
    const file = freshFile();
    writeFileSync(file, content);
    expect(await codeOf(() => fileKeyRing({ file })), JSON.stringify(content)).toBe("ConfigurationInvalid");
    expect(readFileSync(file, "utf8")).toBe(content);
  }
});

test("a missing file is made for an empty store of one's own alone", async () => {
  const made = async (store: Store) => {
    const dataDir = mkdtempSync(join(folder, "data-"));
    const code = await codeOf(async () => {
      await nodeDefaults({ dataDir, store });
      throw new LiveplaneError("AlreadyExists");
    });
    return [code === "AlreadyExists" ? "opened" : code, readdirSync(dataDir).includes("key-ring")];
  };
  const [empty, used] = [memoryStore(), memoryStore()];
  await used.commit({ sets: [{ key: ["a"], value: 1 }] });
  const shared = { ...memoryStore(), capabilities: { ...empty.capabilities, sharedByProcesses: true } };
  expect(await made(empty)).toEqual(["opened", true]);
  expect(await made(used)).toEqual(["ConfigurationInvalid", false]);
  expect(await made(shared)).toEqual(["ConfigurationInvalid", false]);
});
