import { type Cloud, type CloudLocation, googleFacts, type JsonObject } from "@liveplane/core/clouds";
import { type CloudHttpOptions, cloudHttp } from "./cloud-http/cloud-http.ts";
import { googleAudit } from "./google/google-audit.ts";
import { googleDiscovery } from "./google/google-discovery.ts";
import { googleFinding } from "./google/google-finding.ts";
import { googleIdFor, googleTypeOf, judgeGoogleId } from "./google/google-ids.ts";
import { googleReads, type SendToGoogle } from "./google/google-reads.ts";
import { googleRefusal } from "./google/google-refusals.ts";
import { encoded } from "./google/google-requests.ts";
import { googleRights } from "./google/google-rights.ts";
import { enablingServices } from "./google/google-services.ts";
import { runGoogleStep } from "./google/google-steps.ts";
import { type GoogleAuthClient, googleTokens } from "./google/google-tokens.ts";
import { describeGoogleTypes, googleType } from "./google/google-types.ts";
import { googleWrites } from "./google/google-writes.ts";

export { googleCredential } from "./google/google-credential.ts";
export type { GoogleAuthClient } from "./google/google-tokens.ts";

/** Options of the Google cloud. */
export interface GoogleCloudOptions extends CloudHttpOptions {
  /** The URL of a service, such as `compute`. @default `https://<service>.googleapis.com` */
  readonly urlOf?: (service: string) => string;
  /** Where service account keys are exchanged for tokens. @default "https://oauth2.googleapis.com/token" */
  readonly tokenUrl?: string;
  /** The host's own identity: any auth client of `google-auth-library`, impersonated or federated too. @default none */
  readonly authClient?: GoogleAuthClient;
  /** How long one listing of a collection serves resources that it hasn't reported yet. @default 60000 */
  readonly listingMs?: number;
}

/**
 * Google Cloud, through the REST APIs of its services. A component's parameters are the resource's body in its service's form; its type is
 * service, version and kind: `storage.v1.bucket`, `compute.v1.disk`, `run.v2.service`; its labels are declared as `labels`.
 *
 * The kinds come from Google's own API descriptions; other types are refused by name. How writes are bound differs by kind, as
 * `resourceType` tells: etags, fingerprints, or only named members are written. A slow write is answered with its operation; nothing here
 * waits.
 */
export function googleCloud(options: GoogleCloudOptions = {}): Cloud {
  const { urlOf = publicUrlOf, tokenUrl = "https://oauth2.googleapis.com/token", listingMs = 60_000 } = options;
  const { fetch: fetcher = fetch, timeoutMs = 30_000, now = Date.now, authClient } = options;
  const http = cloudHttp({ fetch: fetcher, timeoutMs, now, refusalOf: googleRefusal });
  const exchangeUrl = `${urlOf("sts")}/v1/token`;
  const impersonationUrl = urlOf("iamcredentials");
  const own = { tokenUrl, exchangeUrl, impersonationUrl, fetch: fetcher, timeoutMs, now };
  const tokens = googleTokens({ ...own, ...(authClient && { authClient }) });
  const send: SendToGoogle = async (service, { path, ...request }, call) => {
    const token = (refused?: string) => tokens.tokenFor(call, refused);
    return (await http({ ...request, base: urlOf(service), at: path, proof: { token } }, call)).body;
  };
  const { forget, ...reads } = googleReads({ send, now, listingMs });
  return {
    provider: "provider-b",
    capabilities: {
      conditionalWrites: true,
      bulkReadSize: 500,
      caselessTagKeys: googleFacts.caselessTagKeys,
      tagParameter: googleFacts.tagParameter,
      tagRules: googleFacts.tagRules,
      deviceAuthorization: false,
      ownIdentity: authClient !== undefined,
      recordLagMs: 60_000,
    },
    resourceType: googleType,
    describeTypes: describeGoogleTypes,
    resourceIdFor: googleIdFor,
    typeOf: googleTypeOf,
    parseResourceId: judgeGoogleId,
    parseScope: googleFacts.parseScope,
    missingRights: (types, target, call) => googleRights(send, types, target, call),
    throttleScope: googleFacts.throttleScope,
    async locations(scope, _tenantId, call) {
      const path = `/compute/v1/projects/${encoded(scope)}/regions?maxResults=500`;
      const { items } = await send("compute", { method: "GET", path }, call);
      return (Array.isArray(items) ? (items as JsonObject[]) : []).flatMap((region) => toLocation(scope, region));
    },
    initializationSteps: (_target, name) =>
      googleFacts.steps.map(({ nameFor, ...plan }) => ({ ...plan, resourceName: nameFor(name) })),
    runStep: (step, request, call) => runGoogleStep(send, step, request, call),
    ...reads,
    discover: googleDiscovery(send),
    ...googleFinding(send),
    ...googleAudit(send),
    ...googleWrites({ send, now, forget, enabling: enablingServices(send) }),
  };
}

function toLocation(scope: string, { name, status }: JsonObject): CloudLocation[] {
  if (typeof name !== "string" || (status !== undefined && status !== "UP")) return [];
  const known = googleFacts.locations(scope).find((place) => place.name === name);
  return [known ?? { id: `projects/${scope}/locations/${name}`, name, displayName: name, geography: null }];
}

function publicUrlOf(service: string): string {
  return `https://${service}.googleapis.com`;
}
