import type { Site } from "./site.ts";

/** In a variable, so that a server installed without the console reports no missing import. */
const consolePackage: string = "@liveplane/console";

/** The console, if its package is installed; otherwise `null`. */
export async function installedSite(): Promise<Site | null> {
  try {
    const { consoleSite } = (await import(consolePackage)) as { readonly consoleSite: () => Site };
    return consoleSite();
  } catch (error) {
    if (Reflect.get(Object(error), "code") === "ERR_MODULE_NOT_FOUND") return null;
    throw error;
  }
}
