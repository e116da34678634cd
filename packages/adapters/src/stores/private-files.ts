import { chmodSync, closeSync, openSync, statSync } from "node:fs";

/** Makes a file that only its owner may read and write, or takes from everybody else what they may do with one that is there. */
export function keepPrivateFile(file: string): void {
  closeSync(openSync(file, "a", 0o600));
  tighten(file, 0o600);
}

/** Takes from everybody but its owner what they may do with a file or folder; nothing where it isn't there, or is another's. */
export function tighten(path: string, mode: 0o600 | 0o700): void {
  const found = statSync(path, { throwIfNoEntry: false });
  // A folder with the sticky bit, as /tmp, is everybody's on purpose.
  if (found === undefined || (found.mode & 0o077) === 0 || (found.mode & 0o1000) !== 0) return;
  if (process.getuid !== undefined && found.uid !== process.getuid()) return;
  chmodSync(path, mode);
}
