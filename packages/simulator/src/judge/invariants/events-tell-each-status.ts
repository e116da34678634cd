import type { Json } from "@liveplane/core/store";
import { isSameJson, textOf } from "../comparison.ts";
import type { StoredComponent, ToldEvent } from "../facts.ts";
import { componentName, isAbout, told } from "../names.ts";
import type { ComponentStored, Rule } from "../steps.ts";

/** Each change of status, and each loss of a resource, has exactly one event. */
export function eventsTellEachStatus(): Rule {
  return {
    invariant: "events-tell-each-status",
    judges: {
      "component-stored": (step) => {
        const { before, after, events } = step;
        const one = after ?? before;
        if (one === null) return null;
        const own = events.filter(({ type, subject }) => type.startsWith("component.") && isAbout(subject, one));
        const name = componentName(one);
        for (const [type, happened] of happenings(before, after)) {
          const count = own.filter((event) => event.type === type).length;
          if (count !== (happened ? 1 : 0))
            return `${name}: ${type} was told ${count} times, it ${happened ? "happened" : "didn't happen"}`;
        }
        for (const { type, data } of own) {
          const wrong = wrongData({ type, subject: name, data }, step);
          if (wrong !== null) return `${name}: ${type} says ${wrong}`;
          if (data.from !== undefined && before !== null && data.from !== before.status)
            return `${name}: ${type} goes on from ${data.from}, it was ${before.status}`;
          if (data.status !== undefined && data.status !== one.status)
            return `${name}: ${type} says ${data.status}, it is ${one.status}`;
        }
        return null;
      },
    },
  };
}

function happenings(
  before: StoredComponent | null,
  after: StoredComponent | null,
): readonly (readonly [string, boolean])[] {
  const was = before?.status ?? "Active";
  const is = after?.status ?? was;
  const isOverridden = after !== null && after.override !== null;
  const [awaited, awaits] = [before?.override?.awaiting ?? null, after?.override?.awaiting ?? null];
  const wasOverridden = before !== null && before.override !== null;
  return [
    ["component.override.started", isOverridden && !wasOverridden],
    ["component.override.ended", wasOverridden && !isOverridden],
    ["component.missing", before?.conditions.exists.value === true && after?.conditions.exists.value === false],
    ["component.reconcile.requested", was !== "ReconcileRequested" && is === "ReconcileRequested"],
    ["component.override.awaiting", isOverridden && wasOverridden && is !== "ReconcileRequested" && awaits !== awaited],
    ["component.override.attributed", isNamed(after) && !isNamed(before, after?.override?.episodeId)],
    ["component.override.drift_changed", was !== "Active" && is !== "Active" && hasDriftChanged(before, after)],
  ];
}

/** Whether it is known who began an override. */
function isNamed(one: StoredComponent | null, episodeId = one?.override?.episodeId): boolean {
  return one?.override?.takenOverBy != null && one.override.episodeId === episodeId;
}

function hasDriftChanged(before: StoredComponent | null, after: StoredComponent | null): boolean {
  return before !== null && after !== null && textOf(before.observed.drift) !== textOf(after.observed.drift);
}

/** What an event says besides the change of status, and isn't what the same commit stores; `null` if nothing. */
function wrongData({ type, data }: ToldEvent, step: ComponentStored): string | null {
  for (const [name, wanted] of Object.entries(factsOf(type, step)))
    if (!isSameJson(data[name] ?? null, (wanted ?? null) as Json))
      return `${name} ${told(data[name])}, stored is ${told(wanted as Json)}`;
  return null;
}

/** The stored facts that an event of a type repeats. */
function factsOf(type: string, { before, after, lines }: ComponentStored): Readonly<Record<string, unknown>> {
  const [was, is] = [before?.override ?? null, after?.override ?? null];
  const { episodeId } = is ?? was ?? {};
  if (type.startsWith("component.reconcile."))
    return {
      ...{ episodeId, reconcileId: (after?.request ?? before?.request)?.id },
      ...(type.endsWith("requested") && { fingerprint: after?.request?.fingerprint }),
    };
  switch (type) {
    case "component.override.started":
      return { episodeId, awaiting: is?.awaiting, owner: is?.said?.owner };
    case "component.override.awaiting":
      return { episodeId, awaiting: is?.awaiting };
    case "component.override.ended":
      return { episodeId: was?.episodeId, outcome: lines.find(({ id }) => id === was?.episodeId)?.outcome };
    case "component.override.drift_changed":
      return { parameters: Object.keys(after?.observed.drift ?? {}) };
    case "component.override.attributed":
      return { episodeId, takenOverBy: is?.takenOverBy };
    case "component.override.overdue":
      return { episodeId, since: is?.since };
    case "component.override.noted":
      return { episodeId };
    case "component.missing":
      return { resourceId: before?.resource.id };
    case "component.moved":
      return { movedFrom: before && componentName(before) };
    default:
      return {};
  }
}
