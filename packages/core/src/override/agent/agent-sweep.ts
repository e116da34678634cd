import { environmentName } from "../../contract/target.ts";
import { nowText } from "../../encoding.ts";
import type { CloudCredentials } from "../../ports/cloud.ts";
import type { Key } from "../../ports/store.ts";
import { inParallel } from "../../records/in-parallel.ts";
import type { Stored } from "../../records/records.ts";
import { aboutLiveSystem, type ComponentRecord, componentKey, components, idOf } from "../records/component-record.ts";
import { declaredIn } from "../records/in-force.ts";
import { type AgentDeps, heldLease, isAtRest, isOver, type NamedLease, type PassOptions } from "./agent-deps.ts";
import { looksDifferent } from "./agent-transition.ts";
import type { Changers } from "./changers.ts";
import { type ComponentGauges, type Counted, tallyOf } from "./component-gauges.ts";
import { type Expectation, type Expectations, openExpectations } from "./expectations.ts";
import { dueReminders } from "./reminders.ts";
import { shardRange } from "./shards.ts";

/** What a sweep works with. */
export interface SweepContext {
  readonly deps: AgentDeps;
  readonly gauges: ComponentGauges;
  readonly changers: Changers;
  readonly lease?: NamedLease;
  readonly isBusy: (key: Key) => boolean;
  /** Checks one component: a direct read and its consequences. */
  readonly check: (key: Key, options: PassOptions) => Promise<void>;
}

/** About the size of a shard: reading into the next one costs as much as reading this one. */
const pageSize = 600;
const checksAtOnce = 8;

/** Checks all components of a shard: by bulk reads first, then directly where something looks different. */
export async function sweep(shard: string, context: SweepContext): Promise<void> {
  const { deps, lease } = context;
  const { from, until } = shardRange(shard);
  const startedAt = nowText(deps);
  const swept: Counted[] = [];
  let isWhole = true;
  const claimed: Stored<ComponentRecord>[] = [];
  for (let after: Key | null = [from]; after !== null && !isOver(lease, deps); ) {
    const page: Page = await pageBehind(after, until, deps);
    const { counted, isWhole: isPageWhole } = await sweepRecords(page.records, context);
    swept.push(...counted);
    isWhole &&= isPageWhole;
    claimed.push(...page.records.filter(({ work }) => deps.claims.hold(work, heldLease(lease, deps))));
    after = page.next;
    await deps.runtime.yield();
  }
  context.gauges.swept(shard, tallyOf(swept));
  if (isWhole && !isOver(lease, deps)) await deps.sweeps.swept(shard, startedAt);
  await outlast(claimed, context);
}

/** How often a foreign claim is checked. */
const watchMs = 5_000;

/**
 * Waits until others' claims are free or have lasted too long. A claim is watched by one process, and the shard's next sweep may run in
 * another, which would start watching a dead one's claim again.
 */
async function outlast(
  claimed: readonly Stored<ComponentRecord>[],
  { deps, lease, check }: SweepContext,
): Promise<void> {
  if (lease === undefined || lease.deadline === Number.POSITIVE_INFINITY) return;
  const { clock } = deps.runtime;
  for (let left = claimed; left.length > 0; ) {
    await clock.sleep(watchMs, { signal: lease.signal }).catch(() => {});
    if (isOver(lease, deps)) return;
    const found = await deps.records.getMany(
      components,
      left.map((record) => components.key(record)),
    );
    const same = left.filter(({ work }, at) => found[at]?.work?.id === work?.id);
    left = same.filter(({ work }) => deps.claims.hold(work, heldLease(lease, deps)));
    const free = same.filter(({ work }) => !deps.claims.hold(work, heldLease(lease, deps)));
    await inParallel(free, checksAtOnce, (record) =>
      check(componentKey(record.liveSystemId, record.path), { lane: "sweep", lease }),
    );
  }
}

/** Whole live systems: none is split across pages. */
interface Page {
  readonly records: readonly Stored<ComponentRecord>[];
  /** Where the next page begins; `null` if there is none. */
  readonly next: Key | null;
}

async function pageBehind(after: Key, until: string | null, deps: AgentDeps, limit = pageSize): Promise<Page> {
  const listed = await deps.records.list(components, { after, limit });
  const inRange = listed.filter(({ record }) => until === null || record.liveSystemId < until);
  if (inRange.length < limit) return { records: inRange.map(({ record }) => record), next: null };
  const cut = inRange.at(-1)?.record.liveSystemId;
  const whole = inRange.filter(({ record }) => record.liveSystemId !== cut);
  const last = whole.at(-1);
  if (last === undefined) return pageBehind(after, until, deps, limit * 2);
  return { records: whole.map(({ record }) => record), next: last.position };
}

/** The result of sweeping a page. */
interface Swept {
  readonly counted: Counted[];
  /** No component was skipped because its cloud asked for a pause. */
  readonly isWhole: boolean;
}

/** Sweeps a page and returns what to count. */
async function sweepRecords(page: readonly Stored<ComponentRecord>[], context: SweepContext): Promise<Swept> {
  const { deps } = context;
  const expectations = openExpectations(deps);
  const inForce = await deps.declarations.of(new Set(page.map(({ liveSystemId }) => liveSystemId)));
  const records = page.filter(({ liveSystemId }) => inForce.has(liveSystemId));
  expectations.know(records, inForce);
  const waiting = records.filter((record) => isToBeSwept(record, context));
  const { batches, direct, isWhole } = await batched(waiting, { deps, expectations });
  const different: Stored<ComponentRecord>[] = [...direct];
  await inParallel(batches, checksAtOnce, async (batch) => {
    different.push(...(await readBatch(batch, context)));
  });
  const checked: boolean[] = [];
  await inParallel(different, checksAtOnce, async (record) => {
    checked.push(await checkDirectly(record, context));
  });
  const counted = records.flatMap((record) => {
    const system = inForce.get(record.liveSystemId);
    return system === undefined ? [] : [{ record, muteDrift: declaredIn(system, record).muteDrift }];
  });
  const overridden = counted.filter(({ record }) => record.override !== null);
  for (const one of overridden) await remind(one, deps);
  for (const { record } of overridden) await context.changers.ask(record, context);
  return { counted, isWhole: isWhole && checked.every(Boolean) };
}

function isToBeSwept(record: ComponentRecord, { deps, lease, isBusy }: SweepContext): boolean {
  if (!record.provisioned && record.step?.state === "pending") return false;
  return (
    !isBusy(componentKey(record.liveSystemId, record.path)) && !deps.claims.hold(record.work, heldLease(lease, deps))
  );
}

/** Components that one call can read. */
interface Batch {
  readonly items: readonly { readonly record: Stored<ComponentRecord>; readonly expectation: Expectation }[];
  readonly credentials: CloudCredentials;
}

/** Components by cloud, scope and credentials; `direct` are those that no bulk read covers. */
async function batched(
  records: readonly Stored<ComponentRecord>[],
  { deps, expectations }: { readonly deps: AgentDeps; readonly expectations: Expectations },
): Promise<{ batches: Batch[]; direct: Stored<ComponentRecord>[]; isWhole: boolean }> {
  let isWhole = true;
  const groups = new Map<string, { credentials: CloudCredentials; items: Batch["items"][number][]; size: number }>();
  const direct: Stored<ComponentRecord>[] = [];
  for (const record of records) {
    const cloud = deps.clouds.get(record.provider);
    if (cloud === undefined) continue;
    const { environment, provider, resource } = record;
    const credentials = await expectations.credentials(environment, provider);
    if (credentials === null) {
      if (record.conditions.readable.reason !== "NoAgentCredentials") direct.push(record);
    } else if (resource.id === null) direct.push(record);
    else if (deps.calls.pausedForMs(cloud, resource.id) > 0) isWhole = false;
    else {
      const expectation = await expectations.of(record);
      const owner = credentials.secret === null ? "" : environmentName(environment);
      const key = JSON.stringify([
        provider,
        cloud.throttleScope(resource.id),
        credentials.kind,
        credentials.name,
        owner,
      ]);
      const group = groups.get(key) ?? { credentials, items: [], size: cloud.capabilities.bulkReadSize };
      groups.set(key, group);
      group.items.push({ record, expectation });
    }
  }
  const batches = [...groups.values()].flatMap(({ credentials, items, size }) =>
    Array.from({ length: Math.ceil(items.length / size) }, (_, at) => {
      return { credentials, items: items.slice(at * size, (at + 1) * size) };
    }),
  );
  return { batches, direct, isWhole };
}

/** Reads a batch in one call; returns those that look different. */
async function readBatch(
  { items, credentials }: Batch,
  { deps, lease }: SweepContext,
): Promise<Stored<ComponentRecord>[]> {
  const [first] = items;
  if (first === undefined || isOver(lease, deps)) return [];
  const cloud = deps.calls.over(first.expectation.cloud);
  const refs = items.map(({ record: { type, resource } }) => ({ type, resourceId: resource.id ?? "" }));
  const resourceId = refs[0]?.resourceId ?? "";
  await deps.calls.turn(cloud, { resourceId, sort: "bulk", lane: "sweep", signal: lease?.signal });
  const readings = await cloud.readMany(refs, { credentials, ...(lease && { signal: lease.signal }) });
  deps.runtime.metrics.count("liveplane_checks_total", { provider: cloud.provider, lane: "sweep" }, refs.length);
  const policy = { restoredTag: deps.settings.restoredTag, redeploy: false };
  const now = deps.runtime.clock.now();
  return items.flatMap(({ record, expectation }, at) => {
    const reading = readings[at] ?? ({ state: "unreadable", reason: "NotAnswered" } as const);
    return looksDifferent(record, expectation, reading, { policy, rests: isAtRest(record, deps), now }) ? [record] : [];
  });
}

/** Checks a component by a direct read. False: its cloud asks for a pause, or the sweep is over. */
async function checkDirectly(record: ComponentRecord, { check, deps, lease }: SweepContext): Promise<boolean> {
  if (isOver(lease, deps)) return false;
  const cloud = deps.clouds.get(record.provider);
  if (cloud !== undefined && record.resource.id !== null && deps.calls.pausedForMs(cloud, record.resource.id) > 0)
    return false;
  await check(componentKey(record.liveSystemId, record.path), { lane: "sweep", ...(lease && { lease }) });
  return true;
}

/** Sends reminders of an old override. The override itself stays, however old. */
async function remind({ record, muteDrift }: Counted, deps: AgentDeps): Promise<void> {
  const { override, observed } = record;
  if (override === null) return;
  const drifting = Object.keys(observed.drift);
  if (drifting.length > 0 && drifting.every((name) => muteDrift.includes(name))) return;
  const due = dueReminders(override, deps.runtime.clock.now(), deps.settings.overdueHours);
  if (due.length === 0) return;
  await deps.records.change({ actor: "agent", requestId: deps.runtime.newId() }, async (change) => {
    const current = await change.get(components, components.key(record));
    if (current === null || current.version !== record.version) return;
    const reminded = [...override.reminded, ...due.map(({ mark }) => mark)];
    change.put(components, {
      ...current,
      override: { ...override, reminded },
      updatedAt: nowText(deps),
      updatedBy: "agent",
    });
    for (const { because, hours } of due) {
      const data = {
        from: record.status,
        status: record.status,
        because,
        hours,
        since: override.since,
        episodeId: override.episodeId,
      };
      const about = aboutLiveSystem(record);
      change.emit({ type: "component.override.overdue", subject: idOf(record), about, data });
    }
  });
}
