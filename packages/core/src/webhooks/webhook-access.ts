import { invalid } from "../contract/invalid.ts";
import type { WebhookUpdate } from "../contract/schemas/webhook-schemas.ts";
import type { Actor, Target } from "../contract/target.ts";
import { LiveplaneError } from "../errors.ts";
import type { WebhookSender } from "../ports/webhook-sender.ts";
import type { Reader, Stored } from "../records/records.ts";
import type { Services } from "../services.ts";
import { turnedOff } from "../turned-off.ts";
import { type WebhookOwner, type WebhookRecord, webhooks } from "./webhook-record.ts";

/** The caller, and the webhook or owner that the call is about. */
export interface WebhookCall {
  readonly actor: Actor;
  readonly params: { readonly organizationId?: string; readonly webhookId?: string };
}

/** The owner of the webhooks that a call is about. Throws `NotFound` if the owner is gone. */
export async function requireOwner(
  deps: Pick<Services, "accountOf" | "sight">,
  reader: Reader,
  { actor, params }: WebhookCall,
): Promise<WebhookOwner> {
  const { organizationId } = params;
  const accountId = organizationId === undefined ? await deps.accountOf(reader, actor) : null;
  if (organizationId === undefined && accountId === null)
    throw new LiveplaneError("PermissionDenied", "Only people can do this. Sign in with your own account.");
  const type = organizationId === undefined ? "Account" : "Organization";
  const owner: WebhookOwner = { type, id: organizationId ?? accountId ?? "" };
  if ((await deps.sight.standing(reader, owner)) === "gone") throw new LiveplaneError("NotFound");
  return owner;
}

/** A webhook of its owner; another owner's counts as missing. */
export async function requireWebhook(
  deps: Pick<Services, "accountOf" | "sight">,
  reader: Reader,
  call: WebhookCall,
): Promise<Stored<WebhookRecord>> {
  const { type, id } = await requireOwner(deps, reader, call);
  const record = await reader.get(webhooks, [call.params.webhookId ?? ""]);
  if (record === null || record.owner.type !== type || record.owner.id !== id) throw new LiveplaneError("NotFound");
  return record;
}

/** The sender of webhooks. Throws `FeatureDisabled` if the host has none. */
export function requireSender({ sender }: Pick<Services, "sender">): WebhookSender {
  if (sender === null) throw turnedOff("Webhooks are turned off.", "webhookSender");
  return sender;
}

/** Refuses an address that this host doesn't send to. */
export function requireAddress(deps: Pick<Services, "sender">, url: string): void {
  const detail = requireSender(deps).refusalOf(url);
  if (detail !== null) throw invalid([{ pointer: "#/url", code: "Forbidden", detail }]);
}

/** A webhook's filter must name something its owner can see: a wrong name would silently match nothing. */
export async function requireVisible(
  { sight }: Pick<Services, "sight">,
  owner: WebhookOwner,
  { livesystemId, environmentId }: Pick<WebhookUpdate, "livesystemId" | "environmentId">,
): Promise<void> {
  const named: [string, Target | null][] = [
    ["livesystemId", livesystemId ? { kind: "liveSystem", id: livesystemId } : null],
    ["environmentId", environmentId ? { kind: "environment", ...environmentId } : null],
  ];
  for (const [member, target] of named) {
    if (target === null || (await sight.may(owner, target))) continue;
    const detail = "The webhook's owner can't view it, or it doesn't exist.";
    throw invalid([{ pointer: `#/${member}`, code: "Enum", detail }]);
  }
}
