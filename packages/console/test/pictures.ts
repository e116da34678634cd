import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import pixelmatch from "pixelmatch";
import type { Page } from "playwright-core";
import { PNG } from "pngjs";
import { expect, type TestContext } from "vitest";

const root = new URL("../../../", import.meta.url);
/** The pictures of the guides. */
const kept = fileURLToPath(new URL("docs/images", root));
/** Where what was made lies, with what differs, for people to look at. */
const made = fileURLToPath(new URL("node_modules/.cache/pictures", root));

/** What the pictures of the guides are drawn with: letters of others lie elsewhere. */
const fonts = ["Inter", "DejaVu Sans Mono"];

/** So many pixels differ where nobody sees a difference: the edges of letters, drawn by another build of the browser. */
const unseenPixels = 8;

/**
 * Compares a page with its picture in the guides; `LIVEPLANE_SCREENSHOTS` makes that anew. Where the fonts are missing nothing is compared,
 * and the test says so.
 */
export async function pictured({ annotate }: TestContext, page: Page, name: string): Promise<void> {
  const picture = await pictureOf(page);
  const file = join(kept, `${name}.png`);
  if (process.env.LIVEPLANE_SCREENSHOTS !== undefined) return writeFileSync(file, picture);
  const missing = (await page.evaluate(missingOf, fonts)).join(" and ");
  if (missing !== "") return void (await annotate(`${name} isn't compared: there is no font ${missing} here.`));
  const difference = differenceBetween(readFileSync(file), picture);
  if (difference === null) return;
  mkdirSync(made, { recursive: true });
  writeFileSync(join(made, `${name}.png`), picture);
  const shown = join(made, `${name}-difference.png`);
  writeFileSync(shown, difference.picture);
  expect.fail(`${name} looks another way: ${difference.words}. See ${shown}; LIVEPLANE_SCREENSHOTS=1 makes it anew.`);
}

/** A picture of a whole page, in light. What is another in each run, such as ids, stands in it as if it were always the same. */
export async function pictureOf(page: Page): Promise<Buffer> {
  await page.emulateMedia({ colorScheme: "light" });
  await page.evaluate(steady);
  const picture = await page.screenshot({ animations: "disabled", fullPage: true });
  await page.evaluate("globalThis.putBack()");
  return picture;
}

/** In the page: puts what is always the same in the place of what isn't, and leaves a function that puts it back. */
function steady(): void {
  const same = (text: string) =>
    text
      .replace(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{10}\b/g, (id) =>
        id.length > 10 ? "01234567-89ab-4cde-8f01-23456789abcd" : "0123456789",
      )
      .replace(/\d{1,2} \w{3,4} \d{4}, \d\d:\d\d:\d\d/g, "5 Jan 2026, 12:04:05");
  const undo: (() => void)[] = [];
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let text = texts.nextNode(); text !== null; text = texts.nextNode()) {
    const [node, before] = [text as Text, (text as Text).data];
    if (same(before) === before) continue;
    node.data = same(before);
    undo.push(() => {
      node.data = before;
    });
  }
  for (const area of document.querySelectorAll("textarea")) {
    const { value, scrollTop } = area;
    area.value = same(value);
    area.scrollTop = 0;
    undo.push(() => {
      area.value = value;
      area.scrollTop = scrollTop;
    });
  }
  // The head sticks to what is in sight: a picture of the whole begins above.
  scrollTo(0, 0);
  Reflect.set(globalThis, "putBack", () => {
    for (const one of undo) one();
  });
}

/** In the page: which fonts aren't there. One that is looks the same whatever stands behind it. */
function missingOf(names: readonly string[]): string[] {
  const context = document.createElement("canvas").getContext("2d");
  const width = (font: string) => {
    if (context !== null) context.font = `40px ${font}`;
    return context?.measureText("mill 01234").width;
  };
  return names.filter((name) => width(`"${name}", serif`) !== width(`"${name}", monospace`));
}

/** What somebody would see to differ in two pictures; `null`: nothing. */
export function differenceBetween(before: Buffer, after: Buffer): { words: string; picture: Buffer } | null {
  const [one, other] = [PNG.sync.read(before), PNG.sync.read(after)];
  const { width, height } = other;
  if (one.width !== width || one.height !== height) {
    return { words: `it is ${width} × ${height} and was ${one.width} × ${one.height}`, picture: after };
  }
  const shown = new PNG({ width, height });
  const count = pixelmatch(one.data, other.data, shown.data, width, height, { threshold: 0.2 });
  return count <= unseenPixels ? null : { words: `${count} pixels differ`, picture: PNG.sync.write(shown) };
}
