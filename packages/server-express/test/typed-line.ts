import { runCli } from "../../client/src/cli/cli.ts";
import type { CliHost } from "../../client/src/cli/host.ts";

type Typed = Pick<CliHost, "environment" | "folder"> & Partial<CliHost>;

/** Runs a command line in this process, and keeps what it prints. */
export async function typedLine(line: string | readonly string[], host: Typed) {
  const [out, said]: [string[], string[]] = [[], []];
  const none = async () => "";
  const code = await runCli({
    args: typeof line === "string" ? line.split(" ") : line,
    columns: Number.POSITIVE_INFINITY,
    ...{ ask: none, askSecret: none, readInput: none, run: async () => 0 },
    signal: AbortSignal.timeout(30_000),
    sleep: () => new Promise((resolve) => setTimeout(resolve, 20)),
    ...host,
    print(lines) {
      out.push(...[lines].flat());
      host.print?.(lines);
    },
    say(lines) {
      said.push(...[lines].flat());
      host.say?.(lines);
    },
  });
  return { code, out: out.map((line) => `${line}\n`).join(""), said: said.join("\n") };
}
