import { Worker } from "node:worker_threads";
import type { SshKeyFacts, SshKeys } from "@liveplane/core";
import { LiveplaneError } from "@liveplane/core/errors";
import { createLimiter } from "./limiter.ts";
import { readEnvelope } from "./ssh-key-envelope.ts";
import type { SshKeyReading, SshKeyText } from "./ssh-key-reader.ts";

/** Options of the reader of SSH keys. */
export interface NodeSshKeysOptions {
  /** How many keys are opened at once. @default 2 */
  readonly atOnce?: number;
  /** A key that takes longer is given up: one of 256 rounds takes some seconds, more on a busy machine. @default 30000 */
  readonly timeoutMs?: number;
}

/** Reads SSH private keys. What is slow (opening an encrypted one) is done in a worker, few at once, and not for ever. */
export function nodeSshKeys({ atOnce = 2, timeoutMs = 30_000 }: NodeSshKeysOptions = {}): SshKeys {
  const limited = createLimiter(atOnce);
  return {
    async inspect(privateKey, passphrase): Promise<SshKeyFacts> {
      const { format, encrypted, text } = readEnvelope(privateKey);
      if (encrypted && (passphrase === null || passphrase === ""))
        throw new LiveplaneError("SshPassphraseRequired", "The key is encrypted: send its passphrase along.");
      const reading = await limited(() => inWorker({ format, encrypted, text, passphrase }, timeoutMs));
      if (!reading.ok) throw new LiveplaneError(reading.code, reading.detail);
      const { ok: _ok, ...facts } = reading;
      return { ...facts, hasPassphrase: encrypted };
    },
  };
}

function inWorker(workerData: SshKeyText, timeoutMs: number): Promise<SshKeyReading> {
  const file = import.meta.url.endsWith(".ts") ? "./ssh-key-worker.ts" : "./ssh-key-worker.js";
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL(file, import.meta.url), { workerData });
    const timer = setTimeout(() => {
      void worker.terminate();
      reject(new LiveplaneError("InvalidSshPrivateKey", "The key takes too long to open."));
    }, timeoutMs);
    worker.once("message", resolve);
    worker.once("error", (cause) => reject(missingParser(cause)));
    worker.once("exit", () => clearTimeout(timer));
  });
}

function missingParser(cause: Error): LiveplaneError {
  const missing = ["ERR_MODULE_NOT_FOUND", "MODULE_NOT_FOUND"].includes(Reflect.get(cause, "code"));
  return missing
    ? new LiveplaneError("ConfigurationInvalid", "SSH keys need sshpk and bcrypt-pbkdf: install them.")
    : new LiveplaneError("InternalError", "The reader of SSH keys failed.");
}
