/** The terminal and the machine, as commands see them. */
export interface CliHost {
  /** The words after the program's name. */
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The folder of the session file. */
  readonly folder: string;
  /** The width of the terminal. */
  readonly columns: number;
  /** Prints lines. Control characters in a line, newlines included, are made visible. */
  print(lines: string | readonly string[]): void;
  /** Prints to standard error, separate from the output. */
  say(lines: string | readonly string[]): void;
  ask(question: string): Promise<string>;
  /** Asks for a line without showing it. */
  askSecret(question: string): Promise<string>;
  readInput(): Promise<string>;
  /** Runs a program with additional variables; resolves with its exit code. */
  run(command: readonly string[], environment: Readonly<Record<string, string>>): Promise<number>;
  /** Opens an address in the person's browser. @default none: the address is printed */
  openPage?(address: string): void;
  /** Aborts when the person interrupts the program. */
  readonly signal: AbortSignal;
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}
