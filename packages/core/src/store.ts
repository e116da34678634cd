/** The store port and what an adapter for it is built from. */
export { compareEncoded, decodeKey, encodeKey, encodePrefix } from "./ports/key.ts";
export {
  appendedKey,
  type Bounds,
  boundsOf,
  type MemoryStoreOptions,
  memoryStore,
  prepare,
  toJson,
} from "./ports/memory-store.ts";
export type {
  Append,
  Check,
  Commit,
  Entry,
  Json,
  Key,
  Range,
  SetEntry,
  Store,
  StoreCapabilities,
  StoreOptions,
  StoreSnapshot,
} from "./ports/store.ts";
