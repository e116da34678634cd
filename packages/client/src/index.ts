export type { Api, CallAnswer, EventOf, EventType, LiveplaneEvent } from "@liveplane/core/contract";
export { type ErrorCode, errorCodes, isLiveplaneError, LiveplaneError, type Violation } from "@liveplane/core/errors";
export {
  cloudNames,
  deployAndWait,
  type WaitOptions,
  waitFor,
  waitForInitialization,
  waitForMutation,
} from "@liveplane/core/routes";
export { type ClientOptions, createClient } from "./client.ts";
export type { ClientCredentials, TokenSource } from "./tokens.ts";
