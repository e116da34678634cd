import type { AwsRole } from "@liveplane/adapters/aws-cloud";
import type { EnvironmentRef } from "@liveplane/core";
import { isSameEnvironment, listedEnvironment } from "./identity-places.ts";
import type { Read } from "./settings.ts";

/** Where an environment's resources go in AWS. */
export interface AwsPlacement {
  readonly environment: EnvironmentRef;
  readonly account: string;
  readonly region: string;
  /** The role that the server assumes in the account; `null` if its own identity is in the account. */
  readonly role: AwsRole | null;
}

/**
 * Reads a JSON list of `{"environment": "Personal/<ownerId>/<shortName>", "account": "123456789012", "region": "eu-central-1"}`, with `role`
 * (an ARN), `externalId` and `sessionTags` (texts by key) where the server assumes a role.
 */
export function readAwsPlaces(text: string): Read<readonly AwsPlacement[]> {
  const reason =
    "must be a JSON list of {environment: Type/ownerId/shortName, account, region, role, externalId, sessionTags}";
  try {
    const list: unknown = JSON.parse(text);
    const places = Array.isArray(list) ? list.map(placeIn) : [null];
    return places.includes(null) ? { reason } : { value: places.filter((place) => place !== null) };
  } catch {
    return { reason };
  }
}

function placeIn(entry: unknown): AwsPlacement | null {
  if (typeof entry !== "object" || entry === null) return null;
  const {
    environment: name,
    account,
    region,
    role = null,
    externalId,
    sessionTags,
    ...others
  } = entry as Readonly<Record<string, unknown>>;
  const environment = listedEnvironment(name);
  const isPlace = /^\d{12}$/.test(String(account)) && /^[a-z]{2}(-[a-z]+)+-\d+$/.test(String(region));
  const isRole =
    role === null
      ? externalId === undefined && sessionTags === undefined
      : new RegExp(`^arn:[^:]+:iam::${account}:role/`).test(String(role));
  const isText = externalId === undefined || typeof externalId === "string";
  const areTags = sessionTags === undefined || isTexts(sessionTags);
  if (environment === null || !isPlace || !isRole || !isText || !areTags || Object.keys(others).length > 0) return null;
  return {
    environment,
    account: String(account),
    region: String(region),
    role:
      role === null
        ? null
        : { arn: String(role), ...(externalId !== undefined && { externalId }), ...(sessionTags && { sessionTags }) },
  };
}

function isTexts(value: unknown): value is Readonly<Record<string, string>> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  return Object.values(value).every((one) => typeof one === "string");
}

/** The place of an environment; `undefined` if it has none. */
export function awsPlaceOf(places: readonly AwsPlacement[], environment: EnvironmentRef): AwsPlacement | undefined {
  return places.find((place) => isSameEnvironment(place.environment, environment));
}
