import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { LiveplaneError } from "../../src/errors.ts";
import { createRotation, type SealedRecords, sealedStock } from "../../src/keys/rotation.ts";
import { memoryStore } from "../../src/ports/memory-store.ts";
import type { Sealed } from "../../src/ports/secrets.ts";
import type { Store } from "../../src/ports/store.ts";
import { collection } from "../../src/records/collection.ts";
import { createRecords } from "../../src/records/create-records.ts";
import { fakeRuntime } from "../../src/testing/fake-runtime.ts";
import { fakeSealer } from "../../src/testing/fake-secrets.ts";

interface Box {
  readonly name: string;
  readonly values: readonly Sealed[];
  readonly writes: number;
}

const cause = { actor: "test", requestId: "test" };
const boxes = collection<Box>()("box", { key: ({ name }) => [name] });
const crates = collection<Box>()("crate", { key: ({ name }) => [name] });
const placeOf = (name: string, at: number) => ["box", name, String(at)];

const sealedIn = (of: typeof boxes): SealedRecords<Box> => ({
  collection: of,
  async rewrapped(box, rewrap) {
    const values: Sealed[] = [];
    for (const [at, value] of box.values.entries()) values.push(await rewrap(value, placeOf(box.name, at)));
    return { ...box, values };
  },
});

function world(wrap: (store: Store) => Store = (store) => store) {
  const runtime = fakeRuntime();
  const plain = memoryStore({ now: runtime.clock.now });
  const store = wrap(plain);
  const records = createRecords({ store, runtime });
  const sealer = fakeSealer();
  const lines: string[] = [];
  const write = (fields: object, message: string) => void lines.push(`${JSON.stringify(fields)} ${message}`);
  const logger = { debug: write, info: write, warn: write, error: write };
  const gauges = new Map<string, number>();
  const metrics = { ...runtime.metrics, gauge: (name: string, value: number) => void gauges.set(name, value) };
  const stocks = [sealedIn(boxes), sealedIn(crates)].map((kind) => sealedStock({ records, sealer }, kind));
  const rotationOf = (batch: number, batches = 20) =>
    createRotation({ records, runtime: { ...runtime, logger, metrics }, sealer, stocks, batch, batches });
  const put = async (of: typeof boxes, name: string, count = 1) => {
    const values: Sealed[] = [];
    for (let at = 0; at < count; at++) values.push(await sealer.seal(new Uint8Array([at]), placeOf(name, at)));
    await records.change(cause, (change) => void change.put(of, { name, values, writes: 0 }));
  };
  const all = async () => [
    ...(await records.list(boxes, { limit: 1000 })),
    ...(await records.list(crates, { limit: 1000 })),
  ];
  return {
    ...{ runtime, plain, records, sealer, lines, rotationOf, put },
    measured: (name: string) => gauges.get(name),
    boxes: async () => (await all()).map(({ record }) => record),
    async keyIds() {
      return new Set((await all()).flatMap(({ record }) => record.values.map(({ keyId }) => keyId)));
    },
  };
}

type World = ReturnType<typeof world>;

async function untilComplete({ rotationOf }: World, batch: number): Promise<void> {
  for (let rounds = 0; !(await rotationOf(batch).isComplete()); rounds++) {
    await rotationOf(batch).housekeep();
    if (rounds > 1000) throw new RangeError("It never ends.");
  }
}

describe("rotation", () => {
  test("brings any number of records under the new key, in batches of any size", () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat({ max: 3 }), { maxLength: 25 }),
        fc.integer({ min: 1, max: 9 }),
        fc.integer({ min: 1, max: 4 }),
        async (counts, batch, batches) => {
          const made = world();
          for (const [at, count] of counts.entries()) await made.put(at % 2 ? boxes : crates, `b${at}`, count);
          const keyId = made.sealer.rotate();
          expect(await made.rotationOf(batch, batches).isComplete()).toBe(false);
          await untilComplete(made, batch);
          expect([...(await made.keyIds())].every((id) => id === keyId)).toBe(true);
          made.sealer.forgetOldKeys();
          for (const { name, values } of await made.boxes())
            for (const [at, value] of values.entries())
              expect([...(await made.sealer.open(value, placeOf(name, at)))]).toEqual([at]);
        },
      ),
      { numRuns: 60 },
    ));

  test("goes on after failing at any commit, with no batch done twice from the beginning", () =>
    fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 12 }), fc.nat({ max: 40 }), async (count, dies) => {
        let left = Number.POSITIVE_INFINITY;
        const made = world((store) => ({
          ...store,
          async commit(...args) {
            if (left-- <= 0) throw new LiveplaneError("StoreFailed", "gone");
            return store.commit(...args);
          },
        }));
        for (let at = 0; at < count; at++) await made.put(boxes, `b${at}`, 2);
        const keyId = made.sealer.rotate();
        left = dies;
        await made
          .rotationOf(2)
          .housekeep()
          .catch(() => {});
        left = Number.POSITIVE_INFINITY;
        await untilComplete(made, 2);
        expect([...(await made.keyIds())]).toEqual([keyId]);
      }),
      { numRuns: 60 },
    ));

  test("goes on at the batch where it stopped", async () => {
    const made = world();
    for (let at = 0; at < 9; at++) await made.put(boxes, `b${at}`);
    made.sealer.rotate();
    const moved = async () => (await made.boxes()).filter(({ values }) => values[0]?.keyId === "key-2").length;
    for (const expected of [2, 4, 6]) {
      await made.rotationOf(2, 1).housekeep();
      expect(await moved()).toBe(expected);
    }
  });

  test("undoes no write that comes between its look and its own", async () => {
    const made = world();
    await made.put(boxes, "b");
    made.sealer.rotate();
    const { rewrap } = made.sealer;
    let raced = false;
    Object.assign(made.sealer, {
      async rewrap(sealed: Sealed, place: readonly string[]) {
        const again = await rewrap(sealed, place);
        if (!raced) {
          raced = true;
          await made.records.change(cause, async (change) => {
            const known = await change.get(boxes, ["b"]);
            if (known) change.put(boxes, { ...known, writes: known.writes + 1 });
          });
        }
        return again;
      },
    });
    await untilComplete(made, 10);
    expect(await made.boxes()).toMatchObject([{ name: "b", writes: 1, values: [{ keyId: "key-2" }] }]);
  });

  test("does nothing when there is nothing to do, and looks again after a day for what came behind it", async () => {
    const made = world();
    await made.put(boxes, "b");
    await untilComplete(made, 10);
    const late = await made.sealer.seal(new Uint8Array([0]), placeOf("late", 0));
    made.sealer.rotate();
    await untilComplete(made, 10);
    // A process that still held the old key for the current one.
    await made.records.change(cause, (change) => void change.put(boxes, { name: "late", values: [late], writes: 0 }));
    await made.rotationOf(10).housekeep();
    expect([...(await made.keyIds())].sort()).toEqual(["key-1", "key-2"]);
    await made.runtime.advance(86_400_000);
    await untilComplete(made, 10);
    await made.rotationOf(10).housekeep();
    expect([...(await made.keyIds())]).toEqual(["key-2"]);
  });

  test("leaves what doesn't open, and never says that it is complete then", async () => {
    const made = world();
    await made.put(boxes, "good");
    await made.put(boxes, "bad");
    await made.records.change(cause, async (change) => {
      const known = await change.get(boxes, ["bad"]);
      if (known) change.put(boxes, { ...known, values: known.values.map((value) => ({ ...value, wrappedKey: "x" })) });
    });
    made.sealer.rotate();
    for (let rounds = 0; rounds < 3; rounds++) await made.rotationOf(1).housekeep();
    expect(await made.rotationOf(1).isComplete()).toBe(false);
    expect((await made.boxes()).map(({ name, values }) => [name, values[0]?.keyId])).toEqual([
      ["bad", "key-1"],
      ["good", "key-2"],
    ]);
    expect(made.lines.at(-1)).toContain("could not be opened");
  });

  test("moves every other value of a record whose one value doesn't open, and names that one", async () => {
    const made = world();
    await made.put(boxes, "b", 3);
    await made.records.change(cause, async (change) => {
      const known = await change.get(boxes, ["b"]);
      const spoilt = known?.values.map((value, at) => (at === 1 ? { ...value, wrappedKey: "x" } : value));
      if (known && spoilt) change.put(boxes, { ...known, values: spoilt });
    });
    made.sealer.rotate();
    await made.rotationOf(10).housekeep();
    expect((await made.boxes())[0]?.values.map(({ keyId }) => keyId)).toEqual(["key-2", "key-1", "key-2"]);
    const named = `{"stock":"box","keyId":"key-1","place":"box/b/1"} A sealed value could not be opened and was left unchanged.`;
    expect(made.lines).toContain(named);
    expect(made.measured("liveplane_unopened_values")).toBe(1);
  });

  test("tries again at the next start what didn't open, and at once with other keys", async () => {
    const made = world();
    await made.put(boxes, "b");
    const away = { isAway: true };
    const { rewrap } = made.sealer;
    Object.assign(made.sealer, {
      rewrap: async (sealed: Sealed, place: readonly string[]) => {
        if (away.isAway && sealed.keyId === "key-1") throw new LiveplaneError("InternalError", "No such key.");
        return rewrap(sealed, place);
      },
      keyIds: async () => (away.isAway ? ["key-2"] : ["key-1", "key-2"]),
    });
    made.sealer.rotate();
    const process = made.rotationOf(10);
    await process.housekeep();
    expect(await process.isComplete()).toBe(false);
    const lines = made.lines.length;
    await process.housekeep();
    expect(made.lines).toHaveLength(lines);
    await made.rotationOf(10).housekeep();
    expect(made.lines.length).toBeGreaterThan(lines);
    away.isAway = false;
    await process.housekeep();
    expect(await process.isComplete()).toBe(true);
    expect([...(await made.keyIds())]).toEqual(["key-2"]);
  });

  test("says nothing of older keys where there are none", async () => {
    const made = world();
    Object.assign(made.sealer, { keyIds: async () => ["key-1"] });
    await untilComplete(made, 10);
    expect(made.lines).toEqual([]);
  });

  test("says when older keys can be dropped", async () => {
    const made = world();
    await made.put(boxes, "b");
    const keyId = made.sealer.rotate();
    await untilComplete(made, 10);
    expect(made.lines).toEqual([
      `{"keyId":"${keyId}","rewrapped":1,"failed":0} Sealed values were re-encrypted with the current key.`,
      `{"keyId":"${keyId}","rewrapped":0,"failed":0} Everything is sealed with the current key. Older keys can be removed.`,
    ]);
  });
});
