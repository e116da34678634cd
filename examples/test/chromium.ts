import { existsSync } from "node:fs";
import { chromium, type Page } from "playwright-core";
import { onTestFinished, type TestContext } from "vitest";

const known = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
const executablePath = [process.env.LIVEPLANE_CHROMIUM ?? "", ...known].find(existsSync);

/** A page in the machine's own Chromium, with what goes wrong on it. Where there is none the test is skipped, and says so. */
export async function openPage({ skip }: TestContext): Promise<{ page: Page; wrong: string[] }> {
  if (executablePath === undefined) return skip("There is no Chromium here; LIVEPLANE_CHROMIUM may name one.");
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
  onTestFinished(() => browser.close());
  const page = await browser.newPage();
  const wrong: string[] = [];
  page.on("pageerror", ({ message }) => void wrong.push(message));
  page.on("requestfailed", (request) => {
    const reason = request.failure()?.errorText;
    // An answer whose rest nobody wants is broken off: that is no failure.
    if (reason !== "net::ERR_ABORTED") wrong.push(`${request.method()} ${request.url()}: ${reason}`);
  });
  return { page, wrong };
}
