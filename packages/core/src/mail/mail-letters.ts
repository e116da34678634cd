import type { Mail } from "../ports/identity.ts";

interface Letter {
  readonly subject: string;
  /** Followed by the challenge, if the mail contains one. */
  readonly text: string;
}

const notYou = "If this wasn't you, reset your password now. That ends all sessions and cancels all pending requests.";

const letters = {
  activation: {
    subject: "Activate your account",
    text: "An account was registered with this address, by you or by somebody who invites you. To activate it, use this code",
  },
  reset: {
    subject: "Set a new password",
    text: "A new password was requested for your account. If you requested it, set one with this code",
  },
  email: {
    subject: "Confirm your new address",
    text: "To use this address for your account, confirm it with this code",
  },
  taken: {
    subject: "You already have an account",
    text: "Somebody tried to use this address for an account. It already belongs to your account, and nothing was changed.",
  },
  passwordChanged: {
    subject: "Your password was changed",
    text: `The password of your account was changed. ${notYou}`,
  },
  emailChanged: {
    subject: "Your address was changed",
    text: "Your account no longer uses this address. If this wasn't you, contact the operators of this service now.",
  },
  identityLinked: {
    subject: "A new way to sign in was added to your account",
    text: `An identity at this service's OpenID provider was linked to your account and can now be used to sign in. ${notYou}`,
  },
  factorsChanged: {
    subject: "The second factors of your account changed",
    text: "A second factor of your account was added or removed, or new recovery codes were issued. If this wasn't you, reset your password now and contact the operators of this service.",
  },
  recoveryCodeUsed: {
    subject: "A recovery code of your account was used",
    text: `Somebody signed in to your account with one of its recovery codes. ${notYou}`,
  },
  secretIssued: {
    subject: "Your service account has a new secret",
    text: `A new secret was issued to your service account. ${notYou}`,
  },
  webhookPaused: {
    subject: "A webhook was paused",
    text: "One of your webhooks was paused because its endpoint failed for a day or answered 410 Gone. Find it under Webhooks, fix the endpoint and resume it. Events that are at most seven days old are then sent.",
  },
  locked: {
    subject: "Your account is temporarily locked",
    text: "Somebody tried to sign in to your account with wrong passwords or codes. It is locked for some minutes. Nothing was changed.",
  },
} as const satisfies Readonly<Record<string, Letter>>;

export type MailKind = keyof typeof letters;

export interface MailedChallenge {
  readonly credential: string;
  /** The lifetime of the challenge. */
  readonly seconds: number;
}

/** What a mail says besides its letter. */
interface MailContext {
  readonly challenge: MailedChallenge | null;
  /** The console's address; empty if there is none. */
  readonly consoleUrl: string;
}

/** Writes a mail. Its only secret is the challenge. */
export function writeMail(to: string, kind: MailKind, { challenge, consoleUrl }: MailContext): Mail {
  const { subject, text } = letters[kind];
  if (challenge === null) return { to, subject, text };
  const within = `within ${Math.max(1, Math.floor(challenge.seconds / 60))} minutes`;
  const { credential } = challenge;
  // Whoever is invited may never have heard of the service. In these words the console asks for the code.
  const where =
    consoleUrl === "" ? "Enter it where you sign in." : `Open ${consoleUrl} and choose "I have a code from a mail".`;
  const place = kind === "activation" ? `\n${where}\n` : "";
  return { to, subject, text: `${text} ${within}:\n\n${credential}\n${place}`, challenge: credential };
}
