import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import {
  CloudControlClient,
  CreateResourceCommand,
  DeleteResourceCommand,
  GetResourceCommand,
  GetResourceRequestStatusCommand,
  ListResourcesCommand,
  UpdateResourceCommand,
} from "@aws-sdk/client-cloudcontrol";
import { CloudFormationClient, DescribeTypeCommand } from "@aws-sdk/client-cloudformation";
import { GetRoleCommand, IAMClient, SimulatePrincipalPolicyCommand } from "@aws-sdk/client-iam";
import { GetResourcesCommand, ResourceGroupsTaggingAPIClient } from "@aws-sdk/client-resource-groups-tagging-api";
import { awsCloud } from "@liveplane/adapters/aws-cloud";
import { type ListedResources, SecretValue } from "@liveplane/core/clouds";
import { expect, onTestFinished, test } from "vitest";
import { awsDouble, goodKey } from "./aws-double.ts";
import { signatureOf } from "./signature.ts";

const region = "eu-central-1";
const credentials = { accessKeyId: goodKey.id, secretAccessKey: goodKey.secret };
const call = {
  credentials: { kind: "servicePrincipal", name: goodKey.id, secret: new SecretValue(goodKey.secret) },
} as const;

/** The double on loopback, with AWS's own clients for it. */
async function onLoopback() {
  const double = awsDouble();
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const headers = request.headers as Record<string, string | undefined>;
    const { method = "GET", url = "/" } = request;
    const answer = await double.answer({ method, url, headers, text: Buffer.concat(chunks).toString("utf8") });
    if (answer === null) return void request.socket.destroy();
    const isXml = typeof answer.body === "string";
    response.writeHead(answer.status, { "content-type": isXml ? "text/xml" : "application/x-amz-json-1.0" });
    response.end(isXml ? answer.body : JSON.stringify(answer.body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const clientOf = (service: string, at = region) => ({
    region: at,
    credentials,
    endpoint: `${url}/${service}/${at}`,
    maxAttempts: 1,
  });
  const control = new CloudControlClient(clientOf("cloudcontrolapi"));
  const tagging = new ResourceGroupsTaggingAPIClient(clientOf("tagging"));
  const iam = new IAMClient(clientOf("iam", "us-east-1"));
  const formation = new CloudFormationClient(clientOf("cloudformation"));
  onTestFinished(() => {
    for (const client of [control, tagging, iam, formation]) client.destroy();
    server.closeAllConnections();
    return new Promise<void>((resolve) => server.close(() => resolve()));
  });
  const cloud = awsCloud({ urlOf: (service, at) => `${url}/${service}/${at}`, identifierPollMs: 0 });
  return { double, control, tagging, iam, formation, cloud };
}

test("AWS's own clients create, read, change, list and delete on the double", async () => {
  const { control, tagging } = await onLoopback();
  const TypeName = "AWS::Logs::LogGroup";
  const Identifier = "/shop/web";
  const DesiredState = JSON.stringify({ LogGroupName: Identifier, Tags: [{ Key: "team", Value: "blue" }] });
  const made = await control.send(new CreateResourceCommand({ TypeName, DesiredState, ClientToken: "one" }));
  const { RequestToken } = made.ProgressEvent ?? {};
  const status = await control.send(new GetResourceRequestStatusCommand({ RequestToken }));
  expect(status.ProgressEvent).toMatchObject({ OperationStatus: "SUCCESS", Identifier, Operation: "CREATE" });
  expect(status.ProgressEvent?.EventTime).toBeInstanceOf(Date);
  const patch = [
    { op: "test", path: "/Tags/0/Value", value: "blue" },
    { op: "add", path: "/RetentionInDays", value: 90 },
  ];
  await control.send(new UpdateResourceCommand({ TypeName, Identifier, PatchDocument: JSON.stringify(patch) }));
  const { ResourceDescription } = await control.send(new GetResourceCommand({ TypeName, Identifier }));
  expect(JSON.parse(ResourceDescription?.Properties ?? "")).toMatchObject({ RetentionInDays: 90 });
  const wrong = [{ op: "test", path: "/Tags/0/Value", value: "red" }, ...patch.slice(1)];
  await expect(
    control.send(new UpdateResourceCommand({ TypeName, Identifier, PatchDocument: JSON.stringify(wrong) })),
  ).rejects.toMatchObject({ name: "ValidationException" });
  const listed = await control.send(new ListResourcesCommand({ TypeName }));
  expect(listed.ResourceDescriptions).toMatchObject([{ Identifier }]);
  const tagged = await tagging.send(new GetResourcesCommand({ TagFilters: [{ Key: "team", Values: ["blue"] }] }));
  expect(tagged.ResourceTagMappingList).toMatchObject([{ Tags: [{ Key: "team", Value: "blue" }] }]);
  await control.send(new DeleteResourceCommand({ TypeName, Identifier }));
  await expect(control.send(new GetResourceCommand({ TypeName, Identifier }))).rejects.toMatchObject({
    name: "ResourceNotFoundException",
  });
});

type Loopback = Awaited<ReturnType<typeof onLoopback>>;

/** What the adapter has sent, once AWS's own clients have sent the same. */
async function sentAsByClients({ double, control, tagging }: Omit<Loopback, "cloud" | "iam" | "formation">) {
  const sent = double.recorded.filter(({ target: name }) => name.includes("."));
  double.recorded.length = 0;
  const commands = {
    CreateResource: CreateResourceCommand,
    DeleteResource: DeleteResourceCommand,
    GetResource: GetResourceCommand,
    GetResourceRequestStatus: GetResourceRequestStatusCommand,
    ListResources: ListResourcesCommand,
    UpdateResource: UpdateResourceCommand,
  } as const;
  for (const { target: name, body } of sent) {
    const operation = name.slice(name.indexOf(".") + 1);
    const Command = commands[operation as keyof typeof commands] as new (input: object) => CreateResourceCommand;
    // What was changed and deleted may be refused now; only what is sent counts.
    if (operation === "GetResources") await tagging.send(new GetResourcesCommand(body));
    else await control.send(new Command(body)).catch(() => null);
  }
  expect(double.recorded).toEqual(sent);
  return sent;
}

test("a discovery sends what AWS's own clients send, and finds what they have made", async () => {
  const { double, control, tagging, cloud } = await onLoopback();
  for (const name of ["one", "two", "three"]) {
    const DesiredState = JSON.stringify({ LogGroupName: name, Tags: [{ Key: "team", Value: name }] });
    await control.send(new CreateResourceCommand({ TypeName: "AWS::Logs::LogGroup", DesiredState }));
  }
  const Glue = { Name: "nightly", Role: "worker", Command: {}, Tags: { team: "blue" } };
  await control.send(new CreateResourceCommand({ TypeName: "AWS::Glue::Job", DesiredState: JSON.stringify(Glue) }));
  double.recorded.length = 0;
  const found: string[] = [];
  for (let after: string | null = null; ; ) {
    const target = { scope: goodKey.account, region, location: region };
    const page: ListedResources | undefined = await cloud.discover?.(target, { after, limit: 1 }, call);
    for (const { resourceId, tags } of page?.items ?? []) found.push(`${resourceId} of ${tags.team}`);
    after = page?.next ?? null;
    if (after === null) break;
  }
  const place = `${goodKey.account}/${region}`;
  const groups = ["one", "two", "three"].map((name) => `${place}/AWS::Logs::LogGroup/${name} of ${name}`);
  expect(found.sort()).toEqual([`${place}/AWS::Glue::Job/nightly of blue`, ...groups].sort());
  const sent = await sentAsByClients({ double, control, tagging });
  const inputs = sent.flatMap(({ target: name, body }) => (name.endsWith("GetResources") ? [body] : []));
  expect(inputs.slice(0, 2)).toEqual([{ ResourcesPerPage: 1 }, { ResourcesPerPage: 1, PaginationToken: "1" }]);
});

test("the adapter sends what AWS's own clients send for the same calls", async () => {
  const { double, control, tagging, cloud } = await onLoopback();
  const TypeName = "AWS::Logs::LogGroup";
  const target = { scope: goodKey.account, region };
  const resourceId = cloud.resourceIdFor(TypeName, "web", target) ?? "";
  const ref = { type: TypeName, resourceId };
  const tags = { team: "blue" };
  const created = await cloud.create(
    { type: TypeName, name: "web", resourceId, target, parameters: { RetentionInDays: 30 }, tags, intent: "one" },
    call,
  );
  await cloud.follow?.(ref, { address: created.operation?.address ?? "" }, call);
  await cloud.read(ref, call);
  const change = { parameters: [{ pointer: "/RetentionInDays", value: 90 }], tags: {} };
  await cloud.update(ref, change, { tag: { key: "team", value: "blue" } }, call);
  await cloud.readMany([ref], call);
  await cloud.findCreated("one", target, call);
  await cloud.remove(ref, {}, call);
  const sent = await sentAsByClients({ double, control, tagging });
  expect(sent.map(({ target: name }) => name)).toEqual([
    "CloudApiService.CreateResource",
    "CloudApiService.GetResourceRequestStatus",
    "CloudApiService.GetResource",
    "CloudApiService.GetResource",
    "CloudApiService.UpdateResource",
    "ResourceGroupsTaggingAPI_20170126.GetResources",
    "ResourceGroupsTaggingAPI_20170126.GetResources",
    "ResourceGroupsTaggingAPI_20170126.GetResources",
    "CloudApiService.GetResource",
    "CloudApiService.DeleteResource",
  ]);
  const [update] = sent.filter(({ target: name }) => name.endsWith("UpdateResource"));
  expect(JSON.parse(String(update?.body.PatchDocument))).toEqual([
    { op: "test", path: "/Tags/0/Key", value: "team" },
    { op: "test", path: "/Tags/0/Value", value: "blue" },
    { op: "add", path: "/RetentionInDays", value: 90 },
  ]);
});

test("the adapter asks for rights as AWS's own clients do, and reads the same in the answers, page by page", async () => {
  const { double, iam, formation, cloud } = await onLoopback();
  const [type, action] = ["AWS::SQS::Queue", "sqs:CreateQueue"];
  double.rights.describe(type, [action, "sqs:DeleteQueue"]);
  double.rights.deny(action);
  const target = { scope: goodKey.account, region };
  expect(await cloud.missingRights?.([type], target, call)).toEqual([action]);
  const sent = double.recorded.splice(0).filter(({ target: name }) => name !== "GetCallerIdentity");
  const denied: unknown[] = [];
  let schema = "";
  for (const { target: name, body } of sent) {
    const { Version: _, ...rest } = body;
    const input = rest as never;
    if (name === "GetRole") {
      const { Role } = await iam.send(new GetRoleCommand(input));
      expect(Role).toMatchObject({
        Arn: "arn:aws:iam::111122223333:role/hosts/liveplane",
        CreateDate: expect.any(Date),
      });
    } else if (name === "DescribeType") schema = (await formation.send(new DescribeTypeCommand(input))).Schema ?? "";
    else {
      const { EvaluationResults, IsTruncated, Marker } = await iam.send(new SimulatePrincipalPolicyCommand(input));
      expect(EvaluationResults?.length).toBeLessThanOrEqual(3);
      expect(IsTruncated).toBe(Marker !== undefined);
      denied.push(...(EvaluationResults ?? []).filter(({ EvalDecision }) => EvalDecision !== "allowed"));
    }
  }
  expect(double.recorded).toEqual(sent);
  expect(sent.map(({ target: name }) => name)).toEqual([
    "DescribeType",
    "GetRole",
    ...Array.from({ length: 5 }, () => "SimulatePrincipalPolicy"),
  ]);
  expect(denied).toMatchObject([{ EvalActionName: action, EvalDecision: "implicitDeny" }]);
  expect(JSON.parse(schema)).toMatchObject({ typeName: type, description: "<a> & 'b'" });
  await expect(iam.send(new GetRoleCommand({ RoleName: "another" }))).rejects.toMatchObject({
    name: "NoSuchEntityException",
  });
});

test.each(["eu-central-1", "cn-north-1", "us-gov-east-1"])(
  "IAM of %s is where AWS's own client finds it",
  async (at) => {
    const asked: string[] = [];
    const scope = (header: unknown) => String(header).split("/").slice(2, 4).join("/");
    const handle = async ({ hostname, headers }: { hostname: string; headers: Record<string, string> }) => {
      asked.push(`https://${hostname}/ ${scope(headers.authorization)}`);
      throw new Error("It isn't sent.");
    };
    const client = new IAMClient({ region: at, credentials, maxAttempts: 1, requestHandler: { handle } as never });
    await client.send(new GetRoleCommand({ RoleName: "liveplane" })).catch(() => null);
    const double = awsDouble({ unsigned: true });
    const cloud = awsCloud({
      fetch: async (url, init = {}) => {
        const { hostname } = new URL(String(url));
        const headers = init.headers as Record<string, string>;
        if (hostname.startsWith("iam")) asked.push(`${url} ${scope(headers.authorization)}`);
        const answer = await double.answer({
          method: "POST",
          url: `/${hostname.split(".")[0]}/${at}/`,
          headers,
          text: String(init.body),
        });
        return new Response(String(answer?.body), { status: answer?.status ?? 500 });
      },
    });
    await cloud.missingRights?.([], { scope: goodKey.account, region: at }, call);
    expect(asked.length).toBeGreaterThan(2);
    expect(new Set(asked).size).toBe(1);
  },
);

test.each([
  ["get-vanilla", "GET", "/", "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"],
  ["post-vanilla", "POST", "/", "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"],
  [
    "get-vanilla-query-order-key-case",
    "GET",
    "/?Param2=value2&Param1=value1",
    "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500",
  ],
])("the double computes the signature of AWS's published vector %s", (_, method, url, expected) => {
  const headers = { host: "example.amazonaws.com", "x-amz-date": "20150830T123600Z" };
  const of = { date: "20150830", region: "us-east-1", service: "service", names: ["host", "x-amz-date"] };
  const secret = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";
  expect(signatureOf({ method, url, headers, text: "" }, { ...of, secret })).toBe(expected);
});
