import type { Api, LiveplaneEvent } from "@liveplane/client";

/** An open override, as the service lists it. */
export type BoardOverride = Awaited<ReturnType<Api["overrides"]["list"]>>["items"][number];

/** The lanes of the board, from an override's start to its end. */
export const lanes = ["taken", "awaiting", "requested", "missing"] as const;

export type Lane = (typeof lanes)[number];

type Standing = Pick<BoardOverride["component"], "status"> & {
  readonly override: Pick<BoardOverride["override"], "awaiting"> | { readonly heldBy: string } | null;
};

/** The lane of a component. @internal */
export function laneOf({ status, override }: Standing): Lane {
  const awaiting = override !== null && "awaiting" in override ? override.awaiting : null;
  if (awaiting === "redeploy") return "missing";
  if (status === "ReconcileRequested") return "requested";
  return awaiting === "reconcile-tag" ? "awaiting" : "taken";
}

/** The lane of a listed override. */
export function laneOfListed({ component, override }: Pick<BoardOverride, "component" | "override">): Lane {
  return laneOf({ ...component, override });
}

/** A component's path within its live system. */
export function shortPath(componentId: string): string {
  return componentId.slice(componentId.indexOf("/") + 1);
}

/** The full name of an environment, as list filters use it. */
export function fullNameOf({ type, ownerId, shortName }: BoardOverride["environmentId"]): string {
  return `${type}/${ownerId}/${shortName}`;
}

/** How these environments are named beside each other: with their owner where two have the same short name. */
export function tellingApart(
  places: readonly BoardOverride["environmentId"][],
  named: (ownerId: string) => string,
): (place: BoardOverride["environmentId"]) => string {
  const ownersOf = new Map<string, Set<string>>();
  for (const place of places) {
    const owners = ownersOf.get(place.shortName) ?? new Set();
    ownersOf.set(place.shortName, owners.add(place.ownerId));
  }
  return ({ ownerId, shortName }) =>
    (ownersOf.get(shortName)?.size ?? 0) > 1 ? `${shortName} (${named(ownerId)})` : shortName;
}

/** A differing place with both values. */
export interface ChangedPlace {
  readonly place: string;
  readonly declared: unknown;
  readonly actual: unknown;
  readonly isMuted: boolean;
}

/**
 * The differing places, as deep as both sides have members: `/siteConfig/minWorkers` rather than all of `/siteConfig`. Of a resource that is
 * gone, nothing differs: it has no values.
 */
export function changedPlaces({
  outputFields,
  conditions,
  muteDrift,
}: Pick<BoardOverride["component"], "outputFields" | "conditions" | "muteDrift">): ChangedPlace[] {
  if (conditions.exists.value === false) return [];
  const drift = Object.entries(outputFields.drift ?? {}) as [string, { declared: unknown; actual: unknown }][];
  return drift.flatMap(([name, { declared, actual }]) => {
    const isMuted = muteDrift.includes(name);
    return placesBetween(`/${escaped(name)}`, declared, actual).map((one) => ({ ...one, isMuted }));
  });
}

function placesBetween(place: string, declared: unknown, actual: unknown): Omit<ChangedPlace, "isMuted">[] {
  if (!isMap(declared) || !isMap(actual)) return [{ place, declared, actual }];
  const isSame = (name: string) => JSON.stringify(declared[name]) === JSON.stringify(actual[name]);
  return Object.keys(declared)
    .filter((name) => !isSame(name))
    .flatMap((name) => placesBetween(`${place}/${escaped(name)}`, declared[name], actual[name]));
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A member's name in a JSON pointer. */
export function escaped(name: string): string {
  return name.replaceAll("~", "~0").replaceAll("/", "~1");
}

/** Who has it, as far as anybody knows: the cloud's own record, whom the tag named, or the note's author, who is an ID. */
export function holderOf({ takenOverBy, claimedBy, said }: BoardOverride["override"]): string | null {
  return takenOverBy?.name ?? said?.owner ?? claimedBy;
}

/** Why it was taken over, by a note or the tags. */
export function whyTaken({ reason, said }: BoardOverride["override"]): string | null {
  return reason ?? said?.reason ?? null;
}

/** How long an override has lasted, for its colour and for groups: under a day, under a week, or longer. */
export type AgeGroup = "day" | "week" | "longer";

const dayMs = 86_400_000;

export function ageGroupOf(since: string, now: number): AgeGroup {
  const age = now - Date.parse(since);
  if (age < dayMs) return "day";
  return age < 7 * dayMs ? "week" : "longer";
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
    if (environment !== "" && fullNameOf(listed.environmentId) !== environment) return false;
    if (lane !== "" && laneOfListed(listed) !== lane) return false;
    const text = wanted.length === 0 ? "" : searchText(listed, named);
    return wanted.every((word) => text.includes(word));
  });
}

function searchText({ component, override }: BoardOverride, named: (text: string) => string): string {
  const { ticket, said, reason } = override;
  const ids = [component.id, holderOf(override) ?? "", override.claimedBy ?? ""];
  const people = [...ids, said?.owner ?? ""].map(named);
  const places = changedPlaces(component).map(({ place }) => place);
  return [component.id, component.type, ...people, reason, said?.reason, ticket, ...places].join(" ").toLowerCase();
}

/** Whether an event may change the board. */
export function touchesBoard({ type }: Pick<LiveplaneEvent, "type">): boolean {
  return /^component\.(override\.|reconcile\.|moved|released|deleted|provisioned)/.test(type);
}
