import { toInstant } from "../encoding.ts";
import type { LoggedEvent } from "../events/event-chain.ts";
import type { EventLog } from "../events/event-log.ts";
import type { Runtime } from "../ports/runtime.ts";
import type { Claim, Claims } from "../records/claim.ts";
import type { Change, Records } from "../records/records.ts";
import { type DeliveryRecord, deliveries, forgottenAt, newDelivery, webhookProgress } from "./delivery-record.ts";
import type { DeliveryVerdict, FailedDelivery, Positions } from "./delivery-rules.ts";
import { type PausingDeps, pauseWebhook } from "./pausing.ts";
import { type WebhookRecord, webhooks } from "./webhook-record.ts";
import type { WebhookSight } from "./webhook-sight.ts";
import { removeWebhook } from "./webhooks.ts";

/** What an errand takes. */
export interface ErrandDeps extends PausingDeps {
  readonly records: Records;
  readonly runtime: Runtime;
  readonly claims: Claims;
  readonly log: Pick<EventLog, "read">;
  readonly sight: Pick<WebhookSight, "standing">;
}

/** The right of one process to send what a webhook has to be sent, and what came of it so far. */
export interface Errand {
  positions: Positions;
  /** Fires when the errand is over: its lease ended, another process has it, or the webhook is to be paused. */
  readonly signal: AbortSignal;
  /** The webhook as it is now; `null`: it is gone. */
  webhook(): Promise<WebhookRecord | null>;
  delivered(event: LoggedEvent, verdict: DeliveryVerdict): void;
  failed(event: LoggedEvent, verdict: DeliveryVerdict, held: FailedDelivery): void;
  /** The owner may not see it any more. */
  withhold(event: LoggedEvent): void;
  /** What became of a delivery that was asked for. */
  settleAsked(delivery: DeliveryRecord, outcome: Partial<DeliveryRecord>): void;
  /** Writes down what came of it, and so keeps the right to go on. */
  save(): Promise<void>;
  /** Saves where the last time is so long ago that others could take it for given up. */
  saveNowAndThen(): Promise<void>;
  /** Saves, and lets go. */
  end(): Promise<void>;
}

const cause = { actor: "liveplane", requestId: "webhooks" };

/** What is to be written of a delivery, given what is there. `null`: nothing. */
type Touch = (known: DeliveryRecord | null) => DeliveryRecord | null;

/** What an errand has to write down. */
interface Unsaved {
  readonly touches: Map<string, Touch>;
  pauseBecause: NonNullable<WebhookRecord["pausedBecause"]> | null;
}

/** More deliveries than this aren't left unsaved. */
const mostUnsaved = 100;

/** Builds errands. What was sent and isn't saved when a process dies is sent again: at least once, and in the same order. */
export function createErrands(deps: ErrandDeps): {
  /** `null`: another process has it, or there is nobody to tell. */
  begin(webhookId: string, ending: AbortSignal): Promise<Errand | null>;
} {
  const { records, claims, sight } = deps;
  return {
    async begin(webhookId, ending) {
      const begun = await records.change(cause, async (change) => {
        const [known, progress] = await change.getPair([webhooks, [webhookId]], [webhookProgress, [webhookId]]);
        if (known === null || progress === null || claims.hold(progress.claim)) return null;
        const standing = await sight.standing(change, known.owner);
        if (standing === "gone") await removeWebhook(change, known);
        if (standing !== "acts") return null;
        return change.put(webhookProgress, { ...progress, claim: claims.make() });
      });
      return begun === null ? null : errandOf(deps, begun, ending);
    },
  };
}

function errandOf(
  deps: ErrandDeps,
  { webhookId, claim: first, through, queues }: { webhookId: string; claim: Claim | null } & Positions,
  ending: AbortSignal,
): Errand {
  const { records, runtime, claims } = deps;
  const { clock } = runtime;
  const stop = new AbortController();
  const unsaved: Unsaved = { touches: new Map(), pauseBecause: null };
  let claim: Claim | null = first;
  let [savedAt, isLost] = [clock.monotonic(), false];
  let saving: Promise<void> = Promise.resolve();

  async function write(next: Claim | null): Promise<void> {
    if (isLost) return;
    const positions = errand.positions;
    const touches = [...unsaved.touches];
    const { pauseBecause } = unsaved;
    const isMine = await records.change(cause, async (change) => {
      const [known, progress] = await change.getPair([webhooks, [webhookId]], [webhookProgress, [webhookId]]);
      if (known === null || progress === null || progress.claim?.id !== claim?.id) return false;
      change.put(webhookProgress, { ...progress, ...positions, claim: next });
      await putDeliveries(change, webhookId, touches, clock.now());
      if (pauseBecause !== null) await pauseWebhook(deps, change, known, pauseBecause);
      return true;
    });
    if (!isMine) {
      isLost = true;
      return stop.abort();
    }
    for (const [id, touch] of touches) if (unsaved.touches.get(id) === touch) unsaved.touches.delete(id);
    [claim, savedAt] = [next, clock.monotonic()];
  }

  const save = (next: () => Claim | null): Promise<void> => {
    saving = saving.then(() => write(next()));
    return saving;
  };

  const errand: Errand = {
    positions: { through, queues },
    signal: AbortSignal.any([ending, stop.signal]),
    webhook: async () => (isLost ? null : records.get(webhooks, [webhookId])),
    delivered(event, { answerStatus }) {
      unsaved.touches.set(event.id, (known) => ({
        ...tried(known ?? newDelivery(webhookId, event), clock.now()),
        ...{ status: "Delivered", nextTryAt: null, answerStatus, failure: null },
      }));
    },
    failed(event, verdict, { attempts, nextTryAt }) {
      const isGone = verdict.kind === "gone";
      unsaved.touches.set(event.id, (known) => ({
        ...tried(known ?? newDelivery(webhookId, event), clock.now()),
        ...{ status: "Waiting", attempts, answerStatus: verdict.answerStatus, failure: wordOf(verdict) },
        nextTryAt: isGone || nextTryAt === null ? null : toInstant(nextTryAt),
      }));
      if (!isGone && nextTryAt !== null) return;
      unsaved.pauseBecause = isGone ? "Gone" : "Failing";
      stop.abort();
    },
    withhold(event) {
      const wasTried = errand.positions.queues.some(({ after }) => after === event.sequence - 1);
      if (!wasTried) return;
      unsaved.touches.set(event.id, (known) => known && { ...known, status: "Withheld", nextTryAt: null });
    },
    settleAsked(delivery, outcome) {
      unsaved.touches.set(delivery.id, (known) => {
        const { askedAt, ...rest } = known ?? delivery;
        // Asked for once more meanwhile: that is still to be done.
        return { ...tried(rest, clock.now()), ...outcome, askedAt: askedAt === delivery.askedAt ? null : askedAt };
      });
    },
    save: () => save(claims.make),
    async saveNowAndThen() {
      const isLong = clock.monotonic() - savedAt >= claims.renewMs;
      if (isLong || unsaved.touches.size >= mostUnsaved) await save(claims.make);
    },
    end: () => save(() => null),
  };
  return errand;
}

/** Why it wasn't taken, in a word; `null`: it was. */
export function wordOf(verdict: DeliveryVerdict): string | null {
  if (verdict.kind === "failed") return verdict.failure;
  return verdict.kind === "gone" ? "Gone" : null;
}

function tried<T extends Omit<DeliveryRecord, "askedAt">>(delivery: T, now: number): T {
  return { ...delivery, attempts: delivery.attempts + 1, triedAt: toInstant(now), touchedAt: toInstant(now) };
}

async function putDeliveries(
  change: Change,
  webhookId: string,
  touches: readonly (readonly [string, Touch])[],
  now: number,
): Promise<void> {
  const known = await change.getMany(
    deliveries,
    touches.map(([id]) => [webhookId, id]),
  );
  for (const [at, [, touch]] of touches.entries()) {
    const next = touch(known[at] ?? null);
    if (next !== null) change.put(deliveries, next, forgottenAt(now));
  }
}
