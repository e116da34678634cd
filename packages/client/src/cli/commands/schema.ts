import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { UsageError } from "../../usage-error.ts";
import { takeFlags } from "../arguments.ts";
import { typeSchemasIn, withTypes } from "../aws-members.ts";
import { exitCodes } from "../command.ts";
import type { CliHost } from "../host.ts";

/** Prints the JSON Schema of a declaration file, from the package. Asks no service. */
export async function schema(host: CliHost, args: readonly string[]): Promise<number> {
  const { words, text } = await takeFlags(args, { schemas: { type: "string" } });
  if (words.length > 0) throw new UsageError("Usage: liveplane schema [--schemas <folder>] > declaration.schema.json");
  // By the package's own name, because the file's relative place differs between sources and build.
  const file = createRequire(import.meta.url).resolve("@liveplane/client/declaration.schema.json");
  const own = (await readFile(file, "utf8")).trimEnd();
  const folder = text("schemas");
  const whole =
    folder === undefined ? own : JSON.stringify(withTypes(JSON.parse(own), await typeSchemasIn(folder)), null, 2);
  host.print(whole.split("\n"));
  return exitCodes.done;
}
