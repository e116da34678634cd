import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { commitsAfter, tooLong } from "./commit-subjects.ts";

const fits = "a".repeat(72);

test("a subject has at most 72 characters, however many bytes they are", () => {
  expect(tooLong(`1234567 ${fits}\n89abcde ${"é".repeat(72)}\nf012345 ${fits}b\n`)).toEqual([`f012345 ${fits}b`]);
  expect(tooLong("")).toEqual([]);
});

test("commits after the first that counts are judged, and the newest alone where that one isn't known", () => {
  const folder = mkdtempSync(join(tmpdir(), "liveplane-commits-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const git = (...args: readonly string[]) =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b.test", ...args], { cwd: folder, encoding: "utf8" });
  git("init", "--quiet");
  for (const subject of ["one", "two", "three"])
    git("commit", "--quiet", "--allow-empty", "--no-gpg-sign", "-m", subject, "-m", "why");
  const subjects = (after: string) =>
    commitsAfter(after, folder)
      .trim()
      .split("\n")
      .map((line) => line.slice(line.indexOf(" ") + 1));
  expect(subjects(git("rev-parse", "HEAD~2").trim())).toEqual(["three", "two"]);
  expect(subjects("0000000000000000000000000000000000000000")).toEqual(["three"]);
});
