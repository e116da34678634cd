import type { Actor, Target, TokenScope } from "../contract/target.ts";
import type { LoggedEvent } from "../events/event-chain.ts";
import type { Heard } from "../events/event-log.ts";
import { ownerScope, scopeOfOwner } from "../events/event-owner.ts";
import type { Reader } from "../records/records.ts";
import type { Services } from "../services.ts";
import { scopeOfOrganization, type WebhookOwner } from "./webhook-record.ts";

/** Where an owner is: one that rests learns of nothing until it acts again, and misses nothing by it. */
export type OwnerStanding = "acts" | "rests" | "gone";

/** What a webhook may report, at the moment at which it is asked. */
export interface WebhookSight {
  standing(reader: Reader, owner: WebhookOwner): Promise<OwnerStanding>;
  /** Whose events to read. */
  hears(owner: WebhookOwner): Promise<Heard>;
  /** Whether the owner may View what an event is about, and know the team that it names. */
  sees(owner: WebhookOwner, event: LoggedEvent): Promise<boolean>;
  /** Whether the owner may View something that is there. */
  may(owner: WebhookOwner, target: Target): Promise<boolean>;
}

/** All but the operator's: what operators may follow of other tenants is for their own eyes, and not for an address that they name. */
const scopes: readonly TokenScope[] = ["accounts", "environments", "livesystems", "organizations", "subscriptions"];

/** Builds the judgement of what webhooks may tell. An organization's Admins may View all that is the organization's. */
export function createWebhookSight({
  standing,
  access,
  seesEvent,
  scopeOf,
}: Pick<Services, "access"> & {
  readonly standing: WebhookSight["standing"];
  readonly seesEvent: (actor: Actor, event: LoggedEvent) => Promise<boolean>;
  readonly scopeOf: (
    target: Target,
  ) => Promise<{ readonly type: "Personal" | "Organizational"; readonly id: string } | null>;
}): WebhookSight {
  const actorOf = ({ id }: WebhookOwner): Actor => ({ kind: "account", accountId: id, scopes });
  return {
    standing,
    async hears(owner) {
      if (owner.type === "Organization") return [scopeOfOrganization(owner)];
      const { everything, owners } = await access.hears(actorOf(owner));
      return everything ? [] : owners.map(scopeOfOwner);
    },
    async sees(owner, event) {
      if (owner.type === "Account") return seesEvent(actorOf(owner), event);
      return ownerScope(event.about).join("/") === scopeOfOrganization(owner).join("/");
    },
    async may(owner, target) {
      if (owner.type === "Account") return access.can(actorOf(owner), target, "View");
      const found = await scopeOf(target);
      return found?.type === "Organizational" && found.id === owner.id;
    },
  };
}
