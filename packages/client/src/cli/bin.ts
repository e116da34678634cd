#!/usr/bin/env node
import { inspect } from "node:util";
import { runCli } from "./cli.ts";
import { processHost } from "./process-host.ts";

try {
  process.exitCode = await runCli(processHost());
} catch (failure) {
  process.stderr.write(`${inspect(failure)}\n`);
  process.exitCode = 1;
}
