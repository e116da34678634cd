import { googleCloud } from "@liveplane/adapters/google-cloud";
import { expect, test } from "vitest";
import { departures } from "../descriptions/departures.ts";
import { fetchFrom } from "../simulator/in-process.ts";
import { goodToken, googleDouble } from "./google-double.ts";
import { target } from "./google-world.ts";

const judged = departures();
const call = { credentials: { kind: "workload", name: null, secret: null } } as const;
const type = "monitoring.v3.alertPolicy";
const collection = "projects/project-one/alertPolicies";

function opened() {
  const google = googleDouble({ judged });
  const cloud = googleCloud({
    fetch: fetchFrom(google.answer),
    urlOf: (service) => `https://google.invalid/${service}`,
    authClient: { getAccessToken: async () => ({ token: goodToken }) },
  });
  const policy = (intent: string, displayName = "late") =>
    ({
      type,
      name: "late",
      resourceId: null,
      target,
      parameters: { displayName, combiner: "OR", conditions: [{ displayName: "slow" }] },
      tags: { "managed-by": "platform" },
      intent,
    }) as const;
  return { google, cloud, policy };
}

test("a policy is made without a name, and has the one that Google gives it", async () => {
  const { google, cloud, policy } = opened();
  expect(cloud.resourceIdFor(type, "late", target)).toBe(null);
  const { resourceId, shown } = await cloud.create(policy("i"), call);
  expect(resourceId).toMatch(/^projects\/project-one\/alertPolicies\/\d+$/);
  expect(google.recorded.at(-1)).toMatchObject({ method: "POST", path: `/monitoring/v3/${collection}` });
  expect(google.recorded.at(-1)?.body).not.toHaveProperty("name");
  const tags = { "managed-by": "platform" };
  expect(shown).toMatchObject({ tags });
  expect(await cloud.read({ type, resourceId }, call)).toMatchObject({ state: "present", tags });
  expect(cloud.typeOf?.(resourceId)).toBe(type);
});

test("where the answer is lost, the policy is found by its intent on any page", async () => {
  const { google, cloud, policy } = opened();
  for (const other of ["a", "b", "c"]) await cloud.create(policy(other), call);
  google.faults.set("write", "lose-answer");
  await expect(cloud.create(policy("lost"), call)).rejects.toMatchObject({ details: { outcome: "unknown" } });
  google.faults.clear();
  google.pages(2);
  const found = await cloud.findCreated("lost", target, call);
  expect(found).toEqual({ type, resourceId: expect.stringMatching(/\/alertPolicies\/\d+$/) });
  expect(await cloud.findCreated("never", target, call)).toBe(null);
});

test("the label of its intent stays, and isn't shown", async () => {
  const { google, cloud, policy } = opened();
  const { resourceId } = await cloud.create(policy("i"), call);
  await cloud.update({ type, resourceId }, { parameters: [], tags: { team: "blue" } }, {}, call);
  const { discover } = cloud;
  const page = await discover?.(target, { after: null, limit: 10 }, call);
  expect(page?.items).toMatchObject([{ type, resourceId, tags: { "managed-by": "platform", team: "blue" } }]);
  expect(page?.items[0]?.tags).not.toHaveProperty("liveplane-intent");
  expect(google.resourceAt(`/monitoring/v3/${resourceId}`)?.body.userLabels).toHaveProperty("liveplane-intent");
});

test("conditions keep their names when something in them changes", async () => {
  const { cloud, policy } = opened();
  const ref = { type, resourceId: (await cloud.create(policy("i"), call)).resourceId };
  const nameOf = async () => {
    const reading = await cloud.read(ref, call);
    return reading.state === "present" ? (reading.parameters.conditions as { name: string }[])[0]?.name : null;
  };
  const before = await nameOf();
  expect(before).toContain("/conditions/");
  const parameters = [{ pointer: "/conditions/0/displayName", value: "slower" }];
  await cloud.update(ref, { parameters, tags: {} }, {}, call);
  expect(await nameOf()).toBe(before);
});

test("before the service is enabled nothing was made, and a creation enables it", async () => {
  const { google, cloud, policy } = opened();
  google.switchOff("project-one", "monitoring");
  expect(await cloud.findCreated("i", target, call)).toBe(null);
  await expect(cloud.create(policy("i"), call)).rejects.toMatchObject({ details: { reason: "ServiceEnabling" } });
  expect(await cloud.create(policy("i"), call)).toMatchObject({ resourceId: expect.any(String) });
});

// Stands last: what the tests above sent and were answered is judged.
test("departs in nothing from what Google publishes", () => expect(judged.list()).toEqual([]));
