import { loadedOnce } from "../contract/loaded-once.ts";

/** Tells whether a password is one of the 10,000 most common of at least 12 characters, ignoring case. */
export type IsCommonPassword = (password: string) => Promise<boolean>;

/** The list is half as large as the rest of the core, so it is a separate chunk that is loaded on first use. */
const loadList = async () => (await import("./common-password-list.ts")).commonPasswordList;

/**
 * Creates the check. If the list can't be loaded, no password is accepted; the next check loads it again.
 * @throws {Unavailable} if the list can't be loaded.
 */
export function createCommonPasswords(load: () => Promise<string> = loadList): IsCommonPassword {
  const words = loadedOnce("The list of common passwords", async () => new Set(decode(await load())));
  return async (password) => (await words()).has(password.toLowerCase());
}

/** Undoes front coding: a base-36 digit for the shared prefix, then the rest of the word. @internal */
export function* decode(list: string): Generator<string> {
  let before = "";
  for (const word of list.split(" ")) {
    before = before.slice(0, Number.parseInt(word.charAt(0), 36)) + word.slice(1);
    yield before;
  }
}
