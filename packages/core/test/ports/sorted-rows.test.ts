import fc from "fast-check";
import { expect, test } from "vitest";
import { compareEncoded } from "../../src/ports/key.ts";
import { listRows, SortedRows } from "../../src/ports/sorted-rows.ts";

const rowOf = (key: string) => ({ key, json: "1", version: 1, expiresAt: undefined });
const keysOf = (rows: Iterable<{ key: string }>) => [...rows].map(({ key }) => key);
const letter = fc.constantFrom("a", "b", "é", "\uffff", "\u{10ffff}");
const key = fc.array(letter, { minLength: 1, maxLength: 3 }).map((letters) => `${letters.join("")}\u0000`);

test("keeps the order of keys whatever is set and deleted", () => {
  const step = fc.record({ key, deletes: fc.boolean() });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), key, key, (steps, lower, upper) => {
      const rows = new SortedRows();
      const model = new Set<string>();
      for (const { key, deletes } of steps) {
        if (deletes) rows.delete(key);
        else rows.set(rowOf(key));
        model[deletes ? "delete" : "add"](key);
      }
      const sorted = [...model].sort(compareEncoded);
      const between = sorted.filter((key) => compareEncoded(key, lower) > 0 && compareEncoded(key, upper) < 0);
      expect(keysOf(rows.all())).toEqual(sorted);
      expect(keysOf(rows.up(lower, upper))).toEqual(between);
      expect(keysOf(rows.down(lower, upper))).toEqual(between.reverse());
      expect(keysOf(rows.down("", null))).toEqual(sorted.reverse());
    }),
  );
});

test("stays in order over many chunks, made forwards, backwards and at random, and emptied again", () => {
  const name = (at: number) => `${String(at).padStart(5, "0")}\u0000`;
  const forwards = Array.from({ length: 10_000 }, (_, at) => at);
  const shuffled = forwards.map((at) => (at * 7919) % 10_000);
  for (const order of [forwards, forwards.toReversed(), shuffled]) {
    const rows = new SortedRows();
    for (const at of order) rows.set(rowOf(name(at)));
    expect(keysOf(rows.all())).toEqual(forwards.map(name));
    expect(keysOf(rows.up(name(4998), name(5001)))).toEqual([name(4999), name(5000)]);
    for (const at of shuffled) if (at !== 5000) rows.delete(name(at));
    expect(keysOf(rows.all())).toEqual([name(5000)]);
    expect(keysOf(rows.down("", null))).toEqual([name(5000)]);
  }
});

test("reads no more rows than a list asks for, also where many have gone before", () => {
  const rows = new SortedRows();
  const name = (at: number) => `${String(at).padStart(6, "0")}\u0000`;
  for (let at = 0; at < 100_000; at++) rows.set(rowOf(name(at)));
  for (let at = 0; at < 90_000; at++) rows.delete(name(at));
  let looked = 0;
  const counting = { up: (lower: string, upper: string | null) => counted(rows.up(lower, upper)) };
  function* counted<T>(items: Iterable<T>): Generator<T> {
    for (const item of items) {
      looked += 1;
      yield item;
    }
  }
  const found = listRows(counting as never, { lower: "", upper: null, limit: 100, reverse: false }, 0);
  expect(found).toHaveLength(100);
  expect(found[0]?.key).toEqual(["090000"]);
  expect(looked).toBe(100);
});
