import { existsSync } from "node:fs";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, onTestFinished, type TestContext } from "vitest";

const known = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
const executablePath = [process.env.LIVEPLANE_CHROMIUM ?? "", ...known].find(existsSync);

/**
 * What Playwright turns off that concerns pages on this machine (it gives a list of its own, and the last one holds), and the popups of
 * the address bar: a window that nobody sees prepares them in half a second of processor time, each.
 */
const turnedOff = [
  "AimEnabled",
  "DestroyProfileOnBrowserClose",
  "HttpsFirstBalancedModeAutoEnable",
  "HttpsUpgrades",
  "NetworkTimeServiceQuerying",
  "OptimizationHints",
  "PaintHolding",
  "PreconnectToSearch",
  "WebUIOmniboxAimPopup",
  "WebUIOmniboxPopup",
];

/** Letters are drawn alike wherever the fonts are the same: pictures are compared. */
const drawing = ["--disable-gpu", "--font-render-hinting=none", "--disable-lcd-text"];
const args = ["--no-sandbox", ...drawing, `--disable-features=${turnedOff}`];

/**
 * Opens pages in the machine's own Chromium, one for all tests of a file; each has its own cookies and storage. Where there is none the
 * test is skipped, and says so.
 */
export function pagesOfChromium(): (context: TestContext) => Promise<{ page: Page; wrong: string[] }> {
  let launched: Promise<Browser> | undefined;
  afterAll(async () => (await launched)?.close());
  return async ({ skip, task }) => {
    if (executablePath === undefined) return skip("There is no Chromium here; LIVEPLANE_CHROMIUM may name one.");
    launched ??= chromium.launch({ executablePath, args });
    const context = await (await launched).newContext();
    const page = await context.newPage();
    onTestFinished(async () => {
      // What somebody would see there says more than the line that waited for something else.
      if (task.result?.state === "fail") console.error(`${page.url()}\n${await page.locator("body").ariaSnapshot()}`);
      await context.close();
    });
    const wrong: string[] = [];
    page.on("pageerror", ({ message }) => void wrong.push(message));
    page.on("requestfailed", (request) => {
      const reason = request.failure()?.errorText;
      // An answer whose rest nobody wants is broken off: that is no failure.
      if (reason !== "net::ERR_ABORTED") wrong.push(`${request.method()} ${request.url()}: ${reason}`);
    });
    return { page, wrong };
  };
}
