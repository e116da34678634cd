import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { CliHost } from "./host.ts";
import { ownMember } from "./own-member.ts";

/** Where a list of existing resources was read, in the words of the command line. */
export interface DiscoveredPlace {
  readonly environment: string;
  readonly provider: string;
  readonly scope?: string;
}

/** Remembers the place of the last `discover` at a service. */
export async function rememberPlace(
  { folder, say }: Pick<CliHost, "folder" | "say">,
  url: string,
  place: DiscoveredPlace,
): Promise<void> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await writeFile(fileIn(folder), JSON.stringify({ url, ...place }), { mode: 0o600 });
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    say(`${fileIn(folder)} can't be written (${code}), so declare needs the same flags again.`);
  }
}

/** The place of the last `discover` at a service; `null`: none is known. */
export async function lastPlace({ folder }: Pick<CliHost, "folder">, url: string): Promise<DiscoveredPlace | null> {
  const text = await readFile(fileIn(folder), "utf8").catch(() => "{}");
  const [environment, provider, scope] = ["environment", "provider", "scope"].map((name) => member(text, url, name));
  if (environment === undefined || provider === undefined) return null;
  return { environment, provider, ...(scope !== undefined && { scope }) };
}

function member(text: string, url: string, name: string): string | undefined {
  try {
    const kept: unknown = JSON.parse(text);
    const found = ownMember(kept, "url") === url ? ownMember(kept, name) : undefined;
    return typeof found === "string" ? found : undefined;
  } catch {
    return undefined;
  }
}

const fileIn = (folder: string) => join(folder, "discovered.json");
