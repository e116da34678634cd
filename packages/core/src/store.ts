/** The store port and what an adapter for it is built from. */

export { EntryMemory, mostRememberedAtOnce } from "./ports/entry-memory.ts";
export { deepFrozen, parseFrozen } from "./ports/frozen.ts";
export { compareEncoded, decodeKey, encodeKey, encodeKeys, encodePrefix } from "./ports/key.ts";
export { type MemoryStore, type MemoryStoreOptions, memoryStore } from "./ports/memory-store.ts";
export { appendedKey, type Bounds, boundsOf, prepare, toJson } from "./ports/prepare.ts";
export { frozenEntry, listRows, liveRow, type Row, SortedRows, sharedEntries } from "./ports/sorted-rows.ts";
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
  StoreBell,
  StoreCapabilities,
  StoreOptions,
  StoreSnapshot,
} from "./ports/store.ts";
export { growingRest, type RestLengths } from "./records/rest.ts";
export { raiseFormat } from "./records/store-format.ts";
export { type ExportOptions, exportStore, importStore, type TransferOptions } from "./records/transfer.ts";
