import { azureCloud } from "@liveplane/adapters/azure-cloud";
import { SecretValue } from "@liveplane/core/clouds";
import { isLiveplaneError } from "@liveplane/core/errors";
import { expect, test } from "vitest";
import { azureDouble } from "./azure-double.ts";

const target = { scope: "3f2504e0-4f89-41d3-9a0c-0305e82c3301", region: "westeurope" };
const call = {
  credentials: { kind: "servicePrincipal", name: "client", secret: new SecretValue("canary-client-secret") },
} as const;

/** Azure, which answers 404 for what it has accepted until it was asked so often. */
function lateAzure(reads: number) {
  const azure = azureDouble();
  const asked = new Map<string, number>();
  const made: string[] = [];
  const late: typeof fetch = async (input, init) => {
    const { pathname } = new URL(input instanceof Request ? input.url : input);
    const { method } = new Request(input, init);
    if (method === "PUT") {
      made.push(pathname);
      asked.set(pathname, 0);
    }
    const times = asked.get(pathname);
    if (method !== "GET" || times === undefined || times >= reads) return azure.fetch(input, init);
    asked.set(pathname, times + 1);
    return Response.json({ error: { code: "ResourceNotFound", message: "It was not found." } }, { status: 404 });
  };
  return { cloud: azureCloud({ fetch: late }), made };
}

test("what Azure accepted and doesn't show yet hasn't failed: the step waits for it, and asks for it once", async () => {
  const { cloud, made } = lateAzure(3);
  const request = { name: "dev", target, tags: { "managed-by": "platform" }, outputs: {} };
  for (const { name } of cloud.initializationSteps(target, "dev")) {
    for (let waits = true, times = 0; waits && times < 10; times++) {
      waits = await cloud.runStep(name, request, call).then(
        () => false,
        (error: unknown) => isLiveplaneError(error) && error.details.outcome === "working",
      );
      if (!waits) expect(await cloud.runStep(name, request, call), name).toEqual(expect.anything());
    }
  }
  expect(made.length).toBeGreaterThan(2);
  expect(new Set(made).size).toBe(made.length);
});
