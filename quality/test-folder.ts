import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, statfsSync } from "node:fs";
import { join } from "node:path";

/** A file system in memory that most Linux machines have, and how much of it the tests need. */
const memory = "/dev/shm";
const neededBytes = 4 * 2 ** 30;

/** A run's databases are removed by a watcher, a moment after the last process that used them. */
const withWatcher = /^liveplane-postgres-/;

const nameOf = (pid: number) => `liveplane-tests-${pid}`;
const folder = join(memory, nameOf(process.pid));

/**
 * Tests keep their files in memory if there is room, because waiting for the disk at each commit took a third of the whole run. No test
 * loses anything: they kill processes but never the machine, and written files survive a killed process on both.
 */
export function setup(): void {
  if (!isRoomy()) return;
  for (const name of readdirSync(memory)) if (isLeftOver(name)) rmSync(join(memory, name), { recursive: true });
  mkdirSync(folder);
  // Postgres runs as another user if the tests run as root.
  chmodSync(folder, 0o755);
  process.env.TMPDIR = folder;
}

export function teardown(): void {
  // A cleaner may have been faster. What a watcher has yet to delete leaves an empty folder to the next run.
  if (process.env.TMPDIR !== folder || !existsSync(folder)) return;
  const names = readdirSync(folder).filter((name) => !withWatcher.test(name));
  for (const name of names) rmSync(join(folder, name), { recursive: true, force: true });
  if (readdirSync(folder).length === 0) rmdirSync(folder);
}

/** Whether it exists, is large enough, and can run programs. */
function isRoomy(): boolean {
  try {
    const isMounted = / \/dev\/shm tmpfs (?!\S*noexec)/.test(readFileSync("/proc/mounts", "utf8"));
    const { bavail, bsize } = statfsSync(memory);
    return isMounted && Math.min(bavail * bsize, process.availableMemory()) >= neededBytes;
  } catch {
    return false;
  }
}

/** Whether it belongs to a killed run. */
function isLeftOver(name: string): boolean {
  const pid = Number(name.split("-").at(-1));
  if (name !== nameOf(pid)) return false;
  try {
    process.kill(pid, 0);
    return false;
  } catch {
    return true;
  }
}
