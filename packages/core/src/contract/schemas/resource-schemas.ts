import * as z from "zod";
import type { Schema } from "../row.ts";
import { shownDefinitionShape } from "./live-system-schemas.ts";
import { line, pageQuery, providerName, queryFlag, repeated, typeName, unique, withoutCase } from "./values.ts";

const listQuery = z.strictObject({
  ...pageQuery,
  /** @default the first cloud where the environment is initialized */
  provider: providerName.exactOptional(),
  /** A resource group or project: its ID or its name. @default all that the environment may use */
  scope: line.exactOptional(),
  /** Types, where `*` matches any text. */
  type: repeated(typeName).exactOptional(),
  /** Also those inside other resources that the cloud lists only parent by parent. That takes a call for each parent. @default false */
  nested: queryFlag.exactOptional(),
});
/** The query of a list of existing resources. */
export interface ExistingResourceQuery extends z.output<typeof listQuery> {}
export const existingResourceQuery: Schema<ExistingResourceQuery> = listQuery;

const managedBy = z.union([
  z.object({ kind: z.literal("component"), componentId: z.string() }),
  /** By the tag `managed-by=platform`: a component that the caller can't see, another installation, or what a deleted component left. */
  z.object({ kind: z.literal("marked") }),
  z.object({ kind: z.literal("tool"), name: z.string() }),
]);
const existing = z.object({
  id: z.string(),
  type: z.string(),
  name: z.string(),
  location: z.string().nullable(),
  tags: z.record(z.string(), z.string()),
  managedBy: managedBy.nullable(),
  /** Its type is known, so a component can be declared for it. */
  declarable: z.boolean(),
});
/** A resource that exists in a cloud, whoever created it. */
export interface ExistingResource extends z.output<typeof existing> {}
export const existingResource: Schema<ExistingResource> = existing;

const chosen = z.strictObject({ resourceIds: unique(line, 1000, withoutCase).min(1) });
/** The resources to declare. */
export interface ChosenResources extends z.output<typeof chosen> {}
export const chosenResources: Schema<ChosenResources> = chosen;

const declared = z.object({
  definition: shownDefinitionShape,
  /** Secrets that the definition refers to. Store each in the environment, with the value that the resource has. */
  secrets: z.array(z.object({ shortName: z.string(), resourceId: z.string(), pointer: z.string() })),
  warnings: z.array(z.object({ resourceId: z.string(), detail: z.string() })),
});
/** A definition that adopts existing resources unchanged. */
export interface DeclaredResources extends z.output<typeof declared> {}
export const declaredResources: Schema<DeclaredResources> = declared;
