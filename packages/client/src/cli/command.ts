import type { Arguments, FlagKinds } from "./arguments.ts";
import type { Connection } from "./connection.ts";
import type { CliHost } from "./host.ts";

export interface CommandCall extends Connection {
  readonly host: CliHost;
  readonly given: Arguments;
}

/** A command that people type. */
export interface Command {
  /** What is after its name, for the usage. */
  readonly takes: string;
  readonly summary: string;
  readonly flags?: FlagKinds;
  /** How many words it takes, at least and at most. */
  readonly words: readonly [number, number];
  /** Resolves with the exit code. */
  run(call: CommandCall): Promise<number>;
}

/** What the exit codes say: 0 all is well, 1 the service refused or something failed, 2 the command line can't be understood. */
export const exitCodes = { done: 0, failed: 1, misused: 2, drift: 3 } as const;
