/** The light part of the contract, for browsers: strings, and how calls are built from them. */
export { type CallParts, type CallSettings, isRequestId, optionHeaders } from "./contract/call-arguments.ts";
export { type Carrier, callsOver } from "./contract/calls.ts";
export { cloudName, cloudNames } from "./contract/cloud-names.ts";
export { pathInWords } from "./contract/path-in-words.ts";
export { credentialHeaders, type OperationId, parseRoute, type Route, routes } from "./contract/routes.ts";
export {
  type DeployApi,
  deployAndWait,
  type InitializationWaitApi,
  type WaitApi,
  type WaitOptions,
  waitFor,
  waitForInitialization,
  waitForMutation,
} from "./contract/wait-for.ts";
export { growingRest, type RestLengths } from "./records/rest.ts";
