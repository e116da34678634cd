/** An environment's full name. */
export interface EnvironmentRef {
  readonly type: "Personal" | "Organizational" | "Unknown";
  readonly ownerId: string;
  readonly shortName: string;
}

/** Reduces an object to the environment's name. */
export function environmentRef({ type, ownerId, shortName }: EnvironmentRef): EnvironmentRef {
  return { type, ownerId, shortName };
}

/** An environment's name as one string: `Type/ownerId/shortName`. */
export function environmentName({ type, ownerId, shortName }: EnvironmentRef): string {
  return `${type}/${ownerId}/${shortName}`;
}

/** A resource group's full name. */
export interface GroupRef {
  readonly type: "Personal" | "Organizational";
  readonly ownerId: string;
  readonly shortName: string;
}

/** A group's name as one string: `Type/ownerId/shortName`. */
export function groupPath({ type, ownerId, shortName }: GroupRef): string {
  return `${type}/${ownerId}/${shortName}`;
}

/** Splits a group's name that its schema has validated; uuids are in lower case. */
export function parseGroupName(name: string): GroupRef {
  const [type, ownerId = "", shortName = ""] = name.split("/");
  return { type: type === "Personal" ? type : "Organizational", ownerId: ownerId.toLowerCase(), shortName };
}

/** What a permission can be held on, and what an event is about. */
export type Target =
  | { readonly kind: "installation" }
  | { readonly kind: "account"; readonly accountId: string }
  | { readonly kind: "organization"; readonly organizationId: string }
  | { readonly kind: "team"; readonly organizationId: string; readonly shortName: string }
  | ({ readonly kind: "group" } & GroupRef)
  | ({ readonly kind: "environment" } & EnvironmentRef)
  | { readonly kind: "liveSystem"; readonly id: string }
  | { readonly kind: "subscription"; readonly id: string };

/** The target of an event, with its container where the target's own name doesn't tell the owner. */
export type EventTarget =
  | Exclude<Target, { readonly kind: "liveSystem" | "subscription" }>
  | { readonly kind: "liveSystem"; readonly id: string; readonly environment: EnvironmentRef }
  | { readonly kind: "subscription"; readonly id: string; readonly accountId: string };

/** The caller, after its credential was verified. */
export type Actor =
  | { readonly kind: "anonymous" }
  /** A person. `sessionId` is absent if a host vouches for them in process. `scopes` absent: all. */
  | {
      readonly kind: "account";
      readonly accountId: string;
      readonly sessionId?: string;
      readonly scopes?: readonly TokenScope[];
      /** `false` for a sign-in without one, which organizations may refuse. Absent: the host vouches for it. */
      readonly hasSecondFactor?: boolean;
    }
  /** A service account with the grants of its principal or, with `environment`, exactly its role there. */
  | {
      readonly kind: "serviceAccount";
      readonly principalId: string;
      readonly sessionId?: string;
      readonly scopes?: readonly TokenScope[];
      readonly environment?: EnvironmentRef;
    }
  /** The holder of a mailed challenge, with the whole bearer value. */
  | { readonly kind: "challenge"; readonly credential: string }
  /** liveplane itself or the host that embeds it, which may do everything. */
  | { readonly kind: "system"; readonly name: string };

/** What a token may be used for. */
export type TokenScope = "accounts" | "environments" | "livesystems" | "organizations" | "subscriptions" | "operator";

/** The name of an actor in records, events and audit entries. */
export function actorName(actor: Actor): string {
  switch (actor.kind) {
    case "anonymous":
      return "anonymous";
    case "account":
      return actor.accountId;
    case "serviceAccount":
      return actor.principalId;
    case "challenge":
      return "challenge";
    case "system":
      return actor.name;
  }
}
