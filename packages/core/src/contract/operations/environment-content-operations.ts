import { operation } from "../row.ts";
import { pageQueryInput } from "../schemas/account-schemas.ts";
import * as s from "../schemas/environment-schemas.ts";

const on = "environment";
const view = { on, need: "View" } as const;
const edit = { on, need: "Edit" } as const;
const admin = { on, need: "Admin" } as const;
const personalAdmin = { ...admin, rules: ["personOnly"] } as const;
const sshErrors = [
  "ValueRequired",
  "InvalidSshPrivateKey",
  "SshPassphraseRequired",
  "SshPassphraseIncorrect",
  "WeakSshKey",
] as const;

/** The operations on the CI/CD profiles of an environment. */
export const ciCdProfileOperations = {
  /** Creates a CI/CD profile from an SSH private key. */
  create: operation("environments.ciCdProfiles.create", {
    summary: "Creates a CI/CD profile from an SSH private key.",
    access: edit,
    body: s.ciCdProfileInput,
    result: s.ciCdProfile,
    success: [201],
    rate: "secretWrites",
    versioned: true,
    errors: ["AlreadyExists", ...sshErrors],
  }),
  /** Creates or changes several CI/CD profiles: all of them or none. */
  upsertMany: operation("environments.ciCdProfiles.upsertMany", {
    summary: "Creates or changes several CI/CD profiles: all of them or none.",
    access: edit,
    body: s.ciCdProfileInputs,
    bodyLimitKiB: 4096,
    itemwise: true,
    result: s.ciCdProfiles,
    success: [201],
    rate: "secretWrites",
    errors: ["DuplicateInBulk", ...sshErrors],
  }),
  /** Lists the CI/CD profiles of an environment. */
  list: operation("environments.ciCdProfiles.list", {
    summary: "Lists the CI/CD profiles of an environment.",
    access: view,
    query: pageQueryInput,
    result: s.ciCdProfile,
  }),
  /** Reads a CI/CD profile. */
  get: operation("environments.ciCdProfiles.get", {
    summary: "Reads a CI/CD profile.",
    access: view,
    result: s.ciCdProfile,
    versioned: true,
  }),
  /** Changes a CI/CD profile. Omitted members stay. */
  update: operation("environments.ciCdProfiles.update", {
    summary: "Changes a CI/CD profile. Omitted members stay.",
    access: edit,
    body: s.ciCdProfileUpdate,
    result: s.ciCdProfile,
    rate: "secretWrites",
    versioned: true,
    errors: sshErrors,
  }),
  /** Deletes a CI/CD profile. */
  delete: operation("environments.ciCdProfiles.delete", {
    summary: "Deletes a CI/CD profile.",
    access: edit,
    result: s.ciCdProfile,
    versioned: true,
    errors: ["DefaultProfileInUse"],
  }),
} as const;

/** The operations on the secrets of an environment. */
export const secretOperations = {
  /** Creates a secret. */
  create: operation("environments.secrets.create", {
    summary: "Creates a secret.",
    access: edit,
    body: s.secretInput,
    result: s.secret,
    success: [201],
    rate: "secretWrites",
    versioned: true,
    errors: ["AlreadyExists", "ValueRequired"],
  }),
  /** Creates or changes several secrets: all of them or none. */
  upsertMany: operation("environments.secrets.upsertMany", {
    summary: "Creates or changes several secrets: all of them or none.",
    access: edit,
    body: s.secretInputs,
    bodyLimitKiB: 4096,
    itemwise: true,
    result: s.secrets,
    success: [201],
    rate: "secretWrites",
    errors: ["DuplicateInBulk", "ValueRequired"],
  }),
  /** Lists the secrets of an environment, without their values. */
  list: operation("environments.secrets.list", {
    summary: "Lists the secrets of an environment, without their values.",
    access: view,
    query: pageQueryInput,
    result: s.secret,
  }),
  /** Reads a secret, without its value. */
  get: operation("environments.secrets.get", {
    summary: "Reads a secret, without its value.",
    access: view,
    result: s.secret,
    versioned: true,
  }),
  /** Changes a secret. A new value creates a new version. */
  update: operation("environments.secrets.update", {
    summary: "Changes a secret. A new value creates a new version.",
    access: edit,
    body: s.secretUpdate,
    result: s.secret,
    rate: "secretWrites",
    versioned: true,
    errors: ["ValueRequired"],
  }),
  /** Deletes a secret with all its versions. */
  delete: operation("environments.secrets.delete", {
    summary: "Deletes a secret with all its versions.",
    access: edit,
    result: s.secret,
    versioned: true,
    errors: ["SecretInUse"],
  }),
  /** Reveals the value of a secret. */
  reveal: operation("environments.secrets.reveal", {
    summary: "Reveals the value of a secret.",
    access: { ...admin, rules: ["reveals", "personOnly"] },
    fresh: true,
    effect: "reads",
    body: s.revealInput,
    bodyOptional: true,
    result: s.revealedSecret,
    secretResult: true,
    errors: ["FeatureDisabled"],
  }),
} as const;

/** The operations on the service accounts of an environment. */
export const environmentServiceAccountOperations = {
  /** Lists the service accounts of an environment. */
  list: operation("environments.serviceAccounts.list", {
    summary: "Lists the service accounts of an environment.",
    access: admin,
    query: pageQueryInput,
    result: s.serviceAccount,
  }),
  /** Assigns a role in the environment to a service account. */
  assign: operation("environments.serviceAccounts.assign", {
    summary: "Assigns a role in the environment to a service account.",
    access: personalAdmin,
    body: s.serviceAccountAssignment,
    result: s.serviceAccount,
    success: [201],
    versioned: true,
    errors: ["AlreadyExists", "InvalidPrincipal"],
  }),
  /** Reads a service account. */
  get: operation("environments.serviceAccounts.get", {
    summary: "Reads a service account.",
    access: admin,
    result: s.serviceAccount,
    versioned: true,
  }),
  /** Changes the description of a service account, or whether it is active. */
  update: operation("environments.serviceAccounts.update", {
    summary: "Changes the description of a service account, or whether it is active.",
    access: personalAdmin,
    body: s.serviceAccountUpdate,
    result: s.serviceAccount,
    versioned: true,
  }),
  /** Removes a service account's role in the environment and revokes its secrets there. */
  delete: operation("environments.serviceAccounts.delete", {
    summary: "Removes a service account's role in the environment and revokes its secrets there.",
    access: personalAdmin,
    result: s.serviceAccount,
    versioned: true,
  }),
  /** Issues a secret to a service account; it is shown only once. */
  issueSecret: operation("environments.serviceAccounts.issueSecret", {
    summary: "Issues a secret to a service account; it is shown only once.",
    access: personalAdmin,
    fresh: true,
    body: s.serviceAccountSecretRequest,
    bodyOptional: true,
    result: s.issuedSecret,
    success: [201],
    rate: "secretWrites",
    secretResult: true,
    errors: ["InvalidState"],
  }),
  /** Revokes a secret of a service account. */
  revokeSecret: operation("environments.serviceAccounts.revokeSecret", {
    summary: "Revokes a secret of a service account.",
    access: personalAdmin,
    result: s.serviceAccount,
    versioned: true,
    unconditional: true,
  }),
  federatedIdentities: {
    /** Lists the pipelines that may sign in as a service account with a token of their issuer. */
    list: operation("environments.serviceAccounts.federatedIdentities.list", {
      summary: "Lists the pipelines that may sign in as a service account with a token of their issuer.",
      access: admin,
      query: pageQueryInput,
      result: s.federatedIdentity,
    }),
    /** Lets pipelines whose token has a matching subject sign in as a service account, without a secret. */
    create: operation("environments.serviceAccounts.federatedIdentities.create", {
      summary: "Lets pipelines whose token has a matching subject sign in as a service account, without a secret.",
      access: personalAdmin,
      body: s.federatedIdentityInput,
      result: s.federatedIdentity,
      success: [201],
      rate: "secretWrites",
      errors: ["AlreadyExists", "FeatureDisabled", "InvalidState"],
    }),
    /** Stops pipelines from signing in as a service account and ends their sessions. */
    delete: operation("environments.serviceAccounts.federatedIdentities.delete", {
      summary: "Stops pipelines from signing in as a service account and ends their sessions.",
      access: personalAdmin,
      result: s.federatedIdentity,
      rate: "secretWrites",
    }),
  },
} as const;
