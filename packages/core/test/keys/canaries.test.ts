import { describe, expect, test } from "vitest";
import { LiveplaneError } from "../../src/errors.ts";
import { createCanaries, guardedSealer } from "../../src/keys/canaries.ts";
import { createRotation, sealedStock } from "../../src/keys/rotation.ts";
import { memoryStore } from "../../src/ports/memory-store.ts";
import type { Sealed, SealedStock, Sealer } from "../../src/ports/secrets.ts";
import type { Store } from "../../src/ports/store.ts";
import { collection } from "../../src/records/collection.ts";
import { createRecords } from "../../src/records/create-records.ts";
import { fakeRuntime } from "../../src/testing/fake-runtime.ts";
import { fakeSealer } from "../../src/testing/fake-secrets.ts";

interface Box {
  readonly name: string;
  readonly value: Sealed;
}
const boxes = collection<Box>()("box", { key: ({ name }) => [name] });
const place = (name: string) => ["box", name];
const cause = { actor: "test", requestId: "test" };

function world() {
  const runtime = fakeRuntime();
  const store = memoryStore({ now: runtime.clock.now });
  const records = createRecords({ store, runtime });
  return {
    ...{ runtime, store, records },
    /** A process with a key ring over the store. */
    process(sealer: Sealer) {
      const stock: SealedStock = sealedStock({ records, sealer }, { collection: boxes, rewrapped: rewrappedBox });
      const canaries = createCanaries({ store, sealer, requireFormat: async () => {} });
      const onComplete = canaries.keepOnly;
      const rotation = createRotation({ records, runtime, sealer, stocks: [stock], onComplete });
      const guarded = guardedSealer(sealer, () => canaries);
      const put = async (name: string) => {
        const value = await guarded.seal(new Uint8Array([1]), place(name));
        await records.change(cause, (change) => void change.put(boxes, { name, value }));
      };
      return { canaries, rotation, put };
    },
    async keyIds() {
      const [entry] = await store.get([["installation", "canary"]]);
      return Object.keys(Object(entry?.value)).sort();
    },
  };
}

const rewrappedBox = async (box: Box, rewrap: (sealed: Sealed, at: readonly string[]) => Promise<Sealed>) => ({
  ...box,
  value: await rewrap(box.value, place(box.name)),
});

/** A ring of other keys, as one that was made anew. */
function foreignSealer(): Sealer {
  const sealer = fakeSealer();
  sealer.rotate();
  sealer.rotate();
  sealer.forgetOldKeys();
  return sealer;
}

describe("a key ring", () => {
  test("is known by its canary, and another one is refused before it seals anything", async () => {
    const { process, keyIds, records } = world();
    await process(fakeSealer()).put("a");
    expect(await keyIds()).toEqual(["key-1"]);
    const foreign = process(foreignSealer());
    await expect(foreign.put("b")).rejects.toMatchObject({ code: "ConfigurationInvalid" });
    await expect(foreign.canaries.judge()).rejects.toThrow(/key key-1 is missing.*the master key/);
    expect(await records.list(boxes)).toHaveLength(1);
    expect(await keyIds()).toEqual(["key-1"]);
    await process(fakeSealer()).canaries.judge();
  });

  test("that another process made at the same moment, over an empty store, is refused", async () => {
    const { process, keyIds } = world();
    const both = [process(fakeSealer()), process(foreignSealer())];
    const outcomes = await Promise.allSettled(both.map(({ canaries }) => canaries.judge()));
    expect(outcomes.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    expect(await keyIds()).toHaveLength(1);
  });

  test("gets a canary of its new key, and loses the old one's when nothing is under it any more", async () => {
    const { process, keyIds } = world();
    const sealer = fakeSealer();
    await process(sealer).put("a");
    sealer.rotate();
    const next = process(sealer);
    await next.canaries.judge();
    expect(await keyIds()).toEqual(["key-1", "key-2"]);
    while (!(await next.rotation.isComplete())) await next.rotation.housekeep();
    expect(await keyIds()).toEqual(["key-2"]);
    sealer.forgetOldKeys();
    await process(sealer).canaries.judge();
  });

  test("that can't be asked just now is asked again", async () => {
    const { process, keyIds } = world();
    const sealer = fakeSealer();
    let isAway = true;
    const { canaries } = process({
      ...sealer,
      async seal(...args) {
        if (isAway) throw new LiveplaneError("Unavailable", "The key service is away.");
        return sealer.seal(...args);
      },
    });
    await expect(canaries.judge()).rejects.toMatchObject({ code: "Unavailable" });
    isAway = false;
    await canaries.judge();
    expect(await keyIds()).toEqual(["key-1"]);
  });
});

test("every commit and every read of a start may fail, and the next start is judged as if it hadn't", async () => {
  for (let fails = 0, done = false; !done; fails++) {
    const { process, keyIds, store } = world();
    let left = fails;
    const failing =
      <A extends unknown[], R>(work: (...args: A) => Promise<R>) =>
      async (...args: A): Promise<R> => {
        if (left-- <= 0) throw new LiveplaneError("StoreFailed", "gone");
        return work(...args);
      };
    const dying: Store = { ...store, get: failing(store.get), commit: failing(store.commit) };
    const sealer = fakeSealer();
    done = await createCanaries({ store: dying, sealer, requireFormat: async () => {} })
      .judge()
      .then(
        () => true,
        () => false,
      );
    await process(sealer).canaries.judge();
    expect(await keyIds()).toEqual(["key-1"]);
  }
});
