/** A program that somebody signed in with, and what it runs on; `null`: it doesn't say so, or nobody understands it. */
export interface NamedAgent {
  readonly program: string | null;
  readonly system: string | null;
}

/** In this order: each of the later ones is named by those before it, too. */
const browsers = [
  ["Edge", /\bEdg(?:A|iOS)?\//],
  ["Opera", /\bOPR\//],
  ["Samsung Internet", /\bSamsungBrowser\//],
  ["Firefox", /\b(?:Firefox|FxiOS)\//],
  ["Chrome", /\b(?:Headless)?Chrome\/|\bCriOS\//],
  ["Safari", /\bSafari\//],
] as const;

const systems = [
  ["iPhone", /\biPhone\b/],
  ["iPad", /\biPad\b/],
  ["Android", /\bAndroid\b/],
  ["ChromeOS", /\bCrOS\b/],
  ["Windows", /\bWindows\b/],
  ["macOS", /\bMac(?:intosh| OS X)\b/],
  ["Linux", /\bLinux\b/],
] as const;

/** Reads what a program says of itself; one that isn't a browser goes by its own name. */
export function namedAgent(userAgent: string): NamedAgent {
  const known = (of: readonly (readonly [string, RegExp])[]) =>
    of.find(([, said]) => said.test(userAgent))?.[0] ?? null;
  const [, own = null] = /^(?!Mozilla\/)([\w.@+-]{1,40})(?:\/|\s|$)/.exec(userAgent) ?? [];
  return { program: known(browsers) ?? own, system: known(systems) };
}
