import {
  type Cloud,
  type CloudCall,
  type CloudTarget,
  fitsWildcard,
  isObject,
  type JsonObject,
} from "@liveplane/core/clouds";
import type { AzureRequests } from "./azure-requests.ts";

const version = "2022-04-01";
const needed = ["Microsoft.Resources/subscriptions/resourceGroups/read", "Microsoft.Resources/tags/write"];

/** What the roles of the credentials permit in a resource group or subscription. */
async function rolesIn(sendTo: AzureRequests["sendTo"], { scope, container }: CloudTarget, call: CloudCall) {
  const group = container === undefined ? "" : `/resourceGroups/${encodeURIComponent(container)}`;
  const path = `/subscriptions/${encodeURIComponent(scope)}${group}/providers/Microsoft.Authorization/permissions`;
  const roles: JsonObject[] = [];
  for (let at: string | null = `${path}?api-version=${version}`; at !== null; ) {
    const { body } = await sendTo(scope, { method: "GET", at }, call);
    roles.push(...(Array.isArray(body.value) ? body.value.filter(isObject) : []));
    at = typeof body.nextLink === "string" && body.nextLink !== "" ? body.nextLink : null;
  }
  return roles;
}

/** Whether the credentials may read every type; `null`: Azure doesn't say. */
export async function readsEverything(
  { sendTo }: Pick<AzureRequests, "sendTo">,
  target: CloudTarget,
  call: CloudCall,
): Promise<boolean | null> {
  const roles = await rolesIn(sendTo, target, call).catch(() => null);
  return roles?.some((role) => permits(role, "*/read")) ?? null;
}

/** What the credentials may not do in a resource group or subscription, by what Azure says of their roles. */
export function azureRights({ sendTo }: Pick<AzureRequests, "sendTo">): NonNullable<Cloud["missingRights"]> {
  return async (types, target, call) => {
    const roles = await rolesIn(sendTo, target, call);
    const bare = types.map((type) => type.split("@", 1)[0] ?? type);
    const wanted = [...needed, ...bare.flatMap((type) => ["read", "write", "delete"].map((verb) => `${type}/${verb}`))];
    return wanted.filter((action) => !roles.some((role) => permits(role, action)));
  };
}

/** A role permits what one of its actions matches and none of its exceptions does. */
function permits({ actions, notActions }: JsonObject, action: string): boolean {
  return covers(actions, action) && !covers(notActions, action);
}

function covers(patterns: unknown, action: string): boolean {
  return Array.isArray(patterns) && patterns.some((one) => typeof one === "string" && fitsWildcard(action, one));
}
