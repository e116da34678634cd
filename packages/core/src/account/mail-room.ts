import { isLiveplaneError } from "../errors.ts";
import type { Settings } from "../host.ts";
import type { Mail, Mailer } from "../ports/identity.ts";
import type { Runtime } from "../ports/runtime.ts";
import { collection } from "../records/collection.ts";
import type { Change, Records, Stored } from "../records/records.ts";

/** What mails there are. `nothing` is queued and never sent: it makes the work for an unknown address that for a known one. */
export type MailKind = "activation" | "reset" | "email" | "taken" | "nothing";

/** A mail that waits to be sent, without its secret. */
export interface WaitingMail {
  readonly id: string;
  readonly to: string;
  readonly kind: MailKind;
  readonly handle: string | null;
  readonly attempts: number;
  /** Somebody is sending it until then, or it is not to be tried again before. */
  readonly claimedUntil: number;
}

const waiting = collection<WaitingMail>()("waiting-mail", { key: ({ id }) => [id] });

/** Mails that are queued in the change that they tell of, and sent once it is made, also after a crash. */
export interface MailRoom {
  queue(
    change: Change,
    mail: { readonly to: string; readonly kind: MailKind; readonly handle?: string },
  ): Stored<WaitingMail>;
  /** Sends what this process has queued. Cheap where it has queued nothing. */
  deliver(): Promise<void>;
  /** Sends all that waits, also of processes that are gone. */
  housekeep(): Promise<void>;
}

/** What the mail room needs. */
export interface MailRoomDeps {
  readonly records: Records;
  readonly runtime: Runtime;
  readonly settings: Pick<Settings, "challengeSeconds">;
  readonly mailer: Mailer;
  readonly credential: (handle: string) => Promise<string>;
}

const mostAttempts = 8;
const claimMs = 60_000;
const cause = { actor: "system", requestId: "mail" };

/** Builds the mail room. After a crash a mail may be sent twice; it is given up only after it has failed eight times. */
export function createMailRoom({ records, runtime, settings, mailer, credential }: MailRoomDeps): MailRoom {
  const { clock, logger } = runtime;
  /** What was queued here and may not be committed yet, with the time. */
  const queued = new Map<string, number>();
  let under: Promise<void> | null = null;
  let again = false;

  async function claim(id: string): Promise<WaitingMail | null> {
    return records.change(cause, async (change) => {
      const known = await change.get(waiting, [id]);
      if (known === null || known.claimedUntil > clock.now()) return null;
      return change.put(waiting, { ...known, claimedUntil: clock.now() + claimMs, attempts: known.attempts + 1 });
    });
  }

  async function send(mail: WaitingMail): Promise<boolean> {
    if (mail.kind === "nothing") return true;
    try {
      const secret = mail.handle === null ? null : await credential(mail.handle);
      await mailer.send(written(mail, secret, settings.challengeSeconds));
      return true;
    } catch (error) {
      // Neither text nor cause: a mailer's error may quote the mail.
      const code = isLiveplaneError(error) ? error.code : "InternalError";
      logger.warn({ kind: mail.kind, attempts: mail.attempts, code }, "A mail could not be sent.");
      return false;
    }
  }

  async function sendAll(): Promise<void> {
    try {
      while (again) {
        again = false;
        for (const { record } of await records.list(waiting, { limit: 100 })) {
          queued.delete(record.id);
          const mail = await claim(record.id);
          if (mail === null) continue;
          const done = (await send(mail)) || mail.attempts >= mostAttempts;
          if (done) await records.change(cause, (change) => change.delete(waiting, [mail.id]));
        }
      }
      for (const [id, time] of queued) if (time < clock.now() - claimMs) queued.delete(id);
    } catch (error) {
      logger.warn({ code: isLiveplaneError(error) ? error.code : "InternalError" }, "Mails wait.");
    } finally {
      // In one step with the last look at `again`: whoever asks from here on begins anew.
      under = null;
    }
  }

  function housekeep(): Promise<void> {
    again = true;
    under ??= sendAll();
    return under;
  }

  return {
    queue(change, { to, kind, handle }) {
      const id = runtime.newId();
      queued.set(id, clock.now());
      return change.put(waiting, { id, to, kind, handle: handle ?? null, attempts: 0, claimedUntil: 0 });
    },
    housekeep,
    deliver: async () => (queued.size > 0 || under !== null ? housekeep() : undefined),
  };
}

const letters: Readonly<Record<MailKind, readonly [subject: string, text: string]>> = {
  activation: [
    "Activate your account",
    "Somebody, probably you, registered this address. To activate the account, use this credential",
  ],
  reset: ["Set a new password", "Somebody, probably you, asked to set a new password. To do so, use this credential"],
  email: ["Confirm your new address", "To use this address for your account, confirm it with this credential"],
  taken: [
    "You have an account already",
    "Somebody asked to use this address. There is an account for it already; nothing was changed.",
  ],
  nothing: ["", ""],
};

function written({ to, kind }: WaitingMail, credential: string | null, seconds: number): Mail {
  const [subject, text] = letters[kind];
  if (credential === null) return { to, subject, text };
  const within = `within ${Math.max(1, Math.floor(seconds / 60))} minutes`;
  return { to, subject, text: `${text} ${within}:\n\n${credential}\n`, challenge: credential };
}
