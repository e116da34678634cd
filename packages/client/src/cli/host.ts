/** The terminal and the machine, as a command sees them. */
export interface CliHost {
  /** Behind the program's name. */
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The folder of the session file. */
  readonly folder: string;
  /** How wide it is. */
  readonly columns: number;
  /** Prints a line, or several. Control characters in a line, newlines included, are made visible. */
  print(lines: string | readonly string[]): void;
  /** Prints to standard error, apart from the output. */
  say(lines: string | readonly string[]): void;
  ask(question: string): Promise<string>;
  /** Asks for a line that shows nowhere. */
  askSecret(question: string): Promise<string>;
  readInput(): Promise<string>;
  /** Runs a program with more in its environment; resolves with its exit code. */
  run(command: readonly string[], environment: Readonly<Record<string, string>>): Promise<number>;
  /** Shows an address in the person's browser. @default there is none: the person is told the address */
  openPage?(address: string): void;
  /** Fires when the person has had enough. */
  readonly signal: AbortSignal;
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** What a command line that can't be understood ends with, in words for anyone who typed it. */
export class UsageError extends Error {}
