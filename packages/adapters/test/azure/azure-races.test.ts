import { readFileSync } from "node:fs";
import { join } from "node:path";
import { azureCloud } from "@liveplane/adapters/azure-cloud";
import { type CloudCall, SecretValue } from "@liveplane/core/clouds";
import { isLiveplaneError } from "@liveplane/core/errors";
import { expect, test } from "vitest";
import type { AzureKind } from "../../tables/azure-tables.ts";
import { azureDouble } from "./azure-double.ts";

const kinds = JSON.parse(readFileSync(join(import.meta.dirname, "../../tables/azure.json"), "utf8")) as Readonly<
  Record<string, AzureKind>
>;
const target = { scope: "3f2504e0-4f89-41d3-9a0c-0305e82c3301", region: "westeurope", container: "shop" };
const call: CloudCall = { credentials: { kind: "delegated", name: null, secret: new SecretValue("token-of-azure") } };
const taggable = Object.entries(kinds).filter(([, { tags }]) => tags);

/** A cloud over a double of its own, and where the first resource of a type goes. */
async function inAzure(type: string) {
  const azure = azureDouble({ isLenient: true });
  await azure.fetch("https://login/72f988bf-0000-4000-8000-2d7cd011db47/oauth2/v2.0/token", {
    method: "POST",
    body: "",
  });
  const cloud = azureCloud({ fetch: azure.fetch });
  const ref = { type, resourceId: cloud.resourceIdFor(type, "first", target) ?? "" };
  return { azure, cloud, ref };
}

/** The agent reads, decides, and writes; a person removes the tag right before the write arrives. */
async function race(type: string) {
  const { azure, cloud, ref } = await inAzure(type);
  azure.make(ref.resourceId, { properties: { level: "1" }, tags: { "managed-by": "platform", team: "blue" } });
  const read = await cloud.read(ref, call);
  const etag = read.state === "present" ? read.etag : undefined;
  let isOff = false;
  azure.state.before = ({ method }) => {
    if (method === "GET" || isOff) return;
    isOff = true;
    azure.setTags(ref.resourceId, { team: "blue" });
  };
  const change = { parameters: [{ pointer: "/properties/level", value: "2" }], tags: {} };
  const end = await cloud.update(ref, change, etag === undefined ? {} : { etag }, call).then(
    () => "written",
    (error: unknown) => (isLiveplaneError(error) ? error.code : "?"),
  );
  return { end, isOff, left: azure.get(ref.resourceId), bound: cloud.resourceType(type).boundBy?.properties };
}

test.each(taggable)("a removal of the tag between the read and the write stands: %s", async (type, kind) => {
  const { end, isOff, left, bound } = await race(type);
  if (bound === "none") return expect(kind.ifMatch).not.toContain("PUT");
  // Types whose properties no PATCH takes are refused by the adapter itself.
  if (kind.unpatched.includes("/properties") && kind.patch === "members") return expect(end).toBe("ProviderError");
  expect(isOff).toBe(true);
  expect(left?.tags).toEqual({ team: "blue" });
  expect(end).toBe(bound === "etag" ? "PreconditionFailed" : "written");
  expect(left?.body.properties).toEqual({ level: bound === "etag" ? "1" : "2" });
});

test("of the types that carry tags few are bound by nothing", () => {
  const cloud = azureCloud();
  const by = Map.groupBy(taggable, ([type]) => cloud.resourceType(type).boundBy?.properties);
  expect(Object.fromEntries([...by].map(([binding, types]) => [binding, types.length]))).toEqual({
    etag: 15,
    mask: 40,
    none: 2,
  });
  expect(by.get("none")?.map(([type]) => type)).toEqual(["Microsoft.Insights/components", "Microsoft.Logic/workflows"]);
});

test("tags are set and removed one by one, whatever the type, and a tag that is set meanwhile stays", async () => {
  for (const [type] of taggable) {
    const { azure, cloud, ref } = await inAzure(type);
    azure.make(ref.resourceId, { properties: {}, tags: { "managed-by": "platform", platform: "reconcile" } });
    azure.state.before = ({ method }) => {
      if (method === "PATCH") azure.setTags(ref.resourceId, { ...azure.get(ref.resourceId)?.tags, person: "here" });
    };
    await cloud.removeTag(ref, "platform", {}, call);
    await cloud.update(ref, { parameters: [], tags: { team: "blue" } }, {}, call);
    expect(azure.get(ref.resourceId)?.tags, type).toEqual({ "managed-by": "platform", person: "here", team: "blue" });
  }
});
