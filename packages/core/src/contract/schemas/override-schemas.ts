import * as z from "zod";
import type { Schema } from "../row.ts";
import {
  description,
  displayName,
  environmentFullName,
  instant,
  jsonMap,
  jsonValue,
  pageQuery,
  shownId,
  timestamp,
} from "./values.ts";

/** Why a place can't be written: `Immutable`, `NotCorrectable`, `Ineffective` or `Unproven`. */
export const unwritable = z.object({ reason: z.string(), message: z.string() }).nullable();
const change = z.object({
  parameter: z.string(),
  pointer: z.string(),
  declared: jsonValue,
  actual: jsonValue,
  declaredAtOverride: jsonValue,
  cause: z.enum(["cloud", "declaration", "both"]),
  unwritable,
});

const dependentShape = z.object({
  componentId: shownId("component"),
  pointer: z.string(),
  output: z.string(),
  /** Whether there is such an output now. */
  exists: z.boolean(),
  /** Whether the component that uses it was created. */
  created: z.boolean(),
  changed: z.boolean(),
  valueAtOverride: jsonValue,
  valueNow: jsonValue,
});
/** A use of a component's output. */
export interface Dependent extends z.output<typeof dependentShape> {}
export const dependent: Schema<Dependent> = dependentShape;

const planShape = z.object({
  componentId: shownId("component"),
  fingerprint: z.string(),
  observedAt: instant.nullable(),
  possible: z.boolean(),
  reason: z.string().nullable(),
  changes: z.array(change),
  unobservable: z.array(z.string()),
  dependents: z.array(dependentShape),
  /** The IDs of the other components that are deployed after this one. */
  deployedLater: z.array(shownId("component")),
  keepPatch: z.array(z.object({ op: z.string(), path: z.string(), value: jsonValue.exactOptional() })),
});
/** What a hand-back would revert, and the patch that keeps it. */
export interface AdoptionPlan extends z.output<typeof planShape> {}
export const adoptionPlan: Schema<AdoptionPlan> = planShape;

const values = z.object({ declared: jsonMap, actual: jsonMap });
/** How an override ended. */
export const episodeOutcome = z.enum(["Reconciled", "Resumed", "Reprovisioned", "Released", "Deleted"]);
const episode = z.object({
  id: z.string(),
  componentId: shownId("component"),
  startedAt: instant,
  endedAt: instant.nullable(),
  outcome: episodeOutcome.nullable(),
  start: values,
  end: values.nullable(),
  reason: z.string().nullable(),
  ticket: z.string().nullable(),
  claimedBy: z.string().nullable(),
});
/** One override, from take-over to end. */
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

const digestRow = z.object({
  type: z.string(),
  parameter: z.string(),
  count: z.number(),
  componentIds: z.array(shownId("component")),
  oldestSince: instant,
});
/** The overrides that changed the same parameter of the same type. */
export interface OverrideDigestRow extends z.output<typeof digestRow> {}
export const overrideDigestRow: Schema<OverrideDigestRow> = digestRow;

const overrideList = z.strictObject({
  ...pageQuery,
  environment: environmentFullName.exactOptional(),
  sort: z.literal("age").exactOptional(),
});
/** The query of an override list, oldest first. */
export interface OverrideListQuery extends z.output<typeof overrideList> {}
export const overrideListQuery: Schema<OverrideListQuery> = overrideList;
