import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { azureUnderTest, typesUnderTest } from "../azure/azure-under-test.ts";
import { agentObject, portalUser } from "../azure/double-activity.ts";
import { departures } from "../descriptions/departures.ts";
import { consoleUser } from "../google/google-log.ts";
import { googleUnderTest } from "../google/google-world.ts";

const judged = departures();
afterAll(() => expect(judged.list()).toEqual([]));

const [azureType] = typesUnderTest as [(typeof typesUnderTest)[0]];

async function inAzure() {
  const under = await azureUnderTest(azureType, { judged });
  const refuse = () => {
    under.azure.state.refusal = { path: /eventtypes/, status: 403, code: "AuthorizationFailed" };
  };
  return { ...under, refuse, seen: under.azure.seen, person: portalUser, tagging: "Microsoft.Resources/tags/write" };
}

async function inGoogle() {
  const under = await googleUnderTest("compute.v1.disk", judged);
  onTestFinished(() => under.google.close());
  const refuse = () => under.google.switchOff("project-one", "logging");
  return { ...under, refuse, seen: under.google.seen, person: consoleUser, tagging: "v1.compute.disks.setLabels" };
}

describe.each([
  ["Azure's activity log", inAzure],
  ["Google's audit log", inGoogle],
])("%s", (_, open) => {
  async function handedOver() {
    const under = await open();
    const { cloud, call, type, target, parameters } = under;
    const resourceId = cloud.resourceIdFor(type, "first", target);
    const tags = { "managed-by": "platform" };
    await cloud.create({ type, name: "first", resourceId, target, parameters, tags, intent: "i" }, call);
    const ref = { type, resourceId: resourceId ?? "" };
    const within = { since: "2020-01-01T00:00:00.000Z", until: "2100-01-01T00:00:00.000Z" };
    return { ...under, ref, within };
  }

  test("tells who took a resource over, in one request", async () => {
    const { cloud, call, byHand, ref, within, seen, person, tagging } = await handedOver();
    await byHand.setTags(ref.resourceId, {});
    seen.length = 0;
    const found = await cloud.whoChanged?.(ref, within, call);
    expect(found).toEqual({ name: person, at: expect.stringMatching(/^\d{4}-.*Z$/), operation: tagging });
    expect(seen).toHaveLength(1);
  });

  test("tells nobody where only the agent itself was at it, or nothing happened meanwhile", async () => {
    const { cloud, call, byHand, ref, within } = await handedOver();
    expect(await cloud.whoChanged?.(ref, within, call)).toBeNull();
    await byHand.setTags(ref.resourceId, {});
    expect(await cloud.whoChanged?.(ref, { ...within, until: "2021-01-01T00:00:00.000Z" }, call)).toBeNull();
  });

  test("throws where it may not be read", async () => {
    const { cloud, call, byHand, ref, within, refuse } = await handedOver();
    await byHand.setTags(ref.resourceId, {});
    refuse();
    await expect(cloud.whoChanged?.(ref, within, call)).rejects.toMatchObject({ name: "LiveplaneError" });
  });
});

test("Azure names a client that isn't the agent's by its object", async () => {
  const { cloud, type, target, parameters, call, within } = {
    ...(await inAzure()),
    within: { since: "2020-01-01T00:00:00.000Z", until: "2100-01-01T00:00:00.000Z" },
  };
  const resourceId = cloud.resourceIdFor(type, "first", target) ?? "";
  await cloud.create({ type, name: "first", resourceId, target, parameters, tags: {}, intent: "i" }, call);
  const another = { credentials: { ...call.credentials, name: "another" } };
  expect(await cloud.whoChanged?.({ type, resourceId }, within, another)).toMatchObject({ name: agentObject });
});
