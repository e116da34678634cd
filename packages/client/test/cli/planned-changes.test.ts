import { describe, expect, test } from "vitest";
import { awsIdOf } from "../../../adapters/src/aws/aws-ids.ts";
import { nestedChangeSets, plannedChanges, touches } from "../../src/cli/planned-changes.ts";

const site = "/subscriptions/s/resourceGroups/shop/providers/Microsoft.Web/sites/Shop";
const disk = "projects/p/zones/z/disks/d";
const change = (actions: string[], before: object | null, after: object | null = before, more = {}) => ({
  address: "x.y",
  change: { actions, before, after, ...more },
});
const terraform = (...resource_changes: object[]) => ({ format_version: "1.2", resource_changes });
const cloudFormation = (Action: string, PhysicalResourceId?: string) => ({
  Changes: [{ Type: "Resource", ResourceChange: { Action, LogicalResourceId: "Shop", PhysicalResourceId } }],
});
/** In the shape of the change sets in AWS's user guide. */
const replacing = (PhysicalResourceId: string) => ({
  Changes: [{ ResourceChange: { Action: "Modify", Replacement: "Conditional", PhysicalResourceId } }],
});
const pulumi = (op: string, id: string) => ({
  steps: [{ op, urn: "urn:pulumi:x", oldState: { id, outputs: { id } }, newState: { inputs: {} } }],
});

/** In the shape of `testdata/actions/plan.json` of hashicorp/terraform-json. */
const invoked = (id: string) => ({ address: "action.x.y", type: "x", config_values: { id, color: null } });

describe("a plan touches a resource", () => {
  test.each([
    ["Terraform updates it", terraform(change(["update"], { id: site.toUpperCase() })), site],
    ["Terraform replaces it", terraform(change(["delete", "create"], { id: site }, {})), site],
    ["Terraform imports it", terraform(change(["update"], null, {}, { importing: { id: site } })), site],
    [
      "Terraform deletes its group",
      terraform(change(["delete"], { id: "/subscriptions/s/resourceGroups/shop" }, null)),
      site,
    ],
    [
      "Terraform names it by its link",
      terraform(change(["update"], { self_link: `https://www.googleapis.com/compute/v1/${disk}` })),
      disk,
    ],
    ["Terraform names a bucket", terraform(change(["update"], { id: "logs" })), "projects/p/buckets/logs"],
    [
      "Terraform leaves its service out",
      terraform(change(["update"], { id: "projects/p/locations/l/services/web" })),
      "projects/p/locations/l/run/services/web",
    ],
    ["Terraform invokes an action on it", { planned_values: {}, action_invocations: [invoked(site)] }, site],
    ["CloudFormation modifies it", cloudFormation("Modify", site), site],
    ["CloudFormation replaces what it is in", replacing("/subscriptions/s/resourceGroups/shop"), site],
    ["Pulumi updates it", pulumi("update", site), site],
    ["Pulumi replaces it", pulumi("create-replacement", site), site],
  ])("where %s", (_, plan, id) => {
    expect(plannedChanges(plan).some((one) => touches(one, id))).toBe(true);
  });

  test.each([
    ["Terraform leaves it", terraform(change(["no-op"], { id: site }))],
    ["Terraform reads it", terraform(change(["read"], { id: site }))],
    ["Terraform updates its group", terraform(change(["update"], { id: "/subscriptions/s/resourceGroups/shop" }))],
    ["Terraform deletes one whose name begins the same", terraform(change(["delete"], { id: `${site}2` }, null))],
    ["Terraform creates another", terraform(change(["create"], null, { name: "shop" }))],
    ["Terraform forgets it", terraform(change(["forget"], { id: site }, null))],
    ["there are no changes", { format_version: "1.2", terraform_version: "1.9.0", planned_values: {} }],
    ["Pulumi drops it from its state", pulumi("discard", site)],
    ["Pulumi only ends a replacement that was pending", pulumi("remove-pending-replace", site)],
    ["CloudFormation adds another", cloudFormation("Add")],
    ["Pulumi leaves it", pulumi("same", site)],
  ])("but not where %s", (_, plan) => {
    expect(plannedChanges(plan).some((one) => touches(one, site))).toBe(false);
  });

  /** In the shape that `apitype.EngineEvent` of pulumi/pulumi gives to event logs. */
  const events = (...steps: object[]) => [
    { sequence: 0, timestamp: 1677074634, preludeEvent: { config: {} } },
    ...steps.map((metadata, at) => ({ sequence: at + 1, resourcePreEvent: { metadata, planning: true } })),
    { sequence: 9, summaryEvent: { maybeCorrupt: false, resourceChanges: {}, PolicyPacks: {} } },
    { sequence: 10, cancelEvent: {} },
  ];
  const step = (op: string, more: object = {}) => ({ op, urn: "urn:x", old: { id: site, ...more }, new: null });

  test("events of Pulumi are read as its preview is", () => {
    const touched = (steps: object[]) => plannedChanges(events(...steps)).some((one) => touches(one, site));
    expect(touched([step("same"), step("update")])).toBe(true);
    expect(touched([step("delete")])).toBe(true);
    expect(touched([step("same"), step("refresh")])).toBe(false);
    expect(touched([step("delete", { retainOnDelete: true })])).toBe(false);
    expect(plannedChanges({ events: events(step("update")) })).toHaveLength(1);
    expect(() => plannedChanges(events(step("update")).slice(0, 2))).toThrow("end before its summary");
    expect(plannedChanges({ config: {}, duration: 1, changeSummary: {} })).toEqual([]);
  });

  const place = { account: "123456789012", region: "eu-central-1" };
  const bucket = (name: string, elsewhere = {}) => awsIdOf({ ...place, ...elsewhere }, "AWS::S3::Bucket", name);

  test("a change set of AWS is about the type, account and region that its stack says", () => {
    const set = (type: string, PhysicalResourceId: string, more = {}) => ({
      StackId: "arn:aws:cloudformation:eu-central-1:123456789012:stack/shop/5811cdb0-e8e5-11ed-a3fb-0e452a9f4223",
      Changes: [{ ResourceChange: { Action: "Modify", ResourceType: type, PhysicalResourceId, ...more } }],
    });
    const touched = (plan: object, id: string) => plannedChanges(plan).some((one) => touches(one, id));
    expect(touched(set("AWS::S3::Bucket", "shop"), bucket("shop"))).toBe(true);
    expect(touched(set("AWS::SQS::Queue", "shop"), bucket("shop"))).toBe(false);
    expect(touched(set("AWS::S3::Bucket", "shop"), bucket("shop", { region: "eu-west-1" }))).toBe(false);
    expect(touched(set("AWS::S3::Bucket", "shop"), bucket("shop", { account: "999999999999" }))).toBe(false);
    const role = awsIdOf({ ...place, region: "us-east-1" }, "AWS::IAM::Role", "Shop");
    expect(touched(set("AWS::IAM::Role", "Shop"), role)).toBe(true);
    const group = awsIdOf(place, "AWS::Logs::LogGroup", "/aws/lambda/shop");
    expect(touched(set("AWS::Logs::LogGroup", "/aws/lambda/shop"), group)).toBe(true);
    const part = awsIdOf(place, "AWS::ApiGateway::Resource", "a1b2|x9");
    expect(touched(set("AWS::ApiGateway::Resource", "x9"), part)).toBe(true);
    expect(touched(set("AWS::ApiGateway::RestApi", "a1b2"), part)).toBe(false);
    const x = bucket("x");
    expect(touched(set("AWS::S3::Bucket", "x", { Action: "Remove", PolicyAction: "Retain" }), x)).toBe(false);
    expect(touched(set("AWS::S3::Bucket", "x", { Action: "Remove", PolicyAction: "Delete" }), x)).toBe(true);
    expect(touched(set("AWS::S3::Bucket", "x", { Action: "SyncWithActual" }), x)).toBe(false);
    expect(touched(set("AWS::S3::Bucket", "x", { Action: "Dynamic" }), x)).toBe(true);
    const nested = set("AWS::CloudFormation::Stack", "arn:x", { ChangeSetId: "arn:aws:cloudformation:x" });
    expect(nestedChangeSets(nested)).toEqual(["arn:aws:cloudformation:x"]);
    expect(() => plannedChanges({ ...nested, NextToken: "more" })).toThrow("has more pages");
  });

  /** In the shape of recordings of AWS: changes with and without values, and the types and IDs that they name. */
  test.each([
    [
      "AWS::SNS::Topic",
      "arn:aws:sns:eu-central-1:123456789012:topic-1",
      "arn:aws:sns:eu-central-1:123456789012:topic-1",
    ],
    ["AWS::SSM::Parameter", "CFN-A-Kdps7TfbhFx5", "CFN-A-Kdps7TfbhFx5"],
    ["AWS::Logs::LogGroup", "test-name", "test-name"],
    ["AWS::Lambda::Function", "my-function-SEZV4XMPL4S5", "my-function-SEZV4XMPL4S5"],
    ["AWS::EC2::Instance", "i-1abc23d4", "i-1abc23d4"],
    ["AWS::Events::Rule", "shop-nightly", "arn:aws:events:eu-central-1:123456789012:rule/shop-nightly"],
    ["AWS::Events::Rule", "bus|nightly", "arn:aws:events:eu-central-1:123456789012:rule/bus/nightly"],
  ])("a change set names %s %s", (ResourceType, PhysicalResourceId, identifier) => {
    const named = { LogicalResourceId: "Foo", PhysicalResourceId, ResourceType, Scope: [] };
    const touched = (change: object, id = identifier) => {
      const plan = {
        StackId: "arn:aws:cloudformation:eu-central-1:123456789012:stack/shop/5811cdb0-e8e5-11ed-a3fb-0e452a9f4223",
        Changes: [
          { Type: "Resource", ResourceChange: { ...named, ...change } },
          { Type: "Resource", ResourceChange: { ...named, Action: "Add", PhysicalResourceId: undefined } },
        ],
      };
      return plannedChanges(plan).filter((one) => touches(one, awsIdOf(place, ResourceType, id))).length;
    };
    expect(touched({ Action: "Modify", Replacement: "False", BeforeContext: "{}", AfterContext: "{}" })).toBe(1);
    expect(touched({ Action: "Modify", Replacement: "True", PolicyAction: "ReplaceAndDelete" })).toBe(1);
    expect(touched({ Action: "Remove", PolicyAction: "Delete", BeforeContext: "{}" })).toBe(1);
    expect(touched({ Action: "Remove", PolicyAction: "Delete" }, `${identifier}2`)).toBe(0);
  });

  test("Terraform names a resource of AWS by its identifier or ARN", () => {
    const plan = terraform(change(["update"], { id: "shop-logs", arn: "arn:aws:s3:::shop-logs" }));
    const touched = (id: string) => plannedChanges(plan).some((one) => touches(one, id));
    expect(touched(bucket("shop-logs"))).toBe(true);
    expect(touched(bucket("shop"))).toBe(false);
  });

  test("a Terraform state is refused: it would pass every guard", () => {
    const state = { format_version: "1.0", terraform_version: "1.9.0", values: { root_module: {} } };
    expect(() => plannedChanges(state)).toThrow("neither a Terraform plan");
  });

  test.each([null, [], {}, "text"])("what is no plan is refused: %j", (plan) => {
    expect(() => plannedChanges(plan)).toThrow("neither a Terraform plan");
  });
});
