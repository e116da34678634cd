import type { LiveplaneError } from "../../errors.ts";

/** The message of a step that failed, and what to do about it. Pure. */
export function failureText(error: LiveplaneError): string {
  const said = error.message.replace(/\.?$/, ".");
  const advice = adviceFor(error);
  return advice === null ? said : `${said} ${advice}, then initialize again.`;
}

/** What to do before the next attempt, by what is known of the cause; `null` if the message says it. */
function adviceFor({ code, details: { reason, providerCode = "" } }: LiveplaneError): string | null {
  // The adapter has named the rights, or the region.
  if (reason !== undefined) return null;
  const words = String(providerCode);
  if (/quota|limit.?exceeded/i.test(words)) return "Raise the quota in the cloud, or choose another region";
  switch (code) {
    case "ProviderCredentialsRejected":
      if (/tenant/i.test(words)) return "Check the tenant, and that the credentials and the target belong to it";
      return /denied|forbidden|authorization|permission|403/i.test(words)
        ? "The cloud knows the credentials, but they lack a right: grant it in the cloud"
        : "Check the tenant or account, the client ID and the secret, and whether the secret has expired";
    case "ProviderCredentialsMissing":
      return "Send credentials, or ask an operator to give the server an identity for this target";
    case "NotFound":
      return "Check the ID of the subscription, project or account, and that the credentials may see it";
    case "RateLimited":
      return "Wait some minutes";
    case "ProviderTimeout":
    case "Unavailable":
      return "Check that the server's network reaches the cloud, and the cloud's status page";
    case "ProviderError":
      return "Fix what the cloud reports";
    default:
      return null;
  }
}
