import { type CloudCall, resourceIdRefusal } from "@liveplane/core/clouds";
import { type CloudRequest, type CloudResponse, elsewhere, type SendRequest } from "../cloud-http/cloud-http.ts";
import type { AzureTokens } from "./azure-tokens.ts";

/** A request to Azure Resource Manager. */
export interface AzureRequest extends Pick<CloudRequest, "method" | "changes"> {
  /** Without a query. */
  readonly path: string;
  readonly version: string;
  readonly body?: NonNullable<CloudRequest["body"]>;
  readonly headers?: NonNullable<CloudRequest["headers"]>;
}

/** Sends requests about resources in a subscription. */
export interface AzureRequests {
  /** Requests a path within a subscription. Throws if it isn't one. */
  send(request: AzureRequest, call: CloudCall): Promise<CloudResponse>;
  /** Requests an address that Azure gave, for a subscription: a next page or an operation. */
  sendTo(
    subscriptionId: string,
    request: Omit<CloudRequest, "base" | "proof">,
    call: CloudCall,
  ): Promise<CloudResponse>;
}

/** Sends requests with the caller's tokens. */
export function azureRequests({
  managementUrl,
  http,
  tokens,
  note,
}: {
  readonly managementUrl: string;
  readonly http: SendRequest;
  readonly tokens: Pick<AzureTokens, "tokenFor">;
  /** Records an answer's headers. */
  readonly note: (
    subscriptionId: string,
    request: Pick<CloudRequest, "method" | "at" | "changes">,
    headers: Headers,
  ) => void;
}): AzureRequests {
  const sendTo: AzureRequests["sendTo"] = async (subscriptionId, request, call) => {
    const token = (refused?: string) => tokens.tokenFor(subscriptionId, call, refused);
    const answer = await http({ ...request, base: managementUrl, proof: { token } }, call);
    note(subscriptionId, request, answer.headers);
    return answer;
  };
  return {
    sendTo,
    async send({ path, version, ...request }, call) {
      if (!isOwnPath(path)) throw elsewhere();
      const at = `${path}?${new URLSearchParams({ "api-version": version })}`;
      return sendTo(subscriptionOf(path), { ...request, at }, call);
    },
  };
}

/** The subscription in an ID. */
export function subscriptionOf(resourceId: string): string {
  return /^\/subscriptions\/([^/]+)/i.exec(resourceId)?.[1] ?? "";
}

/** Whether a path is in a subscription and can't be read as anything else. */
export function isOwnPath(path: string): boolean {
  return subscriptionOf(path) !== "" && resourceIdRefusal(path) === null;
}
