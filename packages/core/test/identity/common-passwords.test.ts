import { expect, test } from "vitest";
import { commonPasswordList } from "../../src/identity/common-password-list.ts";
import { decode, isCommonPassword } from "../../src/identity/common-passwords.ts";

test("the list has ten thousand different passwords of twelve characters and more, in order", () => {
  const list = [...decode(commonPasswordList)];
  expect(new Set(list).size).toBe(10_000);
  expect(list.every((word) => [...word].length >= 12)).toBe(true);
  expect(list).toEqual([...list].sort());
});

test.each(["123qweasdzxc", "qwerty123456", "leavemealone", "1qaz2wsx3edc4rfv", "123456789987654321", "finalfantasy"])(
  "%s is common, in any case",
  (password) => {
    expect(isCommonPassword(password)).toBe(true);
    expect(isCommonPassword(password.toUpperCase())).toBe(true);
  },
);

test.each(["correct horse battery staple", "vK9#mQ2x!pLw", "", "toString", "__proto__"])("%j is not", (password) => {
  expect(isCommonPassword(password)).toBe(false);
});
