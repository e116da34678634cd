import fc from "fast-check";
import { expect, test } from "vitest";
import { encodeKey } from "../../src/ports/key.ts";
import { recordPlace } from "../../src/records/layout.ts";

const part = fc.constantFrom("a", "b", "a\u0000b", "\u0001", "");
const asked = fc.record({ name: fc.constantFrom("first", "second"), key: fc.array(part, { maxLength: 3 }) });

test("a record's place is the encoded key of its collection, however often and in whatever order places are asked for", () => {
  fc.assert(
    fc.property(fc.array(asked, { maxLength: 50, size: "max" }), (all) => {
      for (const { name, key } of all) {
        const place = recordPlace({ name }, key);
        expect(place.key).toEqual(["record", name, ...key]);
        expect(place.encoded).toBe(encodeKey(["record", name, ...key]));
      }
    }),
  );
});

test("a place that is remembered can't be changed, and some thousand others are remembered with it", () => {
  const collection = { name: "many" };
  const first = recordPlace(collection, ["0"]);
  expect(Object.isFrozen(first.key)).toBe(true);
  for (let id = 1; id < 8192; id++) recordPlace(collection, [String(id)]);
  expect(recordPlace(collection, ["0"])).toBe(first);
  recordPlace(collection, ["one too many"]);
  expect(recordPlace(collection, ["0"])).not.toBe(first);
  expect(recordPlace(collection, ["0"])).toEqual(first);
});

test("of places under several parts the last one is remembered", () => {
  const collection = { name: "parts" };
  const last = recordPlace(collection, ["a", "b"]);
  expect(Object.isFrozen(last.key)).toBe(true);
  recordPlace(collection, ["a"]);
  recordPlace({ name: "others" }, ["a", "c"]);
  expect(recordPlace(collection, ["a", "b"])).toBe(last);
  recordPlace(collection, ["a", "c"]);
  expect(recordPlace(collection, ["a", "b"])).not.toBe(last);
});
