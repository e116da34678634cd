import fc from "fast-check";
import { expect, test } from "vitest";
import { fromBase64Url, fromUtf8, toBase64Url, utf8 } from "../src/encoding.ts";

test("every code point comes back from UTF-8 as it was, wherever it stands in a text", () => {
  const changed: string[] = [];
  for (let point = 0; point <= 0x10ffff; point++) {
    if (point === 0xd800) point = 0xe000;
    const text = String.fromCodePoint(point);
    if (fromUtf8(utf8(text)) !== text) changed.push(`U+${point.toString(16)}`);
    if (point % 256 !== 0) continue;
    const block = Array.from({ length: 256 }, (_, at) => String.fromCodePoint(point + at)).join("");
    for (const whole of [block, `a${block}`, block + block])
      if (fromUtf8(utf8(whole)) !== whole) changed.push(`a block at U+${point.toString(16)}`);
  }
  expect(changed).toEqual([]);
});

test("bytes have one spelling in base64url", () => {
  fc.assert(
    fc.property(fc.uint8Array(), fc.string({ unit: fc.constantFrom(..."AQgwEz-_+/= \n") }), (bytes, text) => {
      expect(fromBase64Url(toBase64Url(bytes))).toEqual(bytes);
      const read = fromBase64Url(text);
      if (read !== null) expect(toBase64Url(read)).toBe(text);
    }),
  );
  for (const text of ["A", "AB", "AAB", "AA==", "AA ", " AA", "AA\n", "+/AA"]) expect(fromBase64Url(text)).toBeNull();
});
