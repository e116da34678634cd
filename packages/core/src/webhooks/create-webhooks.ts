import type { Handlers } from "../contract/handler.ts";
import type { Actor } from "../contract/target.ts";
import { isLiveplaneError } from "../errors.ts";
import type { EventLog } from "../events/event-log.ts";
import { sealedStock } from "../keys/rotation.ts";
import type { Runtime } from "../ports/runtime.ts";
import type { RunningTask, Scheduler } from "../ports/scheduler.ts";
import type { SealedStock, Sealer } from "../ports/secrets.ts";
import type { WebhookSender } from "../ports/webhook-sender.ts";
import type { Claims } from "../records/claim.ts";
import type { Pages } from "../records/pages.ts";
import type { Change, Reader, Records } from "../records/records.ts";
import type { Settings } from "../settings.ts";
import { createDelivering } from "./delivering.ts";
import type { SendingDeps } from "./sending.ts";
import { sealedWebhooks, type WebhookOwner } from "./webhook-record.ts";
import { createWebhookSight, type WebhookSightDeps } from "./webhook-sight.ts";
import { createWebhooks } from "./webhooks.ts";

/** What webhooks need from outside. */
export interface WebhookAreaDeps extends WebhookSightDeps, Pick<SendingDeps, "factsOf" | "nameOf"> {
  readonly records: Records;
  readonly pages: Pages;
  readonly runtime: Runtime;
  readonly settings: Pick<Settings, "consoleUrl">;
  readonly sealer: Sealer;
  readonly claims: Claims;
  readonly scheduler: Scheduler;
  readonly log: Pick<EventLog, "sequence" | "head" | "read" | "batch" | "kept">;
  /** Left out: nothing is sent, and no webhook can be made. */
  readonly sender?: WebhookSender;
  readonly accountOf: (reader: Reader, actor: Actor) => Promise<string | null>;
  readonly mailOwner: (change: Change, owner: WebhookOwner) => Promise<void>;
}

/** Webhooks: their operations, and who sends what they are told. */
export interface WebhookArea {
  readonly handlers: Handlers<"accounts.webhooks"> & Handlers<"organizations.webhooks">;
  /** Begins to send. */
  start(): Promise<void>;
  /** Begins nothing more; what is on its way is broken off, and sent again by whoever is there next. */
  stop(): Promise<void>;
  /** What they keep sealed. */
  readonly sealed: readonly SealedStock[];
}

const name = "webhooks";
/** How often events to send are looked for. */
const everyMs = 3_000;

/** Builds webhooks. */
export function createWebhookArea(deps: WebhookAreaDeps): WebhookArea {
  const { scheduler, runtime, sender } = deps;
  const sight = createWebhookSight(deps);
  let running: RunningTask | null = null;
  const wake = (webhookId: string): void => {
    scheduler.enqueue({ task: name, shard: webhookId }).catch((error: unknown) => {
      const code = isLiveplaneError(error) ? error.code : "InternalError";
      runtime.logger.warn({ webhookId, code }, "A webhook could not be woken; it is found at the next look.");
    });
  };
  return {
    handlers: createWebhooks({ ...deps, sight, sender: sender ?? null, wake }),
    sealed: [sealedStock(deps, sealedWebhooks)],
    async start() {
      if (running !== null || sender === undefined) return;
      running = await scheduler.start({
        name,
        lane: "people",
        everyMs,
        ...createDelivering({ ...deps, sight, sender }),
      });
    },
    async stop() {
      await running?.stop();
      running = null;
    },
  };
}
