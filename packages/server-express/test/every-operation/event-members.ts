import { type EventData, type EventType, eventTypes } from "@liveplane/core/contract";

/** What types say of a type's members: the compiler keeps this table and them equal. */
type Members = {
  readonly [Type in EventType]: {
    readonly [Name in keyof EventData[Type]]-?: Partial<Pick<EventData[Type], Name>> extends Pick<EventData[Type], Name>
      ? "sometimes"
      : "always";
  };
};

const always = "always";
const sometimes = "sometimes";
const changed = { changed: always } as const;
const named = { shortName: always, ...changed } as const;
const run = { provider: always, runId: always, status: always, requester: always } as const;
const authentication = { provider: always, tenantId: always } as const;
const secretOf = { principalId: always, secretId: always } as const;
const session = { sessionId: always, principal: always } as const;
const identity = { identityId: always, issuer: always } as const;
const team = { organizationId: always, shortName: always } as const;
const grant = { organizationId: always, principalType: always, principalId: always, permissionType: always } as const;
const pipelinesOf = { principalId: always, identityId: always, issuer: always, pattern: always } as const;
const mutation = { mutationId: always, kind: always } as const;
const ended = { ...mutation, released: always, held: always } as const;
const moved = { from: always, status: always } as const;
const words = { providerCode: sometimes, providerMessage: sometimes, providerRequestId: sometimes } as const;
const episode = { ...moved, episodeId: always } as const;
const handBack = { ...episode, reconcileId: always } as const;

const members: Members = {
  "environment.created": changed,
  "environment.updated": changed,
  "environment.deleted": changed,
  "environment.restored": changed,
  "environment.initialization.started": run,
  "environment.initialization.step_changed": {
    provider: always,
    runId: always,
    step: always,
    order: always,
    status: always,
    retryCount: always,
  },
  "environment.initialization.completed": run,
  "environment.initialization.failed": run,
  "environment.initialization.cancelled": run,
  "environment.authentication.requested": authentication,
  "environment.authentication.completed": authentication,
  "cicd_profile.created": named,
  "cicd_profile.updated": named,
  "cicd_profile.deleted": named,
  "secret.created": named,
  "secret.updated": named,
  "secret.revealed": { ...named, version: always },
  "secret.deleted": named,
  "service_account.assigned": { principalId: always, role: always },
  "service_account.updated": { principalId: always, ...changed },
  "service_account.removed": { principalId: always },
  "service_account.secret_issued": secretOf,
  "service_account.secret_revoked": secretOf,
  "service_account.identity_added": pipelinesOf,
  "service_account.identity_removed": pipelinesOf,
  "account.registered": changed,
  "account.activated": changed,
  "account.updated": changed,
  "account.password_changed": changed,
  "account.suspended": changed,
  "account.resumed": changed,
  "account.deleted": changed,
  "identity.linked": identity,
  "identity.unlinked": identity,
  "session.started": { ...session, signedInBy: always },
  "session.failed": {},
  "session.revoked": session,
  "session.reuse_detected": session,
  "organization.created": {},
  "organization.updated": { ...changed, status: sometimes },
  "organization.deleted": {},
  "team.created": { ...team, restored: always },
  "team.updated": { ...team, ...changed },
  "team.deleted": team,
  "resource_group.created": { restored: always },
  "resource_group.updated": changed,
  "resource_group.deleted": {},
  "permission.granted": grant,
  "permission.revoked": grant,
  "subscription.created": { accountId: always, subscriptionType: always },
  "subscription.updated": { accountId: always, ...changed },
  "subscription.expired": {},
  "webhook.created": changed,
  "webhook.updated": changed,
  "webhook.deleted": changed,
  "webhook.paused": { because: always },
  "webhook.resumed": {},
  "webhook.secret_issued": { secretId: always },
  "livesystem.mutation.started": mutation,
  "livesystem.mutation.succeeded": ended,
  "livesystem.mutation.failed": {
    ...ended,
    code: always,
    componentId: always,
    providerCode: sometimes,
    providerRequestId: sometimes,
  },
  "component.provisioned": { ...moved, adopted: always },
  "component.working": { ...moved, effect: always },
  "component.failed": { ...moved, ...words },
  "component.corrected": { ...moved, pointers: always },
  "component.correction_failed": { ...moved, ...words, effect: always, code: always, pointers: always },
  "component.settled": { ...moved, pointers: always },
  "component.settled_forgotten": { ...moved, pointers: always },
  "component.deleted": { ...moved, mutationId: sometimes },
  "component.released": { ...moved, resourceId: always, mutationId: sometimes },
  "component.override.started": { ...episode, awaiting: always },
  "component.override.drift_changed": { ...moved, parameters: always },
  "component.override.noted": { ...episode, ...changed },
  "component.override.awaiting": { ...episode, awaiting: always },
  "component.override.overdue": { ...episode, because: always, hours: always, since: always },
  "component.override.ended": { ...episode, outcome: always, mutationId: sometimes },
  "component.reconcile.requested": { ...handBack, fingerprint: always, asPlanned: always },
  "component.reconcile.completed": handBack,
  "component.reconcile.failed": handBack,
  "component.reconcile.withdrawn": handBack,
  "component.moved": { ...moved, movedFrom: always },
  "component.race_detected": { ...moved, fields: always },
};

/** Holds events to what their types say of them; counts the types that it has seen. */
export function eventJudge() {
  const seen = new Set<string>();
  const objections: string[] = [];
  return {
    judge(type: string, data: object): void {
      const wanted = new Map(Object.entries(Object.hasOwn(members, type) ? members[type as EventType] : {}));
      if (!eventTypes.some((known) => known === type)) objections.push(`${type} is no type of event`);
      seen.add(type);
      for (const name of Object.keys(data)) if (!wanted.has(name)) objections.push(`${type} says ${name}`);
      for (const [name, how] of wanted)
        if (how === "always" && Reflect.get(data, name) === undefined) objections.push(`${type} lacks ${name}`);
    },
    objections: (): readonly string[] => [...new Set(objections)],
    seen: () => seen.size,
  };
}
