import type { Handlers } from "../../contract/handler.ts";
import type { AdoptionPlan, Dependent } from "../../contract/schemas/override-schemas.ts";
import { actorName } from "../../contract/target.ts";
import type { JsonObject } from "../../json-pointer.ts";
import { listedInMemory } from "../../records/listed.ts";
import type { Reader, Stored } from "../../records/records.ts";
import type { Services } from "../../services.ts";
import { fingerprintOf } from "../agent/agent-observe.ts";
import { type Declared, isOutdated } from "../declarations/declaration.ts";
import { pathKey } from "../declarations/definition.ts";
import { isIgnored } from "../declarations/ignored.ts";
import { findDependents } from "../declarations/references.ts";
import { fixedAt, maySetParameters } from "../declarations/shape.ts";
import { explainChanges } from "../protocol/adoption-plan.ts";
import { keepPatch, placeIn } from "../protocol/keep-patch.ts";
import { whyUnwritable } from "../protocol/verdicts.ts";
import { type ComponentRecord, idOf } from "../records/component-record.ts";
import { definitions } from "../records/definition-record.ts";
import { currentEpisode, episodes } from "../records/episode-record.ts";
import { declaredIn, type InForce } from "../records/in-force.ts";
import { foundComponent } from "./components.ts";
import { componentsOf, foundInForce } from "./live-systems.ts";

type PlanHandlers = Pick<
  Handlers<"liveSystems.components">,
  "liveSystems.components.adoptionPlan" | "liveSystems.components.dependents"
>;

/** Creates the handlers that show what a hand-back would do. They read nothing from the cloud. */
export function createHandBackPlans({
  records,
  declarations,
  pages,
  runtime,
  clouds,
}: Pick<Services, "records" | "pages" | "runtime" | "declarations" | "clouds">): PlanHandlers {
  return {
    "liveSystems.components.adoptionPlan": async ({ params }) => {
      const { system, record } = await foundComponent(records, params);
      const inForce = await foundInForce(declarations, system.id);
      const around = await componentsOf(records, system.id);
      const applied = await lastApplied(records, record, declaredIn(inForce, record));
      // Other requests are answered between plans, however many are requested at once.
      await runtime.yield();
      const { changes, hashes } = record.observed;
      const fingerprint = await fingerprintOf(record, changes, hashes, { runtime });
      await rememberServed(record, fingerprint);
      return { value: adoptionPlanOf(record, { inForce, around, fingerprint, applied, clouds }) };
    },

    "liveSystems.components.dependents": async ({ actor, params, query }) => {
      const { system, record } = await foundComponent(records, params);
      const around = await componentsOf(records, system.id);
      const all = dependentsIn(record, { inForce: await foundInForce(declarations, system.id), around });
      const bind = [actorName(actor), "dependents", params.componentId];
      const page = await pages.page(listedInMemory(all), { cursor: query.cursor, limit: query.limit, bind });
      const items = page.items.map(({ version: _version, ...dependent }): Dependent => dependent);
      return { value: { items, nextCursor: page.nextCursor } };
    },
  };

  /** Recorded so that a hand-back can tell whether it was based on the last plan shown. */
  async function rememberServed(record: Stored<ComponentRecord>, fingerprint: string): Promise<void> {
    if (record.override === null) return;
    await records.change({ actor: "agent", requestId: runtime.newId() }, async (change) => {
      const episode = await currentEpisode(change, record);
      if (episode === null || episode.servedPlan === fingerprint) return;
      change.put(episodes, { ...episode, servedPlan: fingerprint });
    });
  }
}

interface PlanContext extends Pick<Services, "clouds"> {
  readonly inForce: InForce;
  readonly around: ReadonlyMap<string, Stored<ComponentRecord>>;
  readonly fingerprint: string;
  /** The declaration when the resource last matched it; `null` if it never did or that is no longer known. */
  readonly applied: JsonObject | null;
}

/** The parameters last applied, as declared: those in force, or those of a definition still in the history. */
export async function lastApplied(
  reader: Pick<Reader, "list">,
  { liveSystemId, carriedOut }: ComponentRecord,
  { digest, parameters }: Declared,
): Promise<JsonObject | null> {
  if (carriedOut === null) return null;
  if (carriedOut === digest) return parameters;
  for (const { record } of await reader.list(definitions, { prefix: [liveSystemId] })) {
    const at = record.parts.indexOf(carriedOut);
    if (at >= 0) return record.definition.components[at]?.parameters ?? null;
  }
  return null;
}

/** What a hand-back would revert, from the last direct read, by the comparison that the agent uses for corrections. */
export function adoptionPlanOf(
  record: Stored<ComponentRecord>,
  { inForce, around, fingerprint, applied, clouds }: PlanContext,
): AdoptionPlan {
  const { observed, start, conditions } = record;
  const { components: parts } = inForce.definition;
  const declared = declaredIn(inForce, record);
  const isMissing = conditions.exists.value === false;
  const { patch, leftOut } = isMissing
    ? { patch: [], leftOut: observed.changes.map(({ pointer }) => pointer) }
    : keepPatch(parts, placeIn(parts, record.path), observed.changes, [...observed.secrets, ...declared.unobservable]);
  const before = { start, declared: declared.parameters, applied };
  const explained = explainChanges(observed.changes, observed.hashes, before);
  const cloud = clouds.get(record.provider);
  // References count as unchanged since the last write, because a plan resolves none.
  const referred = record.tried?.referred ?? null;
  const why = cloud && !isMissing ? whyUnwritable(record, explained, { cloud, declared, inForce, referred }) : [];
  const changes = explained.map((change, at) => ({ ...change, unwritable: why[at] ?? null }));
  const refusal = refusalOf(record, { declared, isMissing }) ?? impossibleIn(changes);
  const dependents = dependentsIn(record, { inForce, around });
  const kept = leftOut.length === 0 ? null : `The patch cannot express ${leftOut.join(", ")}.`;
  return {
    componentId: idOf(record),
    fingerprint,
    observedAt: conditions.readable.observedAt,
    possible: refusal === null,
    reason: refusal ?? kept,
    changes,
    unobservable: isMissing ? [] : rewrittenBy(record, { inForce, declared }),
    dependents,
    deployedLater: laterThan(record, { inForce, around }).filter((id) =>
      dependents.every((one) => one.componentId !== id),
    ),
    keepPatch: [...patch],
  };
}

/** The values that the cloud never shows, which the hand-back therefore writes again. */
function rewrittenBy(
  record: ComponentRecord,
  { inForce, declared }: Pick<PlanContext, "inForce"> & { readonly declared: Declared },
): string[] {
  const cloud = inForce.clouds.get(record.provider);
  if (cloud === undefined || !maySetParameters(record, { cloud, declared })) return [];
  const type = cloud.resourceType(record.type);
  return declared.unobservable.filter(
    (pointer) => fixedAt(type, pointer) === null && !isIgnored(pointer, declared.ignoreChanges),
  );
}

function refusalOf(
  { status, conditions, observed }: ComponentRecord,
  { declared, isMissing }: { readonly declared: Declared; readonly isMissing: boolean },
): string | null {
  if (declared.leaving) return "The component is being removed.";
  if (status === "Active") return "Nobody has taken it over.";
  if (status === "ReconcileRequested") return "The hand-back has been requested.";
  if (isOutdated(observed, declared)) return "Its declaration has changed since it was last read.";
  if (conditions.readable.value !== true) return "The resource cannot be read.";
  return isMissing ? "The resource is missing. Deploy again to recreate it." : null;
}

/** What can't be reverted, and why; `null` if everything can. */
function impossibleIn(changes: AdoptionPlan["changes"]): string | null {
  const stuck = changes.filter(({ unwritable: why }) => why !== null);
  const messages = [...new Set(stuck.map(({ unwritable: why }) => why?.message ?? ""))];
  const places = stuck.map(({ pointer }) => pointer).join(", ");
  return stuck.length === 0 ? null : `${places} can't be put back. ${messages.join(" ")}`;
}

/** The components whose declarations depend on this one, in any way. */
function laterThan({ path }: ComponentRecord, { inForce, around }: Pick<PlanContext, "inForce" | "around">): string[] {
  const isLater = (other: ComponentRecord) => declaredIn(inForce, other).dependsOn.includes(path);
  return [...around.values()].filter(isLater).map(idOf);
}

function dependentsIn(
  record: ComponentRecord,
  { inForce, around }: Pick<PlanContext, "inForce" | "around">,
): Dependent[] {
  const others = [...around.values()].filter((other) => pathKey(other.path) !== pathKey(record.path));
  const possible = others.map((other) => ({
    componentId: idOf(other),
    parameters: declaredIn(inForce, other).parameters,
    created: other.provisioned,
  }));
  const now = { values: record.observed.outputs, digests: record.observed.hidden?.digests ?? {} };
  return findDependents(record.path, possible, now, record.start?.outputs ?? null);
}
