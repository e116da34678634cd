import { createClient } from "@liveplane/client";
import { waitForMutation } from "@liveplane/core/contract";
import { expect, test } from "vitest";
import { request, runServer } from "./running-server.ts";

test("an environment is made, read, guarded by its version, and hidden from strangers", async () => {
  const server = await runServer();
  const ada = await server.person("ada");
  const eve = await server.person("eve");
  const id = { type: "Personal", ownerId: ada.id, shortName: "production" } as const;

  const made = await ada.api.environments.create(id, { name: "Production" });
  expect(made).toMatchObject({ id, name: "Production", status: "Registered", resourceGroups: [], parameters: {} });
  expect(await ada.api.environments.get(id)).toEqual(made);

  const answer = await request(`${server.url}/environments/Personal/${ada.id}/production`, { token: ada.token });
  expect(answer.headers.get("etag")).toBe(`"${made.version}"`);

  const changed = await ada.api.environments.update(id, { name: "Live" }, { ifMatch: made.version });
  expect(changed.version).not.toBe(made.version);
  await expect(ada.api.environments.update(id, { name: "Late" }, { ifMatch: made.version })).rejects.toMatchObject({
    code: "PreconditionFailed",
    status: 412,
  });
  await expect(ada.api.environments.create(id, {})).rejects.toMatchObject({ code: "AlreadyExists" });
  await expect(eve.api.environments.get(id)).rejects.toMatchObject({ code: "NotFound", status: 404 });
  await expect(createClient({ baseUrl: server.url }).environments.get(id)).rejects.toMatchObject({ status: 401 });
});

test("a component is handed over to a person, and taken back", async () => {
  const server = await runServer();
  const ada = await server.person("ada");
  const environmentId = { type: "Personal", ownerId: ada.id, shortName: "production" } as const;
  await ada.api.environments.create(environmentId, {});
  await ada.api.environments.providerA.initialize(
    environmentId,
    { subscriptionId: "0b8a1a52-7a3e-4b7e-9a9e-0d6f6b1f0c01", region: "westeurope" },
    { providerAClientId: "9f5a8f6e-6a64-4f62-8a58-0d8a7f6b2c02", providerAClientSecret: "secret" },
  );
  await expect
    .poll(async () => (await ada.api.environments.providerA.status(environmentId)).initializationRun.status, {
      timeout: 15_000,
    })
    .toBe("Completed");

  const definition = {
    name: "shop",
    environmentId,
    components: [
      {
        path: "network/vnet",
        provider: "provider-a",
        type: "Microsoft.Network/virtualNetworks@2024-05-01",
        parameters: { addressSpace: "10.0.0.0/16", size: 2, tags: { team: "web" } },
      },
      {
        path: "app",
        provider: "provider-a",
        type: "Microsoft.Web/sites@2024-04-01",
        parameters: { network: { $output: "network/vnet#id" } },
      },
    ],
  };
  const started = await ada.api.liveSystems.create(definition);
  const done = await waitForMutation(ada.api, started, { intervalMs: 50 });
  expect(done).toMatchObject({ status: "Succeeded", error: null });

  const componentId = `${started.livesystemId}/network/vnet`;
  const at = { id: started.livesystemId, componentId };
  const active = await ada.api.liveSystems.components.get(at);
  expect(active).toMatchObject({ id: componentId, status: "Active", override: null });
  expect(active.outputFields).not.toHaveProperty("drift");

  const { accessToken } = await createClient({ baseUrl: server.url }).sessions.create({
    username: "operator",
    password: "a long enough secret",
  });
  const resource = `${server.url}/simulator/provider-a/resources/${encodeURIComponent(active.resourceId ?? "")}`;
  const { json: inCloud } = await request(resource, { token: accessToken });
  expect(inCloud.tags).toMatchObject({ "managed-by": "platform", team: "web" });

  const { "managed-by": _removed, ...untagged } = inCloud.tags;
  expect((await request(`${resource}/tags`, { method: "PUT", token: accessToken, json: untagged })).status).toBe(200);
  expect((await ada.api.liveSystems.components.check(at)).component).toMatchObject({ status: "ManualOverride" });
  await request(`${resource}/parameters`, { method: "PATCH", token: accessToken, json: { size: 5 } });
  const taken = await ada.api.liveSystems.components.check(at);
  expect(taken.component).toMatchObject({ status: "ManualOverride" });
  expect(taken.component.outputFields.drift).toEqual({ size: { declared: 2, actual: 5 } });
  expect(taken.acknowledgement).toMatchObject({ managementTag: false, writesInFlight: 0 });

  const plan = await ada.api.liveSystems.components.adoptionPlan(at);
  expect(plan.changes).toMatchObject([{ parameter: "size", declared: 2, actual: 5, cause: "cloud" }]);
  const overrides = await ada.api.overrides.list();
  expect(overrides.items.map(({ component }) => component.id)).toEqual([componentId]);

  const both = { ...untagged, "managed-by": "platform", platform: "reconcile" };
  await request(`${resource}/tags`, { method: "PUT", token: accessToken, json: both });
  await ada.api.liveSystems.components.check(at);
  await expect
    .poll(async () => (await ada.api.liveSystems.components.get(at)).status, { timeout: 10_000 })
    .toBe("Active");
  const { json: back } = await request(resource, { token: accessToken });
  expect(back.tags).toEqual({ "managed-by": "platform", team: "web" });
  expect(back.parameters.size).toBe(2);
  const { items } = await ada.api.liveSystems.components.overrides(at);
  expect(items).toMatchObject([{ outcome: "Reconciled", start: { actual: { size: 2 } } }]);
});
