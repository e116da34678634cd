import { parentPort } from "node:worker_threads";
import { readSshKey, type SshKeyText } from "./ssh-key-reader.ts";

parentPort?.on("message", (key: SshKeyText) => parentPort?.postMessage(readSshKey(key)));
