import type { Services } from "./services.ts";

interface Startable {
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** The lifecycle of a control plane in this process. */
export interface ProcessLife extends Startable {
  /** Ends streams, and lets running work finish. */
  drain(): Promise<void>;
  isRunning(): boolean;
}

/** Creates the lifecycle of a control plane. */
export function createProcessLife(
  deps: Pick<Services, "store" | "scheduler" | "log"> & {
    readonly requireKeys: () => Promise<void>;
    readonly deliverMail: () => Promise<void>;
    readonly housekeeping: Startable;
    readonly agent: Startable;
    readonly initializations: Pick<Startable, "stop">;
    readonly webhooks: Startable;
    readonly stopping: AbortController;
  },
): ProcessLife {
  const { store, scheduler, log, stopping, housekeeping, agent, initializations, webhooks } = deps;
  let running = false;

  async function drain(): Promise<void> {
    stopping.abort();
    // Even if nothing was started: somebody may have asked for a check, which writes.
    running = false;
    await Promise.all([agent.stop(), initializations.stop(), webhooks.stop(), housekeeping.stop()]);
  }

  return {
    isRunning: () => running,
    drain,
    async start() {
      if (running) return;
      running = true;
      await deps.requireKeys().catch((error: unknown) => {
        running = false;
        throw error;
      });
      log.wake();
      await housekeeping.start();
      await agent.start();
      await webhooks.start();
    },
    async stop() {
      await drain();
      await scheduler.close?.();
      await deps.deliverMail();
      await log.sequence();
      await store.close();
    },
  };
}
