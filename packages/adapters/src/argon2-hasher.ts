import type { PasswordHasher } from "@liveplane/core";
import { LiveplaneError } from "@liveplane/core/errors";
import { defaultHashSlots, fairSlots } from "./costly-work/fair-slots.ts";

/** Options of an argon2id hasher. The defaults are OWASP's recommendation. */
export interface Argon2HasherOptions {
  /** @default 19456 */
  readonly memoryKiB?: number;
  /** @default 2 */
  readonly passes?: number;
  /** @default 1 */
  readonly lanes?: number;
  /** The most concurrent hashes; half of them for one share. @default twice the cores */
  readonly slots?: number;
  /** Verifies hashes that argon2 didn't make; matching ones are reported as outdated. @default none */
  readonly former?: PasswordHasher;
}

/** Hashes passwords with argon2id in other threads, using @node-rs/argon2. Hashes with lower parameters are outdated. */
export async function argon2Hasher(options: Argon2HasherOptions = {}): Promise<PasswordHasher> {
  const { memoryKiB = 19_456, passes = 2, lanes = 1, slots = defaultHashSlots, former } = options;
  const argon2 = await loadArgon2();
  const inSlot = fairSlots({ atOnce: slots });

  function isOutdated(hash: string): boolean {
    const { algorithm, memoryCost, timeCost, parallelism } = argon2.parseOptions(hash);
    // The package's enum is ambient and const: 2 means argon2id.
    return algorithm !== 2 || memoryCost < memoryKiB || timeCost < passes || parallelism < lanes;
  }

  return {
    hash: (password, work) =>
      inSlot(() => argon2.hash(password, { memoryCost: memoryKiB, timeCost: passes, parallelism: lanes }), work),
    async verify(hash, password, work) {
      if (former !== undefined && !hash.startsWith("$argon2")) {
        return { ...(await former.verify(hash, password, work)), outdated: true };
      }
      const matches = await inSlot(() => argon2.verify(hash, password).catch(notArgon2), work);
      return { matches, outdated: isOutdated(hash) };
    },
  };
}

function notArgon2(cause: unknown): never {
  throw new LiveplaneError("InternalError", "The stored password hash isn't an argon2 hash.", { cause });
}

async function loadArgon2(): Promise<typeof import("@node-rs/argon2")> {
  try {
    return await import("@node-rs/argon2");
  } catch (cause) {
    const install = "The argon2 hasher needs the package @node-rs/argon2: npm install @node-rs/argon2@2";
    throw new LiveplaneError("ConfigurationInvalid", install, { cause });
  }
}
