import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { expect, onTestFinished, type TestContext, test } from "vitest";
import { emptyFolder } from "../../adapters/test/empty-folder.ts";
import { freePort } from "../../adapters/test/free-port.ts";
import { personsPassword, runServer } from "../../server-express/test/running-server.ts";
import { bareEnvironment } from "../../server-express/test/server-process.ts";
import { axeObjections, consolesOfChromium, signIn } from "./console-page.ts";

const openConsole = consolesOfChromium();
const bin = fileURLToPath(new URL("../../client/src/cli/bin.ts", import.meta.url));

/** Carol, whose only second factor is a passkey, signed out of the console; and a terminal. */
async function withPasskey(context: TestContext) {
  const port = await freePort();
  const address = `http://localhost:${port}`;
  const server = await runServer({ PORT: String(port), LIVEPLANE_CONSOLE_URL: `${address}/` });
  await server.person("carol");
  const { page, wrong } = await openConsole(context, address);
  const device = await page.context().newCDPSession(page);
  await device.send("WebAuthn.enable");
  const options = {
    protocol: "ctap2",
    transport: "internal",
    hasResidentKey: true,
    hasUserVerification: true,
  } as const;
  await device.send("WebAuthn.addVirtualAuthenticator", {
    options: { ...options, isUserVerified: true, automaticPresenceSimulation: true },
  });
  await signIn(page, "carol", personsPassword);
  await page.getByRole("link", { name: "carol" }).click();
  await page.getByLabel("Name of the new passkey").fill("Laptop");
  await page.getByRole("button", { name: "Add a passkey" }).click();
  await page.getByRole("cell", { name: "Laptop", exact: true }).waitFor();
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByRole("button", { name: "Sign in with a passkey" }).waitFor();
  return { ...server, page, wrong };
}

/** The command line in a process of its own, whose person reads what it prints and opens no browser by itself. */
function terminal(url: string, folder: string, ...args: readonly string[]) {
  const env = { ...bareEnvironment, PATH: "", XDG_CONFIG_HOME: folder, LIVEPLANE_URL: url };
  const child = spawn(process.execPath, ["--conditions=@liveplane/source", bin, ...args], { env });
  onTestFinished(() => void child.kill());
  let text = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk: Buffer) => {
      text += chunk;
    });
  const ended = new Promise<{ code: number | null; text: string }>((resolve) =>
    child.on("close", (code) => resolve({ code, text })),
  );
  const printed = () => /^https?:\S+(?=\n)/m.exec(text)?.[0] ?? "";
  return {
    ended,
    /** The address that it prints. */
    async address() {
      await expect.poll(printed, { timeout: 20_000 }).not.toBe("");
      return printed();
    },
    type: (...lines: readonly string[]) => void child.stdin.end(lines.map((line) => `${line}\n`).join("")),
  };
}

/** Goes where the terminal says, signs in by the passkey, and stops before approving. */
async function come(page: Page, address: string): Promise<void> {
  await page.goto("about:blank");
  await page.goto(address);
  await page.getByRole("button", { name: "Sign in with a passkey" }).click();
  await page.getByRole("heading", { name: "Sign in a program" }).waitFor();
}

const approve = (page: Page) => page.getByRole("button", { name: "Sign it in" });

test("the terminal is signed in by a passkey, once its person has pressed in the browser", async (context) => {
  const { url, page, wrong } = await withPasskey(context);
  const folder = emptyFolder();
  const login = terminal(url, folder, "login", "--browser");
  const address = await login.address();
  expect(new URL(address).hostname).toBe("localhost");
  await come(page, address);
  const port = new URLSearchParams(address.replace(/^.*\?/, "")).get("loopback");
  await page.getByText(`A program on this computer, at port ${port}, asks to sign in as you.`).waitFor();
  await page.getByText("everything that carol can do").waitFor();
  expect(await axeObjections(page)).toEqual([]);
  await approve(page).click();
  await page.getByText("You are signed in.").waitFor();
  expect(await login.ended).toMatchObject({ code: 0, text: expect.stringMatching(/Signed in to \S+ as carol\./) });

  const { code, text } = await terminal(url, folder, "sessions", "list", "--json").ended;
  expect(code).toBe(0);
  const own = { signedInBy: "passkey", secondFactor: "passkey", current: true };
  expect(
    text
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line)),
  ).toContainEqual(expect.objectContaining(own));
  expect(wrong).toEqual([]);
}, 60_000);

test("on another machine the person copies the code, and a wrong one isn't the end", async (context) => {
  const { url, page, wrong } = await withPasskey(context);
  const login = terminal(url, emptyFolder(), "login", "--browser", "--device");
  await come(page, await login.address());
  await page.getByText("A program on another computer asks to sign in as you.").waitFor();
  await approve(page).click();
  await page.getByRole("heading", { name: "Copy this code to your terminal" }).waitFor();
  expect(await axeObjections(page)).toEqual([]);
  login.type("copied wrongly", (await page.locator("code").first().textContent()) ?? "");
  expect(await login.ended).toMatchObject({ code: 0, text: expect.stringContaining("That code is wrong") });
  expect(wrong).toEqual([]);
}, 60_000);

test("an address without a port and a challenge signs nobody in", async (context) => {
  const { page } = await withPasskey(context);
  const { origin } = new URL(page.url());
  for (const query of ["", "?loopback=evil.example", "?loopback=123456", "?loopback=@evil.example"]) {
    await page.goto("about:blank");
    await page.goto(`${origin}/#/authorize${query}`);
    if (query === "") await page.getByRole("button", { name: "Sign in with a passkey" }).click();
    await page.getByRole("heading", { name: "This address is incomplete." }).waitFor();
  }
  await page.goto("about:blank");
  await page.goto(`${origin}/#/authorize?device=1`);
  await approve(page).click();
  await page.getByRole("alert").waitFor();
}, 60_000);
