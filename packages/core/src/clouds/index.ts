export type {
  Cloud,
  CloudCall,
  CloudCapabilities,
  CloudCredentials,
  CloudLocation,
  CloudTarget,
  InitializationRequest,
  NewResource,
  ParsedResourceId,
  Reading,
  ResourceChange,
  ResourceRef,
  ResourceType,
  StepPlan,
  WriteCondition,
} from "../ports/cloud.ts";
export { SecretValue } from "../ports/secret-value.ts";
export { azureFacts } from "./azure-facts.ts";
export {
  type CloudFacts,
  plainType,
  type StepFacts,
  type TagRules,
  tagKey,
  tagsRefusal,
  withTags,
} from "./cloud-facts.ts";
export { googleFacts } from "./google-facts.ts";
export { isObject, type JsonObject, secondOf, topOf, withValueAt } from "./json-edits.ts";
export { type ParseResourceId, resourceIdRefusal } from "./resource-ids.ts";
export {
  type SimulatedChange,
  type SimulatedCloud,
  type SimulatedCloudOptions,
  simulatedCloud,
} from "./simulated-cloud.ts";
export { type ConsoleResource, type SimulatedConsole, simulatedConsole } from "./simulated-console.ts";
export { type SimulatedDevices, type SimulatedDevicesOptions, simulatedDevices } from "./simulated-devices.ts";
export type { Fault, FaultSettings, SimulatedFaults, SimulatedOperation } from "./simulated-faults.ts";
export type { SimulatedResource, SimulatedResources, Work } from "./simulated-resources.ts";
