import type { Webhook } from "../contract/schemas/webhook-schemas.ts";
import { nowText } from "../encoding.ts";
import type { Runtime } from "../ports/runtime.ts";
import type { Change, Stored } from "../records/records.ts";
import { aboutOwner, type WebhookOwner, type WebhookRecord, webhooks } from "./webhook-record.ts";

/** What pausing takes. */
export interface PausingDeps {
  readonly runtime: Pick<Runtime, "clock">;
  /** Mails to whoever looks after the webhooks of an owner, once the change is made. */
  readonly mailOwner: (change: Change, owner: WebhookOwner) => Promise<void>;
}

/** Pauses a webhook whose receiver takes nothing: with an event, and a mail to those who can mend it. */
export async function pauseWebhook(
  { runtime, mailOwner }: PausingDeps,
  change: Change,
  known: Stored<WebhookRecord>,
  because: NonNullable<Webhook["pausedBecause"]>,
): Promise<void> {
  if (known.status === "Paused") return;
  const pausedAt = nowText({ runtime });
  change.put(webhooks, {
    ...{ ...known, status: "Paused", pausedAt, pausedBecause: because },
    ...{ updatedAt: pausedAt, updatedBy: "liveplane" },
  });
  change.emit({ type: "webhook.paused", subject: known.id, about: aboutOwner(known.owner), data: { because } });
  await mailOwner(change, known.owner);
}
