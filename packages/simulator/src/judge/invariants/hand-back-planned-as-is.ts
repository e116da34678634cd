import type { Evidence } from "../evidence.ts";
import type { StoredComponent } from "../facts.ts";
import { caselessId, placeKey, rename } from "../names.ts";
import type { Rule, StepOf } from "../steps.ts";

/** How much older a read may be than what is stored of it. */
const sparedMs = 15_000;

/** The plan of a hand-back announces no hidden value that is left to the cloud, and blames who changed something since it last matched. */
export function handBackPlannedAsIs(evidence: Evidence): Rule {
  /** When each component was last stored as in sync. */
  const matched = new Map<string, number>();
  const declaredAt = new Map<string, number>();
  const changedAt = new Map<string, number>();
  let secretAt = 0;

  function wrongLeft(id: string, record: StoredComponent, { unobservable }: StepOf<"planned">["plan"]): string | null {
    const ignored = evidence.declared(record)?.ignoreChanges ?? [];
    const left = unobservable.find((pointer) =>
      ignored.some((one) => pointer === one || pointer.startsWith(`${one}/`)),
    );
    return left === undefined ? null : `the plan of the hand-back of ${id} names ${left}, which is left to the cloud`;
  }

  function wrongCause(id: string, record: StoredComponent, { changes }: StepOf<"planned">["plan"]): string | null {
    const at = matched.get(caselessId(record)) ?? Number.NEGATIVE_INFINITY;
    const isDeclaredSince = (declaredAt.get(record.liveSystemId) ?? 0) > at || secretAt > at - sparedMs;
    const isChangedSince = (changedAt.get(placeKey(record.provider, record.resource.id ?? "")) ?? 0) > at - sparedMs;
    if (isDeclaredSince === isChangedSince || record.override === null) return null;
    const cause = isDeclaredSince ? "declaration" : "cloud";
    const refers = (pointer: string) =>
      JSON.stringify(evidence.declared(record)?.parameters?.[pointer.split("/")[1] ?? ""] ?? null).includes("$output");
    const wrong = changes.find((change) => change.cause !== cause && !refers(change.pointer));
    return wrong === undefined
      ? null
      : `the plan of the hand-back of ${id} says of ${wrong.pointer} ${wrong.cause}, it was ${cause}`;
  }

  return {
    invariant: "plans-come-true",
    judges: {
      planned: ({ id, plan }) => {
        const record = evidence.stored.components.get(id.toLowerCase())?.record;
        return record === undefined ? null : (wrongLeft(id, record, plan) ?? wrongCause(id, record, plan));
      },
    },
    observes: {
      accepted: ({ mutation: { liveSystemId }, at }) => void declaredAt.set(liveSystemId, at),
      secret: ({ at }) => {
        secretAt = at;
      },
      changed: ({ process, provider, change: { resourceId }, at }) => {
        if (process === null) changedAt.set(placeKey(provider, resourceId), at);
      },
      moved: ({ ids }) => rename(matched, ids),
      "component-stored": ({ id, after, at }) => {
        if (after === null) matched.delete(id);
        else if (after.status === "Active" && after.conditions.inSync.value === true) matched.set(id, at);
      },
    },
  };
}
