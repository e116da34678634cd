import { LiveplaneError } from "../../errors.ts";
import type { Cloud, SeenResource, Written } from "../../ports/cloud.ts";
import { resourceOf, settledIn } from "../../ports/readings.ts";
import { boundByOf } from "../../ports/resource-type.ts";
import type { Key } from "../../ports/store.ts";
import type { Stored } from "../../records/records.ts";
import { type AgentDeps, isOver, mayStart } from "../agent/agent-deps.ts";
import { begunOperation } from "../agent/agent-follow.ts";
import { runPass } from "../agent/agent-pass.ts";
import { type DirectReading, readDirectly } from "../agent/agent-read.ts";
import type { Expectation } from "../agent/expectations.ts";
import { isManaged } from "../agent/tag-owner.ts";
import { writeInTime } from "../agent/write-in-time.ts";
import { observe, sidesOf } from "../protocol/observation.ts";
import { goesByTagOwner } from "../protocol/tags.ts";
import { type ComponentRecord, components } from "../records/component-record.ts";
import { isRunning } from "../records/live-system-record.ts";
import { changedByOthers, type StepPause, type Tries } from "./converge.ts";
import { type Attempt, afterError, failedBy, failing, unclaimed, working } from "./deletion-attempt.ts";
import { fateOf, fateOfTagOwner } from "./fates.ts";
import { claim, type DeletionContext, forget, note } from "./leaving.ts";
import type { StepEnd } from "./step-states.ts";

const triesAfterMove = 20;

/** Deletes a component: its resource too if the agent manages it; a person's resource is left in the cloud. */
export async function deleteComponent(
  { tries, ...context }: DeletionContext & { readonly tries: Tries },
  key: Key,
): Promise<StepEnd | StepPause> {
  const { agent, deps, patience, lease } = context;
  for (;;) {
    if (isOver(lease, deps)) return { state: "interrupted" };
    await agent.whenFree(key);
    const attempt = await agent.exclusively(key, () => attemptOnce(context, key).catch(unclaimed));
    if (attempt.state === "gone") return { state: "converged" };
    const afterMs = attempt.state === "wait" ? await patience.pauseMs(key, attempt.wait) : null;
    if (afterMs !== null) return { state: "waiting", afterMs };
    if (attempt.state === "moved" && ++tries.moved < triesAfterMove) {
      await deps.runtime.clock.sleep(200, lease && { signal: lease.signal });
      continue;
    }
    if (attempt.state === "wait" && isOver(lease, deps)) return { state: "interrupted" };
    return { state: "failed", ...attempt.failure };
  }
}

async function attemptOnce(context: DeletionContext, key: Key): Promise<Attempt> {
  const { deps } = context;
  const leaving = await claim(context, key);
  if (leaving === null) return { state: "gone" };
  const options = { lane: "people", ...(context.lease && { lease: context.lease }) } as const;
  const read = await readDirectly(leaving, { deps, options });
  const { reading, expectation, credentials, followed } = read;
  const before = followed.ended?.operation.kind;
  const isReadAtLast = leaving.unread !== undefined && settledIn(reading) !== null;
  if ((before !== undefined && before !== "remove") || isReadAtLast) {
    // An earlier write has ended, or shows only now. A pass tells what became of it before the component goes.
    await runPass(key, deps, options);
    return { state: "moved", failure: changedByOthers };
  }
  const observation = observe(read.record, expectation, reading);
  const { managementTag, resource } = observation;
  const { pending } = followed;
  const known = read.record.operation;
  const found = known === pending ? read.record : await note(context, read.record, { operation: pending });
  if (found === null) return { state: "moved", failure: changedByOthers };
  const about = { record: found, expectation, resource };
  const ended = followed.ended?.operation.kind === "remove" ? followed.ended.failure : null;
  if (ended !== null) return { state: "failed", failure: failedBy(ended, about) };
  const tagOwner = await fateOfTagOwner(deps, found, expectation);
  const { declared } = expectation;
  // Nobody has the resource before a write of the agent's has ended.
  const fate = pending !== null ? "working" : fateOf(found, { declared, reading, managementTag, tagOwner });
  if (fate === "unreadable") return failing({ code: "ProviderError", detail: "The resource could not be read." });
  if (fate === "working") return working(reading.state === "working" ? reading.pollAfterMs : undefined);
  if (fate !== "delete" || credentials === null) {
    const end = sidesOf(observation, expectation, found.observed.hashes);
    return farewell(context, found, fate === "release" ? { type: "component.released", end } : deletion);
  }
  // A late deletion meets another etag and is refused.
  const isRefusedLate = isBound(expectation.cloud, found, resourceOf(reading)?.etag);
  const lease = context.lease?.name ?? null;
  const terms = lease !== null && isRefusedLate ? { under: lease } : {};
  const work = { ...deps.claims.make(terms), kind: "remove" } as const;
  const claimed = await note(context, found, { work });
  if (claimed === null) return { state: "moved", failure: changedByOthers };
  const attempt = await deleted(context, claimed, { ...read, credentials }).catch((error) => afterError(error, about));
  if (attempt.state !== "gone") await note(context, claimed, { work: null });
  return attempt;
}

/** Deletes, and checks whether the resource is gone. */
async function deleted(
  context: DeletionContext,
  found: Stored<ComponentRecord>,
  { reading, expectation, credentials }: Pick<DirectReading, "reading" | "expectation"> & Pick<Removal, "credentials">,
): Promise<Attempt> {
  const { deps } = context;
  const cloud = deps.calls.over(expectation.cloud);
  const ref = { type: found.type, resourceId: found.resource.id ?? "" };
  const seen = resourceOf(reading);
  const { operation } = await deps.claims.during(found.work, () =>
    remove(context, cloud, { ref, found, seen, credentials, expectation }),
  );
  if (operation !== undefined) {
    const pending = await begunOperation(operation, found, { kind: "remove", changes: [], sent: null }, deps);
    await note(context, found, { operation: pending, work: null });
    return working(operation.pollAfterMs);
  }
  const after = await cloud.read(ref, { credentials });
  if (after.state === "working") return working(after.pollAfterMs);
  if (after.state !== "missing") return failing({ code: "ProviderError", detail: "It was deleted but still exists." });
  return farewell(context, found, deletion);
}

const deletion = { type: "component.deleted" } as const;

async function farewell(...leaving: Parameters<typeof forget>): Promise<Attempt> {
  return (await forget(...leaving)) ? { state: "gone" } : { state: "moved", failure: changedByOthers };
}

type Removal = {
  readonly ref: { readonly type: string; readonly resourceId: string };
  readonly found: Stored<ComponentRecord>;
  /** What the deletion was decided on. */
  readonly seen: SeenResource | null;
  readonly expectation: Expectation;
  readonly credentials: NonNullable<Awaited<ReturnType<AgentDeps["environments"]["agentCredentials"]>>>;
};

function isBound(cloud: Cloud, { type }: ComponentRecord, etag: string | undefined): etag is string {
  return boundByOf(cloud, type).properties === "etag" && etag !== undefined;
}

/** Deletes under a condition: the etag, or a read right before. Whether it is still wanted is checked last. */
async function remove(
  context: DeletionContext,
  cloud: Cloud,
  { ref, found, seen, credentials, expectation }: Removal,
): Promise<Written> {
  const { deps, lease, mutation } = context;
  const call = { credentials };
  await deps.calls.turn(cloud, { resourceId: ref.resourceId, sort: "write", lane: "people", signal: lease?.signal });
  const current = await deps.records.get(components, components.key(found));
  if (current?.version !== found.version || isOver(lease, deps)) throw new LiveplaneError("PreconditionFailed");
  const etag = seen?.etag;
  const conditional = isBound(cloud, found, etag);
  if (!conditional && !goesByTagOwner(found, expectation)) {
    const again = settledIn(await cloud.read(ref, call));
    const isSame = again !== null && again.identity === seen?.identity && isManaged(again.tags, cloud);
    if (!isSame) throw new LiveplaneError("PreconditionFailed");
  }
  const tagOwner = await fateOfTagOwner(deps, found, expectation);
  const isAsked = tagOwner === "managed" && (await isRunning(deps.records, mutation));
  if (!isAsked || !mayStart(found.work, lease, deps)) throw new LiveplaneError("PreconditionFailed");
  return writeInTime(lease, deps, (within) => cloud.remove(ref, conditional ? { etag } : {}, { ...call, ...within }));
}
