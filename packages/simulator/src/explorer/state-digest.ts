import type { Entry, Store } from "@liveplane/core/store";
import { beginning } from "../simulated-runtime.ts";
import type { SimulatedWorld } from "../world.ts";

/** Digests everything that decides the future: stored records, pending faults, running processes. */
export function stateReader(world: SimulatedWorld, clouds: Store): () => Promise<number> {
  const texts = new WeakMap<Entry, { readonly now: number; readonly text: string }>();
  let last = { text: "", digest: 0 };
  const textOf = (entry: Entry, now: number): string => {
    const known = texts.get(entry);
    if (known?.now === now) return known.text;
    const text = JSON.stringify([entry.key, entry.value], (name, value) => momentOf(name, value, now));
    texts.set(entry, { now, text });
    return text;
  };
  return async () => {
    const now = beginning + world.time.now();
    const records = await world.store.list({ prefix: ["record"], limit: 10_000 });
    const resources = await clouds.list({ prefix: [], limit: 10_000 });
    let text = "";
    for (const entry of records) if (isOfTheMoment(entry)) text += textOf(entry, now);
    for (const entry of resources) text += textOf(entry, now);
    text += JSON.stringify(aroundOf(world));
    if (text !== last.text) last = { text, digest: stateDigest(renamed(text)) };
    return last.digest;
  };
}

function aroundOf(world: SimulatedWorld) {
  const { cloudFaults, storeFaults, slowWrites, credentials, secret, skewMs, processes, liveSystemId } = world;
  const alive = processes.map((process) => process !== null && !process.life.isOver());
  return [cloudFaults, storeFaults, slowWrites, [...credentials], secret, skewMs, alive, liveSystemId === null];
}

/** Histories and finished mutations have no influence. */
function isOfTheMoment({ key: [, collection], value }: Entry): boolean {
  if (collection === "component" || collection === "live-system") return true;
  const { status } = value as { status?: string };
  return collection === "mutation" && (status === "Pending" || status === "Running");
}

/** Dates that have no influence. */
const dates = new Set(["observedAt", "changedAt", "createdAt", "updatedAt", "lastWriteAt", "etag", "definitionId"]);
const firstInstant = beginning - 48 * 3_600_000;
const cycleMs = 30_000;

/** Instants by their distance from now, as coarsely as the agent compares them. */
function momentOf(name: string, value: unknown, now: number): unknown {
  if (dates.has(name)) return undefined;
  if (typeof value === "number" && value > firstInstant) return away(value - now);
  if (typeof value === "string" && /^20\d\d-\d\d-\d\dT/.test(value)) return away(Date.parse(value) - now);
  return value;
}

function away(ms: number): string {
  if (ms <= 0) return ms > -cycleMs ? "lately" : "once";
  return ms > 4 * cycleMs ? "later" : `in ${Math.ceil(ms / cycleMs)}`;
}

/** Random IDs, and the suffixes of clouds that choose IDs. */
const thrown = /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}|(?<=-[0-9a-f]{10}-)[0-9a-f]{8}/g;

/** Replaces IDs by the order in which they occur, so that different random IDs compare as equal. */
export function renamed(text: string): string {
  const names = new Map<string, string>();
  return text.replaceAll(thrown, (id) => {
    const name = names.get(id) ?? `#${names.size}`;
    names.set(id, name);
    return name;
  });
}

/** The digest of a text, continued from an earlier one. */
export function stateDigest(text: string, before = 0): number {
  let [a, b] = [0xdeadbeef ^ before, 0x41c6ce57 ^ Math.floor(before / 0x100000000)];
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    a = Math.imul(a ^ unit, 2654435761);
    b = Math.imul(b ^ unit, 1597334677);
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909);
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909);
  return 4294967296 * (2097151 & b) + (a >>> 0);
}
