import { type Actor, type EnvironmentRef, environmentName } from "../../contract/target.ts";
import { toInstant } from "../../encoding.ts";
import type { Sealed } from "../../ports/secrets.ts";
import { collection } from "../../records/collection.ts";
import type { Change } from "../../records/records.ts";
import { isResting } from "../../records/rest.ts";

/** The latest device authorization of an environment. */
export interface AuthenticationRecord {
  readonly id: string;
  readonly environment: EnvironmentRef;
  /** A uuid or `common`. */
  readonly tenantId: string;
  readonly status: "Pending" | "Completed" | "Denied" | "Expired";
  readonly userCode: string;
  readonly verificationUri: string;
  readonly message: string;
  /** Who asked for it and signs in on the other device. The credential ends with their access. */
  readonly asker: Actor;
  readonly askedBy: string;
  readonly requestId: string;
  readonly intervalSeconds: number;
  /** No process polls before this time. */
  readonly nextPollAt: number;
  readonly expiresAt: number;
  /** Sealed; wiped when no longer pending. */
  readonly deviceCode: Sealed | null;
  /** Sealed; wiped when it expires. */
  readonly credential: Sealed | null;
  readonly credentialExpiresAt: number | null;
  readonly createdAt: number;
}

/** The authorizations: one for each environment, a new one replaces the old. */
export const authentications = collection<AuthenticationRecord>()("device-authorization", {
  key: ({ environment }) => [environmentName(environment)],
  indexes: { due: (record) => dueAt(record).map((instant) => [toInstant(instant)]) },
});

/** Whether something is due now, even after the clock was set back. */
export function isPollDue(record: AuthenticationRecord, now: number): boolean {
  const { status, intervalSeconds } = record;
  const lengthMs = status === "Pending" ? intervalSeconds * 1000 : Number.POSITIVE_INFINITY;
  return dueAt(record).some((instant) => !isResting(instant, lengthMs, now));
}

/** When an authorization next needs work: a poll, or wiping its credential. */
function dueAt({ status, nextPollAt, credentialExpiresAt }: AuthenticationRecord): number[] {
  if (status === "Pending") return [nextPollAt];
  return status === "Completed" && credentialExpiresAt !== null ? [credentialExpiresAt] : [];
}

/** The place that an authorization's secrets are bound to when they are sealed. */
export function authenticationPlace(
  { environment, id }: AuthenticationRecord,
  what: "deviceCode" | "credential",
): string[] {
  return ["device-authorization", environmentName(environment), id, what];
}

/** An authorization at a point in time: past its expiry it reads Expired and holds nothing. */
export function authenticationAt<T extends AuthenticationRecord>(record: T, now: number): T {
  const end = record.status === "Completed" ? record.credentialExpiresAt : record.expiresAt;
  const over = (record.status === "Pending" || record.status === "Completed") && end !== null && end <= now;
  return over ? { ...record, status: "Expired", deviceCode: null, credential: null } : record;
}

/** Whether a completed authorization serves a tenant: the same one, or either of them `common`. */
export function servesTenant(record: AuthenticationRecord, tenantId: string | null): boolean {
  const wanted = tenantId ?? "common";
  return record.tenantId === wanted || record.tenantId === "common" || wanted === "common";
}

/** Destroys the authorization of an environment, in the change that deletes it. */
export async function destroyAuthentication(change: Change, environment: EnvironmentRef): Promise<void> {
  const key = [environmentName(environment)];
  if ((await change.get(authentications, key)) !== null) change.delete(authentications, key);
}
