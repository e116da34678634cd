import type { Call } from "../contract/handler.ts";
import type { OperationId } from "../contract/routes.ts";
import type { EnvironmentRef } from "../contract/target.ts";
import { LiveplaneError } from "../errors.ts";
import type { Change, Records, Stored } from "../records/records.ts";
import { type EnvironmentRecord, requireEnvironment } from "./environment-record.ts";

/** Members of every record in an environment: its environment, and who wrote it when. */
export interface ContentRecord {
  /** The environment's incarnation: one recreated under the same name has a new one, and none of the old contents. */
  readonly incarnation: string;
  readonly environmentId: EnvironmentRef;
  readonly createdAt: string;
  readonly createdBy: string;
  readonly updatedAt: string;
  readonly updatedBy: string;
}

/** The same for records with a name. */
export interface NamedContentRecord extends ContentRecord {
  readonly id: string;
  readonly shortName: string;
  readonly displayName: string | null;
  readonly description: string | null;
}

/** Changes something in an environment. The commit fails if the environment has changed since it was read. */
export function changeIn<T>(
  records: Records,
  { params, cause }: Pick<Call<OperationId>, "cause"> & { readonly params: EnvironmentRef },
  work: (change: Change, environment: Stored<EnvironmentRecord>) => Promise<T>,
): Promise<T> {
  return records.change(cause, async (change) => work(change, await requireEnvironment(change, params)));
}

/** The record, or `NotFound`. */
export function foundContent<T>(record: T | null): T {
  if (record === null) throw new LiveplaneError("NotFound");
  return record;
}
