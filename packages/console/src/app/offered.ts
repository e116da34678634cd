import type { Api } from "@liveplane/client";
import { useLoaded } from "./loaded.ts";
import { useWorkplace } from "./workplace.ts";

/** What the operators of a server have configured. */
export type Offered = Awaited<ReturnType<Api["sessions"]["methods"]>>;

/** What this server offers. `null` while that is unknown. */
export function useOffered(): Offered | null {
  const { api } = useWorkplace();
  const { loaded } = useLoaded({
    key: "offered",
    load: (signal) => api.sessions.methods({ signal }),
  });
  return loaded.value.value;
}
