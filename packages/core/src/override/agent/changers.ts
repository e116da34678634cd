import { nowText, toInstant } from "../../encoding.ts";
import { isLiveplaneError } from "../../errors.ts";
import type { Cloud, ResourceChanger } from "../../ports/cloud.ts";
import type { Lease } from "../../ports/scheduler.ts";
import type { Stored } from "../../records/records.ts";
import { isResting } from "../../records/rest.ts";
import { aboutLiveSystem, type ComponentRecord, components, idOf } from "../records/component-record.ts";
import { type AgentDeps, isOver } from "./agent-deps.ts";
import { openExpectations } from "./expectations.ts";

/** Finds out who took over components, where a cloud's activity log tells. */
export interface Changers {
  /** Asks once about a take-over, as soon as the log may have it. Never fails: if the log can't be read, the person is unknown. */
  ask(record: Stored<ComponentRecord>, options: { readonly lease?: Lease }): Promise<void>;
}

/** Older take-overs aren't looked up; clouds keep their logs for months. */
const longestAgeMs = 30 * 86_400_000;
/** The allowed difference between the two clocks. */
const slackMs = 60_000;
/** A scope whose log can't be read isn't asked again for this long. */
const refusedMs = 3_600_000;
const mostRefused = 10_000;

/** Creates the lookup in the clouds' logs. Refused scopes are remembered only by this process. */
export function createChangers(deps: AgentDeps): Changers {
  const { runtime, calls } = deps;
  const refused = new Map<string, number>();
  const isRefused = (scope: string) => (refused.get(scope) ?? Number.NEGATIVE_INFINITY) > runtime.clock.monotonic();

  return {
    async ask(record, { lease }) {
      const cloud = deps.clouds.get(record.provider);
      const span = cloud && spanOf(record, cloud, runtime.clock.now());
      const { id } = record.resource;
      if (cloud === undefined || span == null || id === null || isOver(lease, deps)) return;
      const scope = `${cloud.provider} ${cloud.throttleScope(id)}`;
      if (isRefused(scope) || calls.pausedForMs(cloud, id) > 0) return;
      const credentials = await openExpectations(deps).credentials(record.environment, record.provider);
      if (credentials === null) return;
      const call = { credentials, ...(lease && { signal: lease.signal }) };
      try {
        await calls.turn(cloud, { resourceId: id, sort: "read", lane: "sweep", signal: lease?.signal });
        const found = await calls.over(cloud).whoChanged?.({ type: record.type, resourceId: id }, span, call);
        await keep(record, found ?? null, deps);
      } catch (error) {
        if (!isLiveplaneError(error)) throw error;
        if (error.code === "Aborted" || isOver(lease, deps)) return;
        if (refused.size >= mostRefused) refused.clear();
        refused.set(scope, runtime.clock.monotonic() + refusedMs);
      }
    },
  };
}

/** When the take-over must have happened: after the agent's last write, before it was noticed. `null`: don't ask, or not yet. Pure. */
function spanOf({ override, lastWriteAt, type }: ComponentRecord, cloud: Cloud, now: number) {
  if (override === null || override.takenOverBy !== undefined || cloud.whoChanged === undefined) return null;
  // A type without tags is taken over with another component, whose log entry tells.
  if (!cloud.resourceType(type).taggable) return null;
  const noticed = Date.parse(override.since);
  const { recordLagMs = 0 } = cloud.capabilities;
  // The process that noticed it may have another clock; nobody waits for one to catch up.
  if (isResting(noticed + recordLagMs, recordLagMs, now) || now - noticed > longestAgeMs) return null;
  const earliest = noticed - longestAgeMs;
  const written = lastWriteAt === null ? earliest : Date.parse(lastWriteAt);
  return { since: toInstant(Math.max(written, earliest)), until: toInstant(noticed + slackMs) };
}

/** Stores the answer with its take-over, if that is still open. */
async function keep(record: Stored<ComponentRecord>, found: ResourceChanger | null, deps: AgentDeps): Promise<void> {
  const takenOverBy = found && { name: textOf(found.name), at: found.at, operation: textOf(found.operation) };
  await deps.records.change({ actor: "agent", requestId: deps.runtime.newId() }, async (change) => {
    const current = await change.get(components, components.key(record));
    const { override = null } = current ?? {};
    if (current === null || override === null || override.episodeId !== record.override?.episodeId) return;
    // Another process may have asked at the same time.
    if (override.takenOverBy !== undefined) return;
    // A claim is on this version of the record: its holder may finish, and the next sweep asks again.
    if (deps.claims.hold(current.work)) return;
    const told = { ...override, takenOverBy };
    change.put(components, { ...current, override: told, updatedAt: nowText(deps), updatedBy: "agent" });
    if (takenOverBy === null) return;
    const { status } = current;
    const data = { from: status, status, episodeId: override.episodeId, takenOverBy };
    const about = aboutLiveSystem(current);
    change.emit({ type: "component.override.attributed", subject: idOf(current), about, data });
  });
}

const longest = 256;

/** A cloud's text, safe to show. */
function textOf(text: string): string {
  return [...text.replaceAll(/[\p{Cc}\p{Cf}]/gu, " ").trim()].slice(0, longest).join("").toWellFormed();
}
