#!/usr/bin/env node
import { runProgram } from "./program.ts";

process.exitCode = await runProgram({ args: process.argv.slice(2), environment: process.env });
