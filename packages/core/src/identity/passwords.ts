import type { CallerFacts } from "../contract/handler.ts";
import { invalid } from "../contract/invalid.ts";
import type { Actor } from "../contract/target.ts";
import { LiveplaneError } from "../errors.ts";
import { networkOf } from "../network-of.ts";
import type { CostlyWork } from "../ports/costly-work.ts";
import type { PasswordHasher } from "../ports/identity.ts";
import type { IsCommonPassword } from "./common-passwords.ts";

/** The owner's names, which the password may not resemble. */
export interface PasswordOwner {
  readonly username?: string | null;
  readonly email?: string | null;
  readonly name?: string | null;
  readonly surname?: string | null;
}

const commonest = "This password is too common. Choose another one.";
const fewest = 12;
const most = 256;
/** Shorter names occur in passwords by chance. */
const shortestName = 4;

/** What is wrong with a password by itself and for its owner, as one sentence; `null` if nothing. Lengths are in code points. @internal */
export function weaknessOf(password: string, { username, email, name, surname }: PasswordOwner): string | null {
  const length = [...password].length;
  if (length < fewest) return `The password must have at least ${fewest} characters.`;
  if (length > most) return `The password must have at most ${most} characters.`;
  const own = [email, email?.split("@")[0], name, surname];
  const folded = fold(password);
  if (username != null && folded === fold(username)) return "The password must not be your user name.";
  const isLike = own.some((word) => word != null && [...word].length >= shortestName && folded.includes(fold(word)));
  return isLike ? "The password must not contain your address or name." : null;
}

/** A password in a body, or the error that it is missing. */
export function requirePassword(password: string | null | undefined, pointer: string): string {
  if (password != null) return password;
  throw invalid([{ pointer, code: "ValueRequired", detail: "A password is required." }]);
}

/** A new password in a body, or the error that it is missing or weak. */
export async function requireStrong(
  sent: string | null | undefined,
  pointer: string,
  owner: PasswordOwner,
  isCommon: IsCommonPassword,
): Promise<string> {
  const password = requirePassword(sent, pointer).normalize("NFC");
  const detail = weaknessOf(password, owner) ?? ((await isCommon(password)) ? commonest : null);
  if (detail !== null) throw invalid([{ pointer, code: "WeakPassword", detail }]);
  return password;
}

/** A hasher that treats different encodings of the same characters as one password: all are hashed in NFC. */
export function inOneForm(hasher: PasswordHasher): PasswordHasher {
  return {
    hash: (password, work) => hasher.hash(password.normalize("NFC"), work),
    verify: (hash, password, work) => hasher.verify(hash, password.normalize("NFC"), work),
  };
}

/** Verifies against an account's hash, or against a decoy so that unknown names take the same work. */
export function createVerifier(
  hasher: PasswordHasher,
): (hash: string | null, password: string, work: CostlyWork) => ReturnType<PasswordHasher["verify"]> {
  let nobodys: Promise<string> | undefined;
  const forgetFailure = (error: unknown) => {
    nobodys = undefined;
    throw error;
  };
  return async (hash, password, work) => {
    // The first caller may leave, but others wait for it too.
    nobodys ??= hasher.hash("nobody has this password", { share: work.share }).catch(forgetFailure);
    // Awaited for known names as well, so that the first unknown one isn't slower.
    const decoy = await nobodys;
    const verdict = await hasher.verify(hash ?? decoy, password, work);
    return hash === null ? { matches: false, outdated: false } : verdict;
  };
}

/** Whose share of work an unknown caller's password uses: their network's or, in process, that of the name they try. */
export function shareOfStranger({ address }: CallerFacts, name: string): string {
  return address === null ? name : (networkOf(address) ?? address);
}

/** The bearer value of a challenge's holder. */
export function challengeOf(actor: Actor): string {
  if (actor.kind !== "challenge") throw new LiveplaneError("ChallengeInvalid");
  return actor.credential;
}

function fold(text: string): string {
  return text.normalize("NFC").toLowerCase();
}
