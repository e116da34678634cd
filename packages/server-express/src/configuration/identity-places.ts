import type { IdentityPlace } from "@liveplane/core";
import type { Read } from "./settings.ts";

/**
 * Reads where environments may use the server's own identity: a JSON list of `{"environment": "Personal/<ownerId>/<shortName>", "provider":
 * "provider-a", "target": "<subscription or project>"}`.
 */
export function readIdentityPlaces(text: string): Read<readonly IdentityPlace[]> {
  const reason =
    "must be a JSON list of {environment: Type/ownerId/shortName, provider: provider-a or provider-b, target}";
  const list = jsonOf(text);
  if (!Array.isArray(list)) return { reason };
  const places = list.map(placeIn);
  return places.some((place) => place === null) ? { reason } : { value: places.filter((place) => place !== null) };
}

function placeIn(entry: unknown): IdentityPlace | null {
  if (typeof entry !== "object" || entry === null) return null;
  const { environment, provider, target, ...others } = entry as Readonly<Record<string, unknown>>;
  const named =
    typeof environment === "string" ? /^(Personal|Organizational)\/([^/]+)\/([^/]+)$/.exec(environment) : null;
  const isWhole =
    (provider === "provider-a" || provider === "provider-b") && typeof target === "string" && target !== "";
  if (named === null || !isWhole || Object.keys(others).length > 0) return null;
  const [, type, ownerId = "", shortName = ""] = named;
  return {
    environment: { type: type as "Personal" | "Organizational", ownerId: ownerId.toLowerCase(), shortName },
    provider,
    scope: target,
  };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}

/** Whether a place is in the list; subscriptions and projects are compared without case. */
export function servesPlace(
  places: readonly IdentityPlace[],
  { environment, provider, scope }: IdentityPlace,
): boolean {
  const { type, ownerId, shortName } = environment;
  return places.some(
    ({ environment: own, ...place }) =>
      own.type === type &&
      own.ownerId === ownerId.toLowerCase() &&
      own.shortName === shortName &&
      place.provider === provider &&
      place.scope.toLowerCase() === scope.toLowerCase(),
  );
}
