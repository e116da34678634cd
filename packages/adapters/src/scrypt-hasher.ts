import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from "node:crypto";
import type { PasswordHasher } from "@liveplane/core";
import { LiveplaneError } from "@liveplane/core/errors";
import { defaultHashSlots, fairSlots } from "./costly-work/fair-slots.ts";

/** Options of a scrypt hasher. The defaults are OWASP's recommendation. */
export interface ScryptHasherOptions {
  /** The base-2 logarithm of the cost: each step doubles time and memory. @default 17 */
  readonly logCost?: number;
  /** @default 8 */
  readonly blockSize?: number;
  /** The most concurrent hashes; half of them for one share. @default twice the cores */
  readonly slots?: number;
}

/** The parts of `$scrypt$ln=17,r=8,p=1$<salt>$<key>`. */
interface ScryptHash {
  readonly logCost: number;
  readonly blockSize: number;
  readonly parallelization: number;
  readonly salt: Buffer;
  readonly key: Buffer;
}

const keyBytes = 32;

/** Hashes passwords with scrypt of `node:crypto`, in other threads, without further packages. Prefer argon2 if you can. */
export function scryptHasher(options: ScryptHasherOptions = {}): PasswordHasher {
  const { logCost = 17, blockSize = 8, slots = defaultHashSlots } = options;
  const inSlot = fairSlots({ atOnce: slots });
  return {
    async hash(password, work) {
      const fresh = { logCost, blockSize, parallelization: 1, salt: randomBytes(16) };
      return format({ ...fresh, key: await inSlot(() => derive(password, fresh), work) });
    },
    async verify(hash, password, work) {
      const stored = parse(hash);
      const key = await inSlot(() => derive(password, stored), work);
      const outdated = stored.logCost < logCost || stored.blockSize < blockSize;
      return { matches: timingSafeEqual(key, stored.key), outdated };
    },
  };
}

function derive(
  password: string,
  { logCost, blockSize, parallelization, salt }: Omit<ScryptHash, "key">,
): Promise<Buffer> {
  const cost = 2 ** logCost;
  const options: ScryptOptions = { cost, blockSize, parallelization, maxmem: 256 * cost * blockSize };
  return new Promise((resolve, reject) => {
    scrypt(password, salt, keyBytes, options, (error, key) => (error === null ? resolve(key) : reject(error)));
  });
}

function format({ logCost, blockSize, parallelization, salt, key }: ScryptHash): string {
  const parameters = `ln=${logCost},r=${blockSize},p=${parallelization}`;
  return `$scrypt$${parameters}$${salt.toString("base64url")}$${key.toString("base64url")}`;
}

const pattern = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,3}),p=(\d{1,3})\$([\w-]+)\$([\w-]{43})$/;

function parse(hash: string): ScryptHash {
  const found = pattern.exec(hash);
  if (found === null) throw new LiveplaneError("InternalError", "The stored password hash isn't a scrypt hash.");
  const [, logCost, blockSize, parallelization, salt = "", key = ""] = found;
  return {
    logCost: Number(logCost),
    blockSize: Number(blockSize),
    parallelization: Number(parallelization),
    salt: Buffer.from(salt, "base64url"),
    key: Buffer.from(key, "base64url"),
  };
}
