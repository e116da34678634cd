import { carriesManagementTag, carriesReconcileTag } from "../../src/judge/comparison.ts";
import type { RulesOf } from "../../src/judge/create-judge.ts";
import type { Evidence } from "../../src/judge/evidence.ts";
import type { StoredComponent } from "../../src/judge/facts.ts";
import { writtenAsRead } from "../../src/judge/invariants/written-as-read.ts";
import { isDeploying } from "../../src/judge/lifecycle.ts";
import { everyLook, type Found, resourceIn } from "../../src/judge/looks.ts";
import { caselessId, componentName } from "../../src/judge/names.ts";
import type { Rule, StepOf } from "../../src/judge/steps.ts";

/** A row of the model's table, in the model's words. */
interface ModelRow {
  readonly number: string;
  readonly status: string;
  readonly stays: boolean;
  readonly effect: string;
  readonly lost: boolean;
  readonly request: string;
  readonly awaiting: string;
}

/** The model's table: the facts in its words, with the row that it chooses. */
export type ModelTable = ReadonlyMap<string, ModelRow>;

/** Reads the lines that Quint has printed. */
export function modelTableOf(lines: readonly string[]): ModelTable {
  return new Map(
    lines.map((line) => {
      const [facts = "", row = ""] = line.split(" = ");
      const [number = "", status = "", stays, effect = "", lost, request = "", , awaiting = ""] = row.split(" ");
      return [facts, { number, status, stays: stays === "1", effect, lost: lost === "1", request, awaiting }];
    }),
  );
}

/**
 * A run is a behaviour of the model if each of its steps is one of the model's. The agent's commits are the step `decides`: some read since
 * the last commit leads to them by the model's table. Calls to clouds are the step `sends`: under an own claim of their kind. What arrives is
 * the step `lands`: nothing that an etag binds meets another state. A fact that the trace doesn't show may have any value.
 */
export function modelRules(table: ModelTable): RulesOf {
  return (evidence) => [decides(table, evidence), sends(evidence), lands(evidence)];
}

const words: Readonly<Record<string, string>> = {
  ManualOverride: "Manual",
  ReconcileRequested: "Requested",
  "resume-when-clean": "clean",
  "management-tag": "managementTag",
  "reconcile-tag": "reconcileTag",
  redeploy: "redeployment",
  removeReconcileTag: "untag",
};
const word = (name: string) => words[name] ?? name;

function decides(table: ModelTable, evidence: Evidence): Rule {
  return {
    invariant: "behaves-as-the-model",
    judges: {
      "component-stored": (step) => {
        const { before, after } = step;
        if (before === null || after === null || after.updatedBy !== "agent" || !isDecision(before, after)) return null;
        const found: Found = { ...step, before, after };
        const name = componentName(after);
        if (after.work?.kind === "remove") return wrongRemoval(found, evidence);
        if (after.conditions.readable.value === false)
          return isSame(before, after) && after.work === null ? null : `${name}: unreadable, and it changed`;
        if (evidence.declared(after) === null || after.leaving) return null;
        const looks = everyLook(found, evidence);
        const rows = looks.flatMap((look) => everyFact(look, evidence).map((facts) => table.get(facts)));
        if (rows.some((row) => row !== undefined && leadsTo(row, before, after))) return null;
        const tried = [...new Set(rows.map((row) => row?.number))].join(", ");
        return `${name} became ${shown(after)} after ${shown(before)}; the model knows ${tried || "no read"}`;
      },
    },
  };
}

/** The model removes what is Active and showed the management tag at the last read. What goes by another's tags needs none of its own. */
function wrongRemoval({ before, after, process }: Found, evidence: Evidence): string | null {
  if (after.work?.id === before.work?.id) return null;
  const cloud = evidence.cloudOf(after);
  const last = evidence.sightings.of(process, [after.resource.id, after.intent, before.intent]).at(-1);
  const resource = last === undefined ? null : resourceIn(last.reading);
  const isFree = !cloud.isTaggable(after.type) || evidence.isGoverned(before);
  const isOn = resource !== null && (isFree || carriesManagementTag(resource.tags, cloud));
  return isOn ? null : `${componentName(after)} is to be removed, and wasn't seen managed`;
}

function shown({ status, lost, request, override, work }: StoredComponent): string {
  const kind = work?.kind ?? "no write";
  return [status, lost ? "lost" : "there", request?.reconciled ?? "no request", override?.awaiting, kind].join(" ");
}

/** Whether a commit decides anything that the model knows. Dropping a claim is the end of `sends`. */
function isDecision(before: StoredComponent, after: StoredComponent): boolean {
  const isClaimed = after.work !== null && after.work.id !== before.work?.id;
  return isClaimed || !isSame(before, after);
}

function isSame(before: StoredComponent, after: StoredComponent): boolean {
  return (
    before.status === after.status &&
    before.lost === after.lost &&
    before.request?.id === after.request?.id &&
    before.request?.reconciled === after.request?.reconciled &&
    before.override?.episodeId === after.override?.episodeId &&
    before.override?.awaiting === after.override?.awaiting
  );
}

/** Whether a row of the model leads from one record to another, with this claim. */
function leadsTo(row: ModelRow, before: StoredComponent, after: StoredComponent): boolean {
  const kind = after.work === null || after.work.id === before.work?.id ? "nothing" : word(after.work.kind ?? "");
  if (kind !== "nothing" && kind !== row.effect) return false;
  if (row.stays) return isSame(before, after);
  const awaiting = after.override?.awaiting ?? null;
  return (
    word(after.status) === row.status &&
    after.lost === row.lost &&
    (awaiting === null ? "nobody" : word(awaiting)) === row.awaiting &&
    (after.override === null) === (row.status === "Active") &&
    isRequest(row.request, before.request, after.request)
  );
}

type Request = StoredComponent["request"];

function isRequest(kind: string, before: Request, after: Request): boolean {
  if (kind === "drop") return after === null;
  if (kind === "open") return after !== null && after.id !== before?.id && !after.reconciled;
  if (after?.id !== before?.id) return false;
  if (kind === "keep") return after?.reconciled === before?.reconciled;
  return after?.reconciled === (kind === "reconcile");
}

/** The facts that a read may have shown, in the model's words. */
function everyFact(look: StepOf<"look" | "glimpse">, { world }: Evidence): string[] {
  const { before, after, reading, resource, declared, cloud } = look;
  const { status } = before;
  const governed = (declared.overrideWith != null || before.governedBy != null) && status === "Active";
  const isOn = resource !== null && (governed || carriesManagementTag(resource.tags, cloud));
  const isAsked = resource !== null && !governed && carriesReconcileTag(resource.tags, cloud);
  return seenAs(look).flatMap((seen) => {
    if (seen === "unreadable" || seen === "missing")
      return either(isDeploying(before, after)).flatMap((deploy) =>
        adoptionIn(look, false).map((adoption) =>
          line([status, seen, "neverGone", world.restoredTag, adoption, false, false, false, false, deploy]),
        ),
      );
    return driftIn(look).flatMap((differs) =>
      either(isDeploying(before, after)).flatMap((deploy) => {
        const drift = differs || seen === "failed";
        const reconciled = before.request?.reconciled === true && !drift;
        const returned = returnedAs(before, resourceIn(reading)?.identity ?? null);
        const on = isOn || (after.status === "Active" && governed);
        return adoptionIn(look, on).map((adoption) =>
          line([...[status, seen, returned, world.restoredTag, adoption], ...[on, isAsked, drift, reconciled, deploy]]),
        );
      }),
    );
  });
}

/** Until a resource that is adopted exactly has the management tag, a deploy may add it. Why it doesn't isn't told. */
function adoptionIn({ before, declared }: StepOf<"look" | "glimpse">, on: boolean): string[] {
  const isOver = declared.adoptsExactly !== true || before.provisioned || before.status !== "Active";
  if (isOver) return ["noAdoption"];
  return on ? ["noAdoption", "refused"] : ["due", "refused"];
}

/** An accepted write hides what a read shows, and a resource that was just made may be late. */
function seenAs({ before, after, reading, resource }: StepOf<"look" | "glimpse">): string[] {
  if (reading.state === "missing") return before.status === "Active" ? ["missing", "unreadable"] : ["missing"];
  if (resource === null) return ["unreadable"];
  const isFollowed = before.operation != null || after.operation != null;
  return isFollowed ? [reading.state, "working", "failed"] : [reading.state];
}

/** The values of references, and the words of a cloud, aren't in the trace. */
function driftIn(look: StepOf<"look" | "glimpse">): boolean[] {
  if (look.kind === "glimpse") return [true, false];
  const { differing, referring, declared, cloud } = look;
  if (differing.length > 0) return [true];
  const isWorded = cloud.words !== undefined && Object.hasOwn(declared.parameters ?? {}, cloud.words.parameter);
  return either(referring.size > 0 || isWorded);
}

const either = (mayBe: boolean): boolean[] => (mayBe ? [false, true] : [false]);

function returnedAs({ status, lost, identity: known = null }: StoredComponent, identity: string | null): string {
  if (status === "Active") return "neverGone";
  if (identity === null || known === null) return lost ? "another" : "neverGone";
  if (identity !== known) return "another";
  return lost ? "same" : "neverGone";
}

function line(facts: readonly (string | boolean)[]): string {
  return facts.map((fact) => (typeof fact === "string" ? word(fact) : String(Number(fact)))).join(" ");
}

const operations: Readonly<Record<string, readonly string[]>> = {
  create: ["create"],
  update: ["correct", "adopt"],
  removeTag: ["removeReconcileTag", "correct"],
  remove: ["remove"],
};

/** Each call is sent under a claim of its kind, by the process that has claimed the component. */
function sends(evidence: Evidence): Rule {
  return {
    invariant: "behaves-as-the-model",
    judges: {
      wrote: ({ component, process, change, sent }) => {
        const claim = evidence.sends.claimOn(caselessId(component));
        if (claim === undefined || claim.order > sent.order) return null;
        const { work } = component;
        const name = `${change.operation} of ${change.resourceId}`;
        if (claim.process !== process) return `${name} was sent by ${process}, and ${claim.process} has claimed it`;
        const isOfKind = work?.kind === undefined || operations[change.operation]?.includes(work.kind);
        return isOfKind ? null : `${name} was sent under a claim to ${work.kind}`;
      },
    },
  };
}

function lands(evidence: Evidence): Rule {
  return { ...writtenAsRead(evidence), invariant: "behaves-as-the-model" };
}
