import { waitForInitialization, waitForMutation } from "@liveplane/core/routes";
import { afterAll, beforeAll, expect, test } from "vitest";
import { send } from "./raw-http.ts";
import { type EndableServer, operatorPassword, type Person, request, startServer } from "./running-server.ts";

let server: EndableServer;
let people: Readonly<Record<"admin" | "editor" | "viewer" | "stranger", Person>>;
let operator: string;
let component: { readonly id: string; readonly resourceId: string };

beforeAll(async () => {
  server = await startServer();
  operator = (await server.operator.sessions.create({ username: "operator", password: operatorPassword })).accessToken;
  const [admin, editor, viewer, stranger] = await Promise.all(
    (["ada", "grace", "mary", "eve"] as const).map((name) => server.person(name)),
  );
  if (!admin || !editor || !viewer || !stranger) throw new RangeError("Somebody is missing.");
  people = { admin, editor, viewer, stranger };
  const { id: organizationId } = await admin.api.organizations.create({ name: "Lovelace" });
  for (const [permissionType, { id: principalId }] of [
    ["Edit", editor],
    ["View", viewer],
  ] as const)
    await admin.api.organizations.permissions.grant(
      { organizationId },
      { principalType: "Account", principalId, permissionType },
    );
  component = await deployed(admin, { type: "Organizational", ownerId: organizationId, shortName: "web" });
});
afterAll(() => server.end());

type Place = Parameters<Person["api"]["environments"]["get"]>[0];

/** A component with its resource. */
async function deployed({ api }: Person, environmentId: Place) {
  await api.environments.create(environmentId, {});
  const credentials = { providerAClientId: crypto.randomUUID(), providerAClientSecret: "any" };
  const subscriptionId = "0b8a1a52-7a3e-4b7e-9a9e-0d6f6b1f0c01";
  await api.environments.providerA.initialize(environmentId, { subscriptionId }, credentials);
  await waitForInitialization(api, environmentId, "provider-a", { intervalMs: 50 });
  const type = "Microsoft.Storage/storageAccounts@2023-05-01";
  const storage = {
    path: "storage",
    provider: "provider-a",
    type,
    parameters: { tags: { team: "web" } },
  };
  const mutation = await waitForMutation(
    api,
    await api.liveSystems.create({ name: "shop", environmentId, components: [storage] }),
    { intervalMs: 50 },
  );
  const id = `${mutation.livesystemId}/storage`;
  const { resourceId } = await api.liveSystems.components.get({ id: mutation.livesystemId, componentId: id });
  return { id, resourceId: resourceId ?? "" };
}

const patchTags = (componentId: string, token: string | undefined, json: unknown) =>
  request(`${server.url}/simulator/components/${encodeURIComponent(componentId)}/tags`, {
    method: "PATCH",
    json,
    ...(token !== undefined && { token }),
  });

async function tagsNow() {
  const at = `${server.url}/simulator/provider-a/resources/${encodeURIComponent(component.resourceId)}`;
  return (await request(at, { token: operator })).json.tags as Record<string, string>;
}

test("a person who may edit the live system changes single tags of its resource, and is shown nothing of it", async () => {
  for (const { token } of [people.editor, people.admin]) {
    const before = await tagsNow();
    expect(before).toMatchObject({ "managed-by": "platform", team: "web" });
    const { "managed-by": _, ...others } = before;
    const taken = await patchTags(component.id, token, { "managed-by": null, "platform-owner": "Grace" });
    const after = { ...others, "platform-owner": "Grace" };
    expect([taken.status, taken.text]).toEqual([204, ""]);
    expect(await tagsNow()).toEqual(after);
    await patchTags(component.id, token, { "managed-by": "platform", "platform-owner": null });
    expect(await tagsNow()).toEqual(before);
  }
});

test("nobody else does, and a person who may not view the live system gets the answer for one that does not exist", async () => {
  const before = await tagsNow();
  const patch = { "managed-by": null, team: "eve" };
  const refusals = [
    [people.viewer.token, 403, "PermissionDenied"],
    [people.stranger.token, 404, "NotFound"],
    [undefined, 401, "Unauthenticated"],
    ["nonsense", 401, "Unauthenticated"],
  ] as const;
  for (const [token, status, code] of refusals)
    expect(await patchTags(component.id, token, patch)).toMatchObject({ status, json: { code } });
  const absent = `${crypto.randomUUID()}/storage`;
  const [foreign, none] = await Promise.all(
    [component.id, absent].map((id) => patchTags(id, people.stranger.token, patch)),
  );
  const { requestId: _a, instance: _b, ...hidden } = foreign?.json ?? {};
  const detail = String(hidden.detail).replace(component.id, absent);
  expect(none?.json).toMatchObject({ ...hidden, detail });
  expect(await tagsNow()).toEqual(before);
});

test("a tenant can't name another tenant's resource as their own component's", async () => {
  const { api, id: ownerId, token } = people.stranger;
  const environmentId = { type: "Personal", ownerId, shortName: "home" } as const;
  const own = await deployed(people.stranger, environmentId);
  const [id = ""] = own.id.split("/");
  const type = "Microsoft.Storage/storageAccounts@2023-05-01";
  const stolen = { path: "stolen", provider: "provider-a", type, resourceId: component.resourceId, parameters: {} };
  const definition = { name: "shop", environmentId, components: [stolen] };
  await expect(api.liveSystems.deploy({ id }, definition)).rejects.toMatchObject({
    details: { errors: [{ pointer: "#/components/0/resourceId" }] },
  });
  expect(await patchTags(`${id}/stolen`, token, { team: "eve" })).toMatchObject({ status: 404 });
  expect(await patchTags(own.id, token, { team: "eve" })).toMatchObject({ status: 204 });
  expect(await tagsNow()).toMatchObject({ team: "web" });
});

test("an operator changes single tags too: of a component that they see, and of any resource", async () => {
  expect(await patchTags(component.id, operator, { team: "x" })).toMatchObject({ status: 404 });
  const at = `${server.url}/simulator/provider-a/resources/${encodeURIComponent(component.resourceId)}/tags`;
  const before = await tagsNow();
  const patched = await request(at, { method: "PATCH", token: operator, json: { stage: "live" } });
  expect(patched).toMatchObject({ status: 200, json: { tags: { ...before, stage: "live" } } });
  expect(await request(at, { method: "PATCH", token: people.admin.token, json: { stage: "x" } })).toMatchObject({
    status: 403,
  });
  await request(at, { method: "PATCH", token: operator, json: { stage: null } });
  expect(await tagsNow()).toEqual(before);
});

test("only a patch is accepted, of at most 64 KiB, and what is wrong is named", async () => {
  const path = `/simulator/components/${encodeURIComponent(component.id)}/tags`;
  const { token } = people.editor;
  for (const method of ["GET", "PUT", "DELETE"])
    expect(await send(server.url, { method, path, token })).toMatchObject({ status: 405 });
  expect(await patchTags(component.id, token, { team: 5 })).toMatchObject({
    status: 400,
    json: { errors: [{ pointer: "#/team" }] },
  });
  expect(await patchTags(component.id, token, { team: "x".repeat(70_000) })).toMatchObject({ status: 413 });
  expect(await patchTags("storage", token, {})).toMatchObject({ status: 404 });
  for (const id of ["a/%00", "%zz"])
    expect((await send(server.url, { method: "PATCH", path: `/simulator/components/${id}/tags`, token })).status).toBe(
      404,
    );
});

test("the list of resources says to which component each belongs, where that is, and whether it is taken over", async () => {
  const at = `${server.url}/simulator/provider-a/resources`;
  const shownOf = async (resourceId: string) => {
    const { items } = (await request(at, { token: operator })).json as { items: { id: string; component: unknown }[] };
    return items.find(({ id }) => id === resourceId)?.component;
  };
  const byHand = component.resourceId.replace(/[^/]+$/, "byhand");
  await request(`${at}/${encodeURIComponent(byHand)}`, { method: "PUT", token: operator, json: {} });
  expect(await shownOf(byHand)).toBeNull();
  const { id } = component;
  const its = { id, liveSystemName: "shop", environment: "web" };
  expect(await shownOf(component.resourceId)).toEqual({ ...its, isOverridden: false });
  await patchTags(id, people.editor.token, { "managed-by": null });
  await people.editor.api.liveSystems.components.check({ id: id.split("/")[0] ?? "", componentId: id });
  expect(await shownOf(component.resourceId)).toEqual({ ...its, isOverridden: true });
});
