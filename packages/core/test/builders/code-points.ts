import fc from "fast-check";

const surrogates = 0x800;
const firstSurrogate = 0xd800;
const codePoints = 0x11_0000 - surrogates;

/**
 * Every code point but halves of pairs, for `fc.string({ unit: codePoint })`. It draws what `unit: "binary"` draws, whose first use in a
 * process makes a table of all of them, which takes a second.
 */
export const codePoint: fc.Arbitrary<string> = fc.integer({ min: 0, max: codePoints - 1 }).map(
  (index) => String.fromCodePoint(index < firstSurrogate ? index : index + surrogates),
  (value) => {
    const [one, ...more] = String(value);
    const point = one?.codePointAt(0);
    if (point === undefined || more.length > 0) throw new TypeError("This is not one code point.");
    return point < firstSurrogate ? point : point - surrogates;
  },
);
