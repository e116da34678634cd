/** What a person does in the cloud and the agent only sees. Differences change with the declaration, too. */
const types = /^component\.(override\.(started|awaiting)|reconcile\.(requested|withdrawn))$/;

/** Whether an event reports what a person did in the cloud, though its actor is the agent. */
export function isSeenByAgent(event: { readonly actor?: unknown; readonly type?: unknown }): boolean {
  return event.actor === "agent" && types.test(String(event.type));
}
