import { commonPasswordList } from "./common-password-list.ts";

let decoded: ReadonlySet<string> | undefined;

/** Tells whether a password is one of the 10,000 most common of at least 12 characters, whatever its case. */
export function isCommonPassword(password: string): boolean {
  decoded ??= new Set(decode(commonPasswordList));
  return decoded.has(password.toLowerCase());
}

/** Undoes front coding: a digit of base 36 for what a word shares with the one before, then the rest of it. @internal */
export function* decode(list: string): Generator<string> {
  let before = "";
  for (const word of list.split(" ")) {
    before = before.slice(0, Number.parseInt(word.charAt(0), 36)) + word.slice(1);
    yield before;
  }
}
