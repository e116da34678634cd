import type { Session } from "./schemas/account-schemas.ts";
import type { Environment, ServiceAccount } from "./schemas/environment-schemas.ts";
import type { InitializationRun } from "./schemas/initialization-schemas.ts";
import type { Component, Mutation, ShownOverride } from "./schemas/live-system-schemas.ts";
import type { Organization, PermissionInput } from "./schemas/organization-schemas.ts";
import type { OverrideEpisode } from "./schemas/override-schemas.ts";

/** The data of each event type. Later releases may add members and types. */
export interface EventData {
  readonly "environment.created": Changed;
  readonly "environment.updated": Changed;
  readonly "environment.deleted": Changed;
  readonly "environment.restored": Changed;
  readonly "environment.initialization.started": RunData;
  readonly "environment.initialization.step_changed": RunStepData;
  readonly "environment.initialization.completed": RunData;
  readonly "environment.initialization.failed": RunData;
  readonly "environment.initialization.cancelled": RunData;
  readonly "environment.authentication.requested": AuthenticationData;
  readonly "environment.authentication.completed": AuthenticationData;
  readonly "cicd_profile.created": Named & Changed;
  readonly "cicd_profile.updated": Named & Changed;
  readonly "cicd_profile.deleted": Named & Changed;
  readonly "secret.created": Named & Changed;
  readonly "secret.updated": Named & Changed;
  readonly "secret.revealed": Named & Changed & { readonly version: number };
  readonly "secret.deleted": Named & Changed;
  readonly "service_account.assigned": OfPrincipal & { readonly role: ServiceAccount["serviceAccountRole"] };
  readonly "service_account.updated": OfPrincipal & Changed;
  readonly "service_account.removed": OfPrincipal;
  readonly "service_account.secret_issued": OfPrincipal & OfSecret;
  readonly "service_account.secret_revoked": OfPrincipal & OfSecret;
  readonly "service_account.identity_added": OfPrincipal & OfIdentity;
  readonly "service_account.identity_removed": OfPrincipal & OfIdentity;
  readonly "account.registered": Changed;
  readonly "account.activated": Changed;
  readonly "account.updated": Changed;
  readonly "account.password_changed": Changed;
  readonly "account.suspended": Changed;
  readonly "account.resumed": Changed;
  readonly "account.deleted": Changed;
  readonly "identity.linked": IdentityData;
  readonly "identity.unlinked": IdentityData;
  readonly "session.started": SessionData & { readonly signedInBy: Session["signedInBy"] };
  readonly "session.failed": Nothing;
  readonly "session.revoked": SessionData;
  readonly "session.reuse_detected": SessionData;
  readonly "organization.created": Nothing;
  /** `status` if it was suspended or resumed. */
  readonly "organization.updated": Changed & { readonly status?: Organization["status"] };
  readonly "organization.deleted": Nothing;
  readonly "team.created": TeamData & { readonly restored: boolean };
  readonly "team.updated": TeamData & Changed;
  readonly "team.deleted": TeamData;
  readonly "resource_group.created": { readonly restored: boolean };
  readonly "resource_group.updated": Changed;
  readonly "resource_group.deleted": Nothing;
  readonly "permission.granted": GrantData;
  readonly "permission.revoked": GrantData;
  readonly "subscription.created": OfAccount & { readonly subscriptionType: "Discover" | "Workgroup" | "Enterprise" };
  readonly "subscription.updated": OfAccount & Changed;
  readonly "subscription.expired": Nothing;
  readonly "webhook.created": Changed;
  readonly "webhook.updated": Changed;
  readonly "webhook.deleted": Changed;
  /** `Failing`: no delivery succeeded for a day. `Gone`: the receiver answered 410. */
  readonly "webhook.paused": { readonly because: "Failing" | "Gone" };
  readonly "webhook.resumed": Nothing;
  readonly "webhook.secret_issued": OfSecret;
  readonly "livesystem.mutation.started": OfMutation;
  readonly "livesystem.mutation.succeeded": MutationEnd;
  readonly "livesystem.mutation.failed": MutationEnd & MutationFailure;
  /** `adopted`: the resource existed before its component. */
  readonly "component.provisioned": Moved & { readonly adopted: boolean };
  readonly "component.working": Moved & { readonly effect: WriteEffect };
  readonly "component.failed": Moved & Partial<CloudWords>;
  /** The parameters and tags that were written, as JSON pointers. */
  readonly "component.corrected": Moved & { readonly pointers: readonly string[] };
  readonly "component.correction_failed": Moved & CorrectionFailure;
  /** At these places, the cloud shows the written value in another form. */
  readonly "component.settled": Moved & { readonly pointers: readonly string[] };
  readonly "component.settled_forgotten": Moved & { readonly pointers: readonly string[] };
  readonly "component.deleted": Moved & { readonly mutationId?: string };
  /** What was left in the cloud; `mutationId` if a deploy or a delete left it. */
  readonly "component.released": Moved & { readonly resourceId: string | null; readonly mutationId?: string };
  readonly "component.override.started": Moved & OfEpisode & { readonly awaiting: Awaiting | null };
  /** The names of the top-level parameters that differ now. */
  readonly "component.override.drift_changed": Moved & { readonly parameters: readonly string[] };
  readonly "component.override.noted": Moved & OfEpisode & Changed;
  readonly "component.override.awaiting": Moved & OfEpisode & { readonly awaiting: Awaiting };
  readonly "component.override.overdue": Moved & OfEpisode & Reminder;
  readonly "component.override.ended": Moved & OfEpisode & EpisodeEnd;
  readonly "component.reconcile.requested": Moved & HandBack & Planned;
  readonly "component.reconcile.completed": Moved & HandBack;
  readonly "component.reconcile.failed": Moved & HandBack;
  readonly "component.reconcile.withdrawn": Moved & HandBack;
  /** `movedFrom`: its former ID. */
  readonly "component.moved": Moved & { readonly movedFrom: string };
  /** What a write changed on a resource that a person had just taken over. */
  readonly "component.race_detected": Moved & { readonly fields: readonly RacedField[] };
}

type Awaiting = NonNullable<ShownOverride["awaiting"]>;
type WriteEffect = "create" | "adopt" | "correct" | "removeReconcileTag" | "remove";

type Nothing = Record<never, never>;

/** The names of the members that changed. */
interface Changed {
  readonly changed: readonly string[];
}

interface Named {
  readonly shortName: string;
}

interface OfPrincipal {
  readonly principalId: string;
}

interface OfSecret {
  readonly secretId: string;
}

interface OfIdentity {
  readonly identityId: string;
  readonly issuer: string;
  readonly pattern: string;
}

interface OfAccount {
  readonly accountId: string;
}

interface RunData {
  readonly provider: keyof Environment["initializations"] & string;
  readonly runId: string;
  readonly status: InitializationRun["status"];
  readonly requester: string;
}

interface RunStepData {
  readonly provider: string;
  readonly runId: string;
  readonly step: string;
  readonly order: number;
  readonly status: InitializationRun["steps"][number]["status"];
  readonly retryCount: number;
}

interface AuthenticationData {
  readonly provider: string;
  readonly tenantId: string;
}

interface SessionData {
  readonly sessionId: string;
  readonly principal: "account" | "serviceAccount";
}

interface IdentityData {
  readonly identityId: string;
  readonly issuer: string;
}

interface TeamData extends Named {
  readonly organizationId: string;
}

interface GrantData extends Pick<PermissionInput, "permissionType"> {
  readonly organizationId: string;
  readonly principalType: string;
  readonly principalId: string;
}

interface OfMutation {
  readonly mutationId: string;
  readonly kind: Mutation["kind"];
}

/** The IDs of the components that were left in the cloud, and of those that wait for an override to end. */
interface MutationEnd extends OfMutation {
  readonly released: readonly string[];
  readonly held: readonly string[];
}

/** `componentId`: the component that failed first, or `null` if no component failed. */
interface MutationFailure {
  readonly code: string;
  readonly componentId: string | null;
  readonly providerCode?: string;
  readonly providerRequestId?: string;
}

/** A component's change of status. */
interface Moved {
  readonly from: Component["status"];
  readonly status: Component["status"];
}

interface OfEpisode {
  readonly episodeId: string;
}

/** The cloud's own message, without secrets. */
interface CloudWords {
  readonly providerCode: string;
  readonly providerMessage: string;
  readonly providerRequestId?: string;
}

interface CorrectionFailure extends Partial<CloudWords> {
  readonly effect: WriteEffect;
  readonly code: string;
  readonly pointers: readonly string[];
}

interface Reminder {
  readonly because: "remindAt" | "until" | "age";
  /** `null` if age isn't the reason. */
  readonly hours: number | null;
  readonly since: string;
}

interface EpisodeEnd {
  readonly outcome: NonNullable<OverrideEpisode["outcome"]>;
  readonly mutationId?: string;
}

interface HandBack extends OfEpisode {
  readonly reconcileId: string;
}

/** Whether it was requested on the last plan that was shown. */
interface Planned {
  readonly fingerprint: string;
  readonly asPlanned: boolean;
}

interface RacedField {
  readonly pointer: string;
  readonly from: unknown;
  readonly to: unknown;
}
