import { expect, test } from "vitest";
import { commonPasswordList } from "../../src/identity/common-password-list.ts";
import { createCommonPasswords, decode } from "../../src/identity/common-passwords.ts";

const isCommonPassword = createCommonPasswords();

test("the list has ten thousand different passwords of twelve characters and more, in order", () => {
  const list = [...decode(commonPasswordList)];
  expect(new Set(list).size).toBe(10_000);
  expect(list.every((word) => [...word].length >= 12)).toBe(true);
  expect(list).toEqual([...list].sort());
});

test.each(["123qweasdzxc", "qwerty123456", "leavemealone", "1qaz2wsx3edc4rfv", "123456789987654321", "finalfantasy"])(
  "%s is common, in any case",
  async (password) => {
    expect(await isCommonPassword(password)).toBe(true);
    expect(await isCommonPassword(password.toUpperCase())).toBe(true);
  },
);

test.each(["correct horse battery staple", "vK9#mQ2x!pLw", "", "toString", "__proto__"])(
  "%j is not",
  async (password) => {
    expect(await isCommonPassword(password)).toBe(false);
  },
);

test("a list that can't be loaded lets no password through, and is loaded again for the next one", async () => {
  const loads = [Promise.reject(new TypeError("no such chunk")), Promise.resolve("0qwerty123456")];
  const isCommon = createCommonPasswords(() => loads.shift() as Promise<string>);
  const [first, second] = [isCommon("correct horse battery"), isCommon("qwerty123456")];
  await expect(first).rejects.toMatchObject({ code: "Unavailable", retryable: true });
  await expect(second).rejects.toMatchObject({ code: "Unavailable" });
  expect(await isCommon("qwerty123456")).toBe(true);
  expect(await isCommon("correct horse battery")).toBe(false);
  expect(loads).toEqual([]);
});
