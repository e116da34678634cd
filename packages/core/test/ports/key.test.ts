import fc from "fast-check";
import { expect, test } from "vitest";
import { compareEncoded, decodeKey, encodeKey } from "../../src/ports/key.ts";
import { codePoint } from "../builders/code-points.ts";

const part = fc.oneof(
  fc.string({ unit: codePoint }),
  fc.string({ unit: fc.constantFrom("\u0000", "\u0001", "\u0002", "a", "é", "\uffff", "\u{10ffff}") }),
);
const key = fc.array(part, { minLength: 1, maxLength: 4 });

const bytes = (parts: readonly string[]) => parts.map((text) => Buffer.from(text, "utf8"));

/** Tuples in order, part by part, a shorter one before its extensions: written apart from the code under test. */
function compareTuples(a: readonly Buffer[], b: readonly Buffer[]): number {
  for (const [at, left] of a.entries()) {
    const right = b[at];
    if (right === undefined) return 1;
    const order = Buffer.compare(left, right);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

test("gives back every key as it was", () => {
  fc.assert(
    fc.property(key, (parts) => {
      expect(decodeKey(encodeKey(parts))).toEqual(parts);
    }),
  );
});

test("orders encoded keys, and their bytes, as the tuples", () => {
  fc.assert(
    fc.property(key, key, (a, b) => {
      const [left, right] = [encodeKey(a), encodeKey(b)];
      const wanted = Math.sign(compareTuples(bytes(a), bytes(b)));
      expect(Math.sign(compareEncoded(left, right))).toBe(wanted);
      expect(Math.sign(Buffer.compare(Buffer.from(left), Buffer.from(right)))).toBe(wanted);
    }),
    { numRuns: 2000 },
  );
});

test("refuses lone surrogates and empty keys", () => {
  expect(() => encodeKey(["\ud800"])).toThrow(expect.objectContaining({ code: "ValidationFailed" }));
  expect(() => encodeKey([])).toThrow(expect.objectContaining({ code: "ValidationFailed" }));
});
