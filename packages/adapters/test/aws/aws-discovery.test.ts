import type { ListedResource, ListedResources } from "@liveplane/core/clouds";
import { describe, expect, test } from "vitest";
import { goodKey } from "./aws-double.ts";
import { plausible } from "./aws-models.ts";
import { awsWorld } from "./aws-under-test.ts";

const team = { team: "blue" };

/** Resources in two regions, and a global one. */
async function discovered(location?: string) {
  const { double, cloud, call } = awsWorld();
  const scope = goodKey.account;
  const make = async (type: string, name: string, region: string, tags = team) => {
    const target = { scope, region };
    const resourceId = cloud.resourceIdFor(type, name, target);
    await cloud.create({ type, name, resourceId, target, parameters: plausible(type), tags, intent: name }, call);
  };
  await make("AWS::SQS::Queue", "orders", "eu-central-1");
  await make("AWS::Logs::LogGroup", "/never/tagged", "eu-central-1", {} as typeof team);
  await make("AWS::Glue::Job", "nightly", "eu-central-1");
  await make("AWS::DynamoDB::Table", "far", "us-east-1");
  await make("AWS::IAM::Role", "worker", "eu-central-1");
  const target = { scope, region: "eu-central-1", ...(location && { location }) };
  const list = async () => {
    const items: ListedResource[] = [];
    const warnings: string[] = [];
    for (let after: string | null = null; ; ) {
      const page: ListedResources | undefined = await cloud.discover?.(target, { after, limit: 100 }, call);
      items.push(...(page?.items ?? []));
      warnings.push(...(page?.warnings ?? []));
      after = page?.next ?? null;
      if (after === null) return { ids: items.map(({ resourceId }) => resourceId).sort(), items, warnings };
    }
  };
  return { double, cloud, list };
}

const at = (region: string, type: string, name: string) => `${goodKey.account}/${region}/${type}/${name}`;

describe("a discovery", () => {
  test("of an account lists all its regions, also what never had a tag, and says what it can't see", async () => {
    const { cloud, list } = await discovered();
    const { ids, items, warnings } = await list();
    expect(ids).toEqual(
      [
        at("eu-central-1", "AWS::Glue::Job", "nightly"),
        at("eu-central-1", "AWS::Logs::LogGroup", "!2Fnever/tagged"),
        at("eu-central-1", "AWS::SQS::Queue", "queue-00000001"),
        at("us-east-1", "AWS::DynamoDB::Table", "far"),
        at("us-east-1", "AWS::IAM::Role", "worker"),
      ].sort(),
    );
    for (const { resourceId, type } of items) expect(cloud.typeOf?.(resourceId)).toBe(type);
    expect(warnings).toEqual([expect.stringContaining("never had a tag")]);
  });

  test("of one region lists that region and what is in none", async () => {
    const { list } = await discovered("eu-central-1");
    const { ids } = await list();
    expect(ids.filter((id) => id.includes("us-east-1"))).toEqual([at("us-east-1", "AWS::IAM::Role", "worker")]);
  });

  test("goes on without the index of tags, and without a type that it may not list, and says so", async () => {
    const { double, list } = await discovered("eu-central-1");
    double.deny("GetResources");
    const { ids, warnings } = await list();
    expect(ids).toHaveLength(3);
    expect(warnings.filter((one) => one.includes("tag:GetResources"))).toHaveLength(2);
    double.deny("ListResources");
    expect((await list()).warnings.join(" ")).toContain("AWS::SQS::Queue");
  });
});
