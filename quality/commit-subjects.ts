/** Refuses commits whose subject is longer than a line of `git log` shows: the sentence goes into the body. */
import { execFileSync } from "node:child_process";

/** Up to here subjects are as they are. */
const judgedAfter = "b778b5b412493499cd4889945b7795f353ea6aa7";
const longest = 72;

/** The commits of `git log --format="%h %s"` whose subject is too long. */
export function tooLong(log: string): string[] {
  return log.split("\n").filter((line) => [...line.slice(line.indexOf(" ") + 1)].length > longest);
}

/** The commits of a repository to judge: those after a commit, or the newest alone where history is cut short. */
export function commitsAfter(commit: string, folder: string): string {
  const git = (...args: readonly string[]) =>
    execFileSync("git", args, { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  const log = (...range: readonly string[]) => git("log", "--no-merges", "--format=%h %s", ...range);
  try {
    return log(`${commit}..HEAD`);
  } catch {
    return log("-1");
  }
}

if (import.meta.main) {
  const refused = tooLong(commitsAfter(judgedAfter, import.meta.dirname));
  for (const line of refused) process.stderr.write(`${line}\n  has a subject of more than ${longest} characters.\n`);
  process.exitCode = refused.length === 0 ? 0 : 1;
}
