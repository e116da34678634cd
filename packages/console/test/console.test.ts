import { expect, test } from "vitest";
import { runServer } from "../../server-express/test/running-server.ts";
import { openConsole, ownPassword, runDemo, signIn } from "./console-page.ts";

const operatorPassword = "a long enough secret";

test("whoever has a password for once chooses one of their own, and stays signed in when the page is loaded again", async (context) => {
  const { url, liveplane, operator } = await runServer();
  const { id } = await operator.accounts.me();
  await liveplane.administration.setPassword(id, "for once and never again", { oneTime: true });
  const { page, wrong } = await openConsole(context, url);
  await signIn(page, "operator", "not the password");
  await page.getByRole("alert").getByText("The user name or the password is wrong.").waitFor();
  await signIn(page, "operator", "for once and never again");
  await page.getByLabel("New password").fill(ownPassword);
  await page.getByRole("button", { name: "Choose it and go on" }).click();
  await page.getByText("Nobody has taken anything over.").waitFor();
  await page.reload();
  await page.getByText("Nobody has taken anything over.").waitFor();
  expect(await page.evaluate(() => [localStorage.length, sessionStorage.length, document.cookie])).toEqual([0, 0, ""]);
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByLabel("Password").waitFor();
  await page.reload();
  await page.getByLabel("Password").waitFor();
  expect(wrong).toEqual([]);
}, 60_000);

test("a take-over by hand shows on the board within ten seconds, with what differs", async (context) => {
  const { url, byHand } = await runDemo();
  const { page, wrong } = await openConsole(context, url);
  await signIn(page, "operator", operatorPassword);
  await page.getByText("Nobody has taken anything over.").waitFor();
  await byHand({ tags: {}, parameters: { workers: 6 } });
  const lane = page.getByRole("region", { name: "Taken over" });
  await lane.getByRole("link", { name: "web" }).waitFor({ timeout: 10_000 });
  await lane.getByText("workers").waitFor();
  await page.screenshot({ path: "/tmp/brief/shot-board.png" });
  expect(wrong).toEqual([]);
}, 60_000);
