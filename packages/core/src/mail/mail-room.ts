import { email } from "../contract/schemas/values.ts";
import { isLiveplaneError, LiveplaneError } from "../errors.ts";
import type { Claim } from "../records/claim.ts";
import { collection } from "../records/collection.ts";
import type { Change, Listed, Stored } from "../records/records.ts";
import { isResting } from "../records/rest.ts";
import type { Services } from "../services.ts";
import { type MailKind, writeMail } from "./mail-letters.ts";
import { longestRestMs, restAfter } from "./mail-rests.ts";

/** A queued mail, without its secret. */
export interface WaitingMail {
  readonly id: string;
  /** `null`: it goes to nobody. It exists so that an unknown address causes the same work as a known one. */
  readonly to: string | null;
  readonly kind: MailKind;
  readonly handle: string | null;
  readonly attempts: number;
  /** In epoch milliseconds, like `dueAt`. */
  readonly queuedAt: number;
  readonly dueAt: number;
  /** The claim of the process that is sending it. */
  readonly claim: Claim | null;
}

const waiting = collection<WaitingMail>()("mail", {
  key: ({ id }) => [id],
  indexes: { due: ({ dueAt }) => [[place(dueAt)]] },
});

export interface NewMail {
  readonly to: string | null;
  readonly kind: MailKind;
  readonly handle?: string;
}

/** Queues mails in the change that they report, and sends them after its commit, also after a crash. */
export interface MailRoom {
  queue(change: Change, mail: NewMail): Stored<WaitingMail>;
  /** Sends what this process has queued. Cheap if that is nothing. */
  deliver(): Promise<void>;
  /** Sends every due mail, including those of dead processes. */
  housekeep(): Promise<void>;
}

const atOnce = 100;
const soonMs = 60_000;
/** Longer than any live delivery takes. */
const longestSendMs = 180_000;
const cause = { actor: "system", requestId: "mail" };

/** Creates the mail room. After a crash a mail may be sent twice; it is dropped only after failing for a day. */
export function createMailRoom(
  deps: Pick<Services, "records" | "runtime" | "settings" | "claims" | "mailer" | "challenges">,
): MailRoom {
  const { clock, logger } = deps.runtime;
  const waitingMails = createMailQueue(deps);
  const send = createSender(deps);
  /** Mails queued here whose change may not be committed yet, and when, by the monotonic clock. */
  const queued = new Map<string, number>();
  let under: Promise<void> | null = null;
  let again = false;

  async function sendAll(): Promise<void> {
    try {
      while (again) {
        again = false;
        for (const { record } of await waitingMails.due()) {
          queued.delete(record.id);
          const mail = await waitingMails.claim(record.id);
          // There may be more than were listed.
          again = true;
          if (mail !== null) await waitingMails.settle(mail, { isSent: await send(mail) });
        }
      }
      for (const [id, time] of queued) if (time < clock.monotonic() - soonMs) queued.delete(id);
    } catch (error) {
      logger.warn(
        { code: isLiveplaneError(error) ? error.code : "InternalError" },
        "Mails could not be processed; they are retried later.",
      );
    } finally {
      // In the same turn as the last check of `again`, so that a later call starts a new run.
      under = null;
    }
  }

  function sendDue(): Promise<void> {
    again = true;
    under ??= sendAll();
    return under;
  }

  return {
    queue(change, mail) {
      const id = deps.runtime.newId();
      queued.set(id, clock.monotonic());
      return waitingMails.put(change, mail, id);
    },
    deliver: async () => (queued.size > 0 || under !== null ? sendDue() : undefined),
    housekeep: sendDue,
  };
}

/** The mails queued in the store. */
function createMailQueue({
  records,
  runtime,
  challenges,
  claims,
}: Pick<Services, "records" | "runtime" | "claims" | "challenges">) {
  const { clock, logger } = runtime;

  function put(change: Change, { to, kind, handle }: NewMail, id: string): Stored<WaitingMail> {
    const now = clock.now();
    return change.put(waiting, {
      id,
      to,
      kind,
      handle: handle ?? null,
      attempts: 0,
      queuedAt: now,
      dueAt: now,
      claim: null,
    });
  }

  /** Claims a mail and postpones it for other processes; `null` if it isn't due or no longer useful. */
  async function claim(id: string): Promise<WaitingMail | null> {
    return records.change(cause, async (change) => {
      const known = await change.get(waiting, [id]);
      const now = clock.now();
      if (known === null || isResting(known.dueAt, longestRestMs, now) || claims.hold(known.claim)) return null;
      const isLate = now - known.queuedAt > soonMs;
      const isOfUse = known.handle === null || (await challenges.prepare(change, known.handle, { isLate }));
      const attempts = known.attempts + 1;
      const restMs = restAfter(attempts);
      if (isOfUse && restMs !== null)
        return change.put(waiting, { ...known, attempts, dueAt: now + restMs, claim: claims.make() });
      if (isOfUse) logger.warn({ kind: known.kind, attempts }, "A mail was dropped after too many attempts.");
      change.delete(waiting, [id]);
      return null;
    });
  }

  /** Removes a sent mail. Releases an unsent one, so that any process may try again after a pause. */
  async function settle({ id, claim }: WaitingMail, { isSent }: { readonly isSent: boolean }): Promise<void> {
    await records.change(cause, async (change) => {
      if (isSent) return change.delete(waiting, [id]);
      const known = await change.get(waiting, [id]);
      if (known === null || known.claim?.id !== claim?.id) return;
      change.put(waiting, { ...known, claim: null, dueAt: clock.now() + (restAfter(known.attempts) ?? 0) });
    });
  }

  async function dueNow(): Promise<Listed<WaitingMail>[]> {
    const now = clock.now();
    const first = await records.list(waiting, { index: "due", limit: atOnce });
    const last = await records.list(waiting, { index: "due", after: [place(now + longestRestMs)], limit: atOnce });
    return [...first, ...last].filter(
      ({ record }) => !isResting(record.dueAt, longestRestMs, now) && !claims.hold(record.claim),
    );
  }

  return { put, claim, settle, due: dueNow };
}

/** Sends one mail. Returns whether it is finished: sent, or for an address that accepts no mail. */
function createSender({
  runtime,
  settings,
  mailer,
  challenges,
}: Pick<Services, "runtime" | "settings" | "mailer" | "challenges">) {
  const { clock, logger } = runtime;

  /** A mailer that doesn't respond must not delay other mails, so its attempt fails. */
  async function inTime(sending: Promise<void>): Promise<void> {
    const answered = new AbortController();
    const late = clock.sleep(longestSendMs, { signal: answered.signal }).then(() => {
      throw new LiveplaneError("Unavailable", "The mailer did not respond in time.");
    });
    await Promise.race([sending, late]).finally(() => answered.abort());
  }

  return async function send({ to, kind, handle, attempts }: WaitingMail): Promise<boolean> {
    // A mail server may read an address that our grammar rejects as a different one.
    if (to === null || !email.safeParse(to).success) return true;
    try {
      const { challengeSeconds: seconds, consoleUrl } = settings;
      const challenge = handle === null ? null : { credential: await challenges.credential(handle), seconds };
      await inTime(mailer.send(writeMail(to, kind, { challenge, consoleUrl })));
      return true;
    } catch (error) {
      // Neither message nor cause is logged: a mailer's error may quote the mail.
      const code = isLiveplaneError(error) ? error.code : "InternalError";
      logger.warn({ kind, attempts, code }, "A mail could not be sent.");
      return false;
    }
  };
}

/** An instant as a sortable key. */
function place(time: number): string {
  return String(time).padStart(16, "0");
}
