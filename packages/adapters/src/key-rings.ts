import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";
import { constants, link, open, readFile, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import type { KeyRing } from "@liveplane/core";
import { LiveplaneError } from "@liveplane/core/errors";
import { tighten } from "./stores/private-files.ts";

/** Options of a key ring with given keys. */
export interface StaticKeyRingOptions {
  /** Keys of 32 bytes in base64, the current one first; older ones open what they sealed. */
  readonly keys: readonly string[];
}

/** A key ring with the host's keys: from an environment variable or a secret store. */
export function staticKeyRing({ keys }: StaticKeyRingOptions): KeyRing {
  const known = new Map(keys.map((key) => [idOf(parsed(key)), parsed(key)]));
  const [current] = known.keys();
  if (current === undefined) throw new LiveplaneError("ConfigurationInvalid", "A key ring needs at least one key.");
  return ringOf(current, known);
}

/** Options of a key ring in a file. */
export interface FileKeyRingOptions {
  /** One key a line, 32 bytes in base64, the current one last. */
  readonly file: string;
  /** What to do if it doesn't exist: create it with one key and mode 0600, or refuse. @default "make" */
  readonly whenMissing?: "make" | "refuse";
}

/** A key ring in a file that only its owner may read: the default of an embedded installation. */
export async function fileKeyRing({ file, whenMissing = "make" }: FileKeyRingOptions): Promise<KeyRing> {
  const lines = (await read(file)) ?? (whenMissing === "make" ? await make(file) : null);
  if (lines === null)
    throw new LiveplaneError(
      "ConfigurationInvalid",
      `The key ring is missing: ${file} does not exist. Copy it from the data folder that the data comes from.`,
    );
  tighten(file, 0o600);
  const keys = lines
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean);
  return staticKeyRing({ keys: keys.reverse() });
}

/** Adds a key to the file. The next time the ring is opened it is the current key; the older ones still open. */
export async function rotateFileKeyRing({ file }: FileKeyRingOptions): Promise<void> {
  const lines = (await read(file)) ?? "";
  await written(file, `${lines.trim()}\n${randomBytes(32).toString("base64")}\n`.trimStart(), rename);
}

function ringOf(current: string, keys: ReadonlyMap<string, Buffer>): KeyRing {
  return {
    currentKeyId: async () => current,
    keyIds: async () => [...keys.keys()],
    async wrap(dataKey, context) {
      const nonce = randomBytes(12);
      const cipher = createCipheriv("aes-256-gcm", keys.get(current) as Buffer, nonce).setAAD(context);
      const wrapped = Buffer.concat([nonce, cipher.update(dataKey), cipher.final(), cipher.getAuthTag()]);
      return { keyId: current, wrapped };
    },
    async unwrap(keyId, wrapped, context) {
      const key = keys.get(keyId);
      if (key === undefined) throw new LiveplaneError("InternalError", `The key ring does not hold the key ${keyId}.`);
      try {
        const decipher = createDecipheriv("aes-256-gcm", key, wrapped.subarray(0, 12), { authTagLength: 16 })
          .setAAD(context)
          .setAuthTag(wrapped.subarray(-16));
        return Buffer.concat([decipher.update(wrapped.subarray(12, -16)), decipher.final()]);
      } catch (cause) {
        throw new LiveplaneError("InternalError", "A data key could not be unwrapped. It was modified or moved.", {
          cause,
        });
      }
    },
  };
}

function parsed(key: string): Buffer {
  const bytes = Buffer.from(key, "base64");
  if (bytes.length !== 32)
    throw new LiveplaneError("ConfigurationInvalid", "A key-encryption key must be 32 bytes in base64.");
  return bytes;
}

/** The ID of a key, which reveals nothing about it. */
function idOf(key: Buffer): string {
  return createHash("sha256").update("liveplane key id").update(key).digest("hex").slice(0, 16);
}

async function read(file: string): Promise<string | null> {
  try {
    return await readFile(file, "utf8");
  } catch (cause) {
    if (Reflect.get(Object(cause), "code") === "ENOENT") return null;
    throw new LiveplaneError("ConfigurationInvalid", `The key file ${file} can't be read.`, { cause });
  }
}

/** If several processes start at once, one creates the key and all use it. */
async function make(file: string): Promise<string> {
  await written(file, `${randomBytes(32).toString("base64")}\n`, link);
  const lines = await read(file);
  if (lines === null) throw new LiveplaneError("ConfigurationInvalid", `The key file ${file} was removed.`);
  return lines;
}

const { O_WRONLY, O_CREAT, O_EXCL, O_SYNC } = constants;
/** For a new file whose writes end on the disk. */
const synchronousNew = O_WRONLY | O_CREAT | O_EXCL | O_SYNC;

/** Written completely or not at all, and on the disk before anything is sealed with it. */
async function written(file: string, lines: string, place: (part: string, file: string) => Promise<void>) {
  const part = `${file}.${randomBytes(6).toString("hex")}.part`;
  try {
    const handle = await open(part, synchronousNew, 0o600);
    await handle.writeFile(lines);
    // For systems without O_SYNC. From Node 26 on, its permission model refuses this.
    await handle.sync().catch(() => {});
    await handle.close();
    await place(part, file);
  } catch (cause) {
    if (Reflect.get(Object(cause), "code") !== "EEXIST")
      throw new LiveplaneError("ConfigurationInvalid", `The key file ${file} can't be written.`, { cause });
  } finally {
    await rm(part, { force: true });
  }
  const folder = await open(dirname(file), "r");
  await folder.sync().catch(() => {});
  await folder.close();
}
