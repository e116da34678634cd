import { join } from "node:path";
import { sqliteStore } from "@liveplane/adapters/sqlite-store";
import { isLiveplaneError, LiveplaneError } from "@liveplane/core/errors";
import { memoryStore, type Store } from "@liveplane/core/store";
import type { ServerConfig } from "./configuration/config.ts";

type Place = Pick<ServerConfig, "store" | "dataDir">;

/** Opens the configured store and nothing else. */
export async function openStore(place: Place): Promise<Store> {
  const { kind, at } = place.store;
  if (kind === "postgres") return postgres(at ?? "");
  if (kind === "keyv") return keyv(at ?? "");
  if (kind === "memory") return memoryStore();
  if (kind === "pglite") {
    const { pgliteStore } = await import("@liveplane/adapters/pglite-store");
    return pgliteStore({ folder: at ?? join(place.dataDir, "pglite") });
  }
  return sqlite(place);
}

/** Opens the store to export it. A SQLite file may be in use. */
export async function openToRead(place: Place): Promise<Store> {
  return sqliteFile(place) === null ? openStore(place) : sqlite(place, { readOnly: true });
}

/** The database file of SQLite; `null` with another store. */
export function sqliteFile({ store: { kind, at }, dataDir }: Place): string | null {
  return kind === "sqlite" || kind === "node-sqlite" ? (at ?? join(dataDir, "liveplane.db")) : null;
}

async function sqlite(place: Place, options: { readonly readOnly?: boolean } = {}): Promise<Store> {
  const driver = place.store.kind === "node-sqlite" ? ({ driver: "node:sqlite" } as const) : {};
  return sqliteStore({ file: sqliteFile(place) ?? "", ...driver, ...options });
}

async function postgres(connectionString: string): Promise<Store> {
  try {
    const { postgresStore } = await import("@liveplane/adapters/postgres-store");
    return await postgresStore({ connectionString });
  } catch (cause) {
    throw unusable(`The Postgres${hostOf(connectionString, 5432)}`, cause);
  }
}

/** A part of Keyv's backends that some have: the vendor's own client. */
interface KeyvBackend {
  readonly client?: { readonly on?: (event: "error", listener: () => void) => unknown };
  disconnect?(): Promise<unknown>;
}

interface KeyvBackends {
  readonly default: new (
    address: string,
    options: { readonly throwOnErrors: boolean; readonly connectionTimeout: number },
  ) => KeyvBackend;
}

/** Opens a Keyv store. The scheme of the address names the package of the backend. */
async function keyv(address: string): Promise<Store> {
  const [scheme = ""] = address.split(":");
  const name = `@keyv/${scheme === "rediss" ? "redis" : scheme}`;
  const { Keyv, Backend } = await loadKeyv(name);
  const backend = new Backend(address, { throwOnErrors: true, connectionTimeout: 10_000 });
  // A broken connection fails the call that needs it; without a listener it would also end the process.
  backend.client?.on?.("error", () => {});
  const disconnect = async () => void (await backend.disconnect?.());
  try {
    const { keyvStore } = await import("@liveplane/adapters/keyv-store");
    const store = await keyvStore({ keyv: new Keyv({ store: backend }) });
    return { ...store, close: () => store.close().then(disconnect) };
  } catch (cause) {
    await disconnect().catch(() => {});
    throw unusable(`The ${scheme} of Keyv${hostOf(address)}`, cause);
  }
}

async function loadKeyv(name: string) {
  try {
    const { default: Keyv } = await import("keyv");
    const { default: Backend } = (await import(name)) as KeyvBackends;
    return { Keyv, Backend };
  } catch (cause) {
    const message = `LIVEPLANE_STORE needs the packages keyv and ${name}: npm install keyv ${name}`;
    throw new LiveplaneError("ConfigurationInvalid", message, { cause });
  }
}

function unusable(what: string, cause: unknown): LiveplaneError {
  if (isLiveplaneError(cause) && cause.code !== "StoreFailed") return cause;
  const why = isLiveplaneError(cause) ? `: ${cause.message}` : ".";
  return new LiveplaneError("StoreFailed", `${what} can't be used${why}`, { cause });
}

/** The address of a database without credentials. */
function hostOf(address: string, usualPort?: number): string {
  if (!URL.canParse(address)) return "";
  const { hostname, port } = new URL(address);
  const shown = port || usualPort;
  return hostname === "" ? "" : `, ${hostname}${shown === undefined ? "" : `:${shown}`},`;
}
