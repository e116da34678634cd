import type { Api } from "@liveplane/client";
import { createContext } from "preact";
import { useLoaded } from "../app/loaded.ts";
import { rightsIn } from "../app/own-rights.ts";
import { useWorkplace } from "../app/workplace.ts";

/** Whether whoever looks at a component may change its live system. Parts leave out what would be refused. */
export const MayEdit = createContext(true);

/** The same for a page. While unknown it says yes: the service decides anyway. */
export function useMayEdit(livesystemId: string): boolean {
  const { api } = useWorkplace();
  const { loaded } = useLoaded({
    key: `rights ${livesystemId}`,
    load: (signal) => mayEdit(api, livesystemId, signal),
    isTouchedBy: ({ type }) => type.startsWith("permission.") || type.startsWith("team."),
  });
  return loaded.value.value ?? true;
}

/** Whether the signed-in person may change a live system. */
export async function mayEdit(api: Api, id: string, signal: AbortSignal): Promise<boolean> {
  const { environmentId, resourceGroupId } = await api.liveSystems.get({ id }, { signal });
  const groups = resourceGroupId === null ? [] : [resourceGroupId.shortName];
  return (await rightsIn(api, { ...environmentId, groups })).includes("Edit");
}
