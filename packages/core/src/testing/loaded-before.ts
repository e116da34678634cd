/**
 * What a host loads when it is first asked for. To load takes time of the real world: where time is virtual all of it is waited for
 * before anything happens, and the first world goes the same way as the next.
 */
export const loadedBefore: Promise<unknown> = Promise.all([
  import("../identity/common-password-list.ts"),
  import("../organization-handlers.ts"),
  import("../override/operations/component-facts.ts"),
  import("../override/operations/live-system-handlers.ts"),
  import("../webhooks/delivering.ts"),
  import("../webhooks/webhooks.ts"),
]);
