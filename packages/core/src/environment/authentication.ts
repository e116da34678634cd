import type { Access } from "../account/access.ts";
import type { DeviceAuthorization } from "../contract/environment-schemas.ts";
import type { Call, Handlers } from "../contract/handler.ts";
import { type Actor, actorName, type EnvironmentRef, environmentName } from "../contract/target.ts";
import { fromUtf8, utf8 } from "../encoding.ts";
import { isLiveplaneError, LiveplaneError } from "../errors.ts";
import type { CloudCredentials } from "../ports/cloud.ts";
import type { DeviceAuthorizer, DeviceOutcome } from "../ports/identity.ts";
import type { Runtime } from "../ports/runtime.ts";
import { SecretValue } from "../ports/secret-value.ts";
import type { Sealer } from "../ports/secrets.ts";
import type { Change, Records } from "../records/records.ts";
import {
  type AuthenticationRecord,
  authenticationAt,
  authenticationPlace,
  authentications,
  destroyAuthentication,
  servesTenant,
} from "./authentication-record.ts";

/** What authentication needs. */
export interface AuthenticationDeps {
  readonly records: Records;
  readonly runtime: Runtime;
  readonly sealer: Sealer;
  readonly access: Pick<Access, "can">;
  /** Authorization by device at provider A; `null`: there is none. */
  readonly authorizer: DeviceAuthorizer | null;
  /** Throws `NotFound` unless the environment is there, in the change's own commit. */
  readonly requireEnvironment: (change: Change, environment: EnvironmentRef) => Promise<unknown>;
}

/** Signs a person in at provider A for an environment, by another device. */
export interface Authentication {
  readonly handlers: Pick<
    Handlers<"environments">,
    "environments.providerA.authenticate" | "environments.providerA.authentication"
  >;
  /** What a completed authorization gives somebody who may use it; `null`: nothing. */
  delegated(environment: EnvironmentRef, tenantId: string | null, actor: Actor): Promise<CloudCredentials | null>;
  /** Asks for the outcome of those that are due: work that comes back. */
  pollDue(): Promise<void>;
}

/** A delegated credential serves so long at most. */
const longestMs = 3_600_000;
const longestWaitMs = 2000;

/** Creates the authentication of environments. */
export function createAuthentication(deps: AuthenticationDeps): Authentication {
  const { records, runtime, sealer, access, authorizer } = deps;
  const { clock } = runtime;

  async function authenticate(call: Call<"environments.providerA.authenticate">) {
    if (authorizer === null) throw new LiveplaneError("FeatureDisabled", "Authorization by device is not set up.");
    const environment = refOf(call.params);
    const tenantId = call.query.tenantId ?? "common";
    const grant = await authorizer.begin(tenantId, call.signal && { signal: call.signal });
    const { deviceCode, expiresInSeconds, ...shown } = grant;
    const now = clock.now();
    const begun: AuthenticationRecord = {
      ...shown,
      id: runtime.newId(),
      environment,
      tenantId,
      status: "Pending",
      asker: withoutSession(call.actor),
      askedBy: actorName(call.actor),
      requestId: call.cause.requestId,
      nextPollAt: now,
      expiresAt: now + expiresInSeconds * 1000,
      deviceCode: null,
      credential: null,
      credentialExpiresAt: null,
      createdAt: now,
    };
    const sealed = await sealer.seal(utf8(deviceCode), authenticationPlace(begun, "deviceCode"));
    const record = { ...begun, deviceCode: sealed };
    await records.change(call.cause, async (change) => {
      await deps.requireEnvironment(change, environment);
      await destroyAuthentication(change, environment);
      change.put(authentications, record);
      emit(change, record, "requested");
    });
    return { value: shownTo(record, call.actor), location: pathOf(environment) };
  }

  async function authentication(call: Call<"environments.providerA.authentication">) {
    const record = await current(refOf(call.params), { poll: true });
    if (record === null) throw new LiveplaneError("NotFound");
    return { value: shownTo(record, call.actor) };
  }

  /** The authorization as it stands; a pending one is asked about first when that is due. */
  async function current(environment: EnvironmentRef, { poll }: { readonly poll: boolean }) {
    const record = await records.get(authentications, [environmentName(environment)]);
    if (record === null) return null;
    if (poll) await pollOne(record);
    const fresh = poll ? await records.get(authentications, [environmentName(environment)]) : record;
    return fresh && authenticationAt(fresh, clock.now());
  }

  /** Who has just signed in at the other device shouldn't be told that nobody has: the next poll is worth a short wait. */
  async function untilDue(environment: EnvironmentRef): Promise<void> {
    const record = await records.get(authentications, [environmentName(environment)]);
    const waitMs = record?.status === "Pending" ? record.nextPollAt - clock.now() : 0;
    if (waitMs > 0 && waitMs <= longestWaitMs) await clock.sleep(waitMs);
  }

  async function pollOne({ environment, id }: AuthenticationRecord): Promise<void> {
    const claimed = await claimPoll(environment, id);
    if (claimed?.deviceCode == null || authorizer === null) return;
    try {
      const code = fromUtf8(await sealer.open(claimed.deviceCode, authenticationPlace(claimed, "deviceCode")));
      await settle(claimed, await authorizer.poll(claimed.tenantId, code));
    } catch (error) {
      runtime.logger.warn({ environment: environmentName(environment), code: codeOf(error) }, "a poll failed");
    }
  }

  /** One process at a time asks, and none too soon. */
  function claimPoll(environment: EnvironmentRef, id: string): Promise<AuthenticationRecord | null> {
    return records.change({ actor: "authentication", requestId: id }, async (change) => {
      const stored = await change.get(authentications, [environmentName(environment)]);
      const now = clock.now();
      if (stored?.id !== id || stored.status !== "Pending" || stored.nextPollAt > now) return null;
      const ended = authenticationAt(stored, now);
      return change.put(authentications, { ...ended, nextPollAt: now + stored.intervalSeconds * 1000 });
    });
  }

  async function settle(record: AuthenticationRecord, outcome: DeviceOutcome): Promise<void> {
    const after = await settled(record, outcome);
    await records.change({ actor: record.askedBy, requestId: record.requestId }, async (change) => {
      const stored = await change.get(authentications, [environmentName(record.environment)]);
      if (stored?.id !== record.id || stored.status !== "Pending") return;
      change.put(authentications, after);
      if (after.status === "Completed") emit(change, after, "completed");
    });
  }

  async function settled(record: AuthenticationRecord, outcome: DeviceOutcome): Promise<AuthenticationRecord> {
    const now = clock.now();
    switch (outcome.status) {
      case "Pending": {
        const intervalSeconds = record.intervalSeconds + (outcome.slowDown ? 5 : 0);
        return { ...record, intervalSeconds, nextPollAt: now + intervalSeconds * 1000 };
      }
      case "Completed": {
        const credential = await sealer.seal(utf8(outcome.credential), authenticationPlace(record, "credential"));
        const credentialExpiresAt = Math.min(outcome.expiresAt, now + longestMs);
        return { ...record, status: "Completed", deviceCode: null, credential, credentialExpiresAt };
      }
      default:
        return { ...record, status: outcome.status, deviceCode: null };
    }
  }

  return {
    handlers: {
      "environments.providerA.authenticate": authenticate,
      "environments.providerA.authentication": authentication,
    },
    async delegated(environment, tenantId, actor) {
      await untilDue(environment);
      const record = await current(environment, { poll: true });
      if (record?.status !== "Completed" || record.credential === null || !servesTenant(record, tenantId)) return null;
      const target = { kind: "environment", ...environment } as const;
      for (const one of [actor, record.asker]) if (!(await access.can(one, target, "Edit"))) return null;
      const secret = fromUtf8(await sealer.open(record.credential, authenticationPlace(record, "credential")));
      return { kind: "delegated", name: null, secret: new SecretValue(secret) };
    },
    async pollDue() {
      const due = await records.list(authentications, { index: "pending", limit: 100 });
      for (const { record } of due) if (record.nextPollAt <= clock.now()) await pollOne(record);
    },
  };
}

/** The codes are for whoever asked: with them somebody else could sign in in their place. */
function shownTo(record: AuthenticationRecord, actor: Actor): DeviceAuthorization {
  const { environment, tenantId, expiresAt, intervalSeconds, status } = record;
  const own = actorName(actor) === record.askedBy;
  return {
    environmentId: environment,
    tenantId,
    userCode: own ? record.userCode : null,
    verificationUri: own ? record.verificationUri : null,
    message: own ? record.message : null,
    expiresAt: new Date(expiresAt).toISOString(),
    intervalSeconds,
    status,
  };
}

function emit(change: Change, { environment, tenantId }: AuthenticationRecord, what: "requested" | "completed"): void {
  change.emit({
    type: `environment.authentication.${what}`,
    subject: environmentName(environment),
    about: { kind: "environment", ...environment },
    data: { provider: "provider-a", tenantId },
  });
}

/** Who somebody is, apart from the session that they came with: it ends sooner than what they set going. */
function withoutSession(actor: Actor): Actor {
  if (actor.kind === "account") return { kind: "account", accountId: actor.accountId };
  if (actor.kind !== "serviceAccount") return actor;
  const { principalId, environment } = actor;
  return { kind: "serviceAccount", principalId, ...(environment && { environment }) };
}

function refOf({ type, ownerId, shortName }: EnvironmentRef): EnvironmentRef {
  return { type, ownerId, shortName };
}

function pathOf(environment: EnvironmentRef): string {
  return `/environments/${environmentName(environment)}/initializer/provider-a/authenticate`;
}

function codeOf(error: unknown): string {
  return isLiveplaneError(error) ? error.code : "InternalError";
}
