import { type CloudCall, isObject, type JsonObject } from "@liveplane/core/clouds";
import { isLiveplaneError, LiveplaneError } from "@liveplane/core/errors";
import type { CloudRequest, SendRequest, UnsignedRequest } from "../cloud-http/cloud-http.ts";
import type { AwsIdentity, awsIdentities } from "./aws-identities.ts";
import { type AwsPlace, globalRegionOf } from "./aws-ids.ts";

/** AWS's services that are called, by the name in their addresses and signatures. */
export type AwsService = "account" | "cloudcontrolapi" | "cloudformation" | "cloudtrail" | "iam" | "sts" | "tagging";

/** How an operation is named in a request, and the version of AWS's JSON protocol. */
const protocols = {
  cloudcontrolapi: { target: "CloudApiService", version: "1.0" },
  cloudtrail: { target: "CloudTrail_20131101", version: "1.1" },
  tagging: { target: "ResourceGroupsTaggingAPI_20170126", version: "1.1" },
} as const;

/** The versions of the older services, which are asked with forms and answer in XML. */
const versions = { cloudformation: "2010-05-15", iam: "2010-05-08", sts: "2011-06-15" } as const;

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
  /** One operation of an older service, which changes nothing. */
  query(
    service: Exclude<keyof typeof versions, "sts">,
    operation: string,
    input: JsonObject,
    options: { readonly place: AwsPlace; readonly call: CloudCall },
  ): Promise<JsonObject>;
  /** The caller's identity. It is asked for once for each key. */
  callerAt(place: AwsPlace, call: CloudCall): Promise<AwsCaller>;
  /** The names of the account's regions, in the partition of the place. */
  regions(place: AwsPlace, call: CloudCall): Promise<readonly string[]>;
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

  async function queried(
    { service, operation, input, place }: Query,
    call: CloudCall,
    identity: AwsIdentity,
  ): Promise<JsonObject> {
    const body = formOf({ Action: operation, Version: versions[service], ...input });
    const headers = { accept: "text/xml", "content-type": "application/x-www-form-urlencoded" };
    const request = { service, place, method: "POST", at: "/", body, headers, changes: false } as const;
    const { [`${operation}Result`]: result } = await sent(request, call, identity);
    return isObject(result) ? result : {};
  }

  async function callerOf(identity: AwsIdentity, place: AwsPlace, call: CloudCall): Promise<AwsCaller> {
    const known = callers.get(identity.accessKeyId);
    if (known !== undefined) return known;
    const found = await queried({ service: "sts", operation: "GetCallerIdentity", input: {}, place }, call, identity);
    const caller = { account: String(found.Account), arn: String(found.Arn) };
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
    async query(service, operation, input, { place, call }) {
      const region = service === "iam" ? globalRegionOf(place.region) : place.region;
      const asked = { service, operation, input, place: { ...place, region } };
      return queried(asked, call, await provenFor(place, call));
    },
    async callerAt(place, call) {
      return callerOf(await provenFor(place, call), place, call);
    },
    async regions({ account, region }, call) {
      const place = { account, region: globalRegionOf(region) };
      const body = { RegionOptStatusContains: ["ENABLED", "ENABLED_BY_DEFAULT"], MaxResults: 50 };
      const request = { service: "account", place, method: "POST", at: "/listRegions", body, changes: false } as const;
      const { Regions } = await sent(request, call, await provenFor(place, call));
      return (Array.isArray(Regions) ? (Regions as JsonObject[]) : []).map(({ RegionName }) => String(RegionName));
    },
  };
}

interface Query {
  readonly service: keyof typeof versions;
  readonly operation: string;
  readonly input: JsonObject;
  readonly place: AwsPlace;
}

/** Input as AWS's forms contain it: `Names.member.1=one&Of.Name=two`. */
function formOf(input: JsonObject): string {
  const fields = (name: string, value: JsonObject[string]): [string, string][] => {
    if (Array.isArray(value)) return value.flatMap((item, at) => fields(`${name}.member.${at + 1}`, item));
    if (isObject(value)) return Object.entries(value).flatMap(([part, own]) => fields(`${name}.${part}`, own));
    return [[name, String(value)]];
  };
  return new URLSearchParams(Object.entries(input).flatMap(([name, value]) => fields(name, value))).toString();
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
