import { type Api, LiveplaneError, waitForMutation } from "@liveplane/client";
import { shortPath } from "../board/override-lanes.ts";
import { texts } from "../texts.ts";
import type { DeployedDefinition } from "./keep-changes.ts";

/** Whether a deploy or a deletion ended because another one began: it hasn't failed. */
export const isReplaced = ({ error }: { readonly error: { readonly code: string } | null }): boolean =>
  error?.code === "Superseded";

/** Deploys what was edited since this version, and waits. If the deploy fails, the error says where. */
export async function deployed(
  api: Api,
  id: string,
  { definition, version }: { readonly definition: DeployedDefinition; readonly version: string },
): Promise<void> {
  const begun = await api.liveSystems.deploy({ id }, definition, { ifMatch: version });
  const { error } = await waitForMutation(api, begun, { intervalMs: 500 });
  if (error === null) return;
  if (isReplaced({ error })) throw new LiveplaneError("InvalidState", texts.component.deployReplaced);
  const detail = texts.component.deployFailed(shortPath(error.componentId ?? ""), error.detail);
  throw new LiveplaneError("ProviderError", detail);
}
