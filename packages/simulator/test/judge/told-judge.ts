import type { Reading } from "@liveplane/core/clouds";
import type { Json } from "@liveplane/core/store";
import { createJudge, type Fact, type Judge, type JudgedCloud, type ResourceTruth } from "../../src/index.ts";

/** The cloud that it knows. */
export const provider = "sim";
/** Who reads, writes and stores. */
export const process = "a process";
/** The tags of what is the agent's. */
export const managed = { "managed-by": "platform" };
/** What is stored of a resource that differs for a reason of its own. */
export const unsynced = {
  conditions: { ...component("").conditions, inSync: { value: false, reason: "Failed", message: "" } },
};

/** The cloud gives up what was asked of a resource for last, which stays as it is and says so itself, or doesn't. */
export function giveUp(judge: Judge, before: ResourceTruth, { says }: { readonly says: boolean }): void {
  const after = says ? { ...before, failed: { code: "Full" } } : before;
  const { resourceId } = before;
  judge.sees({ kind: "landed", provider, change: { operation: "update", resourceId, before, after, failed: true } });
}

/** A resource before it was there. */
export function there(resourceId: string) {
  return { resourceId, before: null };
}

/** A judge of one cloud and one process, which is told by hand. */
export function toldJudge(
  bindings: ReturnType<JudgedCloud["bindingsOf"]> = { properties: "etag", tags: "etag" },
  now = () => 1_000,
): Judge {
  const facts = { caselessTagKeys: false, tagParameter: "tags", isTaggable: () => true, setsOf: () => [], logMs: 0 };
  const clouds = [{ provider, bindingsOf: () => bindings, ...facts }];
  const judge = createJudge({ clouds, restoredTag: "resume-when-clean", claimMs: null, now });
  tell(judge, { records: { "live-system": { id: "s", status: "Active" } } });
  return judge;
}

type Component = ReturnType<typeof component>;

/** A component as it is stored when all is well. */
export function component(path: string, over: Record<string, unknown> = {}) {
  const fine = { value: true, reason: "", message: "" };
  return {
    ...{ liveSystemId: "s", path, provider, type: "net", status: "Active", lost: false, leaving: false },
    ...{ provisioned: true, resource: { id: null } },
    ...{ intent: null, request: null, override: null, observed: { outputs: {}, drift: {} } },
    conditions: { readable: fine, exists: fine, inSync: fine },
    ...{ step: null, operation: null, work: null, lastWriteAt: null, updatedBy: "agent" },
    ...over,
  };
}

interface Told {
  readonly components?: readonly Component[];
  readonly records?: Readonly<Record<string, object>>;
  /** Components that aren't kept any more. */
  readonly gone?: readonly string[];
  readonly events?: Extract<Fact, { kind: "committed" }>["events"];
}

/** The process stores something. */
export function tell(judge: Judge, { components = [], records = {}, gone = [], events = [] }: Told): void {
  const sets = [
    ...Object.entries(records).map(([collection, value]) => ({
      key: ["record", collection, "id"],
      value: value as Json,
    })),
    ...components.map((one) => ({ key: ["record", "component", "s", one.path], value: one as unknown as Json })),
  ];
  const deletes = gone.map((path) => ["record", "component", "s", path]);
  judge.sees({ kind: "committed", process, sets, deletes, events });
}

/** The process makes an update. */
export function update(judge: Judge, before: ResourceTruth, after: ResourceTruth): void {
  const { resourceId } = before;
  judge.sees({ kind: "changed", process, provider, change: { operation: "update", resourceId, before, after } });
}

/** The process reads a resource directly. */
export function read(judge: Judge, name: string, reading: Reading): void {
  judge.sees({ kind: "read", process, name, reading });
}

type Declared = { readonly path: string } & Readonly<Record<string, unknown>>;

/** A deploy is asked for and accepted. */
export function deploy(
  judge: Judge,
  id: string,
  declared: readonly Declared[],
  { status, adopt }: { readonly status: string; readonly adopt?: "exact" },
): void {
  const components = declared.map((one) => ({ provider, type: "net", ...one }));
  judge.sees({ kind: "asked", requestId: id, definition: { components, ...(adopt && { adopt }) } });
  tell(judge, { records: { mutation: mutation(id, { status }) } });
}

/** It succeeds. */
export function end(judge: Judge, id: string, { held }: { readonly held: readonly string[] }): void {
  const data = { mutationId: id, held, released: [] };
  const events = [{ type: "livesystem.mutation.succeeded", subject: "s", data }];
  tell(judge, { records: { mutation: mutation(id, { status: "Succeeded", held }) }, events });
}

function mutation(id: string, over: object) {
  return { id, liveSystemId: "s", kind: "Deploy", requestId: id, released: [], held: [], error: null, ...over };
}
