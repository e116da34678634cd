import type { Api } from "@liveplane/core";

/** Whether a release may start: not while a person has taken over a part of the live system. */
export async function mayRelease(api: Api, id: string): Promise<boolean> {
  const held = { status: ["ManualOverride", "ReconcileRequested"], limit: 1 } as const;
  const { items } = await api.liveSystems.components.list({ id }, held);
  return items.length === 0;
}
