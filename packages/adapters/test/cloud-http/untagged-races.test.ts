import { azureCloud } from "@liveplane/adapters/azure-cloud";
import { googleCloud } from "@liveplane/adapters/google-cloud";
import { type CloudCall, SecretValue } from "@liveplane/core/clouds";
import { isLiveplaneError } from "@liveplane/core/errors";
import { describe, expect, onTestFinished, test } from "vitest";
import azureTables from "../../tables/azure.json" with { type: "json" };
import googleTables from "../../tables/google.json" with { type: "json" };
import googleApi from "../../tables/google-api.json" with { type: "json" };
import { azureDouble } from "../azure/azure-double.ts";
import { goodToken, pathOf } from "../google/google-double.ts";
import { googleUnderTest, target } from "../google/google-world.ts";

// What carries no tags is held with another component: nobody takes it over by itself, and still people write to it.
const person = (token: string): CloudCall => ({
  credentials: { kind: "delegated", name: null, secret: new SecretValue(token) },
});

const outcomeOf = (work: Promise<unknown>) =>
  work.then(
    () => "written",
    (error: unknown) => {
      if (!isLiveplaneError(error)) return "?";
      return error.details.reason === "NotCorrectable" ? error.details.reason : error.code;
    },
  );

const untagged = Object.entries(azureTables).flatMap(([type, { tags }]) => (tags ? [] : [type]));

describe("what a person changes in Azure between the read and the write stands, also without tags", () => {
  test.each(untagged)("%s", async (type) => {
    const azure = azureDouble({ isLenient: true });
    azure.signIn();
    const cloud = azureCloud({ fetch: azure.fetch });
    const inAzure = { scope: "3f2504e0-4f89-41d3-9a0c-0305e82c3301", region: "westeurope", container: "shop" };
    const ref = { type, resourceId: cloud.resourceIdFor(type, "first", inAzure) ?? "" };
    azure.make(ref.resourceId, { properties: { level: "1", other: "1" } });
    const call = person("token-of-azure");
    const read = await cloud.read(ref, call);
    const etag = read.state === "present" ? read.etag : undefined;
    let isDone = false;
    azure.state.before = ({ method }) => {
      if (method === "GET" || isDone) return;
      isDone = true;
      azure.patch(ref.resourceId, { properties: { other: "by hand" } });
    };
    const change = { parameters: [{ pointer: "/properties/level", value: "2" }], tags: {} };
    const bound = cloud.resourceType(type).boundBy?.properties;
    const outcome = await outcomeOf(cloud.update(ref, change, etag === undefined ? {} : { etag }, call));
    // What nothing binds is written only where its component accepts that.
    if (bound === "none") return;
    expect(isDone).toBe(true);
    expect(outcome).toBe(bound === "etag" ? "PreconditionFailed" : "written");
    const level = bound === "etag" ? "1" : "2";
    expect(azure.get(ref.resourceId)?.body.properties).toEqual({ level, other: "by hand" });
  });

  test("of these types nothing binds what is written of", () => {
    const { resourceType } = azureCloud();
    expect(untagged.filter((type) => resourceType(type).boundBy?.properties === "none")).toMatchInlineSnapshot(`
      [
        "Microsoft.Authorization/roleAssignments",
        "Microsoft.DBforPostgreSQL/flexibleServers/databases",
        "Microsoft.EventHub/namespaces/eventhubs",
        "Microsoft.Insights/diagnosticSettings",
        "Microsoft.ManagedIdentity/userAssignedIdentities/federatedIdentityCredentials",
        "Microsoft.ServiceBus/namespaces/queues",
        "Microsoft.ServiceBus/namespaces/topics",
        "Microsoft.ServiceBus/namespaces/topics/subscriptions",
        "Microsoft.ServiceBus/namespaces/topics/subscriptions/rules",
        "Microsoft.Sql/servers/firewallRules",
      ]
    `);
  });
});

type Schemas = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** Kinds without labels that can be changed, with a text beside their description that a person may change. */
const unlabelled = Object.entries(googleTables).flatMap(
  ([name, { version, labels, change, paths }]): [string, string][] => {
    if (labels !== "none" || change === null) return [];
    const get = googleApi.operations.find(({ method, path }) => method === "GET" && path === paths[0]);
    const shown = (googleApi.schemas as unknown as Schemas)[String(get?.answers["200"]).slice(1)] ?? {};
    const own = Object.keys(shown).find(
      (one) =>
        shown[one] === "string" &&
        !/^(name|description|kind|id|.*ingerprint|etag|region|zone|status|state|deleted)$/.test(one),
    );
    return shown.description === "string" && own !== undefined ? [[name.replace(".", `.${version}.`), own]] : [];
  },
);

describe("what a person changes in Google Cloud between the read and the write stands, also without labels", () => {
  test.each(unlabelled)("%s, and its %s", async (type, member) => {
    const { cloud, google, call } = await googleUnderTest(type);
    onTestFinished(() => google.close());
    const name = type === "compute.v1.wireGroup" ? "net/first" : "first";
    const resourceId = cloud.resourceIdFor(type, name, target) ?? "";
    const ref = { type, resourceId };
    const path = pathOf(type, resourceId);
    google.putAt(path, "project-one", { description: "small" });
    const late = async (input: string | URL | Request, init?: RequestInit) => {
      const isWrite = init?.method !== "GET" && init?.method !== undefined && !String(input).includes("/token");
      if (isWrite) google.byHand(path, (body) => ({ ...body, [member]: "by hand" }));
      return fetch(input, init);
    };
    const read = await cloud.read(ref, call);
    const etag = read.state === "present" ? read.etag : undefined;
    const slower = googleCloud({ urlOf: (service) => `${google.url}/${service}`, fetch: late as typeof fetch });
    const change = { parameters: [{ pointer: "/description", value: "changed" }], tags: {} };
    const written = slower.update(ref, change, etag === undefined ? {} : { etag }, person(goodToken));
    const bound = cloud.resourceType(type).boundBy?.properties;
    // Of these Google patches those for the whole world alone.
    if (type === "compute.v1.targetHttpProxy") return expect(await outcomeOf(written)).toBe("NotCorrectable");
    const isRefused = bound === "etag" || bound === "fingerprint";
    expect(await outcomeOf(written)).toBe(isRefused ? "PreconditionFailed" : "written");
    expect(google.at(path)?.body).toMatchObject({
      [member]: "by hand",
      description: isRefused ? "small" : "changed",
    });
  });
});
