import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import manifest from "../../../package.json" with { type: "json" };
import { bareEnvironment } from "../../server-express/test/server-process.ts";
import { consolesOfChromium, signIn } from "./console-page.ts";

const openConsole = consolesOfChromium();
const root = fileURLToPath(new URL("../../..", import.meta.url));

/** What `pnpm start` runs, in a home where nobody has run it before: what it says, and whether it has ended. */
function startAsNewcomer() {
  const home = mkdtempSync(join(tmpdir(), "liveplane-newcomer-"));
  const [, ...args] = manifest.scripts.start.split(" ");
  const env = { ...bareEnvironment, HOME: home, XDG_DATA_HOME: home, PORT: "0" };
  const child = spawn(
    process.execPath,
    args.map((arg) => (arg.endsWith(".ts") ? join(root, arg) : arg)),
    { cwd: home, env },
  );
  let said = "";
  child.stderr.on("data", (chunk: Buffer) => {
    said += chunk;
  });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  onTestFinished(async () => {
    child.kill();
    await ended;
    rmSync(home, { recursive: true, force: true });
  });
  return { found: (pattern: RegExp) => pattern.exec(said)?.[1] ?? "" };
}

test("a newcomer sees the first hand-over within a minute of the start, and types nothing into a shell after it", async (context) => {
  const begun = performance.now();
  const { found } = startAsNewcomer();
  await expect.poll(() => found(/One-time password\b.*: (\S+)/), { timeout: 50_000 }).not.toBe("");
  const url = found(/Open (http:\S+) in a browser/);
  const steps: string[] = [];
  const step = (what: string) => {
    steps.push(`${what} ${((performance.now() - begun) / 1000).toFixed(1)} s`);
  };
  const { page, wrong } = await openConsole(context, url);
  step("address opened");
  expect(await page.evaluate("document.activeElement.name")).toBe("username");
  await signIn(page, "operator", found(/One-time password\b.*: (\S+)/));
  await page.getByText("At least 12 characters.").waitFor();
  await expect.poll(() => page.evaluate("document.activeElement.name")).toBe("newPassword");
  await page.getByLabel("New password").fill("quite a long passphrase of mine");
  await page.getByRole("button", { name: "Set password and continue" }).click();
  await page.getByText("Nothing is taken over.").waitFor();
  step("signed in, with a password of their own");
  await page.getByRole("button", { name: "Take over demo/web" }).click();
  await page.getByText("It's yours. The agent has seen that the tag is gone.").waitFor();
  step("taken over");
  await page.getByRole("button", { name: "Set both tags" }).click();
  await page.getByText("Handed back. The agent manages it again, and nothing differs.").waitFor();
  step("given back");
  expect(performance.now() - begun).toBeLessThan(60_000);
  await context.annotate(steps.join(", "));
  expect(wrong).toEqual([]);
}, 90_000);
