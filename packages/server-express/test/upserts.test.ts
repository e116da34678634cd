import { operationsById, parseRoute } from "@liveplane/core/contract";
import { expect, test } from "vitest";
import { request, runServer } from "./running-server.ts";

const icon = "https://example.com/icon.png";

async function setUp() {
  const { url, person } = await runServer();
  const { id, token, api } = await person("ada");
  const { id: organizationId } = await api.organizations.create({ name: "Acme" });
  await api.environments.create({ type: "Personal", ownerId: id, shortName: "dev" }, {});
  const pathOf = (path: string) =>
    path
      .replace("{organizationId}", organizationId)
      .replace("{type}/{ownerId}/{shortName}", `Personal/${id}/dev`)
      .replace("{shortName}", "main");
  return { pathOf, send: (path: string, init: object) => request(url + pathOf(path), { token, ...init }) };
}

const upserts = Object.values(operationsById)
  .filter(({ id }) => /\.upsert(?:ByShortName)?$/.test(id))
  .map(({ id }) => ({ id, ...parseRoute(id) }));

test("every upsert of the contract is tried here", () => {
  expect(upserts.map(({ id }) => id)).toEqual([
    "accounts.resourceGroups.upsert",
    "accounts.resourceGroups.upsertByShortName",
    "organizations.resourceGroups.upsert",
    "organizations.teams.upsert",
  ]);
});

test.each(upserts.flatMap(({ id, methods, path }) => methods.map((method) => ({ id, method, path }))))(
  "$method of $id answers 200, and says by Location and made that it created",
  async ({ method, path }) => {
    const { pathOf, send } = await setUp();
    const body = path.endsWith("/teams") ? { shortName: "main" } : {};
    const first = await send(path, { method, json: body });
    expect(first).toMatchObject({ status: 200, json: { made: true } });
    const made = path.endsWith("/teams")
      ? `${path}/main`
      : path.replace("/accounts/resourcegroups", "/accounts/me/resourcegroups");
    expect(first.headers.get("location")).toBe(pathOf(made));
    expect((await send(made, {})).status).toBe(200);

    const again = await send(path, { method, json: { ...body, description: "Changed" } });
    expect(again).toMatchObject({ status: 200, json: { description: "Changed" } });
    expect(again.json).not.toHaveProperty("made");
    expect(again.headers.get("location")).toBeNull();
  },
);

test.each(upserts)("$id reads iconUrl as icon, and icon counts where both come", async ({ path, methods }) => {
  const { send } = await setUp();
  const method = methods[0];
  const body = path.endsWith("/teams") ? { shortName: "main" } : {};
  const iconAfter = async (sent: object) => (await send(path, { method, json: { ...body, ...sent } })).json.icon;
  expect(await iconAfter({ iconUrl: icon })).toBe(icon);
  expect(await iconAfter({ icon: `${icon}?2`, iconUrl: icon })).toBe(`${icon}?2`);
  expect(await iconAfter({ icon: null, iconUrl: icon })).toBeNull();
  expect(await iconAfter({ iconUrl: icon })).toBe(icon);
  expect(await iconAfter({ iconUrl: "" })).toBeNull();
});

test.each(["secrets", "ci-cd-profiles"])(
  "the bulk upsert of %s answers 201, also where nothing is new",
  async (content) => {
    const { send } = await setUp();
    for (let turn = 0; turn < 2; turn++) {
      const answer = await send(`/environments/{type}/{ownerId}/{shortName}/${content}/bulk`, {
        method: "POST",
        json: [{ shortName: "one", description: `Turn ${turn}` }],
      });
      expect(answer).toMatchObject({ status: 201, json: [{ shortName: "one", description: `Turn ${turn}` }] });
    }
  },
);
