import { awsCloud } from "@liveplane/adapters/aws-cloud";
import type { ResourceRef } from "@liveplane/core/clouds";
import { describe, expect, test } from "vitest";
import { environmentId, overrideWorld } from "../../../core/test/builders/override.ts";
import { goodKey } from "./aws-double.ts";
import { awsWorld, placedIn } from "./aws-under-test.ts";

const group = "AWS::Logs::LogGroup";
const unread = { state: "unreadable", reason: "Unread" };
const managed = { "managed-by": "platform" };

/** Log groups that were read directly, and a cloud whose clock a test sets. */
async function logGroups(count: number, tags: Readonly<Record<string, string>> = managed) {
  const { double, send, call, target } = awsWorld();
  const clock = { now: Date.now() };
  const cloud = awsCloud({
    fetch: send,
    now: () => clock.now,
    urlOf: (service, region) => `https://aws.invalid/${service}/${region}`,
  });
  const refs: ResourceRef[] = [];
  for (let at = 0; at < count; at++) {
    const resourceId = cloud.resourceIdFor(group, `group-${at}`, target) ?? "";
    const parameters = { RetentionInDays: 30 };
    const draft = { type: group, name: `group-${at}`, resourceId, target, parameters, tags, intent: `${at}` };
    await cloud.create(draft, call);
    refs.push({ type: group, resourceId });
  }
  const direct = await Promise.all(refs.map((ref) => cloud.read(ref, call)));
  double.recorded.length = 0;
  const sent = () => double.recorded.map(({ target: name }) => name.slice(name.indexOf(".") + 1));
  return { double, cloud, call, target, clock, refs, direct, sent };
}

describe("a bulk read", () => {
  test("of a hundred resources is one call for their tags, and shows what was read directly", async () => {
    const { cloud, call, refs, direct, sent } = await logGroups(100);
    expect(await cloud.readMany(refs, call)).toEqual(direct);
    expect(sent()).toEqual(["GetResources"]);
  });

  test("shows a tag that changed since, without another call", async () => {
    const { double, cloud, call, refs, sent } = await logGroups(2);
    double.setTags(refs[0]?.resourceId ?? "", group, { team: "blue" });
    const [first, second] = await cloud.readMany(refs, call);
    expect(first).toMatchObject({ state: "present", tags: { team: "blue" } });
    expect(second).toMatchObject({ state: "present", tags: managed });
    expect(sent()).toEqual(["GetResources"]);
  });

  test("leaves to a direct read what never had a tag, and what nobody read yet", async () => {
    const { cloud, call, target, refs } = await logGroups(1, {});
    const unknown = { type: group, resourceId: cloud.resourceIdFor(group, "another", target) ?? "" };
    expect(await cloud.readMany([...refs, unknown], call)).toEqual([unread, unread]);
  });

  test("notices a deletion once the properties are too old, because AWS's index keeps deleted resources", async () => {
    const { double, cloud, call, clock, refs } = await logGroups(1);
    double.remove(refs[0]?.resourceId ?? "", group);
    expect(await cloud.readMany(refs, call)).toMatchObject([{ state: "present" }]);
    clock.now += 600_000;
    expect(await cloud.readMany(refs, call)).toEqual([unread]);
  });

  test("leaves properties to a direct read once they are too old", async () => {
    const { double, cloud, call, clock, refs } = await logGroups(1);
    const [ref = { type: "", resourceId: "" }] = refs;
    double.byHand(ref.resourceId, group, (properties) => ({ ...properties, RetentionInDays: 7 }));
    clock.now += 299_000;
    expect(await cloud.readMany(refs, call)).toMatchObject([{ parameters: { RetentionInDays: 30 } }]);
    clock.now += 301_000;
    expect(await cloud.readMany(refs, call)).toEqual([unread]);
    await cloud.read(ref, call);
    expect(await cloud.readMany(refs, call)).toMatchObject([{ parameters: { RetentionInDays: 7 } }]);
  });

  test("leaves properties to a direct read after the clock was set back", async () => {
    const { cloud, call, clock, refs } = await logGroups(1);
    clock.now -= 18_000_000;
    expect(await cloud.readMany(refs, call)).toEqual([unread]);
  });

  test("shows nobody what was read with other keys", async () => {
    const { cloud, rejected, refs } = { ...awsWorld(), ...(await logGroups(1)) };
    expect(await cloud.readMany(refs, rejected)).toEqual([unread]);
  });

  test("leaves everything to direct reads where the index is refused, and is unreadable where it fails", async () => {
    const { double, cloud, call, refs } = await logGroups(1);
    double.deny("GetResources");
    expect(await cloud.readMany(refs, call)).toEqual([unread]);
    double.faults.set("bulk", "throttle");
    expect(await cloud.readMany(refs, call)).toMatchObject([{ reason: "RateLimited", retryAfterMs: 5000 }]);
  });
});

const types = [group, "AWS::SQS::Queue", "AWS::ECS::Cluster", "AWS::DynamoDB::Table"] as const;
const declared = {
  [group]: { RetentionInDays: 30 },
  "AWS::SQS::Queue": { DelaySeconds: 5 },
  "AWS::ECS::Cluster": { ServiceConnectDefaults: { Namespace: "shop" } },
  "AWS::DynamoDB::Table": { KeySchema: [{ AttributeName: "id", KeyType: "HASH" }] },
} as const;
const systems = 4;
const ofEach = 25;

test("four hundred unchanged components are swept in four calls", { timeout: 120_000 }, async () => {
  const { double, send, target } = awsWorld();
  const credentials = async () => ({ accessKeyId: goodKey.id, secretAccessKey: goodKey.secret });
  const urlOf = (service: string, region: string) => `https://aws.invalid/${service}/${region}`;
  const aws = awsCloud({ fetch: send, urlOf, credentials, identifierPollMs: 0 });
  const cloud = placedIn(aws, target);
  const world = overrideWorld({ clouds: (others) => [...others, cloud] });
  for (let system = 0; system < systems; system++) {
    const components = types.flatMap((type, at) =>
      Array.from({ length: ofEach }, (_, number) => {
        const path = `t${at}/n${number}`;
        return { path, provider: "aws", type, resourceName: `s${system}t${at}n${number}`, parameters: declared[type] };
      }),
    );
    const mutation = await world.passing(world.create({ name: `s${system}`, environmentId, components } as never));
    expect(mutation).toMatchObject({ status: "Succeeded" });
  }
  double.recorded.length = 0;
  await world.cycle();
  const count = (operation: string) => double.recorded.filter(({ target: name }) => name.endsWith(operation)).length;
  expect({ bulk: count(".GetResources"), direct: count(".GetResource") }).toEqual({ bulk: 4, direct: 0 });
  expect(double.recorded).toHaveLength(4);
});
