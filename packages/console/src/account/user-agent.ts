/** The program of a session and its system; `null` if unknown. */
export interface NamedAgent {
  readonly program: string | null;
  readonly system: string | null;
}

/** In this order, because the earlier ones also name the later ones. */
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

/** Parses a user agent; a program that isn't a browser is shown by its own name. */
export function namedAgent(userAgent: string): NamedAgent {
  const known = (of: readonly (readonly [string, RegExp])[]) =>
    of.find(([, said]) => said.test(userAgent))?.[0] ?? null;
  const [, own = null] = /^(?!Mozilla\/)([\w.@+-]{1,40})(?:\/|\s|$)/.exec(userAgent) ?? [];
  return { program: known(browsers) ?? own, system: known(systems) };
}
