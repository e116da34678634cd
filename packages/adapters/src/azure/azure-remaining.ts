import type { CallSort, Cloud, RemainingCalls } from "@liveplane/core/clouds";
import type { CloudRequest } from "../cloud-http/cloud-http.ts";
import { subscriptionOf } from "./azure-requests.ts";

/** Keeps the remaining quotas that Azure's answers report. */
export interface AzureRemaining {
  /** Records an answer's headers. */
  note(subscriptionId: string, request: Pick<CloudRequest, "method" | "at" | "changes">, headers: Headers): void;
  readonly remaining: NonNullable<Cloud["remaining"]>;
}

const mostRemembered = 2_000;

/** Reads `x-ms-ratelimit-remaining-*`, and Resource Graph's own quota. */
export function azureRemaining(now: () => number): AzureRemaining {
  const said = new Map<string, RemainingCalls>();
  const keyOf = (subscriptionId: string, sort: CallSort) => `${subscriptionId.toLowerCase()} ${sort}`;
  return {
    note(subscriptionId, request, headers) {
      const calls = leftIn(headers);
      if (calls === null) return;
      const key = keyOf(subscriptionId, sortOf(request));
      if (!said.has(key) && said.size >= mostRemembered) said.delete(said.keys().next().value ?? "");
      said.set(key, { calls, at: now() });
    },
    remaining: (resourceId, sort) => said.get(keyOf(subscriptionOf(resourceId), sort)) ?? null,
  };
}

/** The smallest remaining quota that applies to a call; `null` if Azure doesn't say. */
function leftIn(headers: Headers): number | null {
  const left: number[] = [];
  for (const [name, value] of headers) {
    // A resource provider may report several quotas: `Microsoft.Compute/GetVM3Min;238,Microsoft.Compute/GetVM30Min;1258`.
    const isOwn = name === "x-ms-ratelimit-remaining-resource";
    const isSaid = isOwn || name.startsWith("x-ms-ratelimit-remaining-") || name === "x-ms-user-quota-remaining";
    if (!isSaid) continue;
    for (const part of value.split(",")) {
      const digits = /(?:^|;)\s*(\d{1,9})\s*$/.exec(part)?.[1];
      if (digits !== undefined) left.push(Number(digits));
    }
  }
  return left.length === 0 ? null : Math.min(...left);
}

function sortOf({ method, at, changes = method !== "GET" }: Pick<CloudRequest, "method" | "at" | "changes">): CallSort {
  if (at.startsWith("/providers/Microsoft.ResourceGraph/")) return "bulk";
  return changes ? "write" : "read";
}
