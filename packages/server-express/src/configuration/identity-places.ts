import type { EnvironmentRef, IdentityPlace } from "@liveplane/core";
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
  const named = listedEnvironment(environment);
  const isWhole =
    (provider === "provider-a" || provider === "provider-b") && typeof target === "string" && target !== "";
  if (named === null || !isWhole || Object.keys(others).length > 0) return null;
  return { environment: named, provider, scope: target };
}

/** The environment that a text names: `Personal/<ownerId>/<shortName>`. */
export function listedEnvironment(text: unknown): EnvironmentRef | null {
  const [, type, ownerId = "", shortName = ""] =
    typeof text === "string" ? (/^(Personal|Organizational)\/([^/]+)\/([^/]+)$/.exec(text) ?? []) : [];
  return type === "Personal" || type === "Organizational" ? { type, ownerId: ownerId.toLowerCase(), shortName } : null;
}

/** Whether a listed environment is this one. */
export function isSameEnvironment(listed: EnvironmentRef, { type, ownerId, shortName }: EnvironmentRef): boolean {
  return listed.type === type && listed.ownerId === ownerId.toLowerCase() && listed.shortName === shortName;
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
  return places.some(
    ({ environment: own, ...place }) =>
      isSameEnvironment(own, environment) &&
      place.provider === provider &&
      place.scope.toLowerCase() === scope.toLowerCase(),
  );
}
