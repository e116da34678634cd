import type { Actor, Target, TokenScope } from "../contract/target.ts";
import type { LoggedEvent } from "../events/event-chain.ts";
import type { Heard } from "../events/event-log.ts";
import { ownerScope, scopeOfOwner } from "../events/event-owner.ts";
import type { Reader } from "../records/records.ts";
import type { Services } from "../services.ts";
import { scopeOfOrganization, type WebhookOwner, type WebhookRecord } from "./webhook-record.ts";

/** The state of an owner. A resting one gets no events until it is active again, and misses none. */
export type OwnerStanding = "acts" | "rests" | "gone";

/** What a webhook may report, at the time of the question. */
export interface WebhookSight {
  standing(reader: Reader, owner: WebhookOwner): Promise<OwnerStanding>;
  /** Whose events to read. */
  hears(owner: WebhookOwner): Promise<Heard>;
  /** Whether the owner may View an event's target, and know the team that it names. */
  sees(owner: WebhookOwner, event: LoggedEvent): Promise<boolean>;
  /** The organizations of the owner whose events a webhook leaves out, because they require a second factor. */
  leavesOut(webhook: WebhookRecord): Promise<string[]>;
  /** Whether the owner may View an existing thing. */
  may(owner: WebhookOwner, target: Target): Promise<boolean>;
}

/** All scopes but the operator's: what operators may see of other tenants must not go to an address that they name. */
const scopes: readonly TokenScope[] = ["accounts", "environments", "livesystems", "organizations", "subscriptions"];

/** An organization's Admins may View everything of the organization. */
export function createWebhookSight({
  standing,
  access,
  seesEvent,
  closedTo,
  scopeOf,
}: Pick<Services, "access"> & {
  readonly standing: WebhookSight["standing"];
  readonly seesEvent: (actor: Actor, event: LoggedEvent) => Promise<boolean>;
  /** The organizations of an actor that require a second factor of it. */
  readonly closedTo: (actor: Actor) => Promise<readonly string[]>;
  readonly scopeOf: (
    target: Target,
  ) => Promise<{ readonly type: "Personal" | "Organizational"; readonly id: string } | null>;
}): WebhookSight {
  /** It stands for a person but gives no second factor: an organization that requires one has webhooks of its own. */
  const actorOf = ({ id }: WebhookOwner): Actor => ({ kind: "account", accountId: id, scopes, hasSecondFactor: false });
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
    async leavesOut({ owner, environmentId, liveSystemId }) {
      if (owner.type === "Organization") return [];
      const within =
        liveSystemId === null ? environmentId?.ownerId : (await scopeOf({ kind: "liveSystem", id: liveSystemId }))?.id;
      const closed = await closedTo(actorOf(owner));
      return closed.filter((id) => id === (within ?? id));
    },
    async may(owner, target) {
      if (owner.type === "Account") return access.can(actorOf(owner), target, "View");
      const found = await scopeOf(target);
      return found?.type === "Organizational" && found.id === owner.id;
    },
  };
}
