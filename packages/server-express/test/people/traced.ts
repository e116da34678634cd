import type { Cloud, SimulatedChange } from "@liveplane/core/clouds";
import type { Commit, Store } from "@liveplane/core/store";
import { type Broken, createJudge, type Fact, type SentDefinition } from "../../../simulator/src/index.ts";
import type { RulesOf } from "../../../simulator/src/judge/create-judge.ts";

/** The name under which the server reads, writes and stores. */
const server = "the server";

/** What a server does, told to rules as it happens: commits, direct reads, and changes in its cloud. */
export interface Trace {
  /** The first step that the rules don't know. */
  readonly broken: Broken | null;
  store(store: Store): Store;
  cloud(cloud: Cloud): Cloud;
  onChange(change: SimulatedChange): void;
}

/** Traces one server over one cloud. */
export function traceOf(rulesOf: RulesOf, cloud: Pick<Cloud, "provider" | "capabilities" | "resourceType">): Trace {
  const { provider, capabilities, resourceType } = cloud;
  const bindingsOf = () => ({ properties: "etag", tags: "etag" }) as const;
  const { caselessTagKeys, tagParameter } = capabilities;
  const facts = { caselessTagKeys, tagParameter, setsOf: () => [] };
  const isTaggable = (type: string) => resourceType(type).taggable;
  const clouds = [{ provider, bindingsOf, isTaggable, ...facts }];
  const judge = createJudge({ clouds, restoredTag: "resume-when-clean", claimMs: null, now: Date.now }, { rulesOf });
  /** The definitions that were stored, by digest. */
  const definitions = new Map<string, SentDefinition>();

  function sawCommit({ sets = [], deletes = [], appends = [] }: Commit): void {
    for (const { key, value } of sets) {
      const record = value as unknown as Stored;
      if (key[1] === "definition") definitions.set(record.digest, record.definition);
    }
    for (const { key, value } of sets) {
      const { requestId, deploys } = value as unknown as Stored;
      if (key[0] === "record" && key[1] === "mutation")
        judge.sees({ kind: "asked", requestId, definition: definitions.get(deploys ?? "") ?? null });
    }
    const events = appends.map(({ value }) => value as never);
    judge.sees({ kind: "committed", process: server, sets, deletes, events });
  }

  const sent = (operation: Extract<Fact, { kind: "sent" }>["operation"], resourceId: string) =>
    judge.sees({ kind: "sent", process: server, provider, operation, resourceId });

  return {
    get broken() {
      return judge.broken;
    },
    store: (store) => ({
      capabilities: store.capabilities,
      get: (...call) => store.get(...call),
      list: (...call) => store.list(...call),
      close: () => store.close(),
      commit: async (commit, options) => {
        const version = await store.commit(commit, options);
        if (version !== null) sawCommit(commit);
        return version;
      },
    }),
    cloud: (traced) => ({
      ...traced,
      read: async (ref, call) => {
        const reading = await traced.read(ref, call);
        judge.sees({ kind: "read", process: server, name: ref.resourceId, reading });
        return reading;
      },
      create: (resource, call) => {
        sent("create", resource.resourceId ?? resource.intent);
        return traced.create(resource, call);
      },
      update: (ref, ...call) => {
        sent("update", ref.resourceId);
        return traced.update(ref, ...call);
      },
      remove: (ref, ...call) => {
        sent("remove", ref.resourceId);
        return traced.remove(ref, ...call);
      },
      removeTag: (ref, ...call) => {
        sent("removeTag", ref.resourceId);
        return traced.removeTag(ref, ...call);
      },
    }),
    onChange: ({ by, ...change }) =>
      judge.sees({ kind: "changed", process: by === "console" ? null : server, provider, change }),
  };
}

/** The parts of stored definitions and mutations that a trace reads. */
interface Stored {
  readonly digest: string;
  readonly definition: SentDefinition;
  readonly requestId: string;
  readonly deploys: string | null;
}
