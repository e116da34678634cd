import { LiveplaneError } from "../errors.ts";
import type { Key, Store } from "../ports/store.ts";

/** The format of the records that this build reads and writes. A change of a stored shape raises it. */
const format = 5;
const place: Key = ["installation", "format"];

/**
 * Returns a check, made once, that a store has this build's format. An empty store gets it with its first commit.
 *
 * @throws {ConfigurationInvalid} if the store has another format, saying what to do.
 */
export function storeFormat(store: Store): () => Promise<void> {
  let judged: Promise<void> | null = null;
  return () => {
    judged ??= judge(store).catch((error: unknown) => {
      judged = null;
      throw error;
    });
    return judged;
  };
}

async function judge(store: Store): Promise<void> {
  for (;;) {
    // Records are read first: whoever writes some has written the format before.
    const hasRecords = (await store.list({ prefix: ["record"], limit: 1 })).length > 0;
    const [entry = null] = await store.get([place]);
    const isEmpty = entry === null && !hasRecords;
    if (!isEmpty) return requireFormat(entry?.value);
    const commit = { checks: [{ key: place, version: null }], sets: [{ key: place, value: format }] };
    if ((await store.commit(commit)) !== null) return;
  }
}

function requireFormat(found: unknown): void {
  if (found === format) return;
  throw new LiveplaneError("ConfigurationInvalid", refusalOf(found));
}

function refusalOf(found: unknown): string {
  if (typeof found === "number" && found > format)
    return `This build of liveplane is too old: the store has format ${found}, and this build reads format ${format}. Start a newer release.`;
  const what = typeof found === "number" ? `has format ${found}` : "was written by a build before release 0.1.0";
  return `The store ${what}, and this build of liveplane reads format ${format}. Start the build that wrote it, or begin with an empty store.`;
}
