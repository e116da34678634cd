import { execFile, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { promisify } from "node:util";
import { createClient } from "@liveplane/client";
import { expect, onTestFinished, test } from "vitest";
import { emptyFolder } from "../../adapters/test/empty-folder.ts";
import { bareEnvironment, serverSources } from "./server-process.ts";

const guide = new URL("../../../docs/tutorials/run-the-server.md", import.meta.url);

/** Starts the program in a folder, as `pnpm start` does, and waits for all of its welcome. */
async function start(folder: string, environment: Readonly<Record<string, string>> = {}) {
  const { PORT = "0", ...settings } = environment;
  const child = spawn(process.execPath, ["--conditions=@liveplane/source", serverSources], {
    cwd: folder,
    env: {
      ...bareEnvironment,
      ...(PORT !== "" && { PORT }),
      LIVEPLANE_LOG: "warn",
      LIVEPLANE_DRAIN_SECONDS: "0.1",
      ...settings,
    },
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
      if (/\n\n$/.test(welcome)) resolve();
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
  const [, once = ""] = /^One-time password\b.*: (\S+)\n\n$/m.exec(welcome) ?? [];
  expect(welcome.match(/http:\/\//g)).toHaveLength(1);
  expect(welcome).toContain("A demo runs");
  expect((await fetch(url)).headers.get("content-type")).toBe("text/html; charset=utf-8");
  expect(typed).toHaveLength(4);

  const script = typed
    .join("\necho; echo ---\n")
    .replace("http://localhost:8080", url)
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
  expect(again.welcome).not.toMatch(/one-time password/i);
});

/** Takes a port for as long as the test runs. */
async function takePort(port: number): Promise<number> {
  const server = createServer().listen(port, "127.0.0.1");
  onTestFinished(() => void server.close());
  await new Promise((resolve) => server.once("listening", resolve).once("error", resolve));
  return (server.address() as AddressInfo | null)?.port ?? port;
}

test("a named port that is in use stops the first start before an account is created", {
  timeout: 60_000,
}, async () => {
  const at = emptyFolder();
  const port = await takePort(0);
  await expect(start(at, { PORT: String(port) })).rejects.toThrow(
    `Can't listen on localhost:${port}: the port is in use. Set PORT to another one, or to 0 for a free one.`,
  );
  expect((await start(at)).welcome).toMatch(/A demo runs.*\nOne-time password\b.*: \S{24}\n/s);
});

test("the default port gives way to the next free one, and the welcome says so", { timeout: 60_000 }, async () => {
  await takePort(8080);
  const { welcome } = await start(emptyFolder(), { PORT: "" });
  const [, port = ""] = /Port 8080 is in use. The server uses (\d+) instead./.exec(welcome) ?? [];
  expect(welcome).toContain(`Open http://localhost:${port} in a browser`);
});

test("each start prints a one-time password that works, until it was used", { timeout: 60_000 }, async () => {
  const at = emptyFolder();
  const passwords: string[] = [];
  for (let turn = 0; turn < 2; turn++) {
    const { welcome, stop } = await start(at, { LIVEPLANE_DEMO: "off" });
    const [, url = ""] = /(http:\S+) /.exec(welcome) ?? [];
    const [, password = ""] = /^One-time password\b.*: (\S+)$/m.exec(welcome) ?? [];
    passwords.push(password);
    const session = { username: "operator", password };
    const { forcePasswordChange } = await createClient({ baseUrl: url }).sessions.create(session);
    expect(forcePasswordChange).toBe(true);
    await stop();
  }
  expect(passwords[1]).not.toBe(passwords[0]);
});

test("a data folder with a name of its own gets no demo, and the console is opened where it is", async () => {
  const console = "https://console.example/";
  const { welcome } = await start(emptyFolder(), { LIVEPLANE_DATA: "data", LIVEPLANE_CONSOLE_URL: console });
  expect(welcome).not.toContain("demo");
  expect(welcome).toContain(`Open ${console} in a browser`);
});
