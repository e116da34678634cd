import { constants } from "node:fs";
import { copyFile, link, open, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { LiveplaneError } from "@liveplane/core/errors";
import { keepPrivateFile, tighten } from "./private-files.ts";
import { guarded, loadDriver, openBeside, refuseDamaged } from "./sqlite-database.ts";

/** The source and target of a backup. */
export interface SqliteBackup {
  /** The database file; the process that owns it may continue to write. */
  readonly file: string;
  /** The file to write, which must not exist. It appears when it is complete. */
  readonly to: string;
}

/** The source and target of a restore. */
export interface SqliteRestore {
  /** A backup. */
  readonly from: string;
  /** The database file, which must not exist yet. */
  readonly file: string;
}

/**
 * Writes a copy of a SQLite store at one moment, without deleted data. Sealed values stay sealed.
 *
 * @throws {StoreFailed} if it can't be read or written; {ConfigurationInvalid} if the target exists.
 */
export async function backUpSqlite({ file, to }: SqliteBackup): Promise<void> {
  const driver = await loadDriver();
  await madeWhole(to, (part) => {
    const { database } = openBeside(driver, file);
    try {
      // SQLite treats an empty file as a new database and keeps its mode.
      keepPrivateFile(part);
      guarded("be copied", () => database.prepare("VACUUM INTO ?").run(part));
    } finally {
      database.close();
    }
  });
}

/**
 * Restores a backup to where a store will be opened. It is checked for damage first, whatever its size.
 *
 * @throws {StoreFailed} if it is damaged or not a store; {ConfigurationInvalid} if a store exists already, or a newer version wrote it.
 */
export async function restoreSqlite({ from, file }: SqliteRestore): Promise<void> {
  const driver = await loadDriver();
  await madeWhole(file, async (part) => {
    await copyFile(from, part);
    tighten(part, 0o600);
    const { database } = openBeside(driver, part);
    try {
      refuseDamaged(database);
    } finally {
      database.close();
    }
  });
}

/** Writes a file under another name, and renames it once it is complete and on the disk. An existing file stays. */
async function madeWhole(file: string, make: (part: string) => unknown): Promise<void> {
  const part = `${file}.part`;
  try {
    await removePart(part);
    await make(part);
    await synced(part);
    await takeName(part, file);
    await synced(dirname(file));
  } catch (cause) {
    throw cause instanceof LiveplaneError ? cause : refusalOf(file, cause);
  } finally {
    await removePart(part);
  }
}

/** Unlike renaming, linking replaces nothing. On a file system without links it is copied again. */
async function takeName(part: string, file: string): Promise<void> {
  const haveNone = ["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"];
  await link(part, file).catch(async (cause: NodeJS.ErrnoException) => {
    if (!haveNone.includes(cause.code ?? "")) throw cause;
    await copyFile(part, file, constants.COPYFILE_EXCL);
    await synced(file);
  });
}

async function removePart(part: string): Promise<void> {
  for (const ending of ["", "-wal", "-shm", "-journal"]) await rm(`${part}${ending}`, { force: true });
}

async function synced(path: string): Promise<void> {
  await using handle = await open(path, "r");
  await handle.sync();
}

function refusalOf(file: string, cause: unknown): LiveplaneError {
  const { code = "unknown", path } = cause as NodeJS.ErrnoException;
  if (code === "EEXIST")
    return new LiveplaneError("ConfigurationInvalid", `${file} already exists. Nothing was written.`, { cause });
  return new LiveplaneError("ConfigurationInvalid", `${path ?? file} can't be used (${code}).`, { cause });
}
