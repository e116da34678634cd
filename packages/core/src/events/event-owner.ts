import type { EnvironmentRef, EventTarget, Target } from "../contract/target.ts";
import type { Key } from "../ports/store.ts";

/** Whose an event is: a person's, an organization's, or the installation's. It never changes, unlike who may see the event. */
export type OwnerScope = Key;

/** The scope of what has neither a person nor an organization. */
export const installationScope: OwnerScope = ["installation"];

/** The scope of a person's or an organization's things. */
export function scopeOfOwner({ type, id }: { readonly type: EnvironmentRef["type"]; readonly id: string }): OwnerScope {
  return type === "Unknown" ? installationScope : [type.toLowerCase(), id.toLowerCase()];
}

/** Read off what the event is about. `null`: the first build's events about live systems and subscriptions don't say. */
export function ownerScope(about: EventTarget | Target): OwnerScope | null {
  switch (about.kind) {
    case "installation":
      return installationScope;
    case "account":
      return scopeOfOwner({ type: "Personal", id: about.accountId });
    case "organization":
    case "team":
      return scopeOfOwner({ type: "Organizational", id: about.organizationId });
    case "group":
    case "environment":
      return scopeOfOwner({ type: about.type, id: about.ownerId });
    case "liveSystem":
      return "environment" in about
        ? scopeOfOwner({ type: about.environment.type, id: about.environment.ownerId })
        : null;
    case "subscription":
      return "accountId" in about ? scopeOfOwner({ type: "Personal", id: about.accountId }) : null;
  }
}
