/** The parts of the core that `@liveplane/simulator` uses. Internal: they change without notice. */
export { readableUnlessFaulty } from "../clouds/simulated/simulated-gate.ts";
export type { Call } from "../contract/handler.ts";
export type { EnvironmentDirectory } from "../environment/directory.ts";
export { createEventLog } from "../events/event-log.ts";
export { createOverride, type OverrideArea } from "../override/override-area.ts";
export { intervalScheduler } from "../ports/interval-scheduler.ts";
export { boundByOf } from "../ports/resource-type.ts";
export { webRuntime } from "../ports/web-runtime.ts";
export { createClaims } from "../records/claim.ts";
export { createRecords } from "../records/create-records.ts";
export { createPages } from "../records/pages.ts";
export { defaultSettings } from "../settings.ts";
export { createWebhookArea } from "../webhooks/create-webhooks.ts";
export { mulberry32, uuidOf } from "./fake-runtime.ts";
export { fakeSealer } from "./fake-secrets.ts";
export { taskTurns } from "./task-turns.ts";
