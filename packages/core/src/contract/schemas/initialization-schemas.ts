import * as z from "zod";
import type { Schema } from "../row.ts";
import {
  environmentIdShape,
  instant,
  jsonMap,
  pageQuery,
  projectName,
  region,
  shownEnvironmentId,
  tags,
  tenantName,
  uuid,
} from "./values.ts";

/** The status of a run. */
export const runStatus = z.enum(["InProgress", "Completed", "Failed", "Cancelled"]);

/** The status of a step of a run. */
export const stepStatus = z.enum(["NotStarted", ...runStatus.options]);

const providerA = z.strictObject({
  managementEnvironmentId: environmentIdShape.nullable().exactOptional(),
  tenantId: uuid.nullable().exactOptional(),
  subscriptionId: uuid.nullable().exactOptional(),
  region: region.nullable().exactOptional(),
  tags: tags.nullable().exactOptional(),
});
/** Where to initialize in Azure. */
export interface ProviderAInitialization extends z.output<typeof providerA> {}
export const providerAInitialization: Schema<ProviderAInitialization> = providerA;

const providerB = z.strictObject({
  organizationId: region.nullable().exactOptional(),
  projectId: projectName.nullable().exactOptional(),
  region: region.nullable().exactOptional(),
  tags: tags.nullable().exactOptional(),
});
/** Where to initialize in Google Cloud. */
export interface ProviderBInitialization extends z.output<typeof providerB> {}
export const providerBInitialization: Schema<ProviderBInitialization> = providerB;

const step = z.object({
  name: z.string(),
  description: z.string(),
  order: z.number(),
  resourceName: z.string().nullable(),
  resourceType: z.string().nullable(),
  status: stepStatus,
  message: z.string().nullable(),
  /** The same text as `message`, under the name that existing clients read. */
  lastOperationStatusMessage: z.string().nullable(),
  retryCount: z.number(),
  outputFields: jsonMap,
  startedAt: instant.nullable(),
  completedAt: instant.nullable(),
});
const run = z.object({
  id: z.string(),
  environmentId: shownEnvironmentId,
  provider: z.string(),
  target: z.string(),
  region: z.string().nullable(),
  status: runStatus,
  requester: z.string(),
  steps: z.array(step),
  createdAt: instant,
  updatedAt: instant,
});
/** An initialization run. */
export interface InitializationRun extends z.output<typeof run> {}
export const initializationRun: Schema<InitializationRun> = run;

const runStatusShape = z.object({ initializationRun: run });
/** The latest initialization run. */
export interface InitializationStatus extends z.output<typeof runStatusShape> {}
export const initializationStatus: Schema<InitializationStatus> = runStatusShape;

const locationShape = z.object({
  id: z.string(),
  name: z.string(),
  displayName: z.string(),
  geography: z.string().nullable(),
});
/** A location that a cloud offers. */
export interface Location extends z.output<typeof locationShape> {}
export const location: Schema<Location> = locationShape;

const locationsA = z.strictObject({ ...pageQuery, subscriptionId: uuid, tenantId: tenantName.exactOptional() });
/** The subscription and tenant whose locations to list. */
export interface ProviderALocationsQuery extends z.output<typeof locationsA> {}
export const providerALocationsQuery: Schema<ProviderALocationsQuery> = locationsA;

const subscriptionLocations = z.strictObject({ ...pageQuery, tenantId: tenantName.exactOptional() });
/** The tenant whose locations to list. */
export interface SubscriptionLocationsQuery extends z.output<typeof subscriptionLocations> {}
export const subscriptionLocationsQuery: Schema<SubscriptionLocationsQuery> = subscriptionLocations;

const locationsB = z.strictObject({ ...pageQuery, projectName });
/** The project whose locations to list. */
export interface ProviderBLocationsQuery extends z.output<typeof locationsB> {}
export const providerBLocationsQuery: Schema<ProviderBLocationsQuery> = locationsB;

const authenticate = z.strictObject({ tenantId: tenantName.exactOptional() });
/** The tenant to authenticate for. @default `common` */
export interface AuthenticateQuery extends z.output<typeof authenticate> {}
export const authenticateQuery: Schema<AuthenticateQuery> = authenticate;

const device = z.object({
  environmentId: shownEnvironmentId,
  tenantId: z.string(),
  userCode: z.string().nullable(),
  verificationUri: z.string().nullable(),
  expiresAt: instant,
  intervalSeconds: z.number(),
  message: z.string().nullable(),
  status: z.enum(["Pending", "Completed", "Denied", "Expired"]),
});
/** A device authorization (RFC 8628). */
export interface DeviceAuthorization extends z.output<typeof device> {}
export const deviceAuthorization: Schema<DeviceAuthorization> = device;
