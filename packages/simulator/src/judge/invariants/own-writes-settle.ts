import type { Json } from "@liveplane/core/store";
import { carriesManagementTag, isSameJson, sameSet } from "../comparison.ts";
import type { Evidence } from "../evidence.ts";
import type { ResourceChanged, ResourceTruth, StoredComponent, StoredWitness, Wanted } from "../facts.ts";
import { resourceIn } from "../looks.ts";
import { caselessId, componentName, placeKey, rename } from "../names.ts";
import type { Rule, StepOf } from "../steps.ts";
import { isForm, memberAt, within, wordedIn } from "../words.ts";

/** What the newest write to a resource sent and moved among the worded places. */
interface LastWrite {
  readonly sent: ReadonlySet<string>;
  /** The resulting form by member. A creation moves nothing, because nothing was there before. */
  readonly moved: ReadonlyMap<string, Json>;
  readonly isManaged: boolean;
  readonly identity: string | undefined;
}

/**
 * Only the agent's own writes give evidence of a form: for places that they sent and that moved or show the same value in another spelling.
 */
export function ownWritesSettle(evidence: Evidence): Rule {
  const writes = new Map<string, LastWrite>();
  /** The same of lists elsewhere, by pointer: what a cloud may change there is their order. */
  const ofLists = new Map<string, LastWrite>();
  /** The incarnation that each witness is about, by component and place. */
  const shownBy = new Map<string, ReadonlyMap<string, string | undefined>>();

  function note(component: StoredComponent, { resourceId, operation, before, after, sent = [] }: ResourceChanged) {
    if (after === null || (operation !== "create" && operation !== "update")) return;
    const lists = Object.keys(after.parameters).filter((name) => isSent(name, before, after));
    if (sent.length + lists.length === 0) return;
    const cloud = evidence.cloudOf(component);
    const [was, is] = [wordedIn(before?.parameters, cloud), wordedIn(after.parameters, cloud)];
    const isMoved = (member: string) => !isSameJson(was.get(member) ?? null, is.get(member) ?? null);
    const moved =
      before === null ? [] : sent.filter(isMoved).map((member) => [member, is.get(member) ?? null] as const);
    const isManaged =
      !cloud.isTaggable(component.type) || evidence.isGoverned(component) || carriesManagementTag(after.tags, cloud);
    const { identity } = after;
    const key = placeKey(component.provider, resourceId);
    if (sent.length > 0) writes.set(key, { sent: new Set(sent), moved: new Map(moved), isManaged, identity });
    const pointers = new Set(lists.map((name) => `/${name}`));
    if (lists.length > 0) ofLists.set(key, { sent: pointers, moved: new Map(), isManaged, identity });
  }

  function whyWrong(place: string, witness: StoredWitness, step: StepOf<"component-stored">): string | null {
    const { before, after, since } = step;
    if (before === null || after === null) return null;
    if (witness.by === "person") {
      if (before.status === "ManualOverride") return "a person holds it";
      return after.updatedBy === "agent" ? "no person accepted it" : null;
    }
    if (before.status !== "Active") return `it was ${before.status}`;
    const cloud = evidence.cloudOf(after);
    const member = memberAt(place, cloud);
    if (member === null && !isReordered(place, witness, evidence.declaredSince(after, since)))
      return "its cloud shows there what it was sent";
    // Where the cloud chooses IDs, a resource that is found missing loses its own in the same commit.
    const key = placeKey(after.provider, after.resource.id ?? before.resource.id ?? "");
    const written = (member === null ? ofLists : writes).get(key);
    if (!written?.sent.has(member ?? place)) return "the last write didn't send it";
    const read = step.explainedBy === undefined ? null : resourceIn(step.explainedBy);
    // What was replaced before the agent had seen its own nobody can tell from that.
    const wasSeen = before.identity === written.identity;
    if (wasSeen && read?.identity !== undefined && written.identity !== undefined && read.identity !== written.identity)
      return "another resource is there";
    // A later read that shows the tag on again may prove a spelling.
    const isOnAgain = step.explainedBy?.state === "present" && carriesManagementTag(step.explainedBy.tags, cloud);
    if (!written.isManaged && !(witness.by === "spelling" && isOnAgain))
      return "the write found the management tag off";
    if (member === null) return null;
    const wanted = evidence.declaredSince(after, since);
    // A declared list is one value; flattening would judge its items instead.
    const declared = wanted
      .map(({ parameters }) => wordedIn(parameters, cloud).get(member))
      .filter((value) => value !== undefined);
    const moved = written.moved.get(member);
    if (witness.by === "write") {
      if (moved === undefined || !isSameJson(within(moved, place), witness.form)) return "no write moved it there";
      return declared.some((value) => isForm(member, value, moved, cloud)) ? null : "the cloud took something else";
    }
    const isEmpty = (value: Json) => value === null || value === "";
    if (witness.form === null && !declared.some((value) => isEmpty(within(value, place))))
      return "nothing is no spelling of what was sent";
    const forms = declared.flatMap((value) => [value, ...(cloud.words?.forms(member, value) ?? [])]);
    return forms.some((form) => isSameJson(within(form, place), witness.form))
      ? null
      : "it is no spelling of what was sent";
  }

  return {
    invariant: "own-writes-settle",
    judges: {
      look: ({ after, resource }) => {
        if (resource?.identity === undefined) return null;
        const known = shownBy.get(caselessId(after));
        const isOfAnother = (place: string) => (known?.get(place) ?? resource.identity) !== resource.identity;
        const stale = Object.keys(after.settled ?? {}).find(isOfAnother);
        return stale === undefined ? null : `${stale} is settled by a resource that is gone`;
      },
      "component-stored": (step) => {
        const { before, after } = step;
        for (const [place, witness] of Object.entries(after?.settled ?? {})) {
          if (isSameJson((before?.settled?.[place] ?? null) as Json, witness as unknown as Json)) continue;
          const wrong = whyWrong(place, witness, step);
          if (wrong !== null && after !== null)
            return `${componentName(after)}: ${place} is settled as ${JSON.stringify(witness.form)}, though ${wrong}`;
        }
        return null;
      },
    },
    observes: {
      moved: ({ ids }) => rename(shownBy, ids),
      "component-stored": ({ id, before, after }) => {
        const settled = Object.entries(after?.settled ?? {});
        if (after === null || settled.length === 0) return void shownBy.delete(id);
        const known = shownBy.get(id);
        const isKept = (place: string, { at }: StoredWitness) => before?.settled?.[place]?.at === at;
        const now = evidence.truthOf(after)?.identity;
        shownBy.set(id, new Map(settled.map(([place, one]) => [place, isKept(place, one) ? known?.get(place) : now])));
      },
      wrote: ({ component, change }) => note(component, change),
      finished: ({ component, change }) => note(component, change),
    },
  };
}

/** Whether a write may have sent a list: it was made, or became another one. */
function isSent(name: string, before: ResourceTruth | null, { parameters }: ResourceTruth): boolean {
  const now = parameters[name] ?? null;
  return Array.isArray(now) && (before === null || !isSameJson(before.parameters[name] ?? null, now));
}

/** Whether a form is a declared list in another order. */
function isReordered(place: string, { by, form }: StoredWitness, declared: readonly Wanted[]): boolean {
  return declared.some(({ parameters }) => {
    const list = parameters?.[place.slice(1)];
    return by === "spelling" && Array.isArray(list) && Array.isArray(form) && sameSet(list, form);
  });
}
