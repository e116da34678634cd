import type { EnvironmentRef, EventTarget } from "../contract/target.ts";
import type { Key } from "../ports/store.ts";

/** The owner of an event: a person, an organization or the installation. Unlike who may see the event, it never changes. */
export type OwnerScope = Key;

/** The scope of events about neither a person nor an organization. */
const installationScope: OwnerScope = ["installation"];

/** The scope of a person or an organization. */
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
