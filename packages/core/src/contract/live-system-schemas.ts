import { z } from "zod";
import type { Schema } from "./row.ts";
import {
  description,
  displayName,
  environmentIdShape,
  groupIdShape,
  line,
  pageQuery,
  parameters,
  recordFields,
  timestamp,
  unique,
} from "./values.ts";

/** Several values, as a query repeats a name. */
const repeated = <Item extends z.ZodType>(item: Item) => z.preprocess((value) => (Array.isArray(value) || value === undefined ? value : [value]), z.array(item).max(100));
const flag = z.enum(["true", "false"]).or(z.boolean()).transform((value) => value === true || value === "true");

const path = z.string().min(1).max(640);
const declared = z.strictObject({
  path,
  provider: z.string().min(1).max(64),
  type: z.string().min(1).max(256).regex(/^[^\u0000-\u001f\u007f-\u009f]*$/),
  resourceId: line.nullable().exactOptional(),
  resourceName: displayName.nullable().exactOptional(),
  parameters: parameters.nullable().exactOptional(),
  dependsOn: unique(path, 500).nullable().exactOptional(),
  overrideWith: path.nullable().exactOptional(),
  muteDrift: unique(z.string().min(1).max(256), 100).nullable().exactOptional(),
  deletionPolicy: z.enum(["Delete", "Retain"]).nullable().exactOptional(),
});
/** A component as it is declared. */
export interface ComponentDeclaration extends z.output<typeof declared> {}

const definition = z.strictObject({
  name: displayName,
  description: description.nullable().exactOptional(),
  environmentId: environmentIdShape,
  resourceGroupId: groupIdShape.nullable().exactOptional(),
  components: z.array(declared).max(500),
});
/** The declaration of a live system. */
export interface LiveSystemDefinition extends z.output<typeof definition> {}
export const liveSystemDefinition: Schema<LiveSystemDefinition> = definition;

const liveSystemShape = z.looseObject({
  id: z.string(),
  name: z.string(),
  description: z.string().nullable(),
  environmentId: environmentIdShape,
  resourceGroupId: groupIdShape.nullable(),
  status: z.enum(["Active", "Deleting", "Deleted"]),
  definition: z.looseObject({}),
  lastMutationId: z.string(),
  ...recordFields,
});
/** A live system. */
export interface LiveSystem extends z.output<typeof liveSystemShape> {}
export const liveSystem: Schema<LiveSystem> = liveSystemShape;

const status = z.enum(["Active", "ManualOverride", "ReconcileRequested"]);
const condition = z.looseObject({
  value: z.boolean().nullable(),
  reason: z.string(),
  message: z.string(),
  observedAt: z.string().nullable(),
  changedAt: z.string().nullable(),
});
const override = z.looseObject({
  episodeId: z.string(),
  since: z.string(),
  reason: z.string().nullable(),
  ticket: z.string().nullable(),
  remindAt: z.string().nullable(),
  claimedBy: z.string().nullable(),
  awaiting: z.enum(["management-tag", "reconcile-tag", "redeploy"]).nullable(),
});
const componentShape = z.looseObject({
  id: z.string(),
  livesystemId: z.string(),
  status,
  outputFields: z.record(z.string(), z.json()),
  type: z.string(),
  provider: z.string(),
  parameters: z.record(z.string(), z.json()),
  dependsOn: z.array(z.string()),
  resourceId: z.string().nullable(),
  conditions: z.looseObject({ readable: condition, exists: condition, inSync: condition }),
  override: override.nullable(),
  ...recordFields,
});
/** A component: one cloud resource of a live system. */
export interface Component extends z.output<typeof componentShape> {}
export const component: Schema<Component> = componentShape;

const mutationShape = z.looseObject({
  id: z.string(),
  livesystemId: z.string(),
  kind: z.enum(["Deploy", "Delete"]),
  status: z.enum(["Pending", "Running", "Succeeded", "Failed"]),
  components: z.array(componentShape),
  released: z.array(z.string()),
  held: z.array(z.string()),
  error: z.looseObject({ code: z.string(), detail: z.string(), componentId: z.string().nullable() }).nullable(),
  createdAt: z.string(),
  completedAt: z.string().nullable(),
});
/** A deploy or a delete of a live system, under way or done. */
export interface Mutation extends z.output<typeof mutationShape> {}
export const mutation: Schema<Mutation> = mutationShape;

const change = z.looseObject({
  parameter: z.string(),
  pointer: z.string(),
  declared: z.json(),
  actual: z.json(),
  declaredAtOverride: z.json(),
  cause: z.enum(["cloud", "declaration", "both"]),
});
const planned = z.looseObject({
  components: z.array(
    z.looseObject({
      componentId: z.string(),
      action: z.enum(["create", "adopt", "correct", "delete", "release", "hold", "none"]),
      changes: z.array(z.looseObject({ parameter: z.string(), pointer: z.string(), declared: z.json(), actual: z.json() })),
    }),
  ),
});
/** What a deploy would do. */
export interface DeployPlan extends z.output<typeof planned> {}
export const deployPlan: Schema<DeployPlan> = planned;

const acknowledgement = z.looseObject({
  observedAt: z.string().nullable(),
  managementTag: z.boolean().nullable(),
  writesInFlight: z.number(),
  lastWriteAt: z.string().nullable(),
});
const checked = z.looseObject({ component: componentShape, acknowledgement });
/** What a look of the agent found, and what it is doing itself. */
export interface CheckResult extends z.output<typeof checked> {}
export const checkResult: Schema<CheckResult> = checked;

const dependentShape = z.looseObject({
  componentId: z.string(),
  pointer: z.string(),
  output: z.string(),
  changed: z.boolean(),
  valueAtOverride: z.json(),
  valueNow: z.json(),
});
/** A reference to an output of a component. */
export interface Dependent extends z.output<typeof dependentShape> {}
export const dependent: Schema<Dependent> = dependentShape;

const planShape = z.looseObject({
  componentId: z.string(),
  fingerprint: z.string(),
  observedAt: z.string().nullable(),
  possible: z.boolean(),
  reason: z.string().nullable(),
  changes: z.array(change),
  dependents: z.array(dependentShape),
  keepPatch: z.array(z.looseObject({ op: z.string(), path: z.string(), value: z.json().exactOptional() })),
});
/** What a hand-back would revert, and the patch that keeps it. */
export interface AdoptionPlan extends z.output<typeof planShape> {}
export const adoptionPlan: Schema<AdoptionPlan> = planShape;

const values = z.looseObject({ declared: z.record(z.string(), z.json()), actual: z.record(z.string(), z.json()) });
const episode = z.looseObject({
  id: z.string(),
  componentId: z.string(),
  startedAt: z.string(),
  endedAt: z.string().nullable(),
  outcome: z.enum(["Reconciled", "Resumed", "Reprovisioned", "Released", "Deleted"]).nullable(),
  start: values,
  end: values.nullable(),
  reason: z.string().nullable(),
  ticket: z.string().nullable(),
  claimedBy: z.string().nullable(),
});
/** One override, from take-over to its end. */
export interface OverrideEpisode extends z.output<typeof episode> {}
export const overrideEpisode: Schema<OverrideEpisode> = episode;

const note = z.strictObject({
  reason: description.nullable().exactOptional(),
  ticket: displayName.nullable().exactOptional(),
  remindAt: timestamp.nullable().exactOptional(),
});
/** Why a component is overridden. */
export interface OverrideNote extends z.output<typeof note> {}
export const overrideNote: Schema<OverrideNote> = note;

const listed = z.looseObject({ component: componentShape, override, environmentId: environmentIdShape, driftCount: z.number() });
/** An override in force. */
export interface ListedOverride extends z.output<typeof listed> {}
export const listedOverride: Schema<ListedOverride> = listed;

const digestRow = z.looseObject({
  type: z.string(),
  parameter: z.string(),
  count: z.number(),
  componentIds: z.array(z.string()),
  oldestSince: z.string(),
});
/** The overrides that changed the same parameter of the same type. */
export interface OverrideDigestRow extends z.output<typeof digestRow> {}
export const overrideDigestRow: Schema<OverrideDigestRow> = digestRow;

const liveSystemList = z.strictObject({ ...pageQuery, environment: line.exactOptional(), resourceGroup: line.exactOptional() });
/** What live systems to list: by environment or group, `Type/ownerId/shortName`. */
export interface LiveSystemListQuery extends z.output<typeof liveSystemList> {}
export const liveSystemListQuery: Schema<LiveSystemListQuery> = liveSystemList;

const componentList = z.strictObject({ ...pageQuery, status: repeated(status).exactOptional(), drift: flag.exactOptional() });
/** What components to list. */
export interface ComponentListQuery extends z.output<typeof componentList> {}
export const componentListQuery: Schema<ComponentListQuery> = componentList;

const overrideList = z.strictObject({ ...pageQuery, environment: line.exactOptional(), sort: z.literal("age").exactOptional() });
/** What overrides to list: oldest first. */
export interface OverrideListQuery extends z.output<typeof overrideList> {}
export const overrideListQuery: Schema<OverrideListQuery> = overrideList;

const followQueryShape = z.strictObject({
  after: z.coerce.number().int().min(0).exactOptional(),
  type: repeated(z.string().min(1).max(128)).exactOptional(),
  livesystem: repeated(z.string().min(1).max(64)).exactOptional(),
});
/** What events to follow. */
export interface FollowQuery extends z.output<typeof followQueryShape> {}
export const followQuery: Schema<FollowQuery> = followQueryShape;
