import type { Mailer } from "@liveplane/core";
import { LiveplaneError } from "@liveplane/core/errors";

/** Options of a mailer over SMTP. */
export interface SmtpMailerOptions {
  /** `smtp://user:password@host:587` or `smtps://…`. The query holds nodemailer's options: `?requireTLS=true`. */
  readonly url: string;
  readonly from: string;
  /** How long each step of a delivery may take. @default 15000 */
  readonly timeoutMs?: number;
}

/** Sends mail over SMTP, by nodemailer. */
export async function smtpMailer({ url, from, timeoutMs = 15_000 }: SmtpMailerOptions): Promise<Mailer> {
  if (!/^smtps?:\/\//.test(url) || !URL.canParse(url)) {
    throw new LiveplaneError("ConfigurationInvalid", "url: an SMTP address is smtp://… or smtps://…");
  }
  const { createTransport } = await loadNodemailer();
  const timeouts = { connectionTimeout: timeoutMs, greetingTimeout: timeoutMs, socketTimeout: timeoutMs };
  // Mails are written only here: nothing in them may make nodemailer read a file or fetch a URL.
  const closed = { disableFileAccess: true, disableUrlAccess: true };
  const transport = createTransport({ url, ...timeouts, ...closed });
  return {
    async send({ to, subject, text }) {
      try {
        await transport.sendMail({ from, to: { name: "", address: to }, subject, text });
      } catch (error) {
        throw new LiveplaneError("Unavailable", `The mail server rejected the mail: ${reasonOf(error)}.`);
      }
    },
  };
}

/** Nodemailer's errors quote the connection, so only their code is passed on. */
function reasonOf(error: unknown): string {
  const { code, responseCode } = error as { code?: unknown; responseCode?: unknown };
  return (
    [code, responseCode].filter((part) => typeof part === "string" || typeof part === "number").join(" ") || "unknown"
  );
}

async function loadNodemailer(): Promise<typeof import("nodemailer")> {
  try {
    return await import("nodemailer");
  } catch (cause) {
    const install = "The SMTP mailer needs the package nodemailer: npm install nodemailer@10";
    throw new LiveplaneError("ConfigurationInvalid", install, { cause });
  }
}
