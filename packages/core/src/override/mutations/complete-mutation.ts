import { environmentName } from "../../contract/target.ts";
import { nowText } from "../../encoding.ts";
import { countUse, liveSystemsIn } from "../../records/uses.ts";
import { componentId, type Definition, pathKey } from "../declarations/definition.ts";
import { type ComponentRecord, components, idOf } from "../records/component-record.ts";
import { deployedBy } from "../records/definition-record.ts";
import {
  causeOf,
  liveSystems,
  type MutationError,
  type MutationRecord,
  mutations,
  superseded,
} from "../records/live-system-record.ts";
import { countPlaces } from "../records/plan-places.ts";
import { emitMutation } from "./emit-mutation.ts";
import type { RunContext } from "./mutation-steps.ts";
import { endOf } from "./step-states.ts";

/** Records the result once every component has gone as far as it can. Returns false if some can still continue. */
export async function completeMutation({ deps }: RunContext, mutation: MutationRecord): Promise<boolean> {
  const listed = await deps.records.list(components, { prefix: [mutation.liveSystemId] });
  const keys = listed.map(({ record }) => components.key(record));
  const definition = await deployedBy(deps.records, mutation);
  return deps.records.change(causeOf(mutation), async (change) => {
    const current = await change.get(mutations, mutations.key(mutation));
    const system = await change.get(liveSystems, [mutation.liveSystemId]);
    if (current?.status !== "Running") return true;
    // Read in the commit that ends the mutation: another process may be continuing with one of them.
    const records = (await change.getMany(components, keys)).filter((record) => record !== null);
    const own = records.filter(({ step }) => step?.mutationId === mutation.id);
    const failure = errorOf(failuresOf(own), definition, mutation);
    const isCurrent = system?.lastMutationId === mutation.id;
    if (isCurrent && !isAtEnd(records, failure, mutation)) return false;
    const held = own.filter(({ step }) => step?.state === "held").map(idOf);
    const error = isCurrent ? failure : superseded;
    const status = error === null ? "Succeeded" : "Failed";
    change.put(mutations, { ...current, status, held, error, completedAt: nowText(deps) });
    await emitMutation(change, { ...current, held, error }, error === null ? "succeeded" : "failed");
    // What couldn't be deleted stays visible until a later Delete continues or a deploy reclaims it.
    if (mutation.kind !== "Delete" || system === null || error !== null) return true;
    change.put(liveSystems, {
      ...system,
      status: "Deleted",
      updatedAt: nowText(deps),
      updatedBy: mutation.createdBy,
    });
    const { environmentId: environment } = system;
    await countUse(change, liveSystemsIn(environmentName(environment)), -1);
    await countPlaces(change, deps.seats, { liveSystemId: system.id, environment }, { liveSystems: -1 });
    return true;
  });
}

/** Every step has ended; those blocked by a failed one count as ended. */
function isAtEnd(
  records: readonly ComponentRecord[],
  failure: MutationError | null,
  mutation: MutationRecord,
): boolean {
  const isBlocked = ({ step }: ComponentRecord) => step?.mutationId === mutation.id && step.state === "blocked";
  return records.every((record) => endOf(record, mutation) !== null || (failure !== null && isBlocked(record)));
}

interface Failure extends Pick<MutationError, "code" | "detail"> {
  readonly path: string;
}

function failuresOf(records: readonly ComponentRecord[]): Failure[] {
  return records.flatMap(({ path, step }) => (step?.state === "failed" && step.error ? [{ path, ...step.error }] : []));
}

/** The first failure in the order of the declaration, not counting blocked components. */
function errorOf(
  failures: readonly Failure[],
  definition: Definition | null,
  { liveSystemId }: MutationRecord,
): MutationError | null {
  const places = new Map((definition?.components ?? []).map(({ path }, at) => [pathKey(path), at]));
  const placeOf = ({ path }: Failure) => places.get(pathKey(path)) ?? places.size;
  const [first] = [...failures].sort((a, b) => placeOf(a) - placeOf(b));
  if (first === undefined) return null;
  const { path, ...refusal } = first;
  return { ...refusal, componentId: componentId(liveSystemId, path) };
}
