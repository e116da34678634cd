import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, statfsSync } from "node:fs";
import { join } from "node:path";

/** A file system in memory that most Linux machines have, and enough of it for all that tests write. */
const memory = "/dev/shm";
const neededBytes = 4 * 2 ** 30;

/** Databases of a run are taken away by who watches over them, a moment after the last process that they served. */
const withWatcher = /^liveplane-postgres-/;

const nameOf = (pid: number) => `liveplane-tests-${pid}`;
const folder = join(memory, nameOf(process.pid));

/**
 * Tests keep their files in memory where there is room: a store waits for the disk at each commit, which took a third of the whole run.
 * No test shows less by it: they kill processes and never the machine, and what a process wrote outlives it on both.
 */
export function setup(): void {
  if (!isRoomy()) return;
  for (const name of readdirSync(memory)) if (isLeftOver(name)) rmSync(join(memory, name), { recursive: true });
  mkdirSync(folder);
  // Postgres runs as somebody else where tests run as root.
  chmodSync(folder, 0o755);
  process.env.TMPDIR = folder;
}

export function teardown(): void {
  // Whoever tidies memory may have been here first. What a watcher has yet to take away leaves an empty folder to the next run.
  if (process.env.TMPDIR !== folder || !existsSync(folder)) return;
  const names = readdirSync(folder).filter((name) => !withWatcher.test(name));
  for (const name of names) rmSync(join(folder, name), { recursive: true, force: true });
  if (readdirSync(folder).length === 0) rmdirSync(folder);
}

/** Whether it is there, large enough, and lets programs run that tests write. */
function isRoomy(): boolean {
  try {
    const isMounted = / \/dev\/shm tmpfs (?!\S*noexec)/.test(readFileSync("/proc/mounts", "utf8"));
    const { bavail, bsize } = statfsSync(memory);
    return isMounted && Math.min(bavail * bsize, process.availableMemory()) >= neededBytes;
  } catch {
    return false;
  }
}

/** Whether it is of a run that was killed. */
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
