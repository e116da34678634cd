import { constants } from "node:fs";
import { copyFile, link, open, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { LiveplaneError } from "@liveplane/core/errors";
import { keepPrivateFile, tighten } from "./private-files.ts";
import { guarded, loadDriver, openBeside, refuseDamaged } from "./sqlite-database.ts";

/** What is copied, and whereto. */
export interface SqliteBackup {
  /** The database file; the process that holds it may continue writing. */
  readonly file: string;
  /** The file to write, which must not be there. It is there when it is whole. */
  readonly to: string;
}

/** What is restored, and whereto. */
export interface SqliteRestore {
  /** A backup. */
  readonly from: string;
  /** The database file, which must not be there yet. */
  readonly file: string;
}

/**
 * Writes a copy of a SQLite store as it is at one moment, without what was deleted. What is sealed stays sealed.
 *
 * @throws {StoreFailed} when it can't be read or written; {ConfigurationInvalid} when there is a file already.
 */
export async function backUpSqlite({ file, to }: SqliteBackup): Promise<void> {
  const driver = await loadDriver();
  await madeWhole(to, (part) => {
    const { database } = openBeside(driver, file);
    try {
      // SQLite takes an empty file for none, and leaves it its mode.
      keepPrivateFile(part);
      guarded("be copied", () => database.prepare("VACUUM INTO ?").run(part));
    } finally {
      database.close();
    }
  });
}

/**
 * Puts a backup where a store will be opened. It is looked through for damage first, whatever its size.
 *
 * @throws {StoreFailed} when it is damaged, or no store; {ConfigurationInvalid} when there is a store already, or a newer version wrote it.
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

/** Makes a file under another name, and gives it its own once it is whole and on the disk. A file that is there stays as it is. */
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

/** Unlike a renaming, a link takes nobody's place. Where a file system has no links, it is copied again. */
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
