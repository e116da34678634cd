import * as z from "zod";
import type { Schema } from "../row.ts";
import {
  description,
  displayName,
  environmentIdShape,
  environmentType,
  groupName,
  instant,
  jsonMap,
  pageQuery,
  parameters,
  projectName,
  recordFields,
  region,
  secretText,
  shortName,
  shownEnvironmentId,
  sshText,
  tags,
  tenantName,
  timestamp,
  unique,
  uuid,
  withoutCase,
} from "./values.ts";

/** An environment's identifier. */
export interface EnvironmentId extends z.output<typeof environmentIdShape> {}
export const environmentId: Schema<EnvironmentId> = environmentIdShape;

const definitionFields = {
  managementEnvironmentId: environmentIdShape.nullable().exactOptional(),
  name: displayName.nullable().exactOptional(),
  resourceGroups: unique(groupName, 50, withoutCase).nullable().exactOptional(),
  parameters: parameters.nullable().exactOptional(),
};
const definition = z.strictObject(definitionFields);
/** What an environment is created from. */
export interface EnvironmentDefinition extends z.output<typeof definition> {}
export const environmentDefinition: Schema<EnvironmentDefinition> = definition;

const update = z.strictObject({
  ...definitionFields,
  defaultCiCdProfileShortName: shortName.nullable().exactOptional(),
});
/** What an environment is changed with: what is left out stays. */
export interface EnvironmentUpdate extends z.output<typeof update> {}
export const environmentUpdate: Schema<EnvironmentUpdate> = update;

const listQuery = z.strictObject({
  ...pageQuery,
  type: environmentType.exactOptional(),
  ownerId: uuid.exactOptional(),
  resourceGroup: groupName.exactOptional(),
});
/** What environments to list. */
export interface EnvironmentListQuery extends z.output<typeof listQuery> {}
export const environmentListQuery: Schema<EnvironmentListQuery> = listQuery;

const runStatus = z.enum(["InProgress", "Completed", "Failed", "Cancelled"]);
const environmentShape = z.object({
  id: shownEnvironmentId,
  managementEnvironmentId: shownEnvironmentId.nullable(),
  name: z.string().nullable(),
  resourceGroups: z.array(z.string()),
  parameters: jsonMap,
  defaultCiCdProfileShortName: z.string().nullable(),
  status: z.enum(["Registered", "Initializing", "Active", "Failed", "Deleted"]),
  initializations: z.record(
    z.string(),
    z.object({
      runId: z.string(),
      status: runStatus,
      target: z.string(),
      region: z.string().nullable(),
      completedAt: instant.nullable(),
    }),
  ),
  ...recordFields,
});
/** An environment. */
export interface Environment extends z.output<typeof environmentShape> {}
export const environment: Schema<Environment> = environmentShape;

const profileFields = {
  displayName: displayName.nullable().exactOptional(),
  description: description.nullable().exactOptional(),
  sshPrivateKeyData: sshText.nullable().exactOptional(),
  sshPrivateKeyPassphrase: sshText.nullable().exactOptional(),
};
const profileInput = z.strictObject({ shortName: shortName.nullable().exactOptional(), ...profileFields });
/** A CI/CD profile to make. */
export interface CiCdProfileInput extends z.output<typeof profileInput> {}
export const ciCdProfileInput: Schema<CiCdProfileInput> = profileInput;

const profileInputs = z.array(profileInput).max(100);
/** CI/CD profiles to make or change. */
export const ciCdProfileInputs: Schema<CiCdProfileInput[]> = profileInputs;

const profileUpdate = z.strictObject(profileFields);
/** What a CI/CD profile is changed with. */
export interface CiCdProfileUpdate extends z.output<typeof profileUpdate> {}
export const ciCdProfileUpdate: Schema<CiCdProfileUpdate> = profileUpdate;

const profileShape = z.object({
  id: z.string(),
  environmentId: shownEnvironmentId,
  shortName: z.string(),
  displayName: z.string().nullable(),
  description: z.string().nullable(),
  keyType: z.enum(["ed25519", "ecdsa", "rsa"]),
  keyBits: z.number(),
  publicKey: z.string(),
  fingerprint: z.string(),
  hasPassphrase: z.boolean(),
  isDefault: z.boolean(),
  ...recordFields,
});
/** A CI/CD profile. Never shows a key or a passphrase. */
export interface CiCdProfile extends z.output<typeof profileShape> {}
export const ciCdProfile: Schema<CiCdProfile> = profileShape;
export const ciCdProfiles: Schema<CiCdProfile[]> = z.array(profileShape);

const secretFields = {
  displayName: displayName.nullable().exactOptional(),
  description: description.nullable().exactOptional(),
  value: secretText.nullable().exactOptional(),
};
const secretInputShape = z.strictObject({ shortName: shortName.nullable().exactOptional(), ...secretFields });
/** A secret to make. */
export interface SecretInput extends z.output<typeof secretInputShape> {}
export const secretInput: Schema<SecretInput> = secretInputShape;
export const secretInputs: Schema<SecretInput[]> = z.array(secretInputShape).max(100);

const secretUpdateShape = z.strictObject(secretFields);
/** What a secret is changed with: a value makes a new version. */
export interface SecretUpdate extends z.output<typeof secretUpdateShape> {}
export const secretUpdate: Schema<SecretUpdate> = secretUpdateShape;

const secretShape = z.object({
  id: z.string(),
  environmentId: shownEnvironmentId,
  shortName: z.string(),
  displayName: z.string().nullable(),
  description: z.string().nullable(),
  currentVersion: z.number(),
  versions: z.array(z.object({ version: z.number(), createdAt: instant, createdBy: z.string() })),
  ...recordFields,
});
/** A secret. Never shows a value. */
export interface Secret extends z.output<typeof secretShape> {}
export const secret: Schema<Secret> = secretShape;
export const secrets: Schema<Secret[]> = z.array(secretShape);

const reveal = z.strictObject({ version: z.number().int().min(1).nullable().exactOptional() });
/** Which version to reveal. */
export interface RevealInput extends z.output<typeof reveal> {}
export const revealInput: Schema<RevealInput> = reveal;

const revealed = z.object({ value: z.string(), version: z.number() });
/** A secret's value. */
export interface RevealedSecret extends z.output<typeof revealed> {}
export const revealedSecret: Schema<RevealedSecret> = revealed;

const role = z.enum(["CloudAgent", "CiCd", "Custom", "BasicAuthKeyVaultOnly", "Bot"]);
const assignment = z.strictObject({ serviceAccountRole: role, description: description.nullable().exactOptional() });
/** A role to assign. */
export interface ServiceAccountAssignment extends z.output<typeof assignment> {}
export const serviceAccountAssignment: Schema<ServiceAccountAssignment> = assignment;

const serviceAccountChange = z.strictObject({
  description: description.nullable().exactOptional(),
  active: z.boolean().exactOptional(),
});
/** What a service account is changed with. */
export interface ServiceAccountUpdate extends z.output<typeof serviceAccountChange> {}
export const serviceAccountUpdate: Schema<ServiceAccountUpdate> = serviceAccountChange;

const serviceAccountShape = z.object({
  principalId: z.string(),
  environmentId: shownEnvironmentId,
  serviceAccountRole: role,
  description: z.string().nullable(),
  active: z.boolean(),
  secrets: z.array(
    z.object({ id: z.string(), createdAt: instant, expiresAt: instant, lastUsedAt: instant.nullable() }),
  ),
  ...recordFields,
});
/** A service account in an environment. */
export interface ServiceAccount extends z.output<typeof serviceAccountShape> {}
export const serviceAccount: Schema<ServiceAccount> = serviceAccountShape;

const secretRequest = z.strictObject({ expiresAt: timestamp.nullable().exactOptional() });
/** How long a service account's secret is to live. */
export interface ServiceAccountSecretRequest extends z.output<typeof secretRequest> {}
export const serviceAccountSecretRequest: Schema<ServiceAccountSecretRequest> = secretRequest;

const issued = z.object({ id: z.string(), secret: z.string(), expiresAt: instant });
/** A service account's secret, shown this once. */
export interface IssuedSecret extends z.output<typeof issued> {}
export const issuedSecret: Schema<IssuedSecret> = issued;

const providerA = z.strictObject({
  tenantId: uuid.nullable().exactOptional(),
  subscriptionId: uuid.nullable().exactOptional(),
  region: region.nullable().exactOptional(),
  tags: tags.nullable().exactOptional(),
});
/** Where to initialize in provider A. */
export interface ProviderAInitialization extends z.output<typeof providerA> {}
export const providerAInitialization: Schema<ProviderAInitialization> = providerA;

const providerB = z.strictObject({
  organizationId: region.nullable().exactOptional(),
  projectId: projectName.nullable().exactOptional(),
  region: region.nullable().exactOptional(),
  tags: tags.nullable().exactOptional(),
});
/** Where to initialize in provider B. */
export interface ProviderBInitialization extends z.output<typeof providerB> {}
export const providerBInitialization: Schema<ProviderBInitialization> = providerB;

const step = z.object({
  name: z.string(),
  description: z.string(),
  order: z.number(),
  resourceName: z.string().nullable(),
  resourceType: z.string().nullable(),
  status: z.enum(["NotStarted", "InProgress", "Completed", "Failed", "Cancelled"]),
  message: z.string().nullable(),
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
/** A run of initialization. */
export interface InitializationRun extends z.output<typeof run> {}
export const initializationRun: Schema<InitializationRun> = run;

const runStatusShape = z.object({ initializationRun: run });
/** The latest run of initialization. */
export interface InitializationStatus extends z.output<typeof runStatusShape> {}
export const initializationStatus: Schema<InitializationStatus> = runStatusShape;

const locationShape = z.object({
  id: z.string(),
  name: z.string(),
  displayName: z.string(),
  geography: z.string().nullable(),
});
/** A place that a cloud offers. */
export interface Location extends z.output<typeof locationShape> {}
export const location: Schema<Location> = locationShape;

const locationsA = z.strictObject({ ...pageQuery, subscriptionId: uuid, tenantId: tenantName.exactOptional() });
/** Whose locations to list. */
export interface ProviderALocationsQuery extends z.output<typeof locationsA> {}
export const providerALocationsQuery: Schema<ProviderALocationsQuery> = locationsA;

const subscriptionLocations = z.strictObject({ ...pageQuery, tenantId: tenantName.exactOptional() });
/** Which tenant's locations to list. */
export interface SubscriptionLocationsQuery extends z.output<typeof subscriptionLocations> {}
export const subscriptionLocationsQuery: Schema<SubscriptionLocationsQuery> = subscriptionLocations;

const locationsB = z.strictObject({ ...pageQuery, projectName });
/** Which project's locations to list. */
export interface ProviderBLocationsQuery extends z.output<typeof locationsB> {}
export const providerBLocationsQuery: Schema<ProviderBLocationsQuery> = locationsB;

const authenticate = z.strictObject({ tenantId: tenantName.exactOptional() });
/** The tenant to authenticate for; `common` when absent. */
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
/** An authorization by another device (RFC 8628). */
export interface DeviceAuthorization extends z.output<typeof device> {}
export const deviceAuthorization: Schema<DeviceAuthorization> = device;
