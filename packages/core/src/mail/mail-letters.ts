import type { Mail } from "../ports/identity.ts";

interface Letter {
  readonly subject: string;
  /** Followed by the credential, where the mail carries one. */
  readonly text: string;
}

const notYou =
  "If this wasn't you, ask for a new password at once: that ends every session and everything that is pending.";

const letters = {
  activation: {
    subject: "Activate your account",
    text: "Somebody, probably you, registered this address. To activate the account, use this credential",
  },
  reset: {
    subject: "Set a new password",
    text: "Somebody, probably you, asked to set a new password. To do so, use this credential",
  },
  email: {
    subject: "Confirm your new address",
    text: "To use this address for your account, confirm it with this credential",
  },
  taken: {
    subject: "You have an account already",
    text: "Somebody asked to use this address. There is an account for it already; nothing was changed.",
  },
  passwordChanged: {
    subject: "Your password was changed",
    text: `The password of your account was changed. ${notYou}`,
  },
  emailChanged: {
    subject: "Your address was changed",
    text: "Your account has left this address. If this wasn't you, tell those who operate this service at once.",
  },
  identityLinked: {
    subject: "Your account has a new way to sign in",
    text: `An identity at this service's OpenID provider was linked to your account: whoever has it can sign in. ${notYou}`,
  },
  secretIssued: {
    subject: "A service account of yours has a new secret",
    text: `A new secret was issued to a service account that belongs to your account. ${notYou}`,
  },
  webhookPaused: {
    subject: "A webhook was paused",
    text: "A webhook of yours was paused: its receiver took nothing for a day, or said that it is gone. Look which one it is among your webhooks, mend the receiver, and resume it: what is at most seven days old is sent then.",
  },
  locked: {
    subject: "Signing in is locked for a while",
    text: "Somebody tried to sign in to your account with wrong passwords. It is locked for some minutes, and nothing was changed.",
  },
} as const satisfies Readonly<Record<string, Letter>>;

/** What mails there are. */
export type MailKind = keyof typeof letters;

/** A challenge as it stands in a mail. */
export interface MailedChallenge {
  readonly credential: string;
  /** How long it can be used. */
  readonly seconds: number;
}

/** Writes a mail. No secret is in it but its challenge. */
export function writeMail(to: string, kind: MailKind, challenge: MailedChallenge | null): Mail {
  const { subject, text } = letters[kind];
  if (challenge === null) return { to, subject, text };
  const within = `within ${Math.max(1, Math.floor(challenge.seconds / 60))} minutes`;
  const { credential } = challenge;
  return { to, subject, text: `${text} ${within}:\n\n${credential}\n`, challenge: credential };
}

/** Whether this version writes such mails: a store may hold those of another. */
export function isMailKind(kind: string): kind is MailKind {
  return Object.hasOwn(letters, kind);
}
