import type { Cloud, JsonObject, ParameterMistake } from "@liveplane/core/clouds";
import { mostArns } from "./aws/aws-bulk.ts";
import { awsCreation } from "./aws/aws-creation.ts";
import { awsDiscovery } from "./aws/aws-discovery.ts";
import { awsFinding } from "./aws/aws-finding.ts";
import { type AwsCredentials, awsIdentities } from "./aws/aws-identities.ts";
import { awsIdFor, awsTypeOf, parseAwsId, parseAwsScope, partitionOf } from "./aws/aws-ids.ts";
import { type AwsMembers, awsMistakes } from "./aws/aws-mistakes.ts";
import { awsReads } from "./aws/aws-reads.ts";
import { awsRefusal } from "./aws/aws-refusals.ts";
import { type AwsService, awsRequests, type SignForAws, signForAws } from "./aws/aws-requests.ts";
import { awsRights } from "./aws/aws-rights.ts";
import { awsSteps } from "./aws/aws-steps.ts";
import { awsTrail } from "./aws/aws-trail.ts";
import { awsTagRules, awsType, describeAwsTypes, tagParameter } from "./aws/aws-types.ts";
import { awsWrites } from "./aws/aws-writes.ts";
import { parseAws } from "./aws/aws-xml.ts";
import { type CloudHttpOptions, cloudHttp } from "./cloud-http/cloud-http.ts";

export { type AwsRole, awsCredential } from "./aws/aws-credential.ts";
export type { AwsCredentials, AwsIdentity } from "./aws/aws-identities.ts";

/** Options of the AWS cloud. */
export interface AwsCloudOptions extends CloudHttpOptions {
  /** The cloud's name in declarations. @default "aws" */
  readonly provider?: string;
  /** The host's own identity, by account: any credential provider of `@aws-sdk/credential-providers`. @default none */
  readonly credentials?: AwsCredentials;
  /** The URL of a service in a region. @default `https://<service>.<region>.amazonaws.com` */
  readonly urlOf?: (service: AwsService, region: string) => string;
  /**
   * How long a sweep trusts the properties that a direct read showed. Until then it only asks for tags, for a hundred resources in one call.
   * @default 600000
   */
  readonly valuesMs?: number;
  /**
   * Whether resources of CloudFormation stacks are written. A stack undoes such a change, or fails because of it.
   * @default "refuse"
   */
  readonly stacks?: "refuse" | "write";
  /**
   * Whether a deploy refuses properties and words that look misspelled. AWS adds new ones all the time: if one of them resembles an older one,
   * `accept` lets it through.
   * @default "check"
   */
  readonly spelling?: "check" | "accept";
  /**
   * Signs requests, for hosts that keep their keys elsewhere. `aws4fetch` isn't loaded then.
   * @default AWS's signature, version 4
   */
  readonly sign?: SignForAws;
  /** How long a creation waits before it asks again which identifier AWS has chosen. @default 1000 */
  readonly identifierPollMs?: number;
}

/**
 * Amazon Web Services, through Cloud Control. A component's type is CloudFormation's (`AWS::S3::Bucket`), and its parameters are the
 * properties of that type. Tags are declared as `Tags`, a map, whatever form the type has. A resource's ID is its account, its region, its type and
 * AWS's identifier: `123456789012/eu-central-1/AWS::S3::Bucket/my-bucket`.
 *
 * Each update first tests the management tag, and AWS refuses it if the tag is gone.
 */
export function awsCloud(options: AwsCloudOptions = {}): Cloud {
  const {
    provider = "aws",
    credentials,
    urlOf = publicUrlOf,
    identifierPollMs = 1_000,
    valuesMs = 600_000,
    stacks = "refuse",
    spelling = "check",
    sign = signForAws,
  } = options;
  const { fetch: fetcher = fetch, timeoutMs = 30_000, now = Date.now } = options;
  const http = cloudHttp({ fetch: fetcher, timeoutMs, now, refusalOf: awsRefusal, parse: parseAws });
  const identities = awsIdentities({ now, ...(credentials && { credentials }) });
  const requests = awsRequests({ http, identities, urlOf, now, sign });
  return {
    provider,
    capabilities: {
      conditionalWrites: false,
      bulkReadSize: mostArns,
      caselessTagKeys: false,
      tagParameter,
      tagRules: awsTagRules,
      deviceAuthorization: false,
      ownIdentity: credentials !== undefined,
      recordLagMs: 900_000,
    },
    resourceType: awsType,
    describeTypes: describeAwsTypes,
    ...(spelling === "check" && { judgeParameters }),
    resourceIdFor: awsIdFor,
    typeOf: awsTypeOf,
    parseResourceId: parseAwsId,
    parseScope: parseAwsScope,
    // AWS counts calls by account and region.
    throttleScope: (resourceId) => resourceId.split("/").slice(0, 2).join("/"),
    async locations(scope, _tenantId, call) {
      // An account's number doesn't tell its partition, so this lists no regions of China and GovCloud.
      const names = await requests.regions({ account: scope, region: "us-east-1" }, call);
      return names.map((name) => ({ id: `${scope}/${name}`, name, displayName: name, geography: null }));
    },
    missingRights: awsRights(requests),
    ...awsSteps(requests),
    ...awsReads({ requests, now, valuesMs }),
    ...awsFinding(requests),
    discover: awsDiscovery(requests),
    ...awsTrail(requests),
    ...awsCreation({ requests, now, identifierPollMs }),
    ...awsWrites({ requests, now, stacks }),
  };
}

/** A million bytes of names, loaded by the first deploy. */
async function judgeParameters(type: string, parameters: JsonObject): Promise<readonly ParameterMistake[]> {
  const { default: members } = await import("../tables/aws-members.json", { with: { type: "json" } });
  return awsMistakes(type, parameters, members as unknown as Readonly<Record<string, AwsMembers>>);
}

/** China's regions have their own domain. IAM is called at one address in each partition. */
function publicUrlOf(service: AwsService, region: string): string {
  const partition = partitionOf(region);
  const place = { aws: "", "aws-cn": `.${region}`, "aws-us-gov": ".us-gov" }[partition];
  const host = service === "iam" ? `iam${place}` : `${service}.${region}`;
  return `https://${host}.amazonaws.com${partition === "aws-cn" ? ".cn" : ""}`;
}
