import { chmodSync, closeSync, openSync, statSync } from "node:fs";

/** Creates a file that only its owner may access, or restricts an existing one. */
export function keepPrivateFile(file: string): void {
  closeSync(openSync(file, "a", 0o600));
  tighten(file, 0o600);
}

/** Restricts a file or folder to its owner; does nothing if it doesn't exist or belongs to another user. */
export function tighten(path: string, mode: 0o600 | 0o700): void {
  const found = statSync(path, { throwIfNoEntry: false });
  // A folder with the sticky bit, such as /tmp, is shared on purpose.
  if (found === undefined || (found.mode & 0o077) === 0 || (found.mode & 0o1000) !== 0) return;
  if (process.getuid !== undefined && found.uid !== process.getuid()) return;
  chmodSync(path, mode);
}
