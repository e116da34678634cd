import { expect, test } from "vitest";
import { fromUtf8, utf8 } from "../src/encoding.ts";

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
