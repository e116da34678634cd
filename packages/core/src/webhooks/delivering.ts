import type { ShardedTask } from "../ports/scheduler.ts";
import { type CourierDeps, createCourier } from "./courier.ts";
import { createLookout, type LookoutDeps } from "./lookout.ts";
import { createSending, type SendingDeps } from "./sending.ts";
import { createReading, type WebhookReadingDeps } from "./webhook-reading.ts";

/** What delivering takes. */
export type DeliveringDeps = Omit<CourierDeps, "read" | "attempt"> &
  Omit<LookoutDeps, "read"> &
  WebhookReadingDeps &
  SendingDeps;

/** Builds what finds and sends messages. It loads apart, where a host sends any. */
export function createDelivering(deps: DeliveringDeps): Pick<ShardedTask, "shards" | "run"> {
  const read = createReading(deps);
  const lookout = createLookout({ ...deps, read });
  return { shards: lookout.waiting, run: lookout.once(createCourier({ ...deps, read, attempt: createSending(deps) })) };
}
