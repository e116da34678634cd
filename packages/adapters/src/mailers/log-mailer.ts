import type { Mailer } from "@liveplane/core";
import { visible } from "@liveplane/core/errors";

/** Options of a mailer into the log. */
export interface LogMailerOptions {
  /** Where the lines go. @default standard error */
  readonly write?: (line: string) => void;
}

/**
 * Prints every mail, credential and all, for a developer at a terminal. Anyone who reads the output can use the credentials:
 * never where output is collected.
 */
export function logMailer({ write = (line) => void process.stderr.write(line) }: LogMailerOptions = {}): Mailer {
  return {
    async send({ to, subject, text }) {
      write(visible(`\n--- mail to ${to}: ${subject}\n${text}\n---\n`));
    },
  };
}
