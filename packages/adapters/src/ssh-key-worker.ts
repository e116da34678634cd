import { parentPort, workerData } from "node:worker_threads";
import { readSshKey, type SshKeyText } from "./ssh-key-reader.ts";

parentPort?.postMessage(readSshKey(workerData as SshKeyText));
