import { type ErrorCode, LiveplaneError } from "./errors.ts";

/** The refusal of what the host has turned off, or left out. `setting`: what turns it on, as `createLiveplane` names it. */
export function turnedOff(what: string, setting: string, code: ErrorCode = "FeatureDisabled"): LiveplaneError {
  return new LiveplaneError(code, `${what} The host turns this on with ${setting}.`, { details: { setting } });
}
