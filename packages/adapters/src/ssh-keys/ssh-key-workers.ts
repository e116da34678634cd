import { Worker } from "node:worker_threads";
import { LiveplaneError } from "@liveplane/core/errors";
import { abortedBy } from "../costly-work/fair-slots.ts";
import type { SshKeyReading, SshKeyText } from "./ssh-key-reader.ts";

/** Threads that read keys. The caller limits how many keys are read at once. */
export interface SshKeyWorkers {
  /** Settles when its thread is idle; an aborted one is stopped first. */
  read(key: SshKeyText, signal?: AbortSignal): Promise<SshKeyReading>;
}

export interface SshKeyWorkersOptions {
  /** A key that takes longer is abandoned. */
  readonly timeoutMs: number;
}

const file = import.meta.url.endsWith(".ts") ? "./ssh-key-worker.ts" : "./ssh-keys/ssh-key-worker.js";

/** Keeps started threads for the next key. A stopped or broken one is replaced when needed. */
export function createSshKeyWorkers({ timeoutMs }: SshKeyWorkersOptions): SshKeyWorkers {
  const idle = new Set<Worker>();

  function start(): Worker {
    const worker = new Worker(new URL(file, import.meta.url));
    worker.on("exit", () => idle.delete(worker));
    // Without a listener, the error of an idle thread would end the process.
    worker.on("error", () => idle.delete(worker));
    return worker;
  }

  function take(): Worker {
    const [worker = start()] = idle;
    idle.delete(worker);
    // The process stays alive while it works.
    worker.ref();
    return worker;
  }

  function giveBack(worker: Worker): void {
    worker.unref();
    idle.add(worker);
  }

  return {
    read(key, signal) {
      if (signal?.aborted) return Promise.reject(abortedBy(signal));
      const worker = take();
      return new Promise((resolve, reject) => {
        const stop = (reason: LiveplaneError) => {
          detach();
          void worker.terminate().then(() => reject(reason));
        };
        const leave = () => stop(abortedBy(signal));
        const timer = setTimeout(() => stop(tooSlow(timeoutMs)), timeoutMs);
        const answer = (reading: SshKeyReading) => {
          detach();
          giveBack(worker);
          resolve(reading);
        };
        const broke = (cause: unknown) => {
          detach();
          reject(brokenBy(cause));
        };
        const detach = () => {
          clearTimeout(timer);
          signal?.removeEventListener("abort", leave);
          worker.off("message", answer).off("error", broke).off("exit", broke);
        };
        signal?.addEventListener("abort", leave, { once: true });
        worker.on("message", answer).on("error", broke).on("exit", broke);
        worker.postMessage(key);
      });
    },
  };
}

function tooSlow(timeoutMs: number): LiveplaneError {
  const details = { retryAfterSeconds: Math.ceil(timeoutMs / 1000) };
  return new LiveplaneError("Unavailable", "Opening the key took too long. Try again later.", { details });
}

function brokenBy(cause: unknown): LiveplaneError {
  const code = cause instanceof Error ? Reflect.get(cause, "code") : undefined;
  return code === "ERR_MODULE_NOT_FOUND" || code === "MODULE_NOT_FOUND"
    ? new LiveplaneError("ConfigurationInvalid", "SSH keys need sshpk and bcrypt-pbkdf: install them.")
    : new LiveplaneError("InternalError", "The reader of SSH keys failed.");
}
