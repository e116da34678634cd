import { awsCloud } from "@liveplane/adapters/aws-cloud";
import { describe, expect, test } from "vitest";
import { environmentId, overrideWorld } from "../../../core/test/builders/override.ts";
import { goodKey } from "./aws-double.ts";
import { awsWorld, placedIn } from "./aws-under-test.ts";

/** One type for each form of tags, and one whose identifier AWS chooses. */
const types = {
  "AWS::Logs::LogGroup": { declared: { RetentionInDays: 30 }, drift: { RetentionInDays: 7 } },
  "AWS::SQS::Queue": { declared: { DelaySeconds: 30 }, drift: { DelaySeconds: 7 } },
  "AWS::Glue::Job": {
    declared: { Role: "worker", Command: { Name: "glueetl" }, Timeout: 30 },
    drift: { Timeout: 7 },
  },
  "AWS::AutoScaling::AutoScalingGroup": { declared: { MinSize: "1", MaxSize: "2" }, drift: { MaxSize: "9" } },
};

const managed = { "managed-by": "platform" };

/** The agent with one component on AWS. */
async function deployed(type: keyof typeof types, options: { readonly valuesMs?: number } = {}) {
  const { double, send, target } = awsWorld();
  const aws = awsCloud({
    ...options,
    fetch: send,
    identifierPollMs: 0,
    urlOf: (service, region) => `https://aws.invalid/${service}/${region}`,
    credentials: async () => ({ accessKeyId: goodKey.id, secretAccessKey: goodKey.secret }),
  });
  const cloud = placedIn(aws, target);
  const world = overrideWorld({ clouds: (others) => [...others, cloud] });
  const components = [{ path: "app", provider: "aws", type, parameters: types[type].declared }];
  const mutation = await world.passing(world.create({ name: "shop", environmentId, components } as never));
  const [{ id = "", resourceId = null } = {}] = mutation.components;
  const at = resourceId ?? "";
  const settled = async () => {
    await world.cycles(3);
    return (await world.component(id)).status;
  };
  const drift = () => double.byHand(at, type, (properties) => ({ ...properties, ...types[type].drift }));
  const setTags = (tags: Readonly<Record<string, string>>) => double.setTags(at, type, tags);
  const now = async () => {
    const call = { credentials: { kind: "workload", name: null, secret: null } } as const;
    const reading = await cloud.read({ type, resourceId: at }, call);
    return reading.state === "present" ? { tags: reading.tags, parameters: reading.parameters } : reading.state;
  };
  return { world, double, mutation, id, settled, drift, setTags, now };
}

describe.each(Object.keys(types) as (keyof typeof types)[])("%s", (type) => {
  const { declared, drift: drifted } = types[type];

  test("is deployed, taken over, left alone, handed back, corrected and deleted", async () => {
    const { world, mutation, settled, drift, setTags, now } = await deployed(type);
    expect(mutation).toMatchObject({ status: "Succeeded" });
    expect(await now()).toMatchObject({ tags: managed, parameters: declared });
    setTags({});
    drift();
    expect(await settled()).toBe("ManualOverride");
    expect(await now()).toMatchObject({ tags: {}, parameters: drifted });
    setTags({ ...managed, platform: "reconcile" });
    expect(await settled()).toBe("Active");
    expect(await now()).toMatchObject({ tags: managed, parameters: declared });
    await world.passing(world.remove(mutation.livesystemId));
    expect(await now()).toBe("missing");
  });

  test("whose tag is removed while a correction is on its way isn't corrected, and it is no race", async () => {
    const { world, double, settled, drift, setTags, now } = await deployed(type, {
      valuesMs: 0,
    });
    drift();
    double.beforeWrite(() => setTags({ mine: "now" }));
    expect(await settled()).toBe("ManualOverride");
    expect(await now()).toMatchObject({ tags: { mine: "now" }, parameters: drifted });
    expect(await world.events("component.race_detected")).toEqual([]);
  });
});
