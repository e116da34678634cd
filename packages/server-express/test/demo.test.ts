import { execFile, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { emptyFolder } from "../../adapters/test/empty-folder.ts";
import { bareEnvironment, serverSources } from "./server-process.ts";

const guide = new URL("../../../docs/tutorials/run-the-server.md", import.meta.url);

/** Starts the program in a folder, as `pnpm start` does, and waits for all of its welcome. */
async function start(folder: string, environment: Readonly<Record<string, string>> = {}) {
  const child = spawn(process.execPath, ["--conditions=@liveplane/source", serverSources], {
    cwd: folder,
    env: { ...bareEnvironment, PORT: "0", LIVEPLANE_LOG: "warn", LIVEPLANE_DRAIN_SECONDS: "0.1", ...environment },
  });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  const stop = async () => {
    child.kill("SIGTERM");
    await ended;
  };
  onTestFinished(stop);
  let welcome = "";
  await new Promise<void>((resolve, reject) => {
    child.once("exit", () => reject(new Error(`It ended, saying: ${welcome}`)));
    child.stderr.on("data", (chunk) => {
      welcome += chunk;
      if (/Documentation: .*\n/.test(welcome)) resolve();
    });
  });
  return { welcome, stop };
}

/** What the guide has to be typed into a shell. */
const typed = [
  ...readFileSync(guide, "utf8").matchAll(
    /<!-- packages\/server-express\/test\/demo.test.ts -->\n```text\n([^`]*)```/g,
  ),
].map(([, lines = ""]) => lines);

test("the first start prints one address and one password, with which each line of the guide works", {
  timeout: 60_000,
}, async () => {
  const at = emptyFolder();
  const { welcome, stop } = await start(at);
  const [, url = ""] = /Open (http:\S+) in a browser/.exec(welcome) ?? [];
  const [, once = ""] = /shown this once: (\S+)\n/.exec(welcome) ?? [];
  expect(welcome.match(/http:\/\//g)).toHaveLength(1);
  expect(welcome).toContain("A demo runs");
  expect((await fetch(url)).headers.get("content-type")).toBe("text/html; charset=utf-8");
  expect(typed).toHaveLength(4);

  const script = typed
    .join("\necho; echo ---\n")
    .replace("http://127.0.0.1:8080", url)
    .replace("the one-time password", once);
  const { stdout } = await promisify(execFile)("sh", ["-c", script]);
  const [signedIn = "", looked = "", taken = "", given = ""] = stdout.split("---");
  expect(signedIn).toMatch(/^Your password: \S{24}/);
  expect(JSON.parse(looked)).toMatchObject({ status: "Active", outputFields: { workers: 2 } });
  expect(taken).toContain(
    '"status":"ManualOverride"\n"drift":{"workers":{"declared":2,"actual":5}}\n"acknowledgement":{',
  );
  expect(taken).toContain('"managementTag":false,"writesInFlight":0');
  expect(given).toMatch(/^\s*"status":"ReconcileRequested"\n"status":"Active"\n"outputFields":.*"workers":2\n$/);

  await stop();
  const again = await start(at);
  expect(again.welcome).toContain("reset-operator");
  expect(again.welcome).not.toContain("one-time password");
});

test("a data folder with a name of its own gets no demo", async () => {
  const { welcome } = await start(emptyFolder(), { LIVEPLANE_DATA: "data" });
  expect(welcome).not.toContain("demo");
});
