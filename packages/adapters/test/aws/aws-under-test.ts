import { type AwsCloudOptions, awsCloud } from "@liveplane/adapters/aws-cloud";
import { type Cloud, type CloudTarget, SecretValue } from "@liveplane/core/clouds";
import type { CloudUnderTest } from "@liveplane/core/testing";
import { type AwsFault, awsDouble, goodKey } from "./aws-double.ts";

const place = { scope: goodKey.account, region: "eu-central-1", location: "eu-central-1" };

/** The adapter over its double, in one process: requests are signed, and never leave it. */
export function awsWorld() {
  const double = awsDouble();
  const send: typeof fetch = async (input, init = {}) => {
    const { method = "GET", body } = init;
    const url = new URL(String(input));
    const headers = Object.fromEntries(new Headers({ host: url.host, ...(init.headers as Record<string, string>) }));
    const answer = await double.answer({ method, url: url.pathname + url.search, headers, text: String(body ?? "") });
    if (answer === null) throw new TypeError("fetch failed");
    const text = typeof answer.body === "string" ? answer.body : JSON.stringify(answer.body);
    return new Response(text, { status: answer.status });
  };
  const open = (options: AwsCloudOptions = {}) =>
    awsCloud({
      ...options,
      fetch: send,
      identifierPollMs: 0,
      urlOf: (service, region) => `https://aws.invalid/${service}/${region}`,
    });
  const credentials = (name: string, secret: string) =>
    ({ kind: "servicePrincipal", name, secret: new SecretValue(secret) }) as const;
  return {
    double,
    send,
    open,
    cloud: open(),
    call: { credentials: credentials(goodKey.id, goodKey.secret) },
    rejected: { credentials: credentials("AKIAREJECTED", "canary-of-a-secret-key") },
    target: place,
    otherTarget: { ...place, region: "us-east-1", location: "us-east-1" },
  };
}

/** A cloud whose resources go to this account and region, wherever an environment is. */
export function placedIn(cloud: Cloud, target: CloudTarget = place): Cloud {
  return {
    ...cloud,
    resourceIdFor: (type, name) => cloud.resourceIdFor(type, name, target),
    parseResourceId: (type, id) => cloud.parseResourceId(type, id, target),
    create: (resource, call) => cloud.create({ ...resource, target }, call),
    missingRights: async (types, _target, call) => (await cloud.missingRights?.(types, target, call)) ?? [],
    findCreated: (intent, _target, call) => cloud.findCreated(intent, target, call),
  };
}

/** A text that may have any value, and parameters with it, by type: each form of tags, identifiers that are given and chosen. */
export const changeable: Readonly<Record<string, Pick<CloudUnderTest, "parameters" | "changing">>> = {
  "AWS::Logs::LogGroup": { changing: "/KmsKeyId", parameters: { KmsKeyId: "small", RetentionInDays: 30 } },
  "AWS::SQS::Queue": { changing: "/KmsMasterKeyId", parameters: { KmsMasterKeyId: "small", DelaySeconds: 5 } },
  "AWS::Glue::Job": {
    changing: "/Description",
    parameters: { Description: "small", Role: "worker", Command: { Name: "glueetl" } },
  },
  "AWS::ECS::Cluster": {
    changing: "/ServiceConnectDefaults/Namespace",
    parameters: { ServiceConnectDefaults: { Namespace: "small" } },
  },
  "AWS::EC2::Subnet": {
    changing: "/PrivateDnsNameOptionsOnLaunch/HostnameType",
    parameters: { VpcId: "vpc-1", CidrBlock: "10.0.0.0/24", PrivateDnsNameOptionsOnLaunch: { HostnameType: "small" } },
  },
  "AWS::AutoScaling::AutoScalingGroup": {
    changing: "/HealthCheckType",
    parameters: { MinSize: "1", MaxSize: "2", HealthCheckType: "small" },
  },
};

/** The adapter over its double, as the laws of clouds want it. */
export async function awsUnderTest(type: string): Promise<CloudUnderTest> {
  const { double, open, ...world } = awsWorld();
  const { parameters = {}, changing = "/none" } = changeable[type] ?? {};
  return {
    ...world,
    type,
    parameters,
    changing,
    neverMade: `${goodKey.account}/${place.region}/${type}/never-made`,
    byHand: {
      setTags: async (id, tags) => double.setTags(id, type, tags),
      remove: async (id) => double.remove(id, type),
    },
    beforeAnswer: double.beforeAnswer,
    break: async (kind, fault: AwsFault | null) => {
      if (fault === null) double.faults.clear();
      else double.faults.set(kind, fault);
    },
    slow: {
      begin: async (fails) => double.slow(fails),
      finish: async () => double.finish(),
      elsewhere: () => open(),
    },
  };
}
