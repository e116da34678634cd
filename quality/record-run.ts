import { existsSync, readFileSync, writeFileSync } from "node:fs";

const file = new URL("../docs/reference/security-runs.json", import.meta.url);

/** Records a long run in the security guide: what was tried, and the result. Only if the command says so. */
export function recordRun(name: string, outcome: Readonly<Record<string, unknown>>): void {
  if (process.env.LIVEPLANE_RECORD_RUNS === undefined) return;
  const runs = existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Record<string, unknown>) : {};
  const day = new Date().toISOString().slice(0, 10);
  const noted = { ...runs, [name]: { day, node: process.version, ...outcome } };
  writeFileSync(file, `${JSON.stringify(noted, null, 2)}\n`);
}
