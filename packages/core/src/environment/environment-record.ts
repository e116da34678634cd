import type { Containers } from "../access/access.ts";
import type { EventType } from "../contract/event-types.ts";
import type { Environment } from "../contract/schemas/environment-schemas.ts";
import { type EnvironmentRef, environmentName } from "../contract/target.ts";
import { LiveplaneError } from "../errors.ts";
import type { Json } from "../ports/store.ts";
import { collection } from "../records/collection.ts";
import type { Change, NewEvent, Reader, Stored } from "../records/records.ts";

/** The state of the latest initialization run in one cloud. */
export interface InitializationSummary {
  readonly runId: string;
  readonly status: "InProgress" | "Completed" | "Failed" | "Cancelled";
  readonly target: string;
  readonly region: string | null;
  readonly completedAt: string | null;
}

export interface EnvironmentRecord {
  readonly id: EnvironmentRef;
  /** New at each creation and restoration. Contents are keyed by it, so nothing of a deleted environment comes back. */
  readonly incarnation: string;
  readonly managementEnvironmentId: EnvironmentRef | null;
  readonly name: string | null;
  readonly resourceGroups: readonly string[];
  readonly parameters: Readonly<Record<string, Json>>;
  /** As the clouds write these IDs. */
  readonly resourceScopes: readonly string[];
  readonly defaultCiCdProfileShortName: string | null;
  readonly initializations: Readonly<Record<string, InitializationSummary>>;
  readonly deletedAt: number | null;
  readonly createdAt: string;
  readonly createdBy: string;
  readonly updatedAt: string;
  readonly updatedBy: string;
}

const live = (record: EnvironmentRecord, ...keys: string[][]) => (record.deletedAt === null ? keys : []);

/** All environments; deleted ones stay until they are purged. */
export const environments = collection<EnvironmentRecord>()("environment", {
  key: ({ id: { type, ownerId, shortName } }) => [type, ownerId, shortName],
  indexes: {
    byShortName: (record) => live(record, [record.id.shortName]),
    ofOwner: (record) => live(record, [record.id.type, record.id.ownerId, record.id.shortName]),
    byGroup: (record) =>
      live(record, ...record.resourceGroups.map((group) => [group.toLowerCase(), record.id.shortName])),
    deleted: ({ deletedAt }) => (deletedAt === null ? [] : [[String(deletedAt).padStart(16, "0")]]),
  },
});

export function environmentKey({ type, ownerId, shortName }: EnvironmentRef): string[] {
  return [type, ownerId, shortName];
}

/** The environment if it exists and isn't deleted. Called very often, so it isn't async (see `records/reader.ts`). */
export function findEnvironment(
  reader: Pick<Reader, "get">,
  environment: EnvironmentRef,
): Promise<Stored<EnvironmentRecord> | null> {
  return reader.get(environments, environmentKey(environment)).then(ifLive);
}

function ifLive(record: Stored<EnvironmentRecord> | null): Stored<EnvironmentRecord> | null {
  return record === null || record.deletedAt !== null ? null : record;
}

/** The environment, or `NotFound`. */
export async function requireEnvironment(
  reader: Reader,
  environment: EnvironmentRef,
): Promise<Stored<EnvironmentRecord>> {
  const record = await findEnvironment(reader, environment);
  if (record === null) throw new LiveplaneError("NotFound");
  return record;
}

/** What an environment is in, as far as rights flow down. */
export function containersOf({ id, resourceGroups }: EnvironmentRecord): Containers {
  const type = id.type === "Organizational" ? "Organizational" : "Personal";
  return { owner: { type, id: id.ownerId }, groups: resourceGroups };
}

/** The status of an environment, from its latest run in each cloud. A cancelled run counts as none. */
export function environmentStatus(
  initializations: EnvironmentRecord["initializations"],
): "Registered" | "Initializing" | "Active" | "Failed" {
  const statuses = Object.values(initializations).map(({ status }) => status);
  if (statuses.includes("InProgress")) return "Initializing";
  if (statuses.includes("Failed")) return "Failed";
  return statuses.includes("Completed") ? "Active" : "Registered";
}

export function toEnvironment(record: Stored<EnvironmentRecord>): Environment {
  const { incarnation: _incarnation, deletedAt, ...shown } = record;
  const status = deletedAt === null ? environmentStatus(record.initializations) : "Deleted";
  return { ...shown, status } as Environment;
}

export function environmentPath(environment: EnvironmentRef): string {
  return `/environments/${environmentName(environment)}`;
}

/** Emits an event about an environment, or about something in it. */
export function emitEnvironment<Type extends EventType>(
  change: Pick<Change, "emit">,
  environment: EnvironmentRef,
  { type, data, path = "" }: Pick<NewEvent<Type>, "type" | "data"> & { readonly path?: string },
): void {
  const about = { kind: "environment", ...environment } as const;
  change.emit({ type, subject: `${environmentName(environment)}${path}`, about, data });
}
