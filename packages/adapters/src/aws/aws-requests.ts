import type { CloudCall, JsonObject } from "@liveplane/core/clouds";
import { isLiveplaneError, LiveplaneError } from "@liveplane/core/errors";
import type { CloudRequest, SendRequest, UnsignedRequest } from "../cloud-http/cloud-http.ts";
import type { AwsIdentity, awsIdentities } from "./aws-identities.ts";
import type { AwsPlace } from "./aws-ids.ts";

/** AWS's services that are called, by the name in their addresses and signatures. */
export type AwsService = "account" | "cloudcontrolapi" | "cloudtrail" | "sts" | "tagging";

/** How an operation is named in a request, and the version of AWS's JSON protocol. */
const protocols = {
  cloudcontrolapi: { target: "CloudApiService", version: "1.0" },
  cloudtrail: { target: "CloudTrail_20131101", version: "1.1" },
  tagging: { target: "ResourceGroupsTaggingAPI_20170126", version: "1.1" },
} as const;

/** Who calls, as AWS's token service says. */
export interface AwsCaller {
  readonly account: string;
  readonly arn: string;
}

/** Calls AWS at a place, as its account. */
export interface AwsRequests {
  /** One operation of a service that speaks AWS's JSON protocol. */
  call(
    service: keyof typeof protocols,
    operation: string,
    input: JsonObject,
    options: { readonly place: AwsPlace; readonly call: CloudCall; readonly changes?: boolean },
  ): Promise<JsonObject>;
  /** The caller's identity. It is asked for once for each key. */
  callerAt(place: AwsPlace, call: CloudCall): Promise<AwsCaller>;
  /** The names of the account's regions. */
  regions(account: string, call: CloudCall): Promise<readonly string[]>;
}

export interface AwsRequestsDeps {
  readonly http: SendRequest;
  readonly identities: ReturnType<typeof awsIdentities>;
  readonly urlOf: (service: AwsService, region: string) => string;
  readonly now: () => number;
  readonly sign: SignForAws;
}

/** The headers of a request with its signature. */
export type SignForAws = (
  request: UnsignedRequest,
  by: {
    readonly service: AwsService;
    readonly region: string;
    readonly identity: AwsIdentity;
    readonly now: () => number;
  },
) => Promise<Readonly<Record<string, string>>>;

const mostCallers = 500;

/** Sends signed requests. An account's resources are never looked up with the keys of another account. */
export function awsRequests({ http, identities, urlOf, now, sign }: AwsRequestsDeps): AwsRequests {
  const callers = new Map<string, AwsCaller>();

  async function sent(
    { service, place, ...request }: Omit<CloudRequest, "base" | "proof"> & { service: AwsService; place: AwsPlace },
    call: CloudCall,
    identity: AwsIdentity,
  ): Promise<JsonObject> {
    const proof = {
      sign: (unsigned: UnsignedRequest) => sign(unsigned, { service, identity, now, region: place.region }),
    };
    try {
      return (await http({ ...request, base: urlOf(service, place.region), proof }, call)).body;
    } catch (error) {
      if (isLiveplaneError(error, "ProviderCredentialsRejected")) identities.forget(place.account);
      throw error;
    }
  }

  async function callerOf(identity: AwsIdentity, place: AwsPlace, call: CloudCall): Promise<AwsCaller> {
    const known = callers.get(identity.accessKeyId);
    if (known !== undefined) return known;
    const at = "/?Action=GetCallerIdentity&Version=2011-06-15";
    const body = await sent({ service: "sts", place, method: "GET", at }, call, identity);
    const { GetCallerIdentityResult: found } = (body.GetCallerIdentityResponse ?? {}) as Record<string, JsonObject>;
    const caller = { account: String(found?.Account), arn: String(found?.Arn) };
    if (callers.size >= mostCallers) callers.delete(callers.keys().next().value ?? "");
    callers.set(identity.accessKeyId, caller);
    return caller;
  }

  /** Keys that are proven to belong to the account. */
  async function provenFor(place: AwsPlace, call: CloudCall): Promise<AwsIdentity> {
    const identity = await identities.identityFor(place.account, call);
    const { account } = await callerOf(identity, place, call);
    if (account === place.account) return identity;
    throw new LiveplaneError("ProviderCredentialsRejected", "The credentials belong to another AWS account.");
  }

  return {
    async call(service, operation, body, { place, call, changes = false }) {
      const { target, version } = protocols[service];
      const headers = {
        "content-type": `application/x-amz-json-${version}`,
        "x-amz-target": `${target}.${operation}`,
      };
      const request = { service, place, method: "POST", at: "/", body, headers, changes } as const;
      return sent(request, call, await provenFor(place, call));
    },
    async callerAt(place, call) {
      return callerOf(await provenFor(place, call), place, call);
    },
    async regions(account, call) {
      const place = { account, region: "us-east-1" };
      const body = { RegionOptStatusContains: ["ENABLED", "ENABLED_BY_DEFAULT"], MaxResults: 50 };
      const request = { service: "account", place, method: "POST", at: "/listRegions", body, changes: false } as const;
      const { Regions } = await sent(request, call, await provenFor(place, call));
      return (Array.isArray(Regions) ? (Regions as JsonObject[]) : []).map(({ RegionName }) => String(RegionName));
    },
  };
}

/** Signs with AWS's signature, version 4. */
export const signForAws: SignForAws = async ({ method, url, headers, body }, { service, identity, region, now }) => {
  const { AwsV4Signer } = await import("aws4fetch").catch((cause: unknown) => {
    const advice = "AWS needs the package aws4fetch: npm install aws4fetch@1";
    throw new LiveplaneError("ConfigurationInvalid", advice, { cause });
  });
  const { accessKeyId, secretAccessKey, sessionToken } = identity;
  const signer = new AwsV4Signer({
    method,
    url: url.href,
    headers: { ...headers },
    ...(body !== undefined && { body }),
    accessKeyId,
    secretAccessKey,
    ...(sessionToken !== undefined && { sessionToken }),
    service,
    region,
    datetime: new Date(now()).toISOString().replace(/[:-]|\.\d{3}/g, ""),
  });
  return Object.fromEntries((await signer.sign()).headers);
};
