import { LiveplaneError } from "../errors.ts";
import type { Entry, Json, Key, Store, StoreSnapshot } from "../ports/store.ts";
import { nextTurn } from "../ports/web-runtime.ts";
import { pendingEvents } from "./layout.ts";
import { formatIn, requireReadable } from "./store-format.ts";

/** How an export or import goes. */
export interface TransferOptions {
  /** Called after each batch with the number of entries so far. */
  readonly onProgress?: (entries: number) => void;
  readonly signal?: AbortSignal;
}

export interface ExportOptions extends TransferOptions {
  /** Promises that nobody writes meanwhile; required to export a store without snapshots. @default false */
  readonly atRest?: boolean;
}

const format = 1;
/** Other work waits while one page is read and written. */
const page = 200;
const batch = 500;

/**
 * Everything in a store as lines of JSON, as it was at one instant, while the store is in use. Secrets stay sealed: a server on an
 * import needs the same key ring.
 *
 * @throws {CapabilityMissing} if the store has no snapshots and isn't said to be at rest.
 */
export async function* exportStore(store: Store, options: ExportOptions = {}): AsyncGenerator<string, void> {
  const { atRest = false, onProgress, signal } = options;
  if (store.snapshot === undefined && !atRest)
    throw new LiveplaneError(
      "CapabilityMissing",
      "This store has no snapshots. Stop everything that writes to it before you export.",
    );
  const view: Pick<StoreSnapshot, "get" | "list"> = (await store.snapshot?.(signal && { signal })) ?? store;
  try {
    yield line({ liveplane: "export", format, store: await formatIn(view) });
    let entries = 0;
    for (let after: Key | undefined, more = true; more; ) {
      const found = await view.list({ prefix: [], limit: page, ...(after && { after }) }, signal && { signal });
      for (const { key, value, expiresAt } of found)
        yield line({ key, value, ...(expiresAt !== undefined && { expiresAt }) });
      entries += found.length;
      onProgress?.(entries);
      after = found.at(-1)?.key;
      more = found.length === page;
      await nextTurn();
    }
    yield line({ end: entries });
  } finally {
    if ("release" in view) await (view as StoreSnapshot).release();
  }
}

/**
 * Fills an empty store with the output of `exportStore`, and returns the number of entries. If it is interrupted, start again with a new,
 * empty store.
 *
 * @throws {InvalidState} if the store isn't empty.
 * @throws {ConfigurationInvalid} if this build doesn't read the format of the exported store.
 * @throws {ValidationFailed} if the text isn't a complete export.
 */
export async function importStore(
  store: Store,
  text: AsyncIterable<string> | Iterable<string>,
  { onProgress, signal }: TransferOptions = {},
): Promise<number> {
  if ((await store.list({ prefix: [], limit: 1 })).length > 0)
    throw new LiveplaneError("InvalidState", "The store to import into is not empty.");
  let waiting: Exported[] = [];
  let [entries, begun, ended] = [0, false, false];

  async function flush(): Promise<void> {
    if (waiting.length === 0) return;
    await writeAll(store, waiting, signal);
    entries += waiting.length;
    waiting = [];
    onProgress?.(entries);
    await nextTurn();
  }

  for await (const item of linesOf(text)) {
    if (ended) throw damaged("there is data after its end");
    if (!begun) begun = isHeader(item);
    else if ("end" in item) {
      await flush();
      if (item.end !== entries) throw damaged(`it should contain ${String(item.end)} entries but contains ${entries}`);
      ended = true;
    } else if (waiting.push(toExported(item)) === batch) await flush();
  }
  if (!ended) throw damaged("its end is missing");
  return entries;
}

type Line = Readonly<Record<string, unknown>>;
type Exported = Pick<Entry, "key" | "value" | "expiresAt">;

/** Unsequenced events are stored under their commit's version, which differs in another store. */
async function writeAll(store: Store, entries: readonly Exported[], signal: AbortSignal | undefined): Promise<void> {
  const waits = ({ key }: Exported) => pendingEvents.every((part, at) => key[at] === part);
  const commit = {
    checks: entries.filter((entry) => !waits(entry)).map(({ key }) => ({ key, version: null })),
    sets: entries.filter((entry) => !waits(entry)),
    appends: entries.filter(waits).map(({ value }) => ({ prefix: pendingEvents, value })),
  };
  const version = await store.commit(commit, signal && { signal });
  if (version === null) throw new LiveplaneError("Conflict", "Something else is writing to the target store.");
}

async function* linesOf(text: AsyncIterable<string> | Iterable<string>): AsyncGenerator<Line> {
  let rest = "";
  for await (const chunk of text) {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    for (const text of lines) if (text !== "") yield parsed(text);
  }
  if (rest !== "") yield parsed(rest);
}

function parsed(text: string): Line {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw damaged("a line is not JSON");
  }
  if (typeof value !== "object" || value === null) throw damaged("a line is not an object");
  return value as Line;
}

function isHeader(item: Line): true {
  if (item.liveplane !== "export") throw damaged("its first line is not an export header");
  if (item.format !== format) throw damaged(`its format is ${String(item.format)}, but this version reads ${format}`);
  if (item.store != null) requireReadable(item.store, "export");
  return true;
}

function toExported({ key, value, expiresAt }: Line): Exported {
  const isKey = Array.isArray(key) && key.length > 0 && key.every((part) => typeof part === "string");
  if (!isKey || value === undefined) throw damaged("a line is not an entry");
  return { key, value: value as Json, ...(typeof expiresAt === "number" && { expiresAt }) };
}

/** Says what is wrong without quoting: a line may hold what must not be logged. */
function damaged(because: string): LiveplaneError {
  return new LiveplaneError("ValidationFailed", `The export is incomplete or damaged: ${because}.`);
}

function line(value: unknown): string {
  return `${JSON.stringify(value)}\n`;
}
