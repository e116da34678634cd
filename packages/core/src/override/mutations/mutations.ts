import type { Lease } from "../../ports/scheduler.ts";
import type { Stored } from "../../records/records.ts";
import { leaseNamed } from "../agent/agent-deps.ts";
import { type Declared, deployOrder, type ParsedComponent, readDeclaration } from "../declarations/declaration.ts";
import { pathKey } from "../declarations/definition.ts";
import { dependentsOf, findCycle } from "../declarations/dependency-order.ts";
import { type ComponentRecord, componentKey, components, isThere } from "../records/component-record.ts";
import { deployedBy } from "../records/definition-record.ts";
import { declaredIn, type InForce } from "../records/in-force.ts";
import { causeOf, isSuperseded, type MutationRecord, mutations } from "../records/live-system-record.ts";
import { completeMutation } from "./complete-mutation.ts";
import { converge, type StepPause, type Tries } from "./converge.ts";
import { deleteComponent } from "./delete-component.ts";
import { emitMutation } from "./emit-mutation.ts";
import { endStep, type Progress, type RunContext, takeInOrder } from "./mutation-steps.ts";
import { createPatience } from "./patience.ts";
import { type Ended, endOf } from "./step-states.ts";

/** Executes deploys and deletes: durable work, one at a time per live system. */
export interface Mutations {
  /**
   * Continues the waiting or running mutations of a live system until there are none. If runs are scarce, it ends once everything left
   * waits for a cloud, and returns when to call it again. Concurrent calls share one run.
   */
  advance(liveSystemId: string, lease?: Lease): Promise<number | null>;
  /** Ends the pauses of this process's run, so that a newer mutation can begin. If there is none, the rest of each pause comes later. */
  wake(liveSystemId: string): void;
  /** The live systems with a waiting or running mutation. */
  open(): Promise<readonly string[]>;
  /** Waits for this process's running work. */
  settled(): Promise<void>;
}

export type MutationsDeps = Pick<RunContext, "agent" | "deps">;

/** Creates the worker of mutations. Their progress is stored on their components, so a crash loses nothing. */
export function createMutations({ agent, deps }: MutationsDeps): Mutations {
  const advancing = new Map<string, Promise<number | null>>();
  /** Of each live system's present run. */
  const pauses = new Map<string, AbortController>();
  const patience = createPatience(deps);
  return {
    async advance(liveSystemId, lease) {
      const known = advancing.get(liveSystemId);
      if (known !== undefined) return known;
      const context = {
        agent,
        deps,
        patience,
        ...(lease && { lease: leaseNamed(lease, `mutations ${liveSystemId}`) }),
      };
      const running = advanceAll(liveSystemId, () => {
        const pausing = new AbortController();
        pauses.set(liveSystemId, pausing);
        return { ...context, woken: pausing.signal };
      });
      advancing.set(liveSystemId, running);
      try {
        return await running;
      } finally {
        advancing.delete(liveSystemId);
        pauses.delete(liveSystemId);
      }
    },
    wake: (liveSystemId) => pauses.get(liveSystemId)?.abort(),
    async open() {
      const listed = await deps.records.list(mutations, { index: "open", limit: 1000 });
      return [...new Set(listed.map(({ record }) => record.liveSystemId))];
    },
    async settled() {
      await Promise.allSettled([...advancing.values()]);
    },
  };
}

async function advanceAll(liveSystemId: string, contextOfRun: () => RunContext): Promise<number | null> {
  for (let again = 0; again < mostRounds; ) {
    const context = contextOfRun();
    const listed = await context.deps.records.list(mutations, { index: "open", prefix: [liveSystemId], limit: 10 });
    const open = listed.map(({ record }) => record);
    const next = open.find(({ status }) => status === "Running") ?? open[0];
    if (next === undefined) return null;
    const running = await begin(context, next);
    if (running === null) continue;
    const came = await run(context, running);
    if (came.state === "interrupted" && !(await isSuperseded(context.deps.records, running))) return came.afterMs;
    // Another process with the same mutation may have resolved what blocked others here; continue with them.
    again = (await completeMutation(context, running)) ? 0 : again + 1;
  }
  return null;
}

/** The rest is continued in the next round of polling. */
const mostRounds = 5;

/** `null`: a newer mutation has replaced it. */
async function begin({ deps }: RunContext, mutation: Stored<MutationRecord>): Promise<MutationRecord | null> {
  if (mutation.status === "Running") return mutation;
  return deps.records.change(causeOf(mutation), async (change) => {
    const current = await change.get(mutations, mutations.key(mutation));
    if (current?.status !== "Pending") return null;
    await emitMutation(change, current, "started");
    return change.put(mutations, { ...current, status: "Running" });
  });
}

/** An interrupted one continues later, unless a newer one has replaced it. */
async function run(context: RunContext, mutation: MutationRecord): Promise<Progress> {
  const { deps } = context;
  const listed = await deps.records.list(components, { prefix: [mutation.liveSystemId] });
  const records = listed.map(({ record }) => record);
  const inForce = (await deps.declarations.of([mutation.liveSystemId])).get(mutation.liveSystemId);
  const definition = await deployedBy(deps.records, mutation);
  if (inForce === undefined || inForce.system.lastMutationId !== mutation.id)
    return { state: "interrupted", afterMs: null };
  const parsed = definition === null ? [] : readDeclaration(definition);
  const declared = new Map(parsed.map((component) => [pathKey(component.declared.path), component]));
  const steps = { mutation, records, context };
  if (definition !== null) {
    const deployed = await deployAll(declared, steps);
    if (deployed.state === "interrupted") return deployed;
  }
  const leaving = records.filter(({ path }) => !declared.has(pathKey(path)));
  return deleteAll(leaving, { ...steps, inForce });
}

interface Steps {
  readonly mutation: MutationRecord;
  readonly records: readonly Stored<ComponentRecord>[];
  readonly context: RunContext;
}

/** Each component after its dependencies, independent ones in parallel. */
async function deployAll(
  declared: ReadonlyMap<string, ParsedComponent>,
  { mutation, records, context }: Steps,
): Promise<Progress> {
  const there = new Set(records.filter(isThere).map(({ path }) => pathKey(path)));
  const goOn = async (path: string, tries: Tries) => {
    const end = await converge(componentKey(mutation.liveSystemId, path), { ...context, mutation, tries });
    if (end.state !== "waiting" && !("isStored" in end)) await endStep(context, path, end, mutation);
    return end;
  };
  return takeInOrder({
    order: deployOrder(declared.values(), (path) => there.has(path)),
    endedBefore: endedBefore(records, mutation),
    async block(path) {
      await endStep(context, path, { state: "blocked" }, mutation);
      // It is compared with the definition in force, and its blocker is reported.
      await context.agent.pass(componentKey(mutation.liveSystemId, path), { lane: "people" });
    },
    take: (path, tries) => atItsPace(context, path, mutation, () => goOn(path, tries)),
    goOn,
    context,
  });
}

/**
 * Components removed from the declaration, each after those that depended on it or that go by its tag. A tag owner may depend on a component
 * that goes by its tag: then the tag decides.
 */
async function deleteAll(
  leaving: readonly Stored<ComponentRecord>[],
  { mutation, context, inForce }: Steps & { readonly inForce: InForce },
): Promise<Progress> {
  const declared = new Map(leaving.map((record) => [pathKey(record.path), declaredIn(inForce, record)]));
  const needsOf = (needed: (path: string, one: Declared) => readonly string[]) =>
    new Map(
      [...declared].map(([path, one]) => [
        path,
        [...new Set(needed(path, one))].filter((other) => declared.has(other)),
      ]),
    );
  // What goes by an overridden tag owner that it named before is released with that one.
  const former = new Map(leaving.map(({ path, governedBy }) => [pathKey(path), governedBy]));
  const keysOf = (path: string | null = null) => (path === null ? [] : [pathKey(path)]);
  const namedBy = (path: string) => keysOf(declared.get(path)?.overrideWith);
  const tagOwnersOf = (path: string) => [...namedBy(path), ...keysOf(former.get(path))];
  const needs = needsOf((path, { dependsOn }) => [
    ...dependsOn.map(pathKey).filter((other) => !tagOwnersOf(other).includes(path)),
    ...tagOwnersOf(path),
  ]);
  const goOn = async (path: string, tries: Tries) => {
    const end = await deleteComponent({ ...context, mutation, tries }, componentKey(mutation.liveSystemId, path));
    if (end.state === "failed") await endStep(context, path, end, mutation);
    return end;
  };
  const order = [needs, needsOf(tagOwnersOf)].find((one) => findCycle(one) === null) ?? needsOf(namedBy);
  return takeInOrder({
    order: dependentsOf(order),
    endedBefore: endedBefore(leaving, mutation),
    block: (path) => endStep(context, path, { state: "blocked" }, mutation),
    take: (path, tries) => atItsPace(context, path, mutation, () => goOn(path, tries)),
    goOn,
    context,
  });
}

/** Continues a step, unless its cloud asked for a longer pause. */
async function atItsPace<End>(
  { patience }: RunContext,
  path: string,
  { id, liveSystemId }: MutationRecord,
  goOn: () => Promise<End>,
): Promise<End | StepPause> {
  const afterMs = patience.leftMs(componentKey(liveSystemId, path), id);
  return afterMs > 0 ? { state: "waiting", afterMs } : goOn();
}

/** How steps ended before the mutation was interrupted. */
function endedBefore(records: readonly ComponentRecord[], mutation: MutationRecord): (path: string) => Ended | null {
  const ends = new Map(records.map((record) => [pathKey(record.path), endOf(record, mutation)]));
  return (path) => ends.get(path) ?? null;
}
