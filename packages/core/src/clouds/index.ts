export { isObject, type JsonObject, pointerTo, valueAt } from "../json-pointer.ts";
export type {
  Cloud,
  CloudCall,
  CloudCredentials,
  CloudLocation,
  CloudOperation,
  CloudTarget,
  Created,
  DiscoveryPage,
  InitializationRequest,
  ListedResource,
  ListedResources,
  NewResource,
  OperationReading,
  ParsedResourceId,
  ParsedScope,
  ProviderFailure,
  Reading,
  ResourceChange,
  ResourceChanger,
  ResourceRef,
  SeenResource,
  StepPlan,
  WriteCondition,
  Written,
} from "../ports/cloud.ts";
export type { CallPace, CallSort, CloudCapabilities, RemainingCalls, TagRules } from "../ports/cloud-capabilities.ts";
export { unread } from "../ports/readings.ts";
export {
  type Binding,
  type BoundBy,
  type ParameterMistake,
  plainType,
  type ResourceType,
  type TypeDescription,
  writtenPart,
} from "../ports/resource-type.ts";
export { SecretValue } from "../ports/secret-value.ts";
export { azureFacts } from "./facts/azure-facts.ts";
export {
  type CloudFacts,
  type StepFacts,
  tagKey,
  tagsRefusal,
  withTags,
} from "./facts/cloud-facts.ts";
export { googleFacts } from "./facts/google-facts.ts";
export { isInGoogleTarget } from "./facts/google-ids.ts";
export { outsideTarget, type ParseResourceId, type ParseScope, resourceIdRefusal } from "./facts/resource-ids.ts";
export { fitsWildcard } from "./facts/wildcards.ts";
export { secondOf, topOf, withValuesAt } from "./simulated/json-edits.ts";
export { type SimulatedCloud, simulatedCloud } from "./simulated/simulated-cloud.ts";
export { type ConsoleResource, type SimulatedConsole, simulatedConsole } from "./simulated/simulated-console.ts";
export {
  type SimulatedDevices,
  type SimulatedDevicesOptions,
  simulatedDevices,
} from "./simulated/simulated-devices.ts";
export type { Fault, FaultSettings, SimulatedFaults, SimulatedOperation } from "./simulated/simulated-faults.ts";
export type { SimulatedChange, SimulatedCloudOptions } from "./simulated/simulated-options.ts";
export type { SimulatedEdit, SimulatedResource, SimulatedResources } from "./simulated/simulated-resources.ts";
