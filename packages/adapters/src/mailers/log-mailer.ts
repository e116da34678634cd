import type { Mailer } from "@liveplane/core";
import { visible } from "@liveplane/core/errors";

/** Options of a mailer into the log. */
export interface LogMailerOptions {
  /** Where the lines go. @default standard error */
  readonly write?: (line: string) => void;
}

/**
 * Prints every mail with its credential, for a developer at a terminal. Whoever reads the output can use the credentials, so never use it
 * where output is collected.
 */
export function logMailer({ write = (line) => void process.stderr.write(line) }: LogMailerOptions = {}): Mailer {
  return {
    async send({ to, subject, text }) {
      write(visible(`\n--- mail to ${to}: ${subject}\n${text}\n---\n`));
    },
  };
}
