import { invalid, LiveplaneError, type Violation } from "../errors.ts";
import type { PasswordHasher } from "../ports/identity.ts";

/** Whose password it is, as far as it may not be like them. */
export interface PasswordOwner {
  readonly username?: string | null;
  readonly email?: string | null;
  readonly name?: string | null;
  readonly surname?: string | null;
}

const fewest = 12;
const most = 256;

/** What is wrong with a password, in one sentence; `null`: nothing. */
export function weaknessOf(
  password: string,
  owner: PasswordOwner,
  isCommon: (password: string) => boolean,
): string | null {
  const length = [...password].length;
  if (length < fewest) return `A password has at least ${fewest} characters.`;
  if (length > most) return `A password has at most ${most} characters.`;
  if (isCommon(password.toLowerCase())) return "This password is one of the most common.";
  const folded = password.toLowerCase();
  const own = [owner.email?.split("@")[0], owner.username, owner.name, owner.surname];
  const like = own.some((name) => name != null && [...name].length >= 4 && folded.includes(name.toLowerCase()));
  return like ? "A password must not contain your address or name." : null;
}

/** Refuses a weak password at its place. */
export function requireStrong(
  password: string | null | undefined,
  pointer: string,
  owner: PasswordOwner,
  isCommon: (password: string) => boolean,
): string {
  if (password == null) throw invalid([{ pointer, code: "ValueRequired", detail: "A password is required." }]);
  const weakness = weaknessOf(password, owner, isCommon);
  const violation = (detail: string): Violation => ({ pointer, code: "WeakPassword", detail });
  if (weakness !== null) throw invalid([violation(weakness)]);
  return password;
}

/** Verifies against the hash of an account, or against one of nobody's, so that the work is the same. */
export function createVerifier(
  hasher: PasswordHasher,
): (hash: string | null, password: string) => ReturnType<PasswordHasher["verify"]> {
  let nobodys: Promise<string> | undefined;
  return async (hash, password) => {
    nobodys ??= hasher.hash("nobody has this password");
    const verdict = await hasher.verify(hash ?? (await nobodys), password);
    return hash === null ? { matches: false, outdated: false } : verdict;
  };
}

/** The one answer to an unknown name, a lock and a wrong password. */
export function refusedSignIn(): LiveplaneError {
  return new LiveplaneError("InvalidCredentials", "The user name or the password is wrong.");
}
