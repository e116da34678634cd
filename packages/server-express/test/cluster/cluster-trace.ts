import { decodeKey, type Json, type Key } from "@liveplane/core/store";
import pg from "pg";
import { plainReading } from "../../../core/test/builders/plain-cloud.ts";
import { type Broken, createJudge, type Fact, type SentDefinition } from "../../../simulator/src/index.ts";
import type { RulesOf } from "../../../simulator/src/judge/create-judge.ts";

/** What the cloud of the trial saw, at its time: a direct read, a write as it arrives and as it is made, an edit by hand, a death. */
export type CloudStep = { readonly at: number } & (
  | { readonly kind: "read"; readonly node: string; readonly id: string; readonly size: number; readonly etag: number }
  | { readonly kind: "sent"; readonly node: string; readonly id: string; readonly etag: number }
  | {
      readonly kind: "changed";
      readonly node: string | null;
      readonly id: string;
      readonly from: Shown;
      readonly to: Shown;
    }
  | { readonly kind: "died"; readonly node: string }
);

interface Shown {
  readonly size: number;
  readonly etag: number;
}

/** A commit of a component as the database saw it. */
interface StoredStep {
  readonly at: number;
  readonly node: string;
  readonly key: Key;
  readonly before: Json;
  readonly after: Json;
}

/** The steps of a trial, in the order of time, and what each live system declares. */
export interface ClusterTrace {
  readonly steps: readonly (CloudStep | ({ readonly kind: "stored" } & StoredStep))[];
  readonly definitions: ReadonlyMap<string, SentDefinition>;
}

const provider = "bench";

/** Lets the database keep every commit of a component, with the node that made it: whatever becomes of the node. */
export async function traceCommits(connectionString: string): Promise<void> {
  await withClient(connectionString, async (client) => {
    await client.query(
      "CREATE TABLE cluster_trace (nth bigserial, at double precision, node text, key bytea, before text, after text)",
    );
    await client.query(`CREATE FUNCTION cluster_trace_commit() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      INSERT INTO cluster_trace (at, node, key, before, after)
      VALUES (extract(epoch FROM clock_timestamp()) * 1000, current_setting('application_name'), NEW.key, OLD.value, NEW.value);
      RETURN NULL;
    END $$`);
    await client.query(
      `CREATE TRIGGER cluster_trace AFTER UPDATE ON liveplane_entry FOR EACH ROW EXECUTE FUNCTION cluster_trace_commit()`,
    );
  });
}

/** All commits of components, in their order. */
export async function committed(connectionString: string): Promise<StoredStep[]> {
  return withClient(connectionString, async (client) => {
    const { rows } = await client.query<{ at: number; node: string; key: Buffer; before: string; after: string }>(
      "SELECT at, node, key, before, after FROM cluster_trace ORDER BY nth",
    );
    return rows.flatMap(({ at, node, key: bytes, before, after }) => {
      const key = decodeKey(bytes.toString("utf8"));
      const isComponent = key[0] === "record" && key[1] === "component";
      return isComponent ? [{ at, node, key, before: JSON.parse(before), after: JSON.parse(after) }] : [];
    });
  });
}

async function withClient<T>(connectionString: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(connectionString);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** What the rules have against a trial, and how many steps of each kind it had. */
export function judgeTrace({ steps, definitions }: ClusterTrace, rulesOf: RulesOf) {
  let now = 0;
  const judge = createJudge(
    { clouds: [judgedCloud], restoredTag: "resume-when-clean", claimMs: null, now: () => now },
    { rulesOf },
  );
  const counts = { read: 0, sent: 0, changed: 0, died: 0, stored: 0 };
  const inOrder = [...steps].sort((one, other) => one.at - other.at);
  const known = new Set<string>();
  for (const step of inOrder)
    if (step.kind === "stored") for (const fact of beginningOf(step, { known, definitions })) judge.sees(fact);
  for (const step of inOrder) {
    now = step.at;
    counts[step.kind] += 1;
    judge.sees(factOf(step));
    if (judge.broken !== null) break;
  }
  return { broken: judge.broken as Broken | null, counts };
}

const judgedCloud = {
  provider,
  bindingsOf: () => ({ properties: "etag", tags: "etag" }) as const,
  isTaggable: () => true,
  caselessTagKeys: true,
  tagParameter: "tags",
  setsOf: () => ["/network/prefixes"],
};

/** What there was of a component before its first commit of the trial, and what its live system declares. */
function* beginningOf(
  { key, before }: StoredStep,
  { known, definitions }: { readonly known: Set<string> } & Pick<ClusterTrace, "definitions">,
): Generator<Fact> {
  const [, , liveSystemId = ""] = key;
  const process = "the beginning";
  const none = { deletes: [], events: [] };
  if (!known.has(liveSystemId)) {
    const requestId = `fleet ${liveSystemId}`;
    yield { kind: "asked", requestId, definition: definitions.get(liveSystemId) ?? null };
    const rest = { status: "Succeeded", released: [], held: [], error: null };
    const mutation = { id: `m ${liveSystemId}`, liveSystemId, kind: "Deploy", requestId, ...rest };
    yield {
      kind: "committed",
      process,
      sets: [{ key: ["record", "mutation", mutation.id], value: mutation }],
      ...none,
    };
  }
  if (!known.has(key.join("/"))) yield { kind: "committed", process, sets: [{ key, value: before }], ...none };
  known.add(liveSystemId).add(key.join("/"));
}

function factOf(step: ClusterTrace["steps"][number]): Fact {
  switch (step.kind) {
    case "read":
      return { kind: "read", process: step.node, name: step.id, reading: plainReading(step) };
    case "sent": {
      const { node: process, id: resourceId, etag } = step;
      return { kind: "sent", process, provider, operation: "update", resourceId, etag: String(etag) };
    }
    case "changed": {
      const { node: process, id: resourceId, from, to } = step;
      const change = {
        operation: "update",
        resourceId,
        before: truthOf(resourceId, from),
        after: truthOf(resourceId, to),
      };
      return { kind: "changed", process, provider, change: change as never };
    }
    case "died":
      return { kind: "died", process: step.node };
    case "stored":
      return {
        kind: "committed",
        process: step.node,
        sets: [{ key: step.key, value: step.after }],
        deletes: [],
        events: [],
      };
  }
}

function truthOf(resourceId: string, shown: Shown) {
  const { state: _, ...resource } = plainReading(shown) as Extract<
    ReturnType<typeof plainReading>,
    { state: "present" }
  >;
  return { resourceId, ...resource };
}
