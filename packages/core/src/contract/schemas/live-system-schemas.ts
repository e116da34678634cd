import * as z from "zod";
import type { Schema } from "../row.ts";
import { unwritable } from "./override-schemas.ts";
import {
  componentPath,
  description,
  displayName,
  environmentFullName,
  environmentIdShape,
  groupIdShape,
  groupName,
  instant,
  jsonMap,
  jsonValue,
  line,
  pageQuery,
  parameterName,
  parameters,
  providerName,
  queryFlag,
  queryInteger,
  recordFields,
  repeated,
  shownEnvironmentId,
  shownGroupId,
  shownId,
  timestamp,
  typeName,
  unique,
  uuid,
  withoutCase,
} from "./values.ts";

const declared = z.strictObject({
  path: componentPath,
  movedFrom: componentPath.nullable().exactOptional(),
  provider: providerName,
  type: typeName,
  resourceId: line.nullable().exactOptional(),
  resourceName: displayName.nullable().exactOptional(),
  parameters: parameters.nullable().exactOptional(),
  dependsOn: unique(componentPath, 500, withoutCase).nullable().exactOptional(),
  overrideWith: componentPath.nullable().exactOptional(),
  muteDrift: unique(parameterName, 100).nullable().exactOptional(),
  ignoreChanges: unique(line, 100).nullable().exactOptional(),
  allowExtraItems: unique(line, 100).nullable().exactOptional(),
  unconditionalWrites: z.boolean().nullable().exactOptional(),
  deletionPolicy: z.enum(["Delete", "Retain"]).nullable().exactOptional(),
});
/** A component's declaration. */
export interface ComponentDeclaration extends z.output<typeof declared> {}

const definition = z.strictObject({
  name: displayName,
  description: description.nullable().exactOptional(),
  environmentId: environmentIdShape,
  resourceGroupId: groupIdShape.nullable().exactOptional(),
  adopt: z.enum(["exact"]).nullable().exactOptional(),
  components: z.array(declared).max(500),
});
/** The declaration of a live system. */
export interface LiveSystemDefinition extends z.output<typeof definition> {}
export const liveSystemDefinition: Schema<LiveSystemDefinition> = definition;

/** A definition as it was sent: omitted members may stay omitted. */
export const shownDefinitionShape = z.object({
  name: z.string(),
  description: z.string().nullable().exactOptional(),
  environmentId: shownEnvironmentId,
  resourceGroupId: shownGroupId.nullable().exactOptional(),
  adopt: z.enum(["exact"]).nullable().exactOptional(),
  components: z.array(
    z.object({
      path: z.string(),
      movedFrom: z.string().nullable().exactOptional(),
      provider: z.string(),
      type: z.string(),
      resourceId: z.string().nullable().exactOptional(),
      resourceName: z.string().nullable().exactOptional(),
      parameters: jsonMap,
      dependsOn: z.array(z.string()).nullable().exactOptional(),
      overrideWith: z.string().nullable().exactOptional(),
      muteDrift: z.array(z.string()).nullable().exactOptional(),
      ignoreChanges: z.array(z.string()).nullable().exactOptional(),
      allowExtraItems: z.array(z.string()).nullable().exactOptional(),
      unconditionalWrites: z.boolean().nullable().exactOptional(),
      deletionPolicy: z.enum(["Delete", "Retain"]).nullable().exactOptional(),
    }),
  ),
});

const liveSystemId = shownId("live system");
const componentId = shownId("component");
const mutationId = shownId("mutation");

/** What a mutation does. */
export const mutationKind = z.enum(["Deploy", "Delete"]);
const mutationStatus = z.enum(["Pending", "Running", "Succeeded", "Failed"]);
/** The cloud's own description of a failure. */
export const providerWords = {
  providerCode: z.string().exactOptional(),
  providerMessage: z.string().exactOptional(),
  providerRequestId: z.string().exactOptional(),
};
const mutationError = z.object({
  code: z.string(),
  detail: z.string(),
  componentId: componentId.nullable(),
  ...providerWords,
});

const liveSystemStatus = z.enum(["Active", "Deleting", "Releasing", "Deleted"]);
const liveSystemShape = z.object({
  id: liveSystemId,
  name: z.string(),
  description: z.string().nullable(),
  environmentId: shownEnvironmentId,
  resourceGroupId: shownGroupId.nullable(),
  status: liveSystemStatus,
  definition: shownDefinitionShape,
  lastMutationId: mutationId,
  lastMutation: z
    .object({ id: mutationId, kind: mutationKind, status: mutationStatus, error: mutationError.nullable() })
    .nullable(),
  ...recordFields,
});
/** A live system. */
export interface LiveSystem extends z.output<typeof liveSystemShape> {}
export const liveSystem: Schema<LiveSystem> = liveSystemShape;

/** Who controls a component's resource. */
export const componentStatus = z.enum(["Active", "ManualOverride", "ReconcileRequested"]);
/** What an override waits for. */
export const awaited = z.enum(["management-tag", "reconcile-tag", "redeploy"]);
const condition = z.object({
  value: z.boolean().nullable(),
  reason: z.string(),
  message: z.string(),
  observedAt: instant.nullable(),
  changedAt: instant.nullable(),
  /** The component that must come first. Absent if none must. */
  blockedBy: z.string().exactOptional(),
  ...providerWords,
});
/** Who changed the resource, by the cloud's own log. */
export const changer = z.object({ name: z.string(), at: instant, operation: z.string() });
const override = z.object({
  episodeId: z.string(),
  since: instant,
  reason: z.string().nullable(),
  ticket: z.string().nullable(),
  remindAt: instant.nullable(),
  claimedBy: z.string().nullable(),
  awaiting: awaited.nullable(),
  said: z.object({ reason: z.string().nullable(), owner: z.string().nullable(), until: instant.nullable() }).nullable(),
  takenOverBy: changer.nullable(),
});
/** An override of the component itself: since when, by whom and why. */
export interface ShownOverride extends z.output<typeof override> {}
/** For a component that its `overrideWith` component holds: the ID of that component. */
const held = z.object({ heldBy: z.string() });
const outputFields = z
  .object({
    /** The differences by parameter. Absent if there are none. */
    drift: z.record(z.string(), z.object({ declared: jsonValue, actual: jsonValue })).exactOptional(),
  })
  .catchall(jsonValue);
/** The component's state in one word: who controls it, or what keeps it from matching its declaration. */
const health = z.enum([
  "InSync",
  "Differs",
  "Uncorrectable",
  "Failing",
  "Blocked",
  "Held",
  "Working",
  "NotProvisioned",
  "Unreadable",
  "Unknown",
  "Overridden",
  "AwaitingReconcileTag",
  "ReconcileRequested",
  "Missing",
  "Leaving",
]);
const componentShape = z.object({
  id: componentId,
  livesystemId: liveSystemId,
  /** Who controls the resource: the agent, a person, or a person who has asked the agent to take it back. */
  status: componentStatus,
  health,
  /** It is no longer declared, or its live system is being deleted. */
  leaving: z.boolean(),
  /** The resource's outputs by name, and `drift` while the resource differs from its declaration. */
  outputFields,
  /** The places that `ignoreChanges` leaves to the cloud, with both values, by pointer. */
  ignored: z.record(z.string(), z.object({ declared: jsonValue, actual: jsonValue })),
  /** The resource type, with the API version where the cloud has one. */
  type: z.string(),
  /** `provider-a`, `provider-b`, or the name of a cloud of the host's own. */
  provider: z.string(),
  /** As declared, without literal secrets. */
  parameters: jsonMap,
  /** Paths, declared or implied by references. */
  dependsOn: z.array(z.string()),
  /** The parameters whose differences raise no alert. */
  muteDrift: z.array(z.string()),
  /** The cloud's ID of the resource. `null` while it has none. */
  resourceId: z.string().nullable(),
  /** Whether the resource could be read, exists and matches its declaration, each with a reason. */
  conditions: z.object({ readable: condition, exists: condition, inSync: condition }),
  /** The open override, or the component that holds this one. `null` while the agent controls it. */
  override: z.union([override, held]).nullable(),
  /** The cloud's current work on the resource, whoever asked for it. `progress` is in percent. */
  working: z.object({ since: instant, progress: z.number().nullable() }).nullable(),
  /** The last failed writes: those with the same code, since the first of them. `null` if none since the last successful one. */
  failing: z
    .object({ code: z.string(), detail: z.string(), since: instant, attempts: z.number(), ...providerWords })
    .nullable(),
  /** When the agent will write again. `null` if it isn't waiting. */
  nextTryAt: instant.nullable(),
  /** The agent's last check, even if it found nothing new. `null` before the first. */
  lookedAt: instant.nullable(),
  /** The cloud's own forms of declared values, by pointer, and how each became known. */
  settled: z.array(
    z.object({ pointer: z.string(), form: jsonValue, by: z.enum(["write", "spelling", "person"]), at: instant }),
  ),
  /** The pointers of declared values that the cloud never shows, such as passwords. */
  unobservable: z.array(z.string()),
  /** Identifies the current differences, for a plan or an acceptance. `null` if there are none. */
  fingerprint: z.string().nullable(),
  ...recordFields,
});
/** A component: one cloud resource of a live system. */
export interface Component extends z.output<typeof componentShape> {}
export const component: Schema<Component> = componentShape;

const systemHealth = z.object({
  id: liveSystemId,
  name: z.string(),
  environmentId: shownEnvironmentId,
  status: liveSystemStatus,
  /** The last deploy or deletion. `null` if it is no longer kept. */
  lastMutation: z.object({ id: mutationId, kind: mutationKind, status: mutationStatus }).nullable(),
  /** How many declared components have each health. Absent ones are zero. */
  counts: z.partialRecord(health, z.number()),
  /** The first components that a person should look at and nobody has taken over: at most five. */
  troubled: z.array(z.object({ componentId, health, message: z.string(), since: instant.nullable() })),
});
/** How the components of a live system are. */
export interface LiveSystemHealth extends z.output<typeof systemHealth> {}
export const liveSystemHealth: Schema<LiveSystemHealth> = systemHealth;

const accepted = z.strictObject({ pointers: unique(line, 100).min(1), fingerprint: line });
/** The places to accept, as long as the differences match the fingerprint. */
export interface AcceptedPlaces extends z.output<typeof accepted> {}
export const acceptedPlaces: Schema<AcceptedPlaces> = accepted;

const forgotten = z.strictObject({ pointers: repeated(line) });
/** The places where learned forms are forgotten. */
export interface ForgottenPlaces extends z.output<typeof forgotten> {}
export const forgottenPlaces: Schema<ForgottenPlaces> = forgotten;

const mutationShape = z.object({
  id: mutationId,
  livesystemId: liveSystemId,
  kind: mutationKind,
  status: mutationStatus,
  components: z.array(componentShape),
  steps: z.array(
    z.object({
      componentId,
      state: z.enum(["pending", "begun", "converged", "held", "failed", "blocked"]),
      waiting: z.object({ why: z.enum(["working", "failing"]), detail: z.string(), since: instant }).nullable(),
      error: z.object({ code: z.string(), detail: z.string(), ...providerWords }).nullable(),
    }),
  ),
  released: z.array(z.string()),
  held: z.array(z.string()),
  error: mutationError.nullable(),
  createdAt: instant,
  createdBy: z.string(),
  completedAt: instant.nullable(),
});
/** A deploy or a delete of a live system, under way or done. */
export interface Mutation extends z.output<typeof mutationShape> {}
export const mutation: Schema<Mutation> = mutationShape;

const planned = z.object({
  components: z.array(
    z.object({
      componentId,
      action: z.enum(["create", "adopt", "correct", "move", "delete", "release", "hold", "none"]),
      /** Why the component is held. `null` for any other action. */
      reason: z.string().nullable(),
      movedFrom: z.string().nullable(),
      /** An exact adoption adds the management tag. */
      addsTag: z.boolean(),
      changes: z.array(
        z.object({
          parameter: z.string(),
          pointer: z.string(),
          declared: jsonValue,
          actual: jsonValue,
          /** Why the deploy can't write it. `null` if it can. */
          unwritable,
        }),
      ),
      unobservable: z.array(z.string()),
      /** The places that are no longer declared. The cloud keeps its values, which the agent no longer compares. */
      unmanaged: z.array(z.string()),
    }),
  ),
  warnings: z.array(z.object({ componentId, otherComponentId: componentId.nullable(), detail: z.string() })),
  /** What the deploy would fail with. `null` if nothing known makes it fail. */
  error: mutationError.nullable(),
});
/** What a deploy would do. */
export interface DeployPlan extends z.output<typeof planned> {}
export const deployPlan: Schema<DeployPlan> = planned;

const acknowledgement = z.object({
  observedAt: instant.nullable(),
  managementTag: z.boolean().nullable(),
  writesInFlight: z.number(),
  lastWriteAt: instant.nullable(),
});
const checked = z.object({ component: componentShape, acknowledgement });
/** What a check found, and what the agent is doing. */
export interface CheckResult extends z.output<typeof checked> {}
export const checkResult: Schema<CheckResult> = checked;

const listed = z.object({
  component: componentShape,
  override,
  environmentId: shownEnvironmentId,
  driftCount: z.number(),
});
/** An open override. */
export interface ListedOverride extends z.output<typeof listed> {}
export const listedOverride: Schema<ListedOverride> = listed;

const liveSystemList = z.strictObject({
  ...pageQuery,
  environment: environmentFullName.exactOptional(),
  resourceGroup: groupName.exactOptional(),
});
/** The query of a live system list: by environment or group, `Type/ownerId/shortName`. */
export interface LiveSystemListQuery extends z.output<typeof liveSystemList> {}
export const liveSystemListQuery: Schema<LiveSystemListQuery> = liveSystemList;

const componentList = z.strictObject({
  ...pageQuery,
  status: repeated(componentStatus).exactOptional(),
  drift: queryFlag.exactOptional(),
});
/** The query of a component list. */
export interface ComponentListQuery extends z.output<typeof componentList> {}
export const componentListQuery: Schema<ComponentListQuery> = componentList;

const auditPeriod = z.strictObject({
  ...pageQuery,
  from: timestamp.exactOptional(),
  until: timestamp.exactOptional(),
  newest: queryInteger(1).exactOptional(),
});
/** The period of the log to read: `from` is included, `until` isn't. `newest`: only this number of events, at its end. */
export interface AuditQuery extends z.output<typeof auditPeriod> {}
export const auditQuery: Schema<AuditQuery> = auditPeriod;

const followQueryShape = z.strictObject({
  after: queryInteger(0).exactOptional(),
  type: repeated(z.string().min(1).max(128)).exactOptional(),
  livesystem: repeated(uuid).exactOptional(),
});
/** The query of an event stream. */
export interface FollowQuery extends z.output<typeof followQueryShape> {}
export const followQuery: Schema<FollowQuery> = followQueryShape;
