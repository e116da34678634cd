import type { Handlers } from "../contract/handler.ts";
import type { Actor, Target } from "../contract/target.ts";
import { isLiveplaneError } from "../errors.ts";
import type { LoggedEvent } from "../events/event-chain.ts";
import { sealedStock } from "../keys/rotation.ts";
import type { RunningTask } from "../ports/scheduler.ts";
import type { SealedStock } from "../ports/secrets.ts";
import type { WebhookSender } from "../ports/webhook-sender.ts";
import type { Services } from "../services.ts";
import { createDelivering } from "./delivering.ts";
import { sealedWebhooks } from "./webhook-record.ts";
import { createWebhookSight, type WebhookSight } from "./webhook-sight.ts";
import { createWebhooks } from "./webhooks.ts";

/** Webhooks: their operations, and sending their messages. */
export interface WebhookArea {
  readonly handlers: Handlers<"accounts.webhooks"> & Handlers<"organizations.webhooks">;
  /** Starts to send. */
  start(): Promise<void>;
  /** Starts nothing more; an interrupted delivery is sent again by the next process. */
  stop(): Promise<void>;
  readonly sealed: readonly SealedStock[];
}

const name = "webhooks";
/** How often events to send are looked for. */
const everyMs = 3_000;

export function createWebhookArea(
  deps: Pick<
    Services,
    | "records"
    | "pages"
    | "runtime"
    | "settings"
    | "sealer"
    | "scheduler"
    | "claims"
    | "log"
    | "access"
    | "accountOf"
    | "factsOf"
    | "nameOf"
    | "mailOwner"
  > & {
    readonly standing: WebhookSight["standing"];
    readonly seesEvent: (actor: Actor, event: LoggedEvent) => Promise<boolean>;
    readonly closedTo: (actor: Actor) => Promise<readonly string[]>;
    readonly scopeOf: (
      target: Target,
    ) => Promise<{ readonly type: "Personal" | "Organizational"; readonly id: string } | null>;
    readonly sender?: WebhookSender;
  },
): WebhookArea {
  const { scheduler, runtime, sender } = deps;
  const sight = createWebhookSight(deps);
  let running: RunningTask | null = null;
  const wake = (webhookId: string): void => {
    scheduler.enqueue({ task: name, shard: webhookId }).catch((error: unknown) => {
      const code = isLiveplaneError(error) ? error.code : "InternalError";
      runtime.logger.warn({ webhookId, code }, "A webhook couldn't be woken. The next check will find it.");
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
