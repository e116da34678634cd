import { expect, test } from "vitest";
import { toBase64Url } from "../../src/encoding.ts";
import { installationKeys } from "../../src/keys/installation.ts";
import { memoryStore } from "../../src/ports/memory-store.ts";
import type { Store } from "../../src/ports/store.ts";
import { fakeRuntime } from "../../src/testing/fake-runtime.ts";
import { fakeSealer } from "../../src/testing/fake-secrets.ts";

const place = ["installation", "key"];
const dayMs = 86_400_000;

function world(wrap: (store: Store) => Store = (store) => store) {
  const runtime = fakeRuntime();
  const store = memoryStore({ now: runtime.clock.now });
  const sealer = fakeSealer();
  const process = () => installationKeys({ store: wrap(store), runtime, sealer, formerMs: dayMs });
  const text = async () => JSON.stringify(await store.get([place]));
  return { runtime, store, sealer, process, text };
}

test("an installation's key is made once, and lies in the store under seal", async () => {
  const { process, text } = world();
  const made = await Promise.all([process(), process(), process()].map((keys) => keys.current()));
  expect(new Set(made.map(toBase64Url)).size).toBe(1);
  expect(await text()).not.toContain(toBase64Url(made[0] ?? new Uint8Array()));
  expect(await process().digests()).toEqual(made[0]);
  expect(await process().former()).toEqual([]);
});

test("another key-encryption key brings another key, which every process knows within seconds", async () => {
  const { process, sealer, runtime, text } = world();
  const [one, other] = [process(), process()];
  const [before, digests] = [await one.current(), await one.digests()];
  expect(await other.current()).toEqual(before);
  expect(await one.sealed.rewrap(null, 10)).toMatchObject({ rewrapped: 0 });
  sealer.rotate();
  expect(await one.sealed.rewrap(null, 10)).toMatchObject({ rewrapped: 1, failed: 0 });
  expect(await one.sealed.rewrap(null, 10)).toMatchObject({ rewrapped: 0, failed: 0 });
  await runtime.advance(5000);
  const after = await one.current();
  expect(after).not.toEqual(before);
  expect(await other.current()).toEqual(after);
  expect([await other.former(), await other.digests()]).toEqual([[before], digests]);
  sealer.forgetOldKeys();
  expect(await process().digests()).toEqual(digests);
  expect(await text()).not.toContain("key-1");
});

test("a key that doesn't open is named, and left as it is", async () => {
  const { process, sealer, store } = world();
  await process().current();
  const [before] = await store.get([place]);
  sealer.rotate();
  sealer.forgetOldKeys();
  const keys = process();
  expect(await keys.sealed.rewrap(null, 10)).toMatchObject({ rewrapped: 0, failed: 1, unopened: [{ keyId: "key-1" }] });
  expect(await store.get([place])).toEqual([before]);
  await expect(keys.current()).rejects.toMatchObject({ code: "InternalError" });
});
