import { awsCloud } from "@liveplane/adapters/aws-cloud";
import type { CloudCall, Written } from "@liveplane/core/clouds";
import { describe, expect, test } from "vitest";
import { goodKey } from "./aws-double.ts";
import { awsWorld } from "./aws-under-test.ts";

const group = "AWS::Logs::LogGroup";
const queue = "AWS::SQS::Queue";
const noChange = { parameters: [], tags: {} };

/** A log group, and what a test does with it. */
async function logGroup(tags: Readonly<Record<string, string>> = { "managed-by": "platform" }) {
  const world = awsWorld();
  const { cloud, call, target, double } = world;
  const resourceId = cloud.resourceIdFor(group, "/shop/web", target) ?? "";
  const ref = { type: group, resourceId };
  const draft = { type: group, name: "/shop/web", resourceId, target, parameters: {}, intent: "one" };
  await cloud.create({ ...draft, tags }, call);
  const tagsNow = async () => {
    const reading = await cloud.read(ref, call);
    return reading.state === "present" ? reading.tags : reading.state;
  };
  const patches = () =>
    double.recorded
      .filter(({ target: name }) => name.endsWith("UpdateResource"))
      .map(({ body }) => JSON.parse(String(body.PatchDocument)) as object[]);
  return { ...world, ref, draft, tagsNow, patches };
}

describe("tags", () => {
  test("those that AWS sets stay, and are never written", async () => {
    const { cloud, call, double, ref, tagsNow, patches } = await logGroup();
    double.setTags(ref.resourceId, group, { "aws:servicecatalog:arn": "x", "managed-by": "platform" });
    await cloud.update(ref, { parameters: [], tags: { "aws:servicecatalog:arn": "y", team: "blue" } }, {}, call);
    expect(await tagsNow()).toEqual({ "aws:servicecatalog:arn": "x", "managed-by": "platform", team: "blue" });
    expect(JSON.stringify(patches())).not.toContain("aws:");
    expect(cloud.capabilities.tagRules?.refusal("aws:own", "x")).toContain("reserved");
  });

  test("the first tag of a resource without any creates the property, because AWS can't replace what isn't there", async () => {
    const { cloud, call, ref, tagsNow, patches } = await logGroup({});
    await cloud.update(ref, { parameters: [], tags: { team: "blue" } }, {}, call);
    expect(await tagsNow()).toEqual({ team: "blue" });
    expect(patches()).toEqual([[{ op: "add", path: "/Tags", value: [{ Key: "team", Value: "blue" }] }]]);
  });

  test("several are removed from the end of the list, each after a test of its key", async () => {
    const { cloud, call, ref, tagsNow, patches } = await logGroup({ a: "1", "managed-by": "platform", b: "2", c: "3" });
    const change = { parameters: ["a", "c"].map((key) => ({ pointer: `/Tags/${key}`, value: null })), tags: {} };
    await cloud.update(ref, change, { tag: { key: "managed-by", value: "platform" } }, call);
    expect(await tagsNow()).toEqual({ "managed-by": "platform", b: "2" });
    expect(patches()[0]).toEqual([
      { op: "test", path: "/Tags/1/Key", value: "managed-by" },
      { op: "test", path: "/Tags/1/Value", value: "platform" },
      { op: "test", path: "/Tags/0/Key", value: "a" },
      { op: "test", path: "/Tags/3/Key", value: "c" },
      { op: "remove", path: "/Tags/3" },
      { op: "remove", path: "/Tags/0" },
    ]);
  });

  test("a failed test and a refusal for another reason are told apart by reading again", async () => {
    const { cloud, call, ref } = await logGroup();
    const wrong = { parameters: [{ pointer: "/Retention", value: 7 }], tags: {} };
    const tag = { key: "managed-by", value: "platform" };
    await expect(cloud.update(ref, wrong, { tag }, call)).rejects.toMatchObject({
      code: "ProviderError",
      details: {
        reason: "ValidationException",
        providerMessage: expect.stringContaining("extraneous key [Retention]"),
      },
    });
  });
});

test("a resource of a CloudFormation stack is written only if the host says so", async () => {
  const { cloud, call, double, ref, tagsNow, open } = await logGroup();
  double.setTags(ref.resourceId, group, {
    "aws:cloudformation:stack-id": "arn:aws:cloudformation:…",
    "managed-by": "x",
  });
  const writes: (() => Promise<Written>)[] = [
    () => cloud.update(ref, { ...noChange, tags: { "managed-by": "platform" } }, {}, call),
    () => cloud.removeTag(ref, "managed-by", {}, call),
    () => cloud.remove(ref, {}, call),
  ];
  for (const write of writes) await expect(write()).rejects.toMatchObject({ details: { reason: "OwnedByStack" } });
  await open({ stacks: "write" }).update(ref, { ...noChange, tags: { "managed-by": "platform" } }, {}, call);
  expect(await tagsNow()).toMatchObject({ "managed-by": "platform" });
});

test("an update whose resource is deleted and made again meanwhile fails, and leaves the new one as it is", async () => {
  const { cloud, call, double, ref } = await logGroup();
  double.slow();
  const change = { parameters: [{ pointer: "/RetentionInDays", value: 7 }], tags: {} };
  const { operation } = await cloud.update(ref, change, {}, call);
  double.remove(ref.resourceId, group);
  double.make(ref.resourceId, group, { RetentionInDays: 30 }, {});
  double.finish();
  expect(await cloud.follow?.(ref, operation ?? { address: "" }, call)).toMatchObject({
    state: "failed",
    code: "NotFound",
  });
  expect(await cloud.read(ref, call)).toMatchObject({ parameters: { RetentionInDays: 30 } });
});

test("secrets are written and never shown", async () => {
  const { cloud, call, target, double } = awsWorld();
  const type = "AWS::RDS::DBInstance";
  const resourceId = cloud.resourceIdFor(type, "orders", target) ?? "";
  const parameters = { Engine: "postgres", MasterUserPassword: "canary-password" };
  await cloud.create({ type, name: "orders", resourceId, target, parameters, tags: {}, intent: "one" }, call);
  const reading = await cloud.read({ type, resourceId }, call);
  expect(JSON.stringify(reading)).not.toContain("canary");
  expect(cloud.resourceType(type).writeOnly).toContain("MasterUserPassword");
  const change = { parameters: [{ pointer: "/MasterUserPassword", value: "another" }], tags: {} };
  await cloud.update({ type, resourceId }, change, {}, call);
  expect(double.propertiesOf(resourceId, type).MasterUserPassword).toBe("another");
});

describe("a creation", () => {
  const draftIn = ({ target }: ReturnType<typeof awsWorld>) =>
    ({ type: queue, name: "orders", resourceId: null, target, parameters: {}, tags: {}, intent: "one" }) as const;

  test("whose answer was lost makes nothing twice, and is found by its tag", async () => {
    const world = awsWorld();
    const { cloud, call, double, target } = world;
    double.faults.set("write", "lose-answer");
    await expect(cloud.create(draftIn(world), call)).rejects.toMatchObject({ details: { outcome: "unknown" } });
    double.faults.clear();
    const found = await cloud.findCreated("one", target, call);
    const { resourceId } = await cloud.create(draftIn(world), call);
    expect(found).toEqual({ type: queue, resourceId });
    expect(await cloud.read({ type: queue, resourceId }, call)).toMatchObject({ state: "present", tags: {} });
  });

  test("that fails is made again, although AWS remembers its token", async () => {
    const world = awsWorld();
    const { cloud, call, double } = world;
    double.slow({ code: "ServiceLimitExceeded", message: "There are too many queues." });
    const first = await cloud.create(draftIn(world), call);
    double.finish();
    const ref = { type: queue, resourceId: first.resourceId };
    expect(await cloud.follow?.(ref, first.operation ?? { address: "" }, call)).toMatchObject({
      state: "failed",
      code: "ServiceLimitExceeded",
    });
    const { resourceId } = await cloud.create(draftIn(world), call);
    expect(await cloud.read({ type: queue, resourceId }, call)).toMatchObject({ state: "present" });
  });

  test("of a type that AWS doesn't describe is refused with similar names", async () => {
    const { cloud, call, target } = awsWorld();
    expect(await cloud.describeTypes?.(["AWS::S3::Buckets", "AWS::S3::Bucket"], target, call)).toEqual([
      { refused: expect.stringContaining("Did you mean AWS::S3::Bucket") },
      { taggable: true },
    ]);
  });
});

describe("credentials", () => {
  test("of another account are refused before anything is read", async () => {
    const { cloud, call, target, double } = awsWorld();
    const resourceId = `999900001111/${target.region}/${group}/web`;
    expect(await cloud.read({ type: group, resourceId }, call)).toMatchObject({
      state: "unreadable",
      reason: "ProviderCredentialsRejected",
    });
    expect(double.recorded.map(({ target: name }) => name)).toEqual(["GetCallerIdentity"]);
  });

  test("of the host are asked for by account, and kept until shortly before they expire", async () => {
    const { double, send } = awsWorld();
    let now = Date.parse("2026-11-24T12:00:00Z");
    const asked: string[] = [];
    const cloud = awsCloud({
      fetch: send,
      now: () => now,
      urlOf: (service, region) => `https://aws.invalid/${service}/${region}`,
      credentials: async (account) => {
        asked.push(account);
        const expiration = new Date(now + 3_600_000);
        return { accessKeyId: goodKey.id, secretAccessKey: goodKey.secret, sessionToken: "session", expiration };
      },
    });
    const call: CloudCall = { credentials: { kind: "workload", name: null, secret: null } };
    for (const minutes of [0, 30, 59]) {
      now = Date.parse("2026-11-24T12:00:00Z") + minutes * 60_000;
      expect(await cloud.locations(goodKey.account, null, call)).toHaveLength(2);
    }
    expect(asked).toEqual([goodKey.account, goodKey.account]);
    expect(double.recorded.filter(({ target: name }) => name === "GetCallerIdentity")).toHaveLength(1);
  });

  test("are sent to no other host, whatever an ID says", async () => {
    const { cloud, call, double } = awsWorld();
    for (const region of ["eu-central-1.attacker.invalid", "eu-central-1#", "..", "a@b"]) {
      const resourceId = `${goodKey.account}/${region}/${group}/web`;
      expect(await cloud.read({ type: group, resourceId }, call)).toMatchObject({ reason: "ForeignAddress" });
    }
    expect(double.recorded).toEqual([]);
  });
});

describe("IDs", () => {
  test.each([
    ["/aws/lambda/shop", "!2Faws/lambda/shop"],
    ["https://sqs.eu-central-1.amazonaws.com/1/orders", "https:!2F/sqs.eu-central-1.amazonaws.com/1/orders"],
    ["api|stage", "api!7Cstage"],
    ["wörld !", "w!C3!B6rld!20!21"],
    ["..", "!2E!2E"],
  ])("contain the identifier %s as %s", (name, written) => {
    const { cloud, target } = awsWorld();
    const id = cloud.resourceIdFor(group, name, target) ?? "";
    expect(id).toBe(`${goodKey.account}/eu-central-1/${group}/${written}`);
    expect(cloud.parseResourceId(group, id, target)).toEqual({ id, name });
    expect(
      cloud.parseResourceId(
        group,
        id.replaceAll(/![0-9A-F]{2}/g, (hex) => hex.toLowerCase()),
        target,
      ),
    ).toMatchObject({ id });
  });

  test("of global resources have the region that serves them, wherever the environment is", () => {
    const { cloud, target } = awsWorld();
    const id = cloud.resourceIdFor("AWS::IAM::Role", "worker", target) ?? "";
    expect(id).toBe(`${goodKey.account}/us-east-1/AWS::IAM::Role/worker`);
    expect(cloud.parseResourceId("AWS::IAM::Role", id, target)).toMatchObject({ id });
    const elsewhere = id.replace("us-east-1", "eu-central-1");
    expect(cloud.parseResourceId("AWS::IAM::Role", elsewhere, target)).toMatchObject({ refused: "resourceId" });
    expect(cloud.parseScope?.(`${goodKey.account}/us-east-1`)).toMatchObject({ location: "us-east-1" });
  });
});

test("who took a resource over is in CloudTrail, and the caller isn't", async () => {
  const { cloud, call, double, ref } = await logGroup();
  double.setTags(ref.resourceId, group, {});
  const within = {
    since: new Date(Date.now() - 60_000).toISOString(),
    until: new Date(Date.now() + 60_000).toISOString(),
  };
  expect(await cloud.whoChanged?.(ref, within, call)).toMatchObject({ name: "ada", operation: "UntagResource" });
});
