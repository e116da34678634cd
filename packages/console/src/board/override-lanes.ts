import type { Api, LiveplaneEvent } from "@liveplane/client";

/** An open override, as the service lists it. */
export type BoardOverride = Awaited<ReturnType<Api["overrides"]["list"]>>["items"][number];

/** The lanes of the board, from an override's start to its end. */
export const lanes = ["taken", "awaiting", "requested", "missing"] as const;

export type Lane = (typeof lanes)[number];

type Standing = Pick<BoardOverride["component"], "status"> & {
  readonly override: Pick<BoardOverride["override"], "awaiting"> | { readonly heldBy: string } | null;
};

export function laneOf({ status, override }: Standing): Lane {
  const awaiting = override !== null && "awaiting" in override ? override.awaiting : null;
  if (awaiting === "redeploy") return "missing";
  if (status === "ReconcileRequested") return "requested";
  return awaiting === "reconcile-tag" ? "awaiting" : "taken";
}

/** A component's path within its live system. */
export function shortPath(componentId: string): string {
  return componentId.slice(componentId.indexOf("/") + 1);
}

/** The full name of an environment, as list filters use it. */
export function fullNameOf({ type, ownerId, shortName }: BoardOverride["environmentId"]): string {
  return `${type}/${ownerId}/${shortName}`;
}

/** The names of the differing parameters. */
export function driftOf({ outputFields }: Pick<BoardOverride["component"], "outputFields">): readonly string[] {
  const { drift } = outputFields;
  return typeof drift === "object" && drift !== null ? Object.keys(drift) : [];
}

/** Who has it, as far as anybody knows: the cloud's own record, whom the tag named, or the note's author, who is an ID. */
export function holderOf({ takenOverBy, claimedBy, said }: BoardOverride["override"]): string | null {
  return takenOverBy?.name ?? said?.owner ?? claimedBy;
}

/** The board's filters in the address. */
export interface BoardFilter {
  readonly words: string;
  readonly environment: string;
  readonly lane: string;
}

/** The matching overrides, in the given order: oldest first. */
export function fitting(
  all: readonly BoardOverride[],
  { words, environment, lane }: BoardFilter,
  named: (text: string) => string,
): readonly BoardOverride[] {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  return all.filter((listed) => {
    const { component, override, environmentId } = listed;
    if (environment !== "" && fullNameOf(environmentId) !== environment) return false;
    if (lane !== "" && laneOf({ ...component, override }) !== lane) return false;
    const text = wanted.length === 0 ? "" : searchText(listed, named);
    return wanted.every((word) => text.includes(word));
  });
}

function searchText({ component, override }: BoardOverride, named: (text: string) => string): string {
  const { reason, ticket, said } = override;
  const ids = [component.id, holderOf(override) ?? "", override.claimedBy ?? ""];
  const people = [...ids.map(named), said?.owner];
  const words = [component.id, component.type, ...people, reason, said?.reason, ticket, ...driftOf(component)];
  return words.join(" ").toLowerCase();
}

/** Whether an event may change the board. */
export function touchesBoard({ type }: Pick<LiveplaneEvent, "type">): boolean {
  return /^component\.(override\.|reconcile\.|moved|released|deleted|provisioned)/.test(type);
}
