import * as z from "zod";
import { literalsBeside } from "../path-literals.ts";
import type { Schema } from "../row.ts";
import { runStatus } from "./initialization-schemas.ts";
import {
  description,
  environmentIdShape,
  environmentType,
  groupName,
  instant,
  jsonMap,
  line,
  madeByUpsert,
  nameOrNone,
  pageQuery,
  parameters,
  recordFields,
  secretText,
  shortName,
  shownEnvironmentId,
  sshText,
  timestamp,
  unique,
  uuid,
  withoutCase,
} from "./values.ts";

/** A short name for something new: it must not be a literal segment of a path. */
function newName(parameter: string) {
  const reserved = literalsBeside(parameter);
  return shortName
    .refine((name) => !reserved.has(name.toLowerCase()), {
      message: `must not be ${[...reserved].join(" or ")}, which paths use themselves`,
      params: { code: "Format" },
    })
    .nullable()
    .exactOptional();
}

/** An environment's identifier. */
export interface EnvironmentId extends z.output<typeof environmentIdShape> {}
export const environmentId: Schema<EnvironmentId> = environmentIdShape;

const definitionFields = {
  managementEnvironmentId: environmentIdShape.nullable().exactOptional(),
  name: nameOrNone.exactOptional(),
  resourceGroups: unique(groupName, 50, withoutCase).nullable().exactOptional(),
  parameters: parameters.nullable().exactOptional(),
  /** Where resources of components may be besides the environment's own group or project. Only Admins can send it. */
  resourceScopes: unique(line, 50, withoutCase).nullable().exactOptional(),
};
const definition = z.strictObject(definitionFields);
/** The body that creates an environment. */
export interface EnvironmentDefinition extends z.output<typeof definition> {}
export const environmentDefinition: Schema<EnvironmentDefinition> = definition;

const update = z.strictObject({
  ...definitionFields,
  defaultCiCdProfileShortName: shortName.nullable().exactOptional(),
});
/** Changes to an environment: omitted members stay. */
export interface EnvironmentUpdate extends z.output<typeof update> {}
export const environmentUpdate: Schema<EnvironmentUpdate> = update;

const listQuery = z.strictObject({
  ...pageQuery,
  type: environmentType.exactOptional(),
  ownerId: uuid.exactOptional(),
  resourceGroup: groupName.exactOptional(),
});
/** The query of an environment list. */
export interface EnvironmentListQuery extends z.output<typeof listQuery> {}
export const environmentListQuery: Schema<EnvironmentListQuery> = listQuery;

const environmentShape = z.object({
  id: shownEnvironmentId,
  managementEnvironmentId: shownEnvironmentId.nullable(),
  name: z.string().nullable(),
  resourceGroups: z.array(z.string()),
  parameters: jsonMap,
  /** IDs of Azure resource groups and subscriptions, and of Google projects and locations. */
  resourceScopes: z.array(z.string()),
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
  displayName: nameOrNone.exactOptional(),
  description: description.nullable().exactOptional(),
  sshPrivateKeyData: sshText.nullable().exactOptional(),
  sshPrivateKeyPassphrase: sshText.nullable().exactOptional(),
};
const profileInput = z.strictObject({ shortName: newName("profileShortName"), ...profileFields });
/** A CI/CD profile to create. */
export interface CiCdProfileInput extends z.output<typeof profileInput> {}
export const ciCdProfileInput: Schema<CiCdProfileInput> = profileInput;

const profileInputs = z.array(profileInput).max(100);
/** CI/CD profiles to create or change. */
export const ciCdProfileInputs: Schema<CiCdProfileInput[]> = profileInputs;

const profileUpdate = z.strictObject(profileFields);
/** Changes to a CI/CD profile. */
export interface CiCdProfileUpdate extends z.output<typeof profileUpdate> {}
export const ciCdProfileUpdate: Schema<CiCdProfileUpdate> = profileUpdate;

const profileShape = z.object({
  id: z.string(),
  environmentId: shownEnvironmentId,
  shortName: z.string(),
  displayName: z.string().nullable(),
  description: z.string().nullable(),
  /** The next four are null while the profile has no key. */
  keyType: z.enum(["ed25519", "ecdsa", "rsa"]).nullable(),
  keyBits: z.number().nullable(),
  publicKey: z.string().nullable(),
  fingerprint: z.string().nullable(),
  hasPassphrase: z.boolean(),
  isDefault: z.boolean(),
  ...recordFields,
  ...madeByUpsert,
});
/** A CI/CD profile. Never shows a key or a passphrase. */
export interface CiCdProfile extends z.output<typeof profileShape> {}
export const ciCdProfile: Schema<CiCdProfile> = profileShape;
export const ciCdProfiles: Schema<CiCdProfile[]> = z.array(profileShape);

const secretFields = {
  displayName: nameOrNone.exactOptional(),
  description: description.nullable().exactOptional(),
  value: secretText.nullable().exactOptional(),
};
const secretInputShape = z.strictObject({ shortName: newName("secretShortName"), ...secretFields });
/** A secret to create. */
export interface SecretInput extends z.output<typeof secretInputShape> {}
export const secretInput: Schema<SecretInput> = secretInputShape;
export const secretInputs: Schema<SecretInput[]> = z.array(secretInputShape).max(100);

const secretUpdateShape = z.strictObject(secretFields);
/** Changes to a secret: a value creates a new version. */
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

/** What a service account does in an environment. */
export const serviceAccountRole = z.enum(["CloudAgent", "CiCd", "Custom", "BasicAuthKeyVaultOnly", "Bot"]);
const assignment = z.strictObject({
  serviceAccountRole: serviceAccountRole.meta({ default: "CiCd" }).exactOptional(),
  description: description.nullable().exactOptional(),
});
/** A role to assign. */
export interface ServiceAccountAssignment extends z.output<typeof assignment> {}
export const serviceAccountAssignment: Schema<ServiceAccountAssignment> = assignment;

const serviceAccountChange = z.strictObject({
  description: description.nullable().exactOptional(),
  active: z.boolean().exactOptional(),
});
/** Changes to a service account. */
export interface ServiceAccountUpdate extends z.output<typeof serviceAccountChange> {}
export const serviceAccountUpdate: Schema<ServiceAccountUpdate> = serviceAccountChange;

const keptSecret = z.object({ id: z.string(), createdAt: instant, expiresAt: instant, lastUsedAt: instant.nullable() });
/** A valid secret of a service account, without its value. */
export interface ServiceAccountSecret extends z.output<typeof keptSecret> {}
export const serviceAccountSecret: Schema<ServiceAccountSecret> = keptSecret;

const serviceAccountShape = z.object({
  principalId: z.string(),
  environmentId: shownEnvironmentId,
  serviceAccountRole,
  description: z.string().nullable(),
  active: z.boolean(),
  secrets: z.array(keptSecret),
  ...recordFields,
});
/** A service account in an environment. */
export interface ServiceAccount extends z.output<typeof serviceAccountShape> {}
export const serviceAccount: Schema<ServiceAccount> = serviceAccountShape;

const secretRequest = z.strictObject({ expiresAt: timestamp.nullable().exactOptional() });
/** The lifetime of a new service account secret. */
export interface ServiceAccountSecretRequest extends z.output<typeof secretRequest> {}
export const serviceAccountSecretRequest: Schema<ServiceAccountSecretRequest> = secretRequest;

const identityOfPipelines = z.strictObject({ issuer: line, subject: line });
/** Which pipelines may sign in as a service account: those for which the issuer states a matching subject. */
export interface FederatedIdentityInput extends z.output<typeof identityOfPipelines> {}
export const federatedIdentityInput: Schema<FederatedIdentityInput> = identityOfPipelines;

const federatedIdentityShape = z.object({
  id: z.string(),
  issuer: z.string(),
  subject: z.string(),
  createdAt: instant,
  createdBy: z.string(),
  lastUsedAt: instant.nullable(),
});
/** The pipelines that may sign in as a service account without a secret. */
export interface FederatedIdentity extends z.output<typeof federatedIdentityShape> {}
export const federatedIdentity: Schema<FederatedIdentity> = federatedIdentityShape;

const issued = z.object({ id: z.string(), secret: z.string(), expiresAt: instant });
/** A service account's new secret, shown only once. */
export interface IssuedSecret extends z.output<typeof issued> {}
export const issuedSecret: Schema<IssuedSecret> = issued;
