import { readdirSync, readFileSync } from "node:fs";

// What Linux tells about processes beyond what Node does; other systems don't.

/** A tick of the times in `/proc`, the same on every Linux that Node runs on. */
const tickMs = 10;

/** How long this process's main thread was ready to run without getting a processor. */
export function starvedMs(): number | null {
  const [, waitedNs] = read("/proc/self/schedstat")?.split(" ") ?? [];
  return waitedNs === undefined ? null : Number(waitedNs) / 1e6;
}

/** The processor time of a process and its children so far, including ended ones. */
export function familyMs(pid: number | null): number | null {
  const own = pid === null ? null : statOf(pid);
  if (own === null) return null;
  const living = readdirSync("/proc")
    .map(Number)
    .map((id) => (Number.isInteger(id) ? statOf(id) : null))
    .filter((stat) => stat?.parent === pid);
  return own.ms + own.endedMs + living.reduce((sum, stat) => sum + (stat?.ms ?? 0), 0);
}

/** The parent of a process. */
export function parentOf(pid: number): number | null {
  return statOf(pid)?.parent ?? null;
}

function statOf(pid: number) {
  // The name in it may contain anything, even a parenthesis.
  const text = read(`/proc/${pid}/stat`);
  if (text === null) return null;
  const fields = text
    .slice(text.lastIndexOf(")") + 2)
    .split(" ")
    .map(Number);
  const [parent = 0, user = 0, system = 0, endedUser = 0, endedSystem = 0] = [fields[1], ...fields.slice(11, 15)];
  return { parent, ms: (user + system) * tickMs, endedMs: (endedUser + endedSystem) * tickMs };
}

function read(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null;
  }
}
