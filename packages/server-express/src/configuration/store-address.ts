import type { Read } from "./settings.ts";

const kinds = ["sqlite", "node-sqlite", "postgres", "pglite", "keyv", "memory"] as const;

/** Which store is used, and where it is. */
export interface StoreAddress {
  readonly kind: (typeof kinds)[number];
  /** A file, a folder or a URL; `null`: in the data folder, or in memory. */
  readonly at: string | null;
}

/** Reads the address of a store. Its beginning names the kind. */
export function readStore(address: string): Read<StoreAddress> {
  if (/^postgres(ql)?:\/\/./.test(address)) return { value: { kind: "postgres", at: address } };
  if (/^keyv:[a-z][a-z0-9]*:\/\/./.test(address)) return { value: { kind: "keyv", at: address.slice("keyv:".length) } };
  if (address === "memory:") return { value: { kind: "memory", at: null } };
  // Paths on every system exclude control characters.
  const [, kind, path = ""] = /^(sqlite|node-sqlite|pglite):([^\p{Cc}]*)$/u.exec(address) ?? [];
  const isPath = kind === "sqlite" || kind === "node-sqlite" || kind === "pglite";
  if (isPath) return { value: { kind, at: path === "" ? null : path } };
  return {
    reason:
      "must be sqlite:<file>, node-sqlite:<file>, postgres://…, pglite:<folder>, keyv:<address of a backend, such as redis://…> or memory:",
  };
}

/** Whether the store may be opened by a second process without either of them noticing. */
export function servesOneProcess({ kind }: StoreAddress): boolean {
  return kind === "keyv" || kind === "memory";
}

/** What the store can't promise, for the start; `null` if it keeps every promise. */
export function storeWarning({ kind }: StoreAddress): string | null {
  if (kind === "memory") return "The store is in memory. Everything is lost when this process ends.";
  if (kind === "pglite")
    return "PGlite doesn't wait for the disk. A power failure can lose changes or damage the database, so export it regularly.";
  if (kind === "keyv")
    return "Keyv has no conditional write, so a second process with this store would overwrite changes unnoticed. Run only this one. After a crash the store has what the backend kept.";
  return null;
}
