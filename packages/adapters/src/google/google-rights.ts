import type { CloudCall, CloudTarget } from "@liveplane/core/clouds";
import { LiveplaneError } from "@liveplane/core/errors";
import type { SendToGoogle } from "./google-reads.ts";
import { encoded } from "./google-requests.ts";

/** What every role has that lets somebody see a project. Rights to the kinds of resources differ, and a deploy tells them. */
const needed = ["resourcemanager.projects.get"];

/** Throws unless the credentials may see a project. */
export async function googleRights(send: SendToGoogle, { scope }: CloudTarget, call: CloudCall): Promise<void> {
  const path = `/v1/projects/${encoded(scope)}:testIamPermissions`;
  const body = { permissions: needed };
  const { permissions } = await send("cloudresourcemanager", { method: "POST", path, body, changes: false }, call);
  const held = Array.isArray(permissions) ? permissions : [];
  if (needed.every((one) => held.includes(one))) return;
  const details = { reason: "PERMISSION_DENIED" };
  throw new LiveplaneError("ProviderError", `The credentials lack ${needed.join(" and ")}.`, {
    retryable: false,
    details,
  });
}
