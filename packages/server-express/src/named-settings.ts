import type { Liveplane } from "@liveplane/core";
import { isLiveplaneError, LiveplaneError } from "@liveplane/core/errors";
import { settings } from "./configuration/server-settings.ts";

/** The variables that set what the core names in its refusals, where the server's setting has another name. */
const otherwiseNamed: Readonly<Record<string, keyof typeof settings>> = {
  deviceAuthorizers: "azureClientId",
  passkeyVerifier: "consoleUrl",
  signInIssuer: "oidcIssuer",
  webhookSender: "webhooks",
};

/** The same control plane. Its refusals name the server's variable where the core names a setting of its host. */
export function withNamedSettings(liveplane: Liveplane): Liveplane {
  return {
    ...liveplane,
    dispatch: (request) =>
      liveplane.dispatch(request).catch((refusal: unknown) => Promise.reject(inVariables(refusal))),
  };
}

function inVariables(refusal: unknown): unknown {
  if (!isLiveplaneError(refusal) || typeof refusal.details.setting !== "string") return refusal;
  const { code, message, details, status } = refusal;
  const { setting } = refusal.details;
  const member = otherwiseNamed[setting] ?? setting;
  if (!Object.hasOwn(settings, member)) return refusal;
  const { name } = settings[member as keyof typeof settings];
  const said = message.replace(setting, name);
  return new LiveplaneError(code, said, { status, details: { ...details, setting: name }, cause: refusal });
}
