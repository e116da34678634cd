import { operation } from "../row.ts";
import * as s from "../schemas/environment-schemas.ts";
import * as initialization from "../schemas/initialization-schemas.ts";
import {
  ciCdProfileOperations,
  environmentServiceAccountOperations,
  secretOperations,
} from "./environment-content-operations.ts";
import { resourceOperations } from "./resource-operations.ts";

const on = "environment";
const view = { on, need: "View" } as const;
const edit = { on, need: "Edit" } as const;
const admin = { on, need: "Admin" } as const;
const bodyRules = ["environmentGroups", "resourceScopes"] as const;
const managers = ["SelfReferentialManagementEnvironment", "ManagementEnvironmentNotFound"] as const;
/** What a cloud answers when new `resourceScopes` are tried. */
const scopeChecks = ["ProviderError", "ProviderTimeout"] as const;
const provider = [
  "FeatureDisabled",
  "ProviderCredentialsMissing",
  "ProviderCredentialsRejected",
  "ProviderTargetMissing",
  "ProviderError",
  "ProviderTimeout",
] as const;

/** The operations of the environment service. */
export const environmentOperations = {
  /** Creates an environment, or restores a deleted one with the definition in the body. */
  create: operation("environments.create", {
    summary: "Creates an environment, or restores a deleted one with the definition in the body.",
    access: { ...edit, rules: [...bodyRules, "createsNew"] },
    body: s.environmentDefinition,
    result: s.environment,
    success: [201],
    versioned: true,
    errors: ["AlreadyExists", ...managers, ...scopeChecks],
  }),
  /** Changes an environment. Omitted members stay; null clears. */
  update: operation("environments.update", {
    summary: "Changes an environment. Omitted members stay; null clears.",
    note: "Only Admins can send resourceScopes. New ones are checked with the agent's credentials in that cloud.",
    access: { ...edit, rules: bodyRules },
    body: s.environmentUpdate,
    result: s.environment,
    versioned: true,
    errors: [...managers, ...scopeChecks],
  }),
  /** Reads an environment. */
  get: operation("environments.get", {
    summary: "Reads an environment.",
    access: view,
    result: s.environment,
    versioned: true,
  }),
  /** Lists the environments that the caller may see. */
  list: operation("environments.list", {
    summary: "Lists the environments that the caller may see.",
    access: { who: "principal" },
    query: s.environmentListQuery,
    result: s.environment,
  }),
  /** Deletes an environment with its profiles, secrets, service accounts and initialization runs. */
  delete: operation("environments.delete", {
    summary: "Deletes an environment with its profiles, secrets, service accounts and initialization runs.",
    access: { on, need: "Terminate" },
    result: s.environment,
    versioned: true,
    errors: ["EnvironmentNotEmpty", "InvalidState"],
  }),
  providerA: {
    /** Starts to authenticate a person at Azure through another device. */
    authenticate: operation("environments.providerA.authenticate", {
      summary: "Starts to authenticate a person at Azure through another device.",
      access: edit,
      query: initialization.authenticateQuery,
      result: initialization.deviceAuthorization,
      success: [202],
      callsCloud: true,
      errors: ["FeatureDisabled", "ProviderError", "ProviderTimeout"],
    }),
    /** Reads the state of the authentication by device. */
    authentication: operation("environments.providerA.authentication", {
      summary: "Reads the state of the authentication by device.",
      access: edit,
      result: initialization.deviceAuthorization,
      errors: ["FeatureDisabled"],
    }),
    /** Initializes the environment in Azure. */
    initialize: operation("environments.providerA.initialize", {
      summary: "Initializes the environment in Azure.",
      access: { ...admin, rules: ["begins"] },
      body: initialization.providerAInitialization,
      bodyOptional: true,
      result: initialization.initializationRun,
      success: [202],
      credentials: "provider-a",
      callsCloud: true,
      errors: ["InitializationInProgress", ...managers, ...provider],
    }),
    /** Reads the latest initialization run in Azure. */
    status: operation("environments.providerA.status", {
      summary: "Reads the latest initialization run in Azure.",
      access: view,
      result: initialization.initializationStatus,
    }),
    /** Cancels the initialization run in Azure. */
    cancel: operation("environments.providerA.cancel", {
      summary: "Cancels the initialization run in Azure.",
      access: { ...admin, rules: ["begins"] },
      effect: "ends",
      result: initialization.initializationRun,
      success: [202],
      errors: ["InvalidState"],
    }),
    /** Lists the locations of a subscription in Azure. */
    locations: operation("environments.providerA.locations", {
      summary: "Lists the locations of a subscription in Azure.",
      access: view,
      query: initialization.providerALocationsQuery,
      result: initialization.location,
      credentials: "provider-a",
      callsCloud: true,
      errors: provider,
    }),
    /** Lists the locations of the subscription in Azure that the path names. */
    subscriptionLocations: operation("environments.providerA.subscriptionLocations", {
      summary: "Lists the locations of the subscription in Azure that the path names.",
      access: view,
      query: initialization.subscriptionLocationsQuery,
      result: initialization.location,
      credentials: "provider-a",
      callsCloud: true,
      errors: provider,
    }),
  },
  providerB: {
    /** Initializes the environment in Google Cloud. */
    initialize: operation("environments.providerB.initialize", {
      summary: "Initializes the environment in Google Cloud.",
      access: { ...admin, rules: ["begins"] },
      body: initialization.providerBInitialization,
      result: initialization.initializationRun,
      success: [202],
      credentials: "provider-b",
      callsCloud: true,
      errors: ["InitializationInProgress", ...provider],
    }),
    /** Reads the latest initialization run in Google Cloud. */
    status: operation("environments.providerB.status", {
      summary: "Reads the latest initialization run in Google Cloud.",
      access: view,
      result: initialization.initializationStatus,
    }),
    /** Cancels the initialization run in Google Cloud. */
    cancel: operation("environments.providerB.cancel", {
      summary: "Cancels the initialization run in Google Cloud.",
      access: { ...admin, rules: ["begins"] },
      effect: "ends",
      result: initialization.initializationRun,
      success: [202],
      errors: ["InvalidState"],
    }),
    /** Lists the locations of a project in Google Cloud. */
    locations: operation("environments.providerB.locations", {
      summary: "Lists the locations of a project in Google Cloud.",
      access: view,
      query: initialization.providerBLocationsQuery,
      result: initialization.location,
      credentials: "provider-b",
      callsCloud: true,
      errors: provider,
    }),
  },
  resources: resourceOperations,
  ciCdProfiles: ciCdProfileOperations,
  secrets: secretOperations,
  serviceAccounts: environmentServiceAccountOperations,
} as const;
