/** Runs scripts of the workspace, two at a time: `node quality/side-by-side.ts check:types "bench --quick"`. What each says is printed whole. */
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";

const places = 2;
const root = new URL("../", import.meta.url);
const { scripts } = JSON.parse(readFileSync(new URL("package.json", root), "utf8")) as {
  readonly scripts: Readonly<Record<string, string>>;
};

const waiting = process.argv.slice(2);
const failed: string[] = [];
await Promise.all(Array.from({ length: places }, work));
if (failed.length > 0) process.stderr.write(`Failed: ${failed.join(", ")}\n`);
process.exitCode = failed.length === 0 ? 0 : 1;

async function work(): Promise<void> {
  for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
    const begun = performance.now();
    const { output, code } = await run(name);
    if (code !== 0) failed.push(name);
    const seconds = ((performance.now() - begun) / 1000).toFixed(0);
    process.stdout.write(`\n── ${name}: ${code === 0 ? "passed" : "failed"} in ${seconds} s\n${output}`);
  }
}

/** Runs a script to its end. Within pnpm the path leads to the workspace's own Node and programs. */
function run(name: string): Promise<{ readonly output: string; readonly code: number | null }> {
  const [script = "", ...args] = name.split(" ");
  const command = scripts[script];
  if (command === undefined) throw new RangeError(`There is no script ${script}.`);
  const child = spawn("sh", ["-c", [command, ...args].join(" ")], { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text) => (output += text));
  return new Promise((resolve, reject) => {
    child.once("error", reject).once("close", (code) => resolve({ output, code }));
  });
}
