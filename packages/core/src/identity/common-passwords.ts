import { loadedOnce } from "../contract/loaded-once.ts";

/** Tells whether a password is one of the 10,000 most common of at least 12 characters, whatever its case. */
export type IsCommonPassword = (password: string) => Promise<boolean>;

/** The list weighs half as much as the rest of the core: it is a chunk of its own, which the first question loads. */
const loadList = async () => (await import("./common-password-list.ts")).commonPasswordList;

/**
 * Creates the check. While the list can't be loaded no password is taken unchecked; the next question loads it again.
 * @throws {Unavailable} when the list can't be loaded.
 */
export function createCommonPasswords(load: () => Promise<string> = loadList): IsCommonPassword {
  const words = loadedOnce("The list of common passwords", async () => new Set(decode(await load())));
  return async (password) => (await words()).has(password.toLowerCase());
}

/** Undoes front coding: a digit of base 36 for what a word shares with the one before, then the rest of it. @internal */
export function* decode(list: string): Generator<string> {
  let before = "";
  for (const word of list.split(" ")) {
    before = before.slice(0, Number.parseInt(word.charAt(0), 36)) + word.slice(1);
    yield before;
  }
}
