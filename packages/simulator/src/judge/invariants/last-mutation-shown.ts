import type { Json } from "@liveplane/core/store";
import { isSameJson } from "../comparison.ts";
import type { Evidence } from "../evidence.ts";
import type { ShownEpisode, ShownLiveSystem, StoredMutation } from "../facts.ts";
import { caselessId, componentName, told } from "../names.ts";
import type { Rule, StepOf } from "../steps.ts";

type Shown = StepOf<"shown">;

/** A live system shows its last mutation, how that went, its ledger, and every open override. */
export function lastMutationShown(evidence: Evidence): Rule {
  const { declarations, stored } = evidence;
  return {
    invariant: "last-mutation-shown",
    judges: {
      shown: (shown) => {
        const { id, lastMutation } = shown.system;
        const wanted = stored.mutations.get(declarations.lastMutation(id) ?? "");
        if (wanted !== undefined && face(lastMutation) !== face(wanted))
          return `${id} shows ${told(lastMutation ?? undefined)}, its last is ${told(wanted)}`;
        return (
          (wanted === undefined ? null : wrongMutation(shown, wanted, evidence)) ??
          wrongLedger(shown, evidence) ??
          wrongOverrides(shown, evidence)
        );
      },
    },
  };
}

function face(one: ShownLiveSystem["lastMutation"]): string {
  return JSON.stringify(one && [one.id, one.kind, one.status, one.error && [one.error.code, one.error.componentId]]);
}

/** Its steps are those stored, each after what it needs. */
function wrongMutation({ mutation }: Shown, wanted: StoredMutation, evidence: Evidence): string | null {
  const { id, steps, held, released } = mutation;
  if (face(mutation) !== face(wanted) || !isSameJson([held, released], [wanted.held, wanted.released]))
    return `mutation ${id} is shown as ${told(mutation)}, it is ${told(wanted)}`;
  const own = evidence.stored.componentsOf(wanted.liveSystemId).filter(({ step }) => step?.mutationId === id);
  const sorted = (all: readonly (readonly unknown[])[]) =>
    all
      .map((one) => JSON.stringify(one))
      .sort()
      .join();
  const is = sorted(steps.map(({ componentId, state, error }) => [componentId, state, error?.code ?? null]));
  const was = sorted(own.map((one) => [componentName(one), one.step?.state, one.step?.error?.code ?? null]));
  if (is !== was) return `mutation ${id} is shown with the steps ${is}, they are ${was}`;
  const places = new Map(steps.map(({ componentId }, at) => [componentId.toLowerCase(), at]));
  const late = own.find((one) => {
    const needs = evidence.declared(one)?.needs ?? [];
    const ids = needs.map((path) => caselessId({ ...one, path }));
    return (
      wanted.kind === "Deploy" && ids.some((need) => (places.get(need) ?? -1) > (places.get(caselessId(one)) ?? 0))
    );
  });
  return late === undefined ? null : `mutation ${id} shows ${componentName(late)} before what it needs`;
}

/** A ledger shows each line that is kept, the newest first. */
function wrongLedger({ ledgers }: Shown, { stored }: Evidence): string | null {
  for (const [id, lines] of ledgers) {
    const own = [...stored.episodes.values()].filter((line) => caselessId(line) === id.toLowerCase());
    const [is, was] = [lines, own].map((all) => all.map(lineOf).sort().join());
    if (is !== was) return `the ledger of ${id} is shown as ${is}, it is ${was}`;
    const wrong = lines.findIndex(({ startedAt = "" }, at) => startedAt > (lines[at - 1]?.startedAt ?? startedAt));
    if (wrong !== -1) return `the ledger of ${id} shows ${lines[wrong]?.startedAt} too late`;
  }
  return null;
}

function lineOf({ id, startedAt, endedAt, outcome, reason, claimedBy }: ShownEpisode): string {
  return JSON.stringify([id, startedAt, endedAt, outcome, reason, claimedBy]);
}

/** The list of all overrides has each open one, the oldest first, with the number of differing parameters. */
function wrongOverrides({ overrides }: Shown, evidence: Evidence): string | null {
  const is = overrides.map(({ component, driftCount }) => [component.id, driftCount] as const);
  const open = evidence.components().filter(({ override }) => override !== null);
  const was = open.map((one) => {
    const isGone = one.conditions.exists.value === false;
    return [componentName(one), isGone ? 0 : Object.keys(one.observed.drift).length] as const;
  });
  if (!isSameJson([...is].sort() as Json, [...was].sort() as Json))
    return `the open overrides are shown as ${told(is)}, they are ${told(was)}`;
  const wrong = overrides.findIndex(({ override }, at) => override.since < (overrides[at - 1]?.override.since ?? ""));
  return wrong === -1 ? null : `the override of ${overrides[wrong]?.component.id} is listed too late`;
}
