import * as z from "zod";
import { secondFactor, signedInBy } from "./schemas/account-schemas.ts";
import { serviceAccountRole } from "./schemas/environment-schemas.ts";
import { factorKind } from "./schemas/factor-schemas.ts";
import { runStatus, stepStatus } from "./schemas/initialization-schemas.ts";
import { awaited, changer, componentStatus, mutationKind, providerWords } from "./schemas/live-system-schemas.ts";
import { organizationStatus, permissionType } from "./schemas/organization-schemas.ts";
import { episodeOutcome } from "./schemas/override-schemas.ts";
import { instant } from "./schemas/values.ts";

const text = z.string();
const texts = z.array(text).readonly();
const object = z.object;

/** The names of the members that changed. */
const changed = { changed: texts };
const named = { shortName: text, ...changed };
const ofPrincipal = { principalId: text };
const ofSecret = { secretId: text };
const pipelinesOf = { ...ofPrincipal, identityId: text, issuer: text, pattern: text };

const run = { provider: text, runId: text, status: runStatus, requester: text };
const authentication = { provider: text, tenantId: text };
const session = { sessionId: text, principal: z.enum(["account", "serviceAccount"]) };
const identity = { identityId: text, issuer: text };
const factor = { factorId: text, kind: factorKind };
const team = { organizationId: text, shortName: text };
const grant = { organizationId: text, principalType: text, principalId: text, permissionType };
const ofAccount = { accountId: text };
const mutation = { mutationId: text, kind: mutationKind };
/** The IDs of the components that were left in the cloud, and of those that wait for an override to end. */
const mutationEnd = { ...mutation, released: texts, held: texts };
const byMutation = { mutationId: text.exactOptional() };
/** A component's change of status. */
const moved = { from: componentStatus, status: componentStatus };
const effect = z.enum(["create", "adopt", "correct", "removeReconcileTag", "remove"]);
const atPointers = { ...moved, pointers: texts };
const episode = { ...moved, episodeId: text };
const handBack = { ...episode, reconcileId: text };

/** The data of each event type. Later releases may add members and types. */
export const eventData = {
  "environment.created": object(changed),
  "environment.updated": object(changed),
  "environment.deleted": object(changed),
  "environment.restored": object(changed),
  "environment.initialization.started": object(run),
  "environment.initialization.step_changed": object({
    ...{ provider: text, runId: text, step: text, order: z.number(), status: stepStatus, retryCount: z.number() },
  }),
  "environment.initialization.completed": object(run),
  "environment.initialization.failed": object(run),
  "environment.initialization.cancelled": object(run),
  "environment.authentication.requested": object(authentication),
  "environment.authentication.completed": object(authentication),
  "cicd_profile.created": object(named),
  "cicd_profile.updated": object(named),
  "cicd_profile.deleted": object(named),
  "secret.created": object(named),
  "secret.updated": object(named),
  "secret.revealed": object({ ...named, version: z.number() }),
  "secret.deleted": object(named),
  "service_account.assigned": object({ ...ofPrincipal, role: serviceAccountRole }),
  "service_account.updated": object({ ...ofPrincipal, ...changed }),
  "service_account.removed": object(ofPrincipal),
  "service_account.secret_issued": object({ ...ofPrincipal, ...ofSecret }),
  "service_account.secret_revoked": object({ ...ofPrincipal, ...ofSecret }),
  "service_account.identity_added": object(pipelinesOf),
  "service_account.identity_removed": object(pipelinesOf),
  "account.registered": object(changed),
  "account.activated": object(changed),
  "account.updated": object(changed),
  "account.password_changed": object(changed),
  "account.suspended": object(changed),
  "account.resumed": object(changed),
  "account.deleted": object(changed),
  "factor.added": object(factor),
  "factor.removed": object(factor),
  "identity.linked": object(identity),
  "identity.unlinked": object(identity),
  /** `secondFactor`: `needed` if the session can do nothing before it is given; `null` if none was needed. */
  "session.started": object({ ...session, signedInBy, secondFactor: secondFactor.nullable() }),
  "session.failed": object({}),
  "session.revoked": object(session),
  "session.reuse_detected": object(session),
  "organization.created": object({}),
  /** `status` if it was suspended or resumed. */
  "organization.updated": object({ ...changed, status: organizationStatus.exactOptional() }),
  "organization.deleted": object({}),
  "team.created": object({ ...team, restored: z.boolean() }),
  "team.updated": object({ ...team, ...changed }),
  "team.deleted": object(team),
  "resource_group.created": object({ restored: z.boolean() }),
  "resource_group.updated": object(changed),
  "resource_group.deleted": object({}),
  "permission.granted": object(grant),
  "permission.revoked": object(grant),
  "subscription.created": object({
    ...ofAccount,
    subscriptionType: z.enum(["Discover", "Workgroup", "Enterprise"]),
  }),
  "subscription.updated": object({ ...ofAccount, ...changed }),
  "subscription.expired": object({}),
  "webhook.created": object(changed),
  "webhook.updated": object(changed),
  "webhook.deleted": object(changed),
  /** `Failing`: no delivery succeeded for a day. `Gone`: the receiver answered 410. */
  "webhook.paused": object({ because: z.enum(["Failing", "Gone"]) }),
  "webhook.resumed": object({}),
  "webhook.secret_issued": object(ofSecret),
  "livesystem.mutation.started": object(mutation),
  "livesystem.mutation.succeeded": object(mutationEnd),
  /** `componentId`: the component that failed first, or `null` if no component failed. */
  "livesystem.mutation.failed": object({
    ...{ ...mutationEnd, code: text, componentId: text.nullable() },
    providerCode: providerWords.providerCode,
    providerRequestId: providerWords.providerRequestId,
  }),
  /** `adopted`: the resource existed before its component. */
  "component.provisioned": object({ ...moved, adopted: z.boolean() }),
  "component.working": object({ ...moved, effect }),
  "component.failed": object({ ...moved, ...providerWords }),
  /** A resource that was there is gone, and nobody deleted it by a mutation. An Active one is created again, without its contents. */
  "component.missing": object({ ...moved, resourceId: text.nullable() }),
  /** The parameters and tags that were written, as JSON pointers. */
  "component.corrected": object(atPointers),
  "component.correction_failed": object({ ...atPointers, ...providerWords, effect, code: text }),
  /** At these places, the cloud shows the written value in another form. */
  "component.settled": object(atPointers),
  "component.settled_forgotten": object(atPointers),
  "component.deleted": object({ ...moved, ...byMutation }),
  /** What was left in the cloud; `mutationId` if a deploy or a delete left it. */
  "component.released": object({ ...moved, resourceId: text.nullable(), ...byMutation }),
  /** `owner`: who the resource's tag says has it. */
  "component.override.started": object({ ...episode, awaiting: awaited.nullable(), owner: text.nullable() }),
  /** The names of the top-level parameters that differ now. */
  "component.override.drift_changed": object({ ...moved, parameters: texts }),
  /** Who took it over, as the cloud's activity log tells some time later. */
  "component.override.attributed": object({ ...episode, takenOverBy: changer }),
  "component.override.noted": object({ ...episode, ...changed }),
  "component.override.awaiting": object({ ...episode, awaiting: awaited }),
  /** `hours`: `null` if age isn't the reason. */
  "component.override.overdue": object({
    ...{ ...episode, because: z.enum(["remindAt", "until", "age"]), hours: z.number().nullable(), since: instant },
  }),
  "component.override.ended": object({ ...episode, outcome: episodeOutcome, ...byMutation }),
  /** `asPlanned`: whether it was requested on the last plan that was shown. */
  "component.reconcile.requested": object({ ...handBack, fingerprint: text, asPlanned: z.boolean() }),
  "component.reconcile.completed": object(handBack),
  "component.reconcile.failed": object(handBack),
  "component.reconcile.withdrawn": object(handBack),
  /** `movedFrom`: its former ID. */
  "component.moved": object({ ...moved, movedFrom: text }),
  /** What a write changed on a resource that a person had just taken over. */
  "component.race_detected": object({
    ...moved,
    fields: z.array(object({ pointer: text, from: z.unknown(), to: z.unknown() })).readonly(),
  }),
} as const;

/** The data of each event type. Later releases may add members and types. */
export type EventData = {
  readonly [Type in keyof typeof eventData]: Readonly<z.output<(typeof eventData)[Type]>>;
};
