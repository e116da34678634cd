import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { environmentId, overrideWorld } from "../../../core/test/builders/override.ts";
import { furtherActions, neededActions } from "../../src/aws/aws-rights.ts";
import { goodKey } from "./aws-double.ts";
import { awsWorld, placedIn } from "./aws-under-test.ts";

const queue = "AWS::SQS::Queue";

describe("an initialization", () => {
  const run = (step: string, { cloud, target, call }: ReturnType<typeof awsWorld>, region = target.region) =>
    cloud.runStep(step, { target: { ...target, region }, name: "env-1", tags: {}, outputs: {} }, call);

  test("checks whose keys these are, whether the account may use the region, and the rights", async () => {
    const world = awsWorld();
    const steps = world.cloud.initializationSteps(world.target, "env-1").map(({ name }) => name);
    expect(steps).toEqual(["identity", "region", "rights"]);
    expect(await run("identity", world)).toMatchObject({ id: goodKey.account });
    expect(await run("region", world)).toEqual({ id: `${goodKey.account}/eu-central-1` });
    expect(await run("rights", world)).toEqual({ missing: [] });
    await expect(run("region", world, "ap-east-1")).rejects.toMatchObject({
      code: "ProviderError",
      message: `The region ap-east-1 isn't enabled in the account ${goodKey.account}. Enable it in AWS's account settings.`,
      details: { reason: "RegionDisabled" },
    });
  });

  test("names every right that is missing, and fails only without one that every resource needs", async () => {
    const world = awsWorld();
    world.double.rights.deny("cloudtrail:LookupEvents");
    world.double.rights.deny("tag:GetResources", { EvalDecision: "explicitDeny" });
    expect(await run("rights", world)).toEqual({ missing: ["cloudtrail:LookupEvents", "tag:GetResources"] });
    world.double.rights.deny("cloudformation:UpdateResource");
    await expect(run("rights", world)).rejects.toMatchObject({
      code: "ProviderCredentialsRejected",
      message: expect.stringContaining(
        `in the account ${goodKey.account}: cloudformation:UpdateResource, cloudtrail:LookupEvents, tag:GetResources.`,
      ),
    });
  });

  test.each(["GetRole", "SimulatePrincipalPolicy"])(
    "passes and says what isn't known if %s is denied",
    async (call) => {
      const world = awsWorld();
      world.double.deny(call);
      world.double.rights.deny("cloudformation:UpdateResource");
      expect(await run("rights", world)).toEqual({
        unknown:
          "IAM doesn't say what the credentials may do. Allow iam:GetRole and iam:SimulatePrincipalPolicy to know.",
      });
    },
  );
});

describe("missing rights", () => {
  test("are those of the adapter and of the handlers of the types, read once for each type", async () => {
    const { cloud, target, call, double } = awsWorld();
    double.rights.describe(queue, ["sqs:CreateQueue", "sqs:TagQueue", "iam:PassRole", "kms:*"]);
    for (const action of ["sqs:TagQueue", "tag:GetResources", "iam:PassRole"]) double.rights.deny(action);
    expect(await cloud.missingRights?.([queue, "Unknown::Of::Type"], target, call)).toEqual([
      "tag:GetResources",
      "sqs:TagQueue",
    ]);
    await cloud.missingRights?.([queue], target, call);
    const described = double.recorded.filter(({ target: name }) => name === "DescribeType");
    expect(described.map(({ body }) => body.TypeName)).toEqual([queue]);
    const simulated = double.recorded.find(({ target: name }) => name === "SimulatePrincipalPolicy");
    expect(simulated?.body).toMatchObject({
      PolicySourceArn: "arn:aws:iam::111122223333:role/hosts/liveplane",
      ContextEntries: [{ ContextKeyName: "aws:RequestedRegion", ContextKeyValues: ["eu-central-1"] }],
    });
  });

  test("without types are those that a scope is useless without", async () => {
    const { cloud, target, call, double } = awsWorld();
    for (const action of [...neededActions, ...furtherActions]) double.rights.deny(action);
    expect(await cloud.missingRights?.([], target, call)).toEqual(neededActions);
  });

  test("leave out what depends on a value that IAM wasn't told", async () => {
    const { cloud, target, call, double } = awsWorld();
    double.rights.deny("cloudformation:CreateResource", { MissingContextValues: ["aws:PrincipalTag/team"] });
    expect(await cloud.missingRights?.([], target, call)).toEqual([]);
  });

  test("of types whose schema may not be read, and of all where IAM doesn't tell, aren't known", async () => {
    const { cloud, target, call, double } = awsWorld();
    double.rights.deny("tag:GetResources");
    double.deny("DescribeType");
    expect(await cloud.missingRights?.([queue], target, call)).toEqual(["tag:GetResources"]);
    double.deny("SimulatePrincipalPolicy");
    expect(await cloud.missingRights?.([queue], target, call)).toEqual([]);
  });

  test("can't be asked for with keys that AWS rejects", async () => {
    const { cloud, target, rejected } = awsWorld();
    await expect(cloud.missingRights?.([], target, rejected)).rejects.toMatchObject({
      code: "ProviderCredentialsRejected",
    });
  });

  test("are named by a plan", async () => {
    const { open, target, double } = awsWorld();
    double.rights.describe(queue, ["sqs:CreateQueue"]);
    double.rights.deny("sqs:CreateQueue");
    const credentials = async () => ({ accessKeyId: goodKey.id, secretAccessKey: goodKey.secret });
    const world = overrideWorld({ clouds: (others) => [...others, placedIn(open({ credentials }), target)] });
    const components = [{ path: "app", provider: "aws", type: queue, parameters: { DelaySeconds: 5 } }];
    const body = { name: "shop", environmentId, components };
    const planned = (await world.call("liveSystems.plan", { body })) as { readonly warnings: unknown[] };
    expect(planned.warnings).toMatchObject([{ detail: expect.stringContaining("sqs:CreateQueue") }]);
  });
});

test("the guide's policy is what the adapter calls itself", () => {
  const file = new URL("../../../../docs/how-to/aws-policy.json", import.meta.url);
  const { Statement } = JSON.parse(readFileSync(file, "utf8")) as { Statement: { Action: string[] }[] };
  expect([...neededActions, ...furtherActions].sort()).toEqual(Statement[0]?.Action);
});
