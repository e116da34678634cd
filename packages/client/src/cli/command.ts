import type { Arguments, FlagKinds } from "./arguments.ts";
import type { Connection } from "./connection.ts";
import type { CliHost } from "./host.ts";

export interface CommandCall extends Connection {
  readonly host: CliHost;
  readonly given: Arguments;
}

/** A command. */
export interface Command {
  /** What follows its name, for the usage. */
  readonly takes: string;
  readonly summary: string;
  readonly flags?: FlagKinds;
  /** The least and the most words that it takes. */
  readonly words: readonly [number, number];
  /** Resolves with the exit code. */
  run(call: CommandCall): Promise<number>;
}

/** A command that needs no sign-in. */
export interface SignInlessCommand extends Pick<Command, "takes" | "summary"> {
  /** Resolves with the exit code. */
  run(host: CliHost, args: readonly string[]): Promise<number>;
}

/** The exit codes: 0 success, 1 refused or failed, 2 wrong usage. */
export const exitCodes = { done: 0, failed: 1, misused: 2, drift: 3 } as const;
