import type { Access } from "../account/access.ts";
import type { Handlers } from "../contract/handler.ts";
import type { AdoptionPlan, Dependent } from "../contract/live-system-schemas.ts";
import { checkPreconditions } from "../contract/preconditions.ts";
import { actorName } from "../contract/target.ts";
import { invalid, LiveplaneError } from "../errors.ts";
import type { Runtime } from "../ports/runtime.ts";
import type { Pages } from "../records/pages.ts";
import type { Listed, Reader, Records, Stored } from "../records/records.ts";
import { explainChanges } from "./adoption-plan.ts";
import type { Agent } from "./agent.ts";
import { nowText } from "./agent-deps.ts";
import { fingerprintOf } from "./agent-look.ts";
import { type ComponentRecord, componentKey, components, idOf, pathOf, toComponent } from "./component-record.ts";
import { pathKey } from "./definition.ts";
import { findDependents } from "./dependents.ts";
import { episodes, toEpisode } from "./episode-record.ts";
import { keepPatch, placeIn } from "./keep-patch.ts";
import { type LiveSystemRecord, liveSystems } from "./live-system-record.ts";
import { componentsOf, found } from "./live-systems.ts";

/** What the operations on components need. */
export interface ComponentsDeps {
  readonly records: Records;
  readonly pages: Pages;
  readonly runtime: Runtime;
  readonly access: Pick<Access, "can">;
  readonly agent: Pick<Agent, "check">;
}

type ComponentHandlers = Handlers<"liveSystems.components">;

/** Builds the operations on components: what is known of them, and what a person may ask of the agent. */
export function createComponents({ records, pages, runtime, agent }: ComponentsDeps): ComponentHandlers {
  const componentOf = async (params: { readonly id: string; readonly componentId: string }) => {
    const system = await found(records, params.id);
    const record = await records.get(components, keyOf(params));
    if (record === null) throw new LiveplaneError("NotFound");
    return { system, record };
  };

  return {
    "liveSystems.components.list": async ({ actor, params, query }) => {
      const { id } = await found(records, params.id);
      const filter = JSON.stringify([query.status, query.drift]);
      const page = await pages.page<ComponentRecord>(
        (range) => records.list(components, { prefix: [id], ...range }),
        { cursor: query.cursor, limit: query.limit, bind: [actorName(actor), "components.list", id, filter] },
        ({ status, observed }) =>
          (query.status === undefined || query.status.includes(status)) &&
          (query.drift === undefined || query.drift === Object.keys(observed.drift).length > 0),
      );
      return { value: { items: page.items.map((record) => toComponent(record)), nextCursor: page.nextCursor } };
    },

    "liveSystems.components.get": async ({ params }) => ({ value: toComponent((await componentOf(params)).record) }),

    "liveSystems.components.check": async ({ params }) => {
      await componentOf(params);
      const checked = await agent.check(keyOf(params));
      if (checked === null) throw new LiveplaneError("NotFound");
      const { record, ...acknowledgement } = checked;
      return { value: { component: toComponent(record), acknowledgement } };
    },

    "liveSystems.components.adoptionPlan": async ({ params }) => {
      const { system, record } = await componentOf(params);
      const around = await componentsOf(records, system.id);
      const fingerprint = await fingerprintOf(record, record.observed.changes, record.observed.hashes, { runtime });
      await rememberServed(record, fingerprint);
      return { value: adoptionPlanOf(record, { system, around, fingerprint }) };
    },

    "liveSystems.components.overrides": async ({ actor, params, query }) => {
      const { id } = await systemEver(records, params.id);
      const path = pathOf(id, params.componentId);
      const key = path === null ? null : componentKey(id, path);
      const there = key !== null && (await records.get(components, key)) !== null;
      const list = async (range: { readonly after?: readonly string[]; readonly limit: number }) => {
        if (key === null) return [];
        return records.list(episodes, { index: "started", prefix: key, reverse: true, ...range });
      };
      const request = {
        cursor: query.cursor,
        limit: query.limit,
        bind: [actorName(actor), "overrides", params.componentId],
      };
      const page = await pages.page(list, request);
      if (!there && page.items.length === 0 && query.cursor === undefined) throw new LiveplaneError("NotFound");
      return { value: { items: page.items.map((record) => toEpisode(record)), nextCursor: page.nextCursor } };
    },

    "liveSystems.components.annotateOverride": async ({ params, body, cause, preconditions, actor }) => {
      await componentOf(params);
      const { reason, ticket, remindAt } = body;
      if (typeof remindAt === "string" && Date.parse(remindAt) <= runtime.clock.now()) {
        throw invalid([{ pointer: "#/remindAt", code: "TooSmall", detail: "A reminder lies in the future." }]);
      }
      const stored = await records.change(cause, async (change) => {
        const system = await found(change, params.id);
        const record = await change.get(components, keyOf(params));
        if (record === null) throw new LiveplaneError("NotFound");
        checkPreconditions(preconditions, record);
        if (system.status === "Deleting") throw new LiveplaneError("InvalidState", "The live system is being deleted.");
        if (record.override === null) throw new LiveplaneError("InvalidState", "The component is not overridden.");
        const override = {
          ...record.override,
          ...(reason !== undefined && { reason }),
          ...(ticket !== undefined && { ticket }),
          ...(remindAt !== undefined && { remindAt: remindAt === null ? null : new Date(remindAt).toISOString() }),
          claimedBy: actorName(actor),
        };
        const episode = await change.get(episodes, [...keyOf(params), override.episodeId]);
        if (episode !== null) {
          change.put(episodes, {
            ...episode,
            reason: override.reason,
            ticket: override.ticket,
            claimedBy: override.claimedBy,
          });
        }
        const about = { kind: "liveSystem", id: record.liveSystemId } as const;
        const changed = ["reason", "ticket", "remindAt"].filter(
          (name) => body[name as keyof typeof body] !== undefined,
        );
        const data = { from: record.status, status: record.status, episodeId: override.episodeId, changed };
        change.emit({ type: "component.override.noted", subject: idOf(record), about, data });
        return change.put(components, { ...record, override, updatedAt: nowText({ runtime }), updatedBy: cause.actor });
      });
      return { value: toComponent(stored) };
    },

    "liveSystems.components.dependents": async ({ actor, params, query }) => {
      const { system, record } = await componentOf(params);
      const around = await componentsOf(records, system.id);
      const all = dependentsIn(record, around);
      const list = async ({
        after,
        limit,
      }: {
        readonly after?: readonly string[];
        readonly limit: number;
      }): Promise<Listed<Dependent>[]> => {
        const from = after === undefined ? 0 : Number(after[0]) + 1;
        return all
          .slice(from, from + limit)
          .map((item, at) => ({ record: { ...item, version: "" }, position: [String(from + at)] }));
      };
      const page = await pages.page(list, {
        cursor: query.cursor,
        limit: query.limit,
        bind: [actorName(actor), "dependents", params.componentId],
      });
      return {
        value: {
          items: page.items.map(({ version: _version, ...item }) => item as Dependent),
          nextCursor: page.nextCursor,
        },
      };
    },
  };

  /** So that a hand-back can say whether it was decided on the last plan served. */
  async function rememberServed(record: Stored<ComponentRecord>, fingerprint: string): Promise<void> {
    if (record.override === null || record.servedPlan === fingerprint) return;
    await records.change({ actor: "agent", requestId: runtime.newId() }, async (change) => {
      const current = await change.get(components, components.key(record));
      if (current?.version === record.version) change.put(components, { ...current, servedPlan: fingerprint });
    });
  }
}

function keyOf({ id, componentId }: { readonly id: string; readonly componentId: string }) {
  const path = pathOf(id, componentId);
  if (path === null) throw new LiveplaneError("NotFound");
  return componentKey(id.toLowerCase(), path);
}

/** A live system that is there, or was: its ledger stays readable. */
async function systemEver(reader: Reader, id: string): Promise<Stored<LiveSystemRecord>> {
  const record = await reader.get(liveSystems, [id.toLowerCase()]);
  if (record === null) throw new LiveplaneError("NotFound");
  return record;
}

interface PlanContext {
  readonly system: LiveSystemRecord;
  readonly around: ReadonlyMap<string, Stored<ComponentRecord>>;
  readonly fingerprint: string;
}

/** What a hand-back would revert, from the last direct read: by the comparison that the agent corrects with. */
function adoptionPlanOf(record: Stored<ComponentRecord>, { system, around, fingerprint }: PlanContext): AdoptionPlan {
  const { observed, start, conditions } = record;
  const declared = system.definition.components;
  const isMissing = conditions.exists.value === false;
  const { patch, leftOut } = isMissing
    ? { patch: [], leftOut: observed.changes.map(({ pointer }) => pointer) }
    : keepPatch(declared, placeIn(declared, record.path), observed.changes, observed.secrets);
  const changes = explainChanges(observed.changes, observed.hashes, start ?? { declared: {}, actual: {}, hashes: {} });
  const refusal = refusalOf(record, isMissing);
  const kept = leftOut.length === 0 ? null : `The patch cannot express ${leftOut.join(", ")}.`;
  return {
    componentId: idOf(record),
    fingerprint,
    observedAt: conditions.readable.observedAt,
    possible: refusal === null,
    reason: refusal ?? kept,
    changes,
    dependents: dependentsIn(record, around),
    keepPatch: [...patch],
  };
}

function refusalOf({ status, conditions }: ComponentRecord, isMissing: boolean): string | null {
  if (status === "Active") return "The component is not overridden.";
  if (status === "ReconcileRequested") return "The hand-back has been requested.";
  if (conditions.readable.value !== true) return "The resource cannot be read.";
  return isMissing ? "The resource is missing: a redeploy provisions it anew." : null;
}

function dependentsIn(record: ComponentRecord, around: ReadonlyMap<string, ComponentRecord>): Dependent[] {
  const others = [...around.values()].filter((other) => pathKey(other.path) !== pathKey(record.path));
  const possible = others.map((other) => ({ componentId: idOf(other), parameters: other.parameters }));
  const now = { values: record.observed.outputs, digests: record.observed.hidden?.digests ?? {} };
  return findDependents(record.path, possible, now, record.start?.outputs ?? null);
}
