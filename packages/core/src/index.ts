export type { Access, Caller, ServiceAccountRole } from "./access/access.ts";
export type { Api, Body, Input, List, Page, Query, Result } from "./contract/api.ts";
export type { EventOf, EventType, LiveplaneEvent } from "./contract/event-types.ts";
export type { CallerFacts } from "./contract/handler.ts";
export type { OperationId } from "./contract/routes.ts";
export type { Operation, Permission, RateClass } from "./contract/row.ts";
export { type Actor, actorName, type EnvironmentRef, type Target, type TokenScope } from "./contract/target.ts";
export {
  deployAndWait,
  type WaitOptions,
  waitFor,
  waitForInitialization,
  waitForMutation,
} from "./contract/wait-for.ts";
export { didYouMean } from "./did-you-mean.ts";
export {
  type ErrorCode,
  type ErrorDetails,
  errorCodes,
  fromProblem,
  isLiveplaneError,
  LiveplaneError,
  type Problem,
  toProblem,
  type Violation,
} from "./errors.ts";
export type { LoggedEvent, Verification } from "./events/event-chain.ts";
export type { EventListener, EventLog } from "./events/event-log.ts";
export { createLiveplane, type Liveplane } from "./liveplane.ts";
export { networkOf } from "./network-of.ts";
export type { ComponentOfResource } from "./override/operations/component-facts.ts";
export type {
  Cloud,
  CloudCall,
  CloudCredentials,
  CloudLocation,
  CloudTarget,
  InitializationRequest,
  NewResource,
  ParsedResourceId,
  Reading,
  ResourceChange,
  ResourceRef,
  StepPlan,
  WriteCondition,
} from "./ports/cloud.ts";
export type { CloudCapabilities } from "./ports/cloud-capabilities.ts";
export type { CostlyWork } from "./ports/costly-work.ts";
export type {
  DeviceAuthorizer,
  DeviceGrant,
  DeviceOutcome,
  ExternalSignIn,
  ExternalVerifier,
  IdentityProfile,
  IssuerRequest,
  Mail,
  Mailer,
  PasskeyExpectation,
  PasskeyKey,
  PasskeyVerifier,
  PasswordHasher,
  PipelineClaims,
  PipelineIssuer,
  ProvenIdentity,
  PublicJwk,
  SignInIssuer,
  SigningKey,
  TokenClaims,
  TokenExpectation,
  TokenSigner,
} from "./ports/identity.ts";
export { type IntervalSchedulerOptions, intervalScheduler } from "./ports/interval-scheduler.ts";
export type { ResourceType } from "./ports/resource-type.ts";
export type {
  Clock,
  Crypto,
  LogFields,
  Logger,
  MetricLabels,
  Metrics,
  Runtime,
  SpanBegin,
  SpanEnd,
  SpanFields,
  Tracer,
} from "./ports/runtime.ts";
export type { Job, Lease, RunningTask, Scheduler, ShardedTask } from "./ports/scheduler.ts";
export { SecretValue } from "./ports/secret-value.ts";
export type { KeyRing, Sealed, SealedStock, Sealer, SshKeyFacts, SshKeys, Unopened } from "./ports/secrets.ts";
export { webRuntime } from "./ports/web-runtime.ts";
export type { WebhookMessage, WebhookOutcome, WebhookSender } from "./ports/webhook-sender.ts";
export type { Readiness } from "./readiness.ts";
export {
  type Clouds,
  defaultSettings,
  type IdentityPlace,
  isPlanLimits,
  type LiveplaneOptions,
  type PlanLimits,
  type Settings,
} from "./settings.ts";
export type { Dispatch, Reply, Request } from "./transport/dispatch.ts";
export type { Follow, FollowRequest } from "./transport/follow.ts";
export { type RateBucket, type RatePolicy, ratePolicies } from "./transport/rate-limits.ts";
