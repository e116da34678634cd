import type { Site } from "./site.ts";

/** By its own name, so that nobody who installs the server without the console is told that it is missing. */
const consolePackage: string = "@liveplane/console";

/** The console, where its package is installed next to the server; `null`: it isn't. */
export async function installedSite(): Promise<Site | null> {
  try {
    const { consoleSite } = (await import(consolePackage)) as { readonly consoleSite: () => Site };
    return consoleSite();
  } catch (error) {
    if (Reflect.get(Object(error), "code") === "ERR_MODULE_NOT_FOUND") return null;
    throw error;
  }
}
