import type { Component, LiveSystemHealth } from "../../contract/schemas/live-system-schemas.ts";
import type { Key } from "../../ports/store.ts";
import type { Stored } from "../../records/records.ts";
import type { Services } from "../../services.ts";
import { pathKey } from "../declarations/definition.ts";
import { type ComponentRecord, components, toComponent } from "../records/component-record.ts";
import { declaredIn, type InForce } from "../records/in-force.ts";
import { type LiveSystemRecord, type MutationRecord, mutations } from "../records/live-system-record.ts";

/** How many components are read by one request to the store. */
const atOnce = 1000;
/** How many troubled components of a live system are named. */
const mostTroubled = 5;

/** What a person should look at. Overrides have their own list, and a blocked component waits for one that is listed here. */
const troubles: ReadonlySet<Component["health"]> = new Set([
  "Differs",
  "Uncorrectable",
  "Failing",
  "Unreadable",
  "Missing",
]);

/**
 * The health of live systems. The keys of all their components are known from their declarations, so the number of requests doesn't
 * depend on the number of live systems. Components that are no longer declared aren't counted.
 */
export async function healthOfAll(
  { records, declarations }: Pick<Services, "records" | "declarations">,
  page: readonly Stored<LiveSystemRecord>[],
): Promise<LiveSystemHealth[]> {
  const found = await declarations.of(page.map(({ id }) => id));
  const inForce = page.flatMap(({ id }) => found.get(id) ?? []);
  const last = await records.getMany(
    mutations,
    inForce.map(({ system }) => [system.id, system.lastMutationId]),
  );
  const keys = inForce.flatMap(({ system, declared }) => [...declared.keys()].map((path) => [system.id, path]));
  const read = new Map((await readInLots(records, keys)).map((record) => [placeOf(record), record]));
  return inForce.map((one, at) => healthOfOne(one, read, last[at] ?? null));
}

const placeOf = ({ liveSystemId, path }: ComponentRecord) => `${liveSystemId}/${pathKey(path)}`;

async function readInLots({ getMany }: Services["records"], keys: readonly Key[]) {
  const read: Stored<ComponentRecord>[] = [];
  for (let at = 0; at < keys.length; at += atOnce) {
    const found = await getMany(components, keys.slice(at, at + atOnce));
    read.push(...found.filter((record) => record !== null));
  }
  return read;
}

function healthOfOne(
  inForce: InForce,
  read: ReadonlyMap<string, Stored<ComponentRecord>>,
  last: MutationRecord | null,
): LiveSystemHealth {
  const { id, name, environmentId, status } = inForce.system;
  const counts: Partial<Record<Component["health"], number>> = {};
  const troubled: LiveSystemHealth["troubled"] = [];
  for (const path of inForce.declared.keys()) {
    const record = read.get(`${id}/${path}`);
    // A deploy that was just accepted hasn't stored its new components yet.
    const component = record && toComponent(record, declaredIn(inForce, record), null);
    const health = component?.health ?? "NotProvisioned";
    counts[health] = (counts[health] ?? 0) + 1;
    if (component && troubles.has(health) && troubled.length < mostTroubled) troubled.push(troubleOf(component));
  }
  const lastMutation = last && { id: last.id, kind: last.kind, status: last.status };
  return { id, name, environmentId, status, lastMutation, counts, troubled };
}

function troubleOf(component: Component): LiveSystemHealth["troubled"][number] {
  const { id, health, failing, conditions } = component;
  const { inSync, readable, exists } = conditions;
  const condition = [readable, exists].find(({ value }) => value === false) ?? inSync;
  const failed = health === "Unreadable" ? null : failing;
  return {
    componentId: id,
    health,
    message: failed?.providerMessage ?? failed?.detail ?? condition.message,
    since: failed?.since ?? condition.changedAt,
  };
}
