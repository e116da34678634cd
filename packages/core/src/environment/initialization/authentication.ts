import type { Call, Handlers } from "../../contract/handler.ts";
import type { DeviceAuthorization } from "../../contract/schemas/initialization-schemas.ts";
import { type Actor, actorName, type EnvironmentRef, environmentName, environmentRef } from "../../contract/target.ts";
import { fromUtf8, toInstant, utf8 } from "../../encoding.ts";
import { isLiveplaneError, LiveplaneError } from "../../errors.ts";
import type { CloudCredentials } from "../../ports/cloud.ts";
import type { DeviceAuthorizer, DeviceOutcome } from "../../ports/identity.ts";
import { SecretValue } from "../../ports/secret-value.ts";
import type { Change } from "../../records/records.ts";
import type { Services } from "../../services.ts";
import { turnedOff } from "../../turned-off.ts";
import { emitEnvironment, requireEnvironment } from "../environment-record.ts";
import {
  type AuthenticationRecord,
  authenticationAt,
  authenticationPlace,
  authentications,
  destroyAuthentication,
  isPollDue,
  servesTenant,
} from "./authentication-record.ts";

/** Signs a person in at provider A for an environment, by another device. */
export interface Authentication {
  readonly handlers: Pick<
    Handlers<"environments">,
    "environments.providerA.authenticate" | "environments.providerA.authentication"
  >;
  /** The credential of a completed authorization, for a caller who may use it; otherwise `null`. */
  delegated(environment: EnvironmentRef, tenantId: string | null, actor: Actor): Promise<CloudCredentials | null>;
  /** Polls the authorizations that are due. Recurring work. */
  pollDue(): Promise<void>;
}

/** The longest use of a delegated credential. */
const longestMs = 3_600_000;
const longestWaitMs = 2000;

export function createAuthentication(
  deps: Pick<Services, "records" | "runtime" | "sealer" | "access"> & { readonly authorizer: DeviceAuthorizer | null },
): Authentication {
  return {
    handlers: {
      "environments.providerA.authenticate": (call) => authenticate(deps, call),
      "environments.providerA.authentication": async ({ params, actor }) => {
        const record = await current(deps, environmentRef(params));
        if (record === null) throw new LiveplaneError("NotFound", "No authentication was started.");
        return { value: shownTo(record, actor) };
      },
    },
    delegated: (environment, tenantId, actor) => delegated(deps, environment, tenantId, actor),
    async pollDue() {
      const now = deps.runtime.clock.now();
      const first = await deps.records.list(authentications, { index: "due", limit: 100 });
      for (const { record } of first) if (isPollDue(record, now)) await poll(deps, record);
    },
  };
}

async function authenticate(
  deps: Pick<Services, "records" | "runtime" | "sealer"> & { readonly authorizer: DeviceAuthorizer | null },
  { actor, params, query, cause, signal }: AuthenticateCall,
) {
  const { authorizer, records, runtime, sealer } = deps;
  if (authorizer === null) throw turnedOff("Signing in to the cloud by device is turned off.", "deviceAuthorizers");
  const environment = environmentRef(params);
  const tenantId = query.tenantId ?? "common";
  const hangUp = signal?.();
  const { deviceCode, expiresInSeconds, ...shown } = await authorizer.begin(tenantId, hangUp && { signal: hangUp });
  const now = runtime.clock.now();
  const begun: AuthenticationRecord = {
    ...shown,
    id: runtime.newId(),
    environment,
    tenantId,
    status: "Pending",
    asker: withoutSession(actor),
    askedBy: actorName(actor),
    requestId: cause.requestId,
    nextPollAt: now,
    expiresAt: now + expiresInSeconds * 1000,
    deviceCode: null,
    credential: null,
    credentialExpiresAt: null,
    createdAt: now,
  };
  const record = {
    ...begun,
    deviceCode: await sealer.seal(utf8(deviceCode), authenticationPlace(begun, "deviceCode")),
  };
  await records.change(cause, async (change) => {
    await requireEnvironment(change, environment);
    await destroyAuthentication(change, environment);
    change.put(authentications, record);
    emitAuthentication(change, record, "requested");
  });
  return { value: shownTo(record, actor), location: pathOf(environment) };
}

/** The authorization now; a pending one is polled first if that is due. */
async function current(
  deps: Pick<Services, "records" | "runtime" | "sealer"> & { readonly authorizer: DeviceAuthorizer | null },
  environment: EnvironmentRef,
): Promise<AuthenticationRecord | null> {
  const { records, runtime } = deps;
  const read = () => records.get(authentications, [environmentName(environment)]);
  const record = await read();
  if (record === null) return null;
  await poll(deps, record);
  const fresh = await read();
  return fresh && authenticationAt(fresh, runtime.clock.now());
}

async function delegated(
  deps: Pick<Services, "records" | "runtime" | "sealer" | "access"> & { readonly authorizer: DeviceAuthorizer | null },
  environment: EnvironmentRef,
  tenantId: string | null,
  actor: Actor,
) {
  await untilDue(deps, environment);
  const record = await current(deps, environment);
  if (record?.status !== "Completed" || record.credential === null || !servesTenant(record, tenantId)) return null;
  const target = { kind: "environment", ...environment } as const;
  for (const one of [actor, record.asker]) if (!(await deps.access.can(one, target, "Edit"))) return null;
  const place = authenticationPlace({ ...record, environment }, "credential");
  const secret = fromUtf8(await deps.sealer.open(record.credential, place));
  return { kind: "delegated", name: null, secret: new SecretValue(secret) } as const;
}

/** A person who has just signed in on the other device should see it, so the next poll is worth a short wait. */
async function untilDue(
  { records, runtime: { clock } }: Pick<Services, "records" | "runtime">,
  environment: EnvironmentRef,
): Promise<void> {
  const record = await records.get(authentications, [environmentName(environment)]);
  const waitMs = record?.status === "Pending" ? record.nextPollAt - clock.now() : 0;
  if (waitMs > 0 && waitMs <= longestWaitMs) await clock.sleep(waitMs);
}

async function poll(
  deps: Pick<Services, "records" | "runtime" | "sealer"> & { readonly authorizer: DeviceAuthorizer | null },
  { environment, id }: AuthenticationRecord,
): Promise<void> {
  const { authorizer, runtime, sealer } = deps;
  const claimed = await claimPoll(deps, environment, id);
  if (claimed?.deviceCode == null || authorizer === null) return;
  try {
    const code = fromUtf8(await sealer.open(claimed.deviceCode, authenticationPlace(claimed, "deviceCode")));
    await settle(deps, claimed, await authorizer.poll(claimed.tenantId, code));
  } catch (error) {
    runtime.logger.warn({ environment: environmentName(environment), code: codeOf(error) }, "a poll failed");
  }
}

/** Only one process polls, and not too early. An expired authorization is wiped instead. */
function claimPoll(
  { records, runtime }: Pick<Services, "records" | "runtime">,
  environment: EnvironmentRef,
  id: string,
) {
  return records.change({ actor: "authentication", requestId: id }, async (change) => {
    const stored = await change.get(authentications, [environmentName(environment)]);
    const now = runtime.clock.now();
    if (stored?.id !== id || !isPollDue(stored, now)) return null;
    const nextPollAt = now + stored.intervalSeconds * 1000;
    return change.put(authentications, { ...authenticationAt(stored, now), nextPollAt });
  });
}

async function settle(
  deps: Pick<Services, "records" | "runtime" | "sealer">,
  record: AuthenticationRecord,
  outcome: DeviceOutcome,
): Promise<void> {
  const settled = await settledBy(deps, record, outcome);
  await deps.records.change({ actor: record.askedBy, requestId: record.requestId }, async (change) => {
    const stored = await change.get(authentications, [environmentName(record.environment)]);
    if (stored?.id !== record.id || stored.status !== "Pending") return;
    // Uses the stored record, whose device code may have been sealed again.
    const after = change.put(authentications, { ...stored, ...settled });
    if (after.status === "Completed") emitAuthentication(change, after, "completed");
  });
}

/** The change that follows from an answer of the identity service. */
async function settledBy(
  { runtime, sealer }: Pick<Services, "runtime" | "sealer">,
  record: AuthenticationRecord,
  outcome: DeviceOutcome,
): Promise<Partial<AuthenticationRecord>> {
  const now = runtime.clock.now();
  switch (outcome.status) {
    case "Pending": {
      const intervalSeconds = record.intervalSeconds + (outcome.slowDown ? 5 : 0);
      return { intervalSeconds, nextPollAt: now + intervalSeconds * 1000 };
    }
    case "Completed": {
      const credential = await sealer.seal(utf8(outcome.credential), authenticationPlace(record, "credential"));
      const credentialExpiresAt = Math.min(outcome.expiresAt, now + longestMs);
      return { status: outcome.status, deviceCode: null, credential, credentialExpiresAt };
    }
    default:
      return { status: outcome.status, deviceCode: null };
  }
}

type AuthenticateCall = Call<"environments.providerA.authenticate">;

/** Only the person who asked sees the codes: with them, somebody else could sign in instead. */
function shownTo(record: AuthenticationRecord, actor: Actor): DeviceAuthorization {
  const { environment, tenantId, expiresAt, intervalSeconds, status } = record;
  const own = actorName(actor) === record.askedBy;
  return {
    environmentId: environment,
    tenantId,
    userCode: own ? record.userCode : null,
    verificationUri: own ? record.verificationUri : null,
    message: own ? record.message : null,
    expiresAt: toInstant(expiresAt),
    intervalSeconds,
    status,
  };
}

function emitAuthentication(change: Change, record: AuthenticationRecord, what: "requested" | "completed"): void {
  const data = { provider: "provider-a", tenantId: record.tenantId };
  emitEnvironment(change, record.environment, { type: `environment.authentication.${what}`, data });
}

/** An actor without the session, which ends sooner than the work it started. */
function withoutSession(actor: Actor): Actor {
  if (actor.kind === "account") return { kind: "account", accountId: actor.accountId };
  if (actor.kind !== "serviceAccount") return actor;
  const { principalId, environment } = actor;
  return { kind: "serviceAccount", principalId, ...(environment && { environment }) };
}

function pathOf(environment: EnvironmentRef): string {
  return `/environments/${environmentName(environment)}/initializer/provider-a/authenticate`;
}

function codeOf(error: unknown): string {
  return isLiveplaneError(error) ? error.code : "InternalError";
}
