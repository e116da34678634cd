import { expect, test } from "vitest";
import { departures } from "../descriptions/departures.ts";
import { googleUnderTest } from "./google-world.ts";

test("writes whole numbers as the texts that Google takes, however they are declared", async () => {
  const judged = departures();
  const { cloud, call, target, google } = await googleUnderTest("compute.v1.disk", judged);
  const type = "compute.v1.disk";
  const resourceId = cloud.resourceIdFor(type, "data", target);
  const disk = { type, name: "data", resourceId, target, tags: {}, intent: "intent" };
  const parameters = { sizeGb: 10, licenseCodes: [1001, "1002"], description: "7" };
  const ref = { type, ...(await cloud.create({ ...disk, parameters }, call)) };
  const shown = async () => {
    const reading = await cloud.read(ref, call);
    return reading.state === "present" ? reading.parameters : null;
  };
  expect(await shown()).toMatchObject({ sizeGb: "10", licenseCodes: ["1001", "1002"], description: "7" });
  await cloud.update(ref, { parameters: [{ pointer: "/sizeGb", value: 20 }], tags: {} }, {}, call);
  expect(await shown()).toMatchObject({ sizeGb: "20" });
  expect(judged.list()).toEqual([]);
  await google.close();
});
