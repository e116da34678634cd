import { environmentName } from "../contract/target.ts";
import type { Lease } from "../ports/scheduler.ts";
import type { Change, Stored } from "../records/records.ts";
import { countUse, liveSystemsIn } from "../records/uses.ts";
import type { Agent } from "./agent.ts";
import { type AgentDeps, nowText } from "./agent-deps.ts";
import { type ComponentRecord, componentKey, components, idOf, type MutationStep } from "./component-record.ts";
import { converge, type StepEnd } from "./converge.ts";
import { type Declaration, type ParsedComponent, parseDeclaration } from "./declaration.ts";
import { componentId, type Definition, pathKey } from "./definition.ts";
import { dependentsOf } from "./dependency-order.ts";
import { newComponent, placeOf, requireFree } from "./deployment.ts";
import { createGate } from "./in-parallel.ts";
import {
  countComponents,
  liveSystems,
  type MutationError,
  type MutationRecord,
  mutations,
} from "./live-system-record.ts";
import { withdraw } from "./withdraw.ts";

/** Carries deploys and deletes out: durable work, one at a time for each live system. */
export interface Mutations {
  /** Goes on with what waits or runs at a live system, until nothing does. Whoever calls it twice waits for the same. */
  advance(liveSystemId: string, lease?: Lease): Promise<void>;
  /** The live systems at which something waits or runs. */
  open(): Promise<readonly string[]>;
  /** Waits for what is under way in this process. */
  settled(): Promise<void>;
}

/** What mutations work with. */
export interface MutationsDeps {
  readonly agent: Agent;
  readonly deps: AgentDeps;
}

type Ended = Exclude<StepEnd["state"], "interrupted"> | "blocked";

const componentsAtOnce = 8;

/** Builds the worker of mutations. How far each came stands with its components, so that a crash loses nothing. */
export function createMutations({ agent, deps }: MutationsDeps): Mutations {
  const advancing = new Map<string, Promise<void>>();
  return {
    async advance(liveSystemId, lease) {
      const known = advancing.get(liveSystemId);
      if (known !== undefined) return known;
      const running = advanceAll(liveSystemId, { agent, deps, ...(lease && { lease }) });
      advancing.set(liveSystemId, running);
      try {
        await running;
      } finally {
        advancing.delete(liveSystemId);
      }
    },
    async open() {
      const listed = await deps.records.list(mutations, { index: "open", limit: 1000 });
      return [...new Set(listed.map(({ record }) => record.livesystemId))];
    },
    async settled() {
      await Promise.allSettled([...advancing.values()]);
    },
  };
}

interface RunContext extends MutationsDeps {
  readonly lease?: Lease;
}

async function advanceAll(liveSystemId: string, context: RunContext): Promise<void> {
  for (;;) {
    const listed = await context.deps.records.list(mutations, { index: "open", prefix: [liveSystemId], limit: 10 });
    const open = listed.map(({ record }) => record);
    const next = open.find(({ status }) => status === "Running") ?? open[0];
    if (next === undefined) return;
    const running = await begin(next, context);
    if (running === null) continue;
    if (!(await run(running, context))) return;
    await complete(running, context);
  }
}

/** `null`: it was replaced by a newer one meanwhile. */
async function begin(mutation: Stored<MutationRecord>, { deps }: RunContext): Promise<MutationRecord | null> {
  if (mutation.status === "Running") return mutation;
  return deps.records.change(causeOf(mutation, deps), async (change) => {
    const current = await change.get(mutations, mutations.key(mutation));
    if (current?.status !== "Pending") return null;
    emitMutation(change, current, "started");
    return change.put(mutations, { ...current, status: "Running" });
  });
}

/** False: interrupted, it goes on later. */
async function run(mutation: MutationRecord, context: RunContext): Promise<boolean> {
  const { deps } = context;
  const listed = await deps.records.list(components, { prefix: [mutation.livesystemId] });
  const records = listed.map(({ record }) => record);
  const declaration: Declaration =
    mutation.definition === null ? { components: [], errors: [] } : parseDeclaration(mutation.definition, deps.clouds);
  const declared = new Map(declaration.components.map((component) => [pathKey(component.declared.path), component]));
  const steps = { mutation, records, context };
  const deployed = await deployAll(declared, steps);
  return (
    deployed &&
    (await withdrawAll(
      records.filter(({ path }) => !declared.has(pathKey(path))),
      steps,
    ))
  );
}

interface Steps {
  readonly mutation: MutationRecord;
  readonly records: readonly Stored<ComponentRecord>[];
  readonly context: RunContext;
}

/** Each component after those that it depends on, independent ones side by side. */
async function deployAll(
  declared: ReadonlyMap<string, ParsedComponent>,
  { mutation, records, context }: Steps,
): Promise<boolean> {
  const order = new Map([...declared].map(([path, { dependsOn }]) => [path, dependsOn.map(pathKey)]));
  const known = new Map(records.map((record) => [pathKey(record.path), record]));
  return inOrder(
    order,
    known,
    mutation,
    async (path) => {
      const component = declared.get(path);
      if (component === undefined) return { state: "converged" };
      const key = componentKey(mutation.livesystemId, path);
      if (!(await beginStep(component, mutation, context))) return { state: "interrupted" };
      const end = await converge(key, { ...context });
      await endStep(path, end, { mutation, context });
      return end;
    },
    (path) => endStep(path, { state: "blocked" }, { mutation, context }),
  );
}

/** What left the declaration, each after those that depended on it. */
async function withdrawAll(
  leaving: readonly Stored<ComponentRecord>[],
  { mutation, context }: Steps,
): Promise<boolean> {
  const paths = new Set(leaving.map(({ path }) => pathKey(path)));
  const needs = new Map(
    leaving.map(({ path, dependsOn }) => [pathKey(path), dependsOn.map(pathKey).filter((other) => paths.has(other))]),
  );
  const known = new Map(leaving.map((record) => [pathKey(record.path), record]));
  return inOrder(
    dependentsOf(needs),
    known,
    mutation,
    async (path) => {
      const end = await withdraw(componentKey(mutation.livesystemId, path), { ...context, mutation });
      if (end.state === "failed") await endStep(path, end, { mutation, context });
      return end;
    },
    (path) => endStep(path, { state: "blocked" }, { mutation, context }),
  );
}

/** Takes steps in order, so many at a time. What is independent goes on when one fails; what depends on it isn't begun. */
async function inOrder(
  order: ReadonlyMap<string, readonly string[]>,
  known: ReadonlyMap<string, ComponentRecord>,
  mutation: MutationRecord,
  step: (path: string) => Promise<StepEnd>,
  block: (path: string) => Promise<void>,
): Promise<boolean> {
  const gate = createGate(componentsAtOnce);
  const ends = new Map<string, Promise<Ended | "interrupted">>();
  const endOf = (path: string): Promise<Ended | "interrupted"> => {
    const begun = ends.get(path) ?? take(path);
    ends.set(path, begun);
    return begun;
  };
  const take = async (path: string): Promise<Ended | "interrupted"> => {
    await Promise.resolve();
    const done = endedAlready(known.get(path)?.step ?? null, mutation);
    if (done !== null) return done;
    const before = await Promise.all((order.get(path) ?? []).map(endOf));
    if (before.includes("interrupted")) return "interrupted";
    if (before.includes("failed") || before.includes("blocked")) {
      await block(path);
      return "blocked";
    }
    return (await gate(() => step(path))).state;
  };
  const all = await Promise.allSettled([...order.keys()].map(endOf));
  for (const end of all) if (end.status === "rejected") throw end.reason;
  return all.every((end) => end.status === "fulfilled" && end.value !== "interrupted");
}

/** How a step ended before the mutation was interrupted; `null`: it is still to be taken. */
function endedAlready(step: MutationStep | null, { id }: MutationRecord): Ended | null {
  if (step === null || step.mutationId !== id || step.state === "pending" || step.state === "begun") return null;
  return step.state;
}

/** Puts the new declaration into force for one component; from here on it is what every look compares with. */
async function beginStep(
  component: ParsedComponent,
  mutation: MutationRecord,
  { agent, deps, lease }: RunContext,
): Promise<boolean> {
  const { declared, dependsOn, overrideWith } = component;
  const key = componentKey(mutation.livesystemId, declared.path);
  for (;;) {
    await agent.whenFree(key);
    const fresh = await freshComponent(component, mutation, deps);
    const begun = await agent.exclusively(key, () =>
      deps.records.change(causeOf(mutation, deps), async (change) => {
        const known = await change.get(components, key);
        if (known !== null && deps.claims.hold(known.work)) return false;
        if (known === null) {
          await requireFree(change, fresh);
          await countComponents(change, mutation.livesystemId, 1);
        }
        const record = known ?? fresh;
        const { parameters, deletionPolicy } = declared;
        change.put(components, {
          ...record,
          parameters,
          dependsOn,
          overrideWith,
          muteDrift: declared.muteDrift ?? [],
          deletionPolicy: deletionPolicy ?? "Delete",
          leaving: false,
          work: null,
          failures: null,
          step: { mutationId: mutation.id, state: "begun", error: null },
          updatedAt: nowText(deps),
          updatedBy: mutation.createdBy,
        });
        return true;
      }),
    );
    if (begun) return true;
    if (lease?.signal.aborted) return false;
    await deps.runtime.clock.sleep(200, lease && { signal: lease.signal });
  }
}

/** The component as a deploy would make it, for one that an earlier mutation has taken away meanwhile. */
async function freshComponent(
  component: ParsedComponent,
  { id, livesystemId, definition, createdBy }: MutationRecord,
  deps: AgentDeps,
): Promise<ComponentRecord> {
  const owner = definition as Definition;
  const { provider } = component.declared;
  const targets = new Map([[provider, await deps.environments.target(owner.environmentId, provider)]]);
  const place = await placeOf(component, livesystemId, { targets, deps });
  return newComponent(component, {
    liveSystemId: livesystemId,
    definition: owner,
    place,
    mutationId: id,
    at: nowText(deps),
    by: createdBy,
  });
}

async function endStep(
  path: string,
  end: StepEnd | { readonly state: "blocked" },
  { mutation, context: { deps } }: { readonly mutation: MutationRecord; readonly context: RunContext },
): Promise<void> {
  const { state } = end;
  if (state === "interrupted") return;
  const key = componentKey(mutation.livesystemId, path);
  await deps.records.change(causeOf(mutation, deps), async (change) => {
    const record = await change.get(components, key);
    if (record === null) return;
    const error = end.state === "failed" ? { code: end.code, detail: end.detail } : null;
    change.put(components, { ...record, step: { mutationId: mutation.id, state, error } });
  });
}

/** Writes down how it came out, once every component has gone as far as it can. */
async function complete(mutation: MutationRecord, { deps }: RunContext): Promise<void> {
  const listed = await deps.records.list(components, { prefix: [mutation.livesystemId] });
  const own = listed.map(({ record }) => record).filter(({ step }) => step?.mutationId === mutation.id);
  const error = errorOf(own, mutation);
  const held = own.filter(({ step }) => step?.state === "held").map(idOf);
  await deps.records.change(causeOf(mutation, deps), async (change) => {
    const current = await change.get(mutations, mutations.key(mutation));
    const system = await change.get(liveSystems, [mutation.livesystemId]);
    if (current?.status !== "Running") return;
    const status = error === null ? "Succeeded" : "Failed";
    change.put(mutations, { ...current, status, held, error, completedAt: nowText(deps) });
    emitMutation(change, { ...current, held, error }, error === null ? "succeeded" : "failed");
    if (mutation.kind !== "Delete" || system === null) return;
    change.put(liveSystems, {
      ...system,
      status: error === null ? "Deleted" : "Active",
      updatedAt: nowText(deps),
      updatedBy: mutation.createdBy,
    });
    if (error === null) await countUse(change, liveSystemsIn(environmentName(system.definition.environmentId)), -1);
  });
}

/** The first failure in the order of the declaration; what was only blocked by it isn't one. */
function errorOf(
  records: readonly ComponentRecord[],
  { definition, livesystemId }: MutationRecord,
): MutationError | null {
  const places = new Map((definition?.components ?? []).map(({ path }, at) => [pathKey(path), at]));
  const placeOf = ({ path }: ComponentRecord) => places.get(pathKey(path)) ?? places.size;
  const failed = records.filter(({ step }) => step?.state === "failed").sort((a, b) => placeOf(a) - placeOf(b));
  const [first] = failed;
  if (first?.step?.error == null) return null;
  return { ...first.step.error, componentId: componentId(livesystemId, first.path) };
}

function causeOf({ createdBy }: MutationRecord, { runtime }: AgentDeps) {
  return { actor: createdBy, requestId: runtime.newId() };
}

/** Tells of a mutation's progress. */
export function emitMutation(
  change: Pick<Change, "emit">,
  { id, livesystemId, kind, released, held, error }: MutationRecord,
  what: "started" | "succeeded" | "failed",
): void {
  const counts = what === "started" ? {} : { released: [...released], held: [...held] };
  const data = { mutationId: id, kind, ...counts, ...(error && { code: error.code, componentId: error.componentId }) };
  const about = { kind: "liveSystem", id: livesystemId } as const;
  change.emit({ type: `livesystem.mutation.${what}`, subject: livesystemId, about, data });
}
