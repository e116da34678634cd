import { type Component, waitFor, waitForMutation } from "@liveplane/core/contract";
import { expect, test } from "vitest";
import { azureCredentials, completed, inAzure, managed, started } from "./real-clouds-world.ts";

test("Azure is asked about a type that no table knows when it is new; an existing component is never refused for it", {
  timeout: 120_000,
}, async () => {
  const { azure, api, environmentId } = await started();
  await api.environments.providerA.initialize(environmentId, inAzure, azureCredentials);
  await completed(api, environmentId, "providerA");
  azure.state.offered = [{ type: "Microsoft.Monitor/accounts", versions: ["2023-04-03"], taggable: true }];
  const component = (path: string, type: string) => ({
    path,
    provider: "provider-a",
    type,
    parameters: { location: "westeurope" },
  });
  const app = component("app", "Microsoft.Web/sites");
  const definition = (...components: ReturnType<typeof component>[]) => ({ name: "shop", environmentId, components });
  const asked = () => azure.seen.filter((line) => line.endsWith("/providers/Microsoft.Monitor")).length;

  const wrong = definition(app, component("logs", "Microsoft.Monitor/acounts@2023-04-03"));
  await expect(api.liveSystems.create(wrong)).rejects.toMatchObject({
    code: "InvalidDeclaration",
    details: {
      errors: [
        {
          pointer: "#/components/1/type",
          code: "InvalidDeclaration",
          detail: "Microsoft.Monitor has no such type. Did you mean Microsoft.Monitor/accounts?",
        },
      ],
    },
  });
  expect(asked()).toBe(1);

  const right = definition(app, component("logs", "Microsoft.Monitor/accounts@2023-04-03"));
  const deploy = await api.liveSystems.create(right);
  expect(asked()).toBe(2);
  const signal = AbortSignal.timeout(60_000);
  expect(await waitForMutation(api, deploy, { intervalMs: 100, signal })).toMatchObject({ status: "Succeeded" });
  const reaches = (status: Component["status"]) =>
    waitFor(api, `${deploy.livesystemId}/logs`, status, { intervalMs: 100, signal });
  const resourceId = (await reaches("Active")).resourceId ?? "";
  expect(azure.get(resourceId)?.tags).toEqual(managed);
  azure.setTags(resourceId, {});
  await reaches("ManualOverride");

  azure.state.offered = [{ type: "Microsoft.Monitor/accounts", versions: [], taggable: true }];
  const system = { id: deploy.livesystemId };
  const before = asked();
  await expect(api.liveSystems.deploy(system, right)).resolves.toMatchObject({ kind: "Deploy" });
  expect(asked()).toBe(before);
  const more = definition(...right.components, component("more", "Microsoft.Monitor/accounts@2023-04-03"));
  await expect(api.liveSystems.planDeploy(system, more)).rejects.toMatchObject({
    code: "InvalidDeclaration",
    details: { errors: [{ pointer: "#/components/2/type" }] },
  });
});
