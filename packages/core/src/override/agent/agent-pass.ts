import type { LiveplaneError } from "../../errors.ts";
import type { Key } from "../../ports/store.ts";
import type { Stored } from "../../records/records.ts";
import { pathKey } from "../protocol/definition.ts";
import type { Effect } from "../protocol/lifecycle-table.ts";
import { type ComponentRecord, components } from "../records/component-record.ts";
import { mayBeWritten } from "../records/live-system-record.ts";
import { type AgentDeps, isOver, type PassOptions } from "./agent-deps.ts";
import { type Look, takeLook } from "./agent-look.ts";
import { save } from "./agent-save.ts";
import { type CloudWrite, carryOut, isMoved } from "./agent-write.ts";
import { isWorthwhile } from "./decide.ts";
import { openSurroundings } from "./expectations.ts";

/** How a pass over one component ended. */
export interface Pass {
  /**
   * `settled`: nothing is left to do now. `failed`: a write was refused. `raced`: somebody else changed the component, or the
   * lease ended. `busy`: somebody else is writing. `idle`: it is a mutation's now. `gone`: there is no such component.
   */
  readonly outcome: "settled" | "failed" | "raced" | "busy" | "idle" | "gone";
  readonly record: Stored<ComponentRecord> | null;
  readonly look: Look | null;
  readonly error: LiveplaneError | null;
  /** The next pass should follow at once. */
  readonly again: boolean;
}

/** A pass corrects, rereads and cleans up; more rounds than this mean that somebody keeps changing the resource. */
const mostRounds = 8;

/** One pass: looks, stores, writes, and looks again, until nothing is left to do. */
export async function runPass(key: Key, deps: AgentDeps, asked: PassOptions): Promise<Pass> {
  const requestId = deps.runtime.newId();
  let record = await deps.records.get(components, key);
  if (record === null) return ended("gone", null);
  // Another process, at the same mutation, may have ended this component's step: nothing is made anew for it then.
  const options = { ...asked, redeploy: asked.redeploy === true && record.step?.state === "begun" };
  if (record.leaving || isNotBegun(record)) return ended("idle", record);
  if (deps.claims.hold(record.work)) return ended("busy", record);

  let written: CloudWrite | null = null;
  for (let round = 1; ; round++) {
    const look: Look = await takeLook(record, deps, options);
    const effect = round < mostRounds ? await nextEffect(look, written, { deps, options }) : null;
    const saved = await save({ look, written, effect, touch: options.lane === "people" }, { deps, requestId });
    if (saved === null) return ended("raced", record);
    const done: Pass = {
      ...ended(written?.error && !isMoved(written) ? "failed" : "settled", saved),
      look,
      error: written?.error ?? null,
    };
    if (effect === null) return { ...done, again: look.judgement.again };
    const next = await carryOut(effect, saved, look, { deps, options });
    if (next === null) return { ...ended("raced", await giveBack(saved, deps, requestId)), look };
    record = withWrite(saved, next);
    written = next;
  }
}

/** The component as the next look must see it: with the id that the cloud gave, and what can't be read back. */
function withWrite(
  record: Stored<ComponentRecord>,
  { effect, error, look, resourceId }: CloudWrite,
): Stored<ComponentRecord> {
  const placed = resourceId === null ? record : { ...record, resource: { ...record.resource, id: resourceId } };
  if (error !== null || effect === "removeReconcileTag") return placed;
  return { ...placed, applied: { ...placed.applied, ...look.expectation.writeOnly } };
}

/** A component that was never provisioned waits for the mutation that brings it. */
function isNotBegun({ provisioned, step }: ComponentRecord): boolean {
  return !provisioned && step?.state === "pending";
}

function ended(outcome: Pass["outcome"], record: Stored<ComponentRecord> | null): Pass {
  return { outcome, record, look: null, error: null, again: false };
}

/** What a look permits and is worth doing now; nothing after a write that failed, nor twice the same without effect. */
async function nextEffect(
  look: Look,
  written: CloudWrite | null,
  { deps, options }: { deps: AgentDeps; options: PassOptions },
): Promise<Effect | null> {
  const { effect, record } = look.judgement;
  if (effect === null || look.judgement.again || isOver(options.lease, deps)) return null;
  if (written !== null && !mayGoOn(look, written, effect)) return null;
  const { overrideWith } = record;
  if (overrideWith !== null && effect !== "removeReconcileTag" && look.expectation.governor?.status !== "Active")
    return null;
  const rested = options.lane === "people" ? { ...record, failures: null } : record;
  const context = { record: rested, expectation: look.expectation, now: deps.runtime.clock.now() };
  if (!isWorthwhile(effect, look.sight, context)) return null;
  if (effect === "create" && !options.redeploy && !(await dependenciesExist(record, deps, options))) return null;
  return (await mayBeWritten(deps.records, record.liveSystemId)) ? effect : null;
}

function mayGoOn(look: Look, written: CloudWrite, effect: Effect): boolean {
  if (written.error !== null) return isMoved(written);
  if (effect !== "correct" || written.effect !== "correct") return true;
  const before = JSON.stringify(written.look.sight.comparison.changes);
  return before !== JSON.stringify(look.sight.comparison.changes);
}

async function dependenciesExist(
  { liveSystemId, dependsOn }: ComponentRecord,
  deps: AgentDeps,
  options: PassOptions,
): Promise<boolean> {
  if (dependsOn.length === 0) return true;
  const siblings = await (options.surroundings ?? openSurroundings(deps)).siblings(liveSystemId);
  return dependsOn.every((path) => siblings.get(pathKey(path))?.conditions.exists.value === true);
}

/** Gives up a claim whose write was never sent. */
async function giveBack(
  claimed: Stored<ComponentRecord>,
  deps: AgentDeps,
  requestId: string,
): Promise<Stored<ComponentRecord>> {
  return deps.records.change({ actor: "agent", requestId }, async (change) => {
    const current = await change.get(components, components.key(claimed));
    if (current === null || current.version !== claimed.version) return claimed;
    return change.put(components, { ...current, work: null });
  });
}
