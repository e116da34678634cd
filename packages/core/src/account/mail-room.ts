import type { Mail, Mailer } from "../ports/identity.ts";
import type { Runtime } from "../ports/runtime.ts";
import { collection } from "../records/collection.ts";
import type { Change, Records } from "../records/records.ts";

/** What mails there are. */
export type MailKind = "activation" | "reset" | "email" | "taken";

/** A mail that waits to be sent, without its secret. */
interface WaitingMail {
  readonly id: string;
  readonly to: string;
  readonly kind: MailKind;
  readonly handle: string | null;
  readonly attempts: number;
}

const waiting = collection<WaitingMail>()("waiting-mail", { key: ({ id }) => [id] });

/** Mails that are queued in the change that they tell of, and sent once it is made, also after a crash. */
export interface MailRoom {
  queue(change: Change, mail: { readonly to: string; readonly kind: MailKind; readonly handle?: string }): void;
  /** Sends what waits; called after commits, and now and then. */
  deliver(): Promise<void>;
}

/** What the mail room needs. */
export interface MailRoomDeps {
  readonly records: Records;
  readonly runtime: Runtime;
  readonly mailer: Mailer;
  readonly credential: (handle: string) => Promise<string>;
}

const mostAttempts = 8;

/** Builds the mail room. A mail may be sent twice after a crash, never not at all until it has failed eight times. */
export function createMailRoom({ records, runtime, mailer, credential }: MailRoomDeps): MailRoom {
  let under: Promise<void> | null = null;
  let again = false;

  async function send(mail: WaitingMail): Promise<boolean> {
    try {
      await mailer.send(written(mail, mail.handle === null ? null : await credential(mail.handle)));
      return true;
    } catch (cause) {
      runtime.logger.warn({ kind: mail.kind, attempts: mail.attempts + 1, cause }, "A mail could not be sent.");
      return false;
    }
  }

  async function sendAll(): Promise<void> {
    while (again) {
      again = false;
      for (const { record } of await records.list(waiting, { limit: 100 })) {
        const sent = await send(record);
        await records.change({ actor: "system", requestId: "mail" }, async (change) => {
          const known = await change.get(waiting, [record.id]);
          if (known === null) return;
          if (sent || known.attempts + 1 >= mostAttempts) change.delete(waiting, [record.id]);
          else change.put(waiting, { ...known, attempts: known.attempts + 1 });
        });
      }
    }
  }

  return {
    queue(change, { to, kind, handle }) {
      change.put(waiting, { id: runtime.newId(), to, kind, handle: handle ?? null, attempts: 0 });
    },
    deliver() {
      again = true;
      under ??= sendAll()
        .catch((cause) => runtime.logger.warn({ cause }, "Mails wait: the store failed."))
        .finally(() => {
          under = null;
        });
      return under;
    },
  };
}

const letters: Readonly<Record<MailKind, readonly [subject: string, text: string]>> = {
  activation: ["Activate your account", "Somebody, probably you, registered this address. To activate the account, use this credential within the hour:"],
  reset: ["Set a new password", "Somebody, probably you, asked to set a new password. To do so, use this credential within the hour:"],
  email: ["Confirm your new address", "To use this address for your account, confirm it with this credential within the hour:"],
  taken: ["You have an account already", "Somebody tried to register this address. There is an account for it already; nothing was changed."],
};

function written({ to, kind }: WaitingMail, credential: string | null): Mail {
  const [subject, text] = letters[kind];
  return credential === null ? { to, subject, text } : { to, subject, text: `${text}\n\n${credential}\n`, challenge: credential };
}
