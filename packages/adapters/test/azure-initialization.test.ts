import { azureCloud } from "@liveplane/adapters/azure-cloud";
import { SecretValue } from "@liveplane/core/clouds";
import { expect, onTestFinished, test } from "vitest";
import { departures } from "./descriptions/departures.ts";
import { fakeAzure } from "./fake-azure.ts";

const target = { scope: "3f2504e0-4f89-41d3-9a0c-0305e82c3301", region: "westeurope" };
const call = {
  credentials: { kind: "servicePrincipal", name: "client", secret: new SecretValue("canary-client-secret") },
} as const;

/** Azure, which doesn't show what it accepted until it was asked for it so often. */
async function lateAzure(reads: number) {
  const azure = await fakeAzure(departures([]));
  onTestFinished(() => azure.close());
  const asked = new Map<string, number>();
  const methods: string[] = [];
  const late: typeof fetch = async (input, init) => {
    const { pathname } = new URL(input instanceof Request ? input.url : input);
    const method = (init?.method ?? (input instanceof Request ? input.method : "GET")).toUpperCase();
    if (!pathname.startsWith("/subscriptions/")) return fetch(input, init);
    methods.push(method);
    if (method === "PUT") asked.set(pathname, 0);
    const times = asked.get(pathname);
    if (method !== "GET" || times === undefined || times >= reads) return fetch(input, init);
    asked.set(pathname, times + 1);
    return Response.json({ error: { code: "ResourceNotFound", message: "It was not found." } }, { status: 404 });
  };
  const cloud = azureCloud({ managementUrl: azure.url, loginUrl: azure.url, fetch: late, sleep: async () => {} });
  return { cloud, methods };
}

test("what Azure accepted and doesn't show yet hasn't failed: the step waits for it, and asks for it once", async () => {
  const { cloud, methods } = await lateAzure(3);
  const request = { name: "dev", target, tags: { "managed-by": "platform" }, outputs: {} };
  for (const { name } of cloud.initializationSteps(target, "dev"))
    expect(await cloud.runStep(name, request, call), name).toMatchObject({ id: expect.any(String) });
  const steps = cloud.initializationSteps(target, "dev").length;
  expect(methods.filter((method) => method === "PUT")).toHaveLength(steps);
});
