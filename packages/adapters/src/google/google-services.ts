import { type CloudCall, isObject, type JsonObject } from "@liveplane/core/clouds";
import { isLiveplaneError, LiveplaneError } from "@liveplane/core/errors";
import { type PlacedResource, projectOf } from "./google-ids.ts";
import { isDone } from "./google-operations.ts";
import type { SendToGoogle } from "./google-reads.ts";
import { encoded, type GoogleRequest } from "./google-requests.ts";

const retryAfterSeconds = 20;

/**
 * Enables a service whose absence refused a write. It takes Google a while, so the write is still refused, but as retryable. A caller who
 * may not enable it gets Google's original answer.
 */
export function enablingServices(send: SendToGoogle) {
  return async (service: string, { resourceId }: PlacedResource, error: unknown, call: CloudCall): Promise<never> => {
    if (!isLiveplaneError(error, "ProviderError") || error.details.reason !== "ServiceDisabled") throw error;
    const path = `/v1/projects/${encoded(projectOf(resourceId))}/services/${service}.googleapis.com:enable`;
    await send("serviceusage", { method: "POST", path, body: {} }, call).catch(() => {
      throw error;
    });
    throw new LiveplaneError("ProviderError", `${service}.googleapis.com was disabled and is being enabled.`, {
      retryable: true,
      details: { ...error.details, reason: "ServiceEnabling", retryAfterSeconds },
    });
  };
}

/** Enables all services that aren't enabled. Throws that it is still working until Google has finished. */
export async function switchedOn(
  send: SendToGoogle,
  project: string,
  services: readonly string[],
  call: CloudCall,
): Promise<void> {
  const at = `/v1/projects/${encoded(project)}/services`;
  const names = services.map((service) => `${service}.googleapis.com`);
  const asked = new URLSearchParams(names.map((name) => ["names", `projects/${project}/services/${name}`]));
  const known = await send("serviceusage", { method: "GET", path: `${at}:batchGet?${asked}` }, call);
  const found = Array.isArray(known.services) ? known.services : [];
  const enabled = new Set(
    found.flatMap((one) => (isObject(one) && one.state === "ENABLED" ? [String(one.name).split("/").at(-1)] : [])),
  );
  const serviceIds = names.filter((name) => !enabled.has(name));
  if (serviceIds.length === 0) return;
  const request: GoogleRequest = { method: "POST", path: `${at}:batchEnable`, body: { serviceIds } };
  if (!isDone(await send("serviceusage", request, call))) throw stillAtIt();
}

/** The error of an unfinished step, which is then run again. */
export function stillAtIt(details: JsonObject = {}): LiveplaneError {
  return new LiveplaneError("ProviderError", "Google is still processing the operation.", {
    retryable: true,
    details: { ...details, outcome: "working", retryAfterSeconds: 10 },
  });
}
