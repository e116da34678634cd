import { describe, expect, test } from "vitest";
import { azureShown } from "../src/azure/azure-resource.ts";
import { azureUnderTest, typesUnderTest } from "./azure/azure-under-test.ts";

const resourceId =
  "/subscriptions/3f2504e0-4f89-41d3-9a0c-0305e82c3301/resourceGroups/dev/providers/Microsoft.Cache/redis/one";
const ref = { type: "Microsoft.Cache/redis", resourceId };
const body = { id: resourceId, tags: { a: "b" }, properties: { redisVersion: "6.0", provisioningState: "Succeeded" } };
const answer = { status: 200, body, headers: new Headers() };

describe("what the answer to a write shows", () => {
  test.each([
    ["a body that is done", answer],
    ["a new resource that is done", { ...answer, status: 201 }],
    ["an id in another case", { ...answer, body: { ...body, id: resourceId.toUpperCase() } }],
    ["a body without a state", { ...answer, body: { ...body, properties: { redisVersion: "6.0" } } }],
  ])("is the resource, from %s", (_, given) => {
    const { provisioningState: __, ...properties } = body.properties;
    expect(azureShown(ref, given).shown).toMatchObject({ tags: { a: "b" }, parameters: { properties } });
  });

  test.each([
    ["was only accepted", { ...answer, status: 202 }],
    ["isn't done", { ...answer, status: 201, body: { ...body, properties: { provisioningState: "Creating" } } }],
    ["failed", { ...answer, body: { ...body, properties: { provisioningState: "Failed" } } }],
    ["has no body", { ...answer, status: 204, body: {} }],
    ["is of another resource", { ...answer, body: { ...body, id: `${resourceId}/providers/x.y/tags/default` } }],
    ["shows no tags of a type that carries them", { ...answer, body: { ...body, tags: null } }],
  ])("is nothing, from an answer that %s", (_, given) => expect(azureShown(ref, given)).toEqual({}));

  test("needs no tags of a type that carries none", () => {
    const part = {
      type: "Microsoft.Network/networkSecurityGroups/securityRules",
      resourceId: `${resourceId}/securityRules/x`,
    };
    expect(azureShown(part, { ...answer, body: { id: part.resourceId, properties: {} } }).shown).toMatchObject({
      tags: {},
    });
  });
});

test.each(typesUnderTest)("creations and corrections of $type show what became of them", async (type) => {
  const { cloud, call, target, parameters } = await azureUnderTest(type);
  const resourceId = cloud.resourceIdFor(type.type, "first", target) ?? "";
  const named = { type: type.type, name: "first", resourceId, target, parameters, tags: { a: "b" }, intent: "one" };
  expect((await cloud.create(named, call)).shown?.tags).toEqual({ a: "b" });
  const own = [{ pointer: type.changing, value: "changed" }];
  const change = (tags: Record<string, string>) =>
    cloud.update({ type: type.type, resourceId }, { parameters: own, tags }, {}, call);
  expect((await change({})).shown?.tags).toEqual({ a: "b" });
  // Tags are written by a second call, which shows nothing but them.
  expect(await change({ c: "d" })).toEqual({});
});
