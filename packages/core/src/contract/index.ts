export type { Api, Args, Body, Input, List, Options, Page, Query, Result } from "./api.ts";
export type { CallAnswer, CallSettings, RepeatSettings, VersionSettings } from "./call-arguments.ts";
export { errorCodesOf, errorStatusesOf, takesIdempotencyKey, takesPreconditions } from "./error-answers.ts";
export { type EventData, eventData } from "./event-data.ts";
export { type EventOf, type EventType, eventTypes, type LiveplaneEvent } from "./event-types.ts";
export { type OpenApiDocument, type OpenApiOptions, toOpenApi } from "./openapi/document.ts";
export { type AsyncApiDocument, toAsyncApi } from "./openapi/event-document.ts";
export { operations, operationsById } from "./operations/operations.ts";
export { parseInput } from "./parse-input.ts";
export { checkPreconditions, type Preconditions, parseEntityTags } from "./preconditions.ts";
export { credentialHeaders, type OperationId, parseRoute, type Route, routes } from "./routes.ts";
export {
  bodyLimitKiB,
  type CallerRule as OperationAccess,
  type Operation,
  type Params,
  type Permission,
  type RateClass,
  type RowOptions,
  type Schema,
  type StandardIssue,
  type StandardResult,
  type TargetKind,
} from "./row.ts";
export type {
  Accepted,
  Account,
  AccountListQuery,
  AccountUpdate,
  Activation,
  Credentials,
  EmailInput,
  KeySet,
  PageQuery,
  PasswordChange,
  PasswordReset,
  RevocationRequest,
  Session,
  SignIn,
  Subscription,
  SubscriptionInput,
  SubscriptionQuery,
  SubscriptionUpdate,
  SubscriptionUse,
  TokenRequest,
  TokenResponse,
  TokenSet,
} from "./schemas/account-schemas.ts";
export type {
  CiCdProfile,
  CiCdProfileInput,
  CiCdProfileUpdate,
  Environment,
  EnvironmentDefinition,
  EnvironmentId,
  EnvironmentListQuery,
  EnvironmentUpdate,
  IssuedSecret,
  RevealedSecret,
  RevealInput,
  Secret,
  SecretInput,
  SecretUpdate,
  ServiceAccount,
  ServiceAccountAssignment,
  ServiceAccountSecretRequest,
  ServiceAccountUpdate,
} from "./schemas/environment-schemas.ts";
export type { Factor, FactorCode, GivenFactor, NewTotp, RecoveryCodes, TotpSecret } from "./schemas/factor-schemas.ts";
export type { JsonValue } from "./schemas/free-form.ts";
export type {
  Identity,
  IdentityAuthorization,
  IdentityLink,
  SignInByCode,
  SignInMethods,
} from "./schemas/identity-schemas.ts";
export type {
  AuthenticateQuery,
  DeviceAuthorization,
  InitializationRun,
  InitializationStatus,
  Location,
  ProviderAInitialization,
  ProviderALocationsQuery,
  ProviderBInitialization,
  ProviderBLocationsQuery,
  SubscriptionLocationsQuery,
} from "./schemas/initialization-schemas.ts";
export type {
  CheckResult,
  Component,
  ComponentDeclaration,
  ComponentListQuery,
  DeployPlan,
  FollowQuery,
  ListedOverride,
  LiveSystem,
  LiveSystemDefinition,
  LiveSystemListQuery,
  Mutation,
} from "./schemas/live-system-schemas.ts";
export type { FoundNames, NameQuery } from "./schemas/name-schemas.ts";
export type {
  ExplainQuery,
  GrantedPermission,
  Member,
  Organization,
  OrganizationInput,
  OrganizationOrSummary,
  OrganizationSummary,
  OrganizationUpdate,
  PermissionExplanation,
  PermissionInput,
  Team,
  TeamInput,
} from "./schemas/organization-schemas.ts";
export type {
  AdoptionPlan,
  Dependent,
  OverrideDigestRow,
  OverrideEpisode,
  OverrideListQuery,
  OverrideNote,
} from "./schemas/override-schemas.ts";
export type {
  CreatedPasskey,
  NewPasskey,
  PasskeyCreation,
  PasskeyRequest,
  SignedPasskey,
  SignInByPasskey,
} from "./schemas/passkey-schemas.ts";
export type {
  OrganizationResourceGroup,
  PersonalResourceGroup,
  ResourceGroupInput,
} from "./schemas/resource-group-schemas.ts";
export type {
  ChosenResources,
  DeclaredResources,
  ExistingResource,
  ExistingResourceQuery,
} from "./schemas/resource-schemas.ts";
export type {
  CreatedWebhook,
  Webhook,
  WebhookDelivery,
  WebhookInput,
  WebhookSecret,
  WebhookUpdate,
} from "./schemas/webhook-schemas.ts";
export type { Actor, EnvironmentRef, Target, TokenScope } from "./target.ts";
export {
  type DeployApi,
  deployAndWait,
  type InitializationWaitApi,
  type WaitApi,
  type WaitOptions,
  waitFor,
  waitForInitialization,
  waitForMutation,
} from "./wait-for.ts";
