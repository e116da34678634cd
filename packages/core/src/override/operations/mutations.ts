import { type EnvironmentRef, environmentName } from "../../contract/target.ts";
import { nowText } from "../../encoding.ts";
import { isLiveplaneError } from "../../errors.ts";
import type { Lease } from "../../ports/scheduler.ts";
import type { Change, Stored } from "../../records/records.ts";
import { countUse, liveSystemsIn } from "../../records/uses.ts";

import { type ParsedComponent, parseDeclaration } from "../protocol/declaration.ts";
import { componentId, type Definition, pathKey } from "../protocol/definition.ts";
import { dependentsOf } from "../protocol/dependency-order.ts";
import { type ComponentRecord, componentKey, components, idOf } from "../records/component-record.ts";
import { deployedBy } from "../records/definition-record.ts";
import {
  causeOf,
  liveSystems,
  type MutationError,
  type MutationRecord,
  mutations,
} from "../records/live-system-record.ts";
import { converge } from "./converge.ts";
import { withdraw } from "./delete-component.ts";
import { carryOver } from "./history.ts";
import { beginStep, endStep, type RunContext } from "./mutation-steps.ts";
import { countPlaces } from "./plan-places.ts";
import { type Ended, takeInOrder } from "./steps-in-order.ts";

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
export type MutationsDeps = Omit<RunContext, "lease">;

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

async function advanceAll(liveSystemId: string, context: RunContext): Promise<void> {
  await carryOver(liveSystemId, context.deps);
  for (;;) {
    const listed = await context.deps.records.list(mutations, { index: "open", prefix: [liveSystemId], limit: 10 });
    const open = listed.map(({ record }) => record);
    const next = open.find(({ status }) => status === "Running") ?? open[0];
    if (next === undefined) return;
    const running = await begin(next, context);
    if (running === null) continue;
    const refused = new Map<string, Refusal>();
    if (!(await run(running, refused, context))) return;
    await complete(running, refused, context);
  }
}

/** `null`: it was replaced by a newer one meanwhile. */
async function begin(mutation: Stored<MutationRecord>, { deps }: RunContext): Promise<MutationRecord | null> {
  if (mutation.status === "Running") return mutation;
  return deps.records.change(causeOf(mutation), async (change) => {
    const current = await change.get(mutations, mutations.key(mutation));
    if (current?.status !== "Pending") return null;
    await emitMutation(change, current, "started");
    return change.put(mutations, { ...current, status: "Running" });
  });
}

/** False: interrupted, it goes on later. */
async function run(mutation: MutationRecord, refused: Map<string, Refusal>, context: RunContext): Promise<boolean> {
  const { deps } = context;
  const listed = await deps.records.list(components, { prefix: [mutation.livesystemId] });
  const records = listed.map(({ record }) => record);
  const definition = await deployedBy(deps.records, mutation);
  const parsed = definition === null ? [] : parseDeclaration(definition, deps.clouds).components;
  const declared = new Map(parsed.map((component) => [pathKey(component.declared.path), component]));
  const steps = { mutation, records, context, refused };
  const deployed = definition === null || (await deployAll(declared, definition.environmentId, steps));
  return (
    deployed &&
    (await withdrawAll(
      records.filter(({ path }) => !declared.has(pathKey(path))),
      steps,
    ))
  );
}

type Refusal = Omit<MutationError, "componentId">;

interface Steps {
  readonly mutation: MutationRecord;
  readonly records: readonly Stored<ComponentRecord>[];
  /** By path: components that were to be made anew, and can't be any more. No record of theirs could tell. */
  readonly refused: Map<string, Refusal>;
  readonly context: RunContext;
}

/** Each component after those that it depends on, independent ones side by side. */
async function deployAll(
  declared: ReadonlyMap<string, ParsedComponent>,
  environment: EnvironmentRef,
  { mutation, records, context, refused }: Steps,
): Promise<boolean> {
  return takeInOrder({
    order: new Map([...declared].map(([path, { dependsOn }]) => [path, dependsOn.map(pathKey)])),
    endedBefore: endedBefore(records, mutation),
    block: (path) => endStep(path, { state: "blocked" }, mutation, context),
    async take(path) {
      const component = declared.get(path);
      if (component === undefined) return { state: "converged" };
      const begun = await beginStep(component, { mutation, environment }, context).catch(refusalOf);
      if (!begun) return { state: "interrupted" };
      if (begun !== true) {
        refused.set(path, begun);
        return { state: "failed", ...begun };
      }
      const end = await converge(componentKey(mutation.livesystemId, path), { ...context });
      await endStep(path, end, mutation, context);
      return end;
    },
  });
}

/** What was taken away by an earlier mutation is made anew, unless its resource or its place in the plan was taken meanwhile. */
function refusalOf(error: unknown): Refusal {
  if (isLiveplaneError(error, "AlreadyExists") || isLiveplaneError(error, "SubscriptionLimitReached"))
    return { code: error.code, detail: error.message };
  throw error;
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
  return takeInOrder({
    order: dependentsOf(needs),
    endedBefore: endedBefore(leaving, mutation),
    block: (path) => endStep(path, { state: "blocked" }, mutation, context),
    async take(path) {
      const end = await withdraw(componentKey(mutation.livesystemId, path), { ...context, mutation });
      if (end.state === "failed") await endStep(path, end, mutation, context);
      return end;
    },
  });
}

/** How steps ended before the mutation was interrupted. */
function endedBefore(records: readonly ComponentRecord[], { id }: MutationRecord): (path: string) => Ended | null {
  const steps = new Map(records.map(({ path, step }) => [pathKey(path), step]));
  return (path) => {
    const step = steps.get(path) ?? null;
    if (step === null || step.mutationId !== id || step.state === "pending" || step.state === "begun") return null;
    return step.state;
  };
}

/** Writes down how it came out, once every component has gone as far as it can. */
async function complete(
  mutation: MutationRecord,
  refused: ReadonlyMap<string, Refusal>,
  { deps }: RunContext,
): Promise<void> {
  const listed = await deps.records.list(components, { prefix: [mutation.livesystemId] });
  const own = listed.map(({ record }) => record).filter(({ step }) => step?.mutationId === mutation.id);
  const error = errorOf(failuresOf(own, refused), await deployedBy(deps.records, mutation), mutation);
  const held = own.filter(({ step }) => step?.state === "held").map(idOf);
  await deps.records.change(causeOf(mutation), async (change) => {
    const current = await change.get(mutations, mutations.key(mutation));
    const system = await change.get(liveSystems, [mutation.livesystemId]);
    if (current?.status !== "Running") return;
    const status = error === null ? "Succeeded" : "Failed";
    change.put(mutations, { ...current, status, held, error, completedAt: nowText(deps) });
    await emitMutation(change, { ...current, held, error }, error === null ? "succeeded" : "failed");
    if (mutation.kind !== "Delete" || system === null) return;
    change.put(liveSystems, {
      ...system,
      status: error === null ? "Deleted" : "Active",
      updatedAt: nowText(deps),
      updatedBy: mutation.createdBy,
    });
    if (error !== null) return;
    const { environmentId: environment } = system;
    await countUse(change, liveSystemsIn(environmentName(environment)), -1);
    await countPlaces(change, deps.seats, { liveSystemId: system.id, environment }, { liveSystems: -1 });
  });
}

interface Failure extends Refusal {
  readonly path: string;
}

function failuresOf(records: readonly ComponentRecord[], refused: ReadonlyMap<string, Refusal>): Failure[] {
  const failed = records.flatMap(({ path, step }) =>
    step?.state === "failed" && step.error ? [{ path, ...step.error }] : [],
  );
  return [...failed, ...[...refused].map(([path, refusal]) => ({ path, ...refusal }))];
}

/** The first failure in the order of the declaration; what was only blocked by it isn't one. */
function errorOf(
  failures: readonly Failure[],
  definition: Definition | null,
  { livesystemId }: MutationRecord,
): MutationError | null {
  const places = new Map((definition?.components ?? []).map(({ path }, at) => [pathKey(path), at]));
  const placeOf = ({ path }: Failure) => places.get(pathKey(path)) ?? places.size;
  const [first] = [...failures].sort((a, b) => placeOf(a) - placeOf(b));
  if (first === undefined) return null;
  const { path, ...refusal } = first;
  return { ...refusal, componentId: componentId(livesystemId, path) };
}

/** Tells of a mutation's progress. */
export async function emitMutation(
  change: Pick<Change, "emit" | "get">,
  { id, livesystemId, kind, released, held, error }: MutationRecord,
  what: "started" | "succeeded" | "failed",
): Promise<void> {
  const system = await change.get(liveSystems, [livesystemId]);
  if (system === null) return;
  const counts = what === "started" ? {} : { released: [...released], held: [...held] };
  const data = { mutationId: id, kind, ...counts, ...(error && toldOf(error)) };
  const about = { kind: "liveSystem", id: livesystemId, environment: system.environmentId } as const;
  change.emit({ type: `livesystem.mutation.${what}`, subject: livesystemId, about, data });
}

function toldOf({ detail: _, providerMessage: __, ...told }: MutationError) {
  return told;
}
