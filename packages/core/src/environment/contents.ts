import type { Call } from "../contract/handler.ts";
import type { OperationId } from "../contract/routes.ts";
import type { EnvironmentRef } from "../contract/target.ts";
import { LiveplaneError } from "../errors.ts";
import type { Change, Records, Stored } from "../records/records.ts";
import { type EnvironmentRecord, requireEnvironment } from "./environment-record.ts";

/** What the records of all that is in an environment say: where it is, and who wrote it when. */
export interface ContentRecord {
  /** The environment's: one that is made again under the same name has another, and nothing of the old one in it. */
  readonly incarnation: string;
  readonly environmentId: EnvironmentRef;
  readonly createdAt: string;
  readonly createdBy: string;
  readonly updatedAt: string;
  readonly updatedBy: string;
}

/** The same for what has a name there. */
export interface NamedContentRecord extends ContentRecord {
  readonly id: string;
  readonly shortName: string;
  readonly displayName: string | null;
  readonly description: string | null;
}

/** Changes what is in an environment, in a commit that holds only while the environment is as it was read. */
export function changeIn<T>(
  records: Records,
  { params, cause }: Pick<Call<OperationId>, "cause"> & { readonly params: EnvironmentRef },
  work: (change: Change, environment: Stored<EnvironmentRecord>) => Promise<T>,
): Promise<T> {
  return records.change(cause, async (change) => work(change, await requireEnvironment(change, params)));
}

/** What was looked for, or `NotFound`. */
export function foundContent<T>(record: T | null): T {
  if (record === null) throw new LiveplaneError("NotFound");
  return record;
}
