import { expect, test } from "vitest";
import { azureUnderTest, typesUnderTest } from "./azure-under-test.ts";

async function telling(headers: Readonly<Record<string, string>>) {
  const type = typesUnderTest.find((one) => one.type === "Microsoft.Web/sites");
  if (type === undefined) throw new RangeError("There is no such type.");
  const { cloud, call, target, azure, ahead, now } = await azureUnderTest(type);
  const resourceId = cloud.resourceIdFor(type.type, "first", target) ?? "";
  const ref = { type: type.type, resourceId };
  const said = (sort: "read" | "bulk" | "write") => cloud.remaining?.(resourceId, sort)?.calls ?? null;
  const { parameters } = type;
  await cloud.create({ ...ref, name: "first", target, parameters, tags: {}, intent: "intent" }, call);
  azure.state.telling = headers;
  return { cloud, call, ref, said, ahead, now };
}

test("says what Azure says is left of each sort, for the subscription that it said it of", async () => {
  const { cloud, call, ref, said } = await telling({ "x-ms-ratelimit-remaining-subscription-reads": "17" });
  expect([said("read"), said("write"), said("bulk")]).toEqual([null, null, null]);
  await cloud.read(ref, call);
  expect([said("read"), said("write"), said("bulk")]).toEqual([17, null, null]);
  const elsewhere = ref.resourceId.replace("c3301", "c3302");
  expect(cloud.remaining?.(elsewhere, "read")).toBeNull();
});

test("counts writes and queries of Resource Graph apart", async () => {
  const { cloud, call, ref, said } = await telling({
    "x-ms-user-quota-remaining": "3",
  });
  await cloud.readMany([ref], call);
  expect([said("read"), said("bulk")]).toEqual([null, 3]);
  await cloud.update(ref, { parameters: [], tags: { team: "blue" } }, {}, call);
  expect(said("write")).toBe(3);
});

test("goes by the least of the quotas that a call counts in", async () => {
  const { cloud, call, ref, said } = await telling({
    "x-ms-ratelimit-remaining-subscription-reads": "240",
    "x-ms-ratelimit-remaining-subscription-global-reads": "3700",
    "x-ms-ratelimit-remaining-resource": "Microsoft.Compute/GetVM3Min;12,Microsoft.Compute/GetVM30Min;1258",
  });
  await cloud.read(ref, call);
  expect(said("read")).toBe(12);
});

test("what says nothing of a quota is no number", async () => {
  const { cloud, call, ref, said } = await telling({ "x-ms-ratelimit-remaining-subscription-reads": "plenty" });
  await cloud.read(ref, call);
  expect(said("read")).toBeNull();
});
