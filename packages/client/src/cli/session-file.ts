import { chmod, mkdir, open, readFile, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { LiveplaneError } from "@liveplane/core/errors";

export interface KeptSession {
  readonly url: string;
  /** Valid once: whoever spends it stores the next one. */
  readonly refreshToken: string;
  readonly accessToken: string;
  /** When the access token expires, in epoch milliseconds. */
  readonly until: number;
}

/** Stores the session in a file that only its owner may read. */
export interface SessionFile {
  /** @throws {ConfigurationInvalid} if others may read it. */
  read(): Promise<KeptSession | null>;
  write(session: KeptSession): Promise<void>;
  remove(): Promise<void>;
  /** One process at a time, because spending a refresh token twice would end the session. */
  alone<T>(work: () => Promise<T>): Promise<T>;
}

/** An older lock, or one dated further in the future, was left by a dead process or a wrong clock. */
const longestHoldMs = 30_000;
const longestWaitMs = 60_000;
const pauseMs = 50;

/** What storing a session needs from the machine. */
export interface SessionFileOptions {
  readonly folder: string;
  readonly now?: () => number;
  readonly sleep: (ms: number) => Promise<void>;
}

export function sessionFile({ folder, sleep, now = Date.now }: SessionFileOptions): SessionFile {
  const file = join(folder, "session.json");
  const lock = `${file}.lock`;

  async function takeLock(): Promise<void> {
    for (let waitedMs = 0; waitedMs < longestWaitMs; waitedMs += pauseMs) {
      try {
        await mkdir(lock);
        return;
      } catch (cause) {
        if (codeOf(cause) !== "EEXIST") throw cause;
        const since = await stat(lock).catch(() => null);
        if (since !== null && Math.abs(now() - since.mtimeMs) > longestHoldMs)
          await rm(lock, { recursive: true, force: true });
        else await sleep(pauseMs);
      }
    }
    throw new LiveplaneError(
      "ConfigurationInvalid",
      `Another liveplane command has held ${lock} for a minute. If none is running, remove it.`,
    );
  }

  return {
    async read() {
      const found = await stat(file).catch(() => null);
      if (found === null) return null;
      if (process.platform !== "win32" && (found.mode & 0o077) !== 0)
        throw new LiveplaneError(
          "ConfigurationInvalid",
          `Other users can read ${file} and act as you with it. Run chmod 600 ${file}, then sign in again to replace the session.`,
        );
      try {
        return sessionOf(JSON.parse(await readFile(file, "utf8")));
      } catch (cause) {
        throw new LiveplaneError(
          "ConfigurationInvalid",
          `${file} doesn't contain a valid session. Run liveplane login.`,
          { cause },
        );
      }
    },
    async write(session) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const part = `${file}.${process.pid}`;
      const handle = await open(part, "w", 0o600);
      try {
        await handle.writeFile(JSON.stringify(session));
      } finally {
        await handle.close();
      }
      await chmod(part, 0o600);
      await rename(part, file);
    },
    remove: () => rm(file, { force: true }),
    async alone(work) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await takeLock();
      try {
        return await work();
      } finally {
        await rm(lock, { recursive: true, force: true });
      }
    },
  };
}

function sessionOf(read: Partial<Record<keyof KeptSession, unknown>>): KeptSession {
  const { url, refreshToken, accessToken, until } = read;
  if (typeof url !== "string" || typeof refreshToken !== "string")
    throw new LiveplaneError("ConfigurationInvalid", "url or refreshToken is missing.");
  return { url, refreshToken, accessToken: String(accessToken ?? ""), until: Number(until ?? 0) };
}

const codeOf = (cause: unknown) => (cause as NodeJS.ErrnoException).code;
