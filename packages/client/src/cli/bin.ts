#!/usr/bin/env node
import { inspect } from "node:util";
import { runCli } from "./cli.ts";
import { processHost } from "./process-host.ts";

const host = processHost();
try {
  process.exitCode = await runCli(host);
} catch (failure) {
  host.say(inspect(failure).split("\n"));
  process.exitCode = 1;
}
