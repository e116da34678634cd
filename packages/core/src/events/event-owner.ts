import type { EnvironmentRef, EventTarget } from "../contract/target.ts";
import type { Key } from "../ports/store.ts";

/** The owner of an event: a person's, an organization's, or the installation's. It never changes, unlike who may see the event. */
export type OwnerScope = Key;

/** The scope of what has neither a person nor an organization. */
const installationScope: OwnerScope = ["installation"];

/** The scope of a person's or an organization's things. */
export function scopeOfOwner({ type, id }: { readonly type: EnvironmentRef["type"]; readonly id: string }): OwnerScope {
  return type === "Unknown" ? installationScope : [type.toLowerCase(), id.toLowerCase()];
}

export function ownerScope(about: EventTarget): OwnerScope {
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
      return scopeOfOwner({ type: about.environment.type, id: about.environment.ownerId });
    case "subscription":
      return scopeOfOwner({ type: "Personal", id: about.accountId });
  }
}
