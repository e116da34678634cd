import { waitForInitialization, waitForMutation } from "@liveplane/client";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  type EndableServer,
  type Person,
  personsPassword as password,
  startServer,
} from "../../server-express/test/running-server.ts";
import { typedLine } from "../../server-express/test/typed-line.ts";
import { consolesOfChromium, operatorToken } from "./console-page.ts";

const openConsole = consolesOfChromium();
let server: EndableServer;
let ada: Person;
let componentId: string;
let resourceId: string;

beforeAll(async () => {
  server = await startServer({ LIVEPLANE_CHECK_SECONDS: "0.2" });
  const [owner, mary] = await Promise.all([server.person("ada"), server.person("mary")]);
  ada = owner;
  const { id: ownerId } = await ada.api.organizations.create({ name: "Lovelace" });
  const view = { principalType: "Account", principalId: mary.id, permissionType: "View" } as const;
  await ada.api.organizations.permissions.grant({ organizationId: ownerId }, view);
  const environmentId = { type: "Organizational", ownerId, shortName: "web" } as const;
  await ada.api.environments.create(environmentId, {});
  const credentials = { providerAClientId: crypto.randomUUID(), providerAClientSecret: "any" };
  await ada.api.environments.providerA.initialize(environmentId, { subscriptionId: crypto.randomUUID() }, credentials);
  await waitForInitialization(ada.api, environmentId, "provider-a", { intervalMs: 50 });
  const type = "Microsoft.Storage/storageAccounts@2023-05-01";
  const storage = { path: "storage", provider: "provider-a", type, parameters: { tags: { team: "web" } } };
  const begun = await ada.api.liveSystems.create({ name: "shop", environmentId, components: [storage] });
  const { livesystemId: id } = await waitForMutation(ada.api, begun, { intervalMs: 50 });
  componentId = `${id}/storage`;
  resourceId = (await ada.api.liveSystems.components.get({ id, componentId })).resourceId ?? "";
}, 60_000);
afterAll(() => server.end());

async function tagsNow() {
  const at = `${server.url}/simulator/provider-a/resources/${encodeURIComponent(resourceId)}`;
  const answer = await fetch(at, { headers: { authorization: `Bearer ${await operatorToken(server.url)()}` } });
  return ((await answer.json()) as { tags: Record<string, string> }).tags;
}

test("a person who may edit takes a simulated resource over and hands it back, on its page; other tags stay", async (context) => {
  const { page, wrong } = await openConsole(context, server.url, { username: "ada", password });
  await page.evaluate(`location.hash = ${JSON.stringify(`#/component/${componentId}`)}`);
  const main = page.getByRole("main");
  await main.getByText("This button removes managed-by and sets platform-owner to your name.").waitFor();
  await main.getByRole("button", { name: "Remove its tag" }).click();
  await main.getByText("It's yours.").waitFor();
  expect(await tagsNow()).toEqual({ team: "web", "platform-owner": "ada" });
  await main.getByRole("button", { name: "Set both tags" }).click();
  await main.getByText("Handed back.").waitFor();
  expect(await tagsNow()).toEqual({ team: "web", "managed-by": "platform" });

  await main.getByRole("button", { name: "Remove its tag" }).click();
  await main.getByText("It's yours.").waitFor();
  await page.evaluate(`location.hash = "#/overrides?view=table"`);
  await main.getByRole("checkbox", { name: "Choose all" }).check();
  await main.getByRole("button", { name: "Set both tags" }).click();
  await main.getByText("Nothing is taken over.").waitFor();
  expect(wrong).toEqual([]);
}, 60_000);

test("a person who may only view is told who changes its tags", async (context) => {
  const { page, wrong } = await openConsole(context, server.url, { username: "mary", password });
  await page.evaluate(`location.hash = ${JSON.stringify(`#/component/${componentId}`)}`);
  const main = page.getByRole("main");
  await main.getByText("To change the tags here you need the permission Edit.").waitFor();
  expect(await main.getByRole("button", { name: "Remove its tag" }).count()).toBe(0);
  expect(wrong).toEqual([]);
}, 60_000);

test("a person has one name in both clouds, though a label can't contain it", async (context) => {
  const { version } = await ada.api.accounts.me();
  await ada.api.accounts.update({ name: "Ada", surname: "Lovelace" }, { ifMatch: version });
  const [organization] = (await ada.api.organizations.list()).items;
  const environmentId = { type: "Organizational", ownerId: organization?.id ?? "", shortName: "web" } as const;
  const credentials = {
    providerBServiceAccountEmail: "agent@project.iam.gserviceaccount.com",
    providerBServiceAccountCredentials: "{}",
  };
  await ada.api.environments.providerB.initialize(environmentId, { projectId: "project" }, credentials);
  await waitForInitialization(ada.api, environmentId, "provider-b", { intervalMs: 50 });
  const components = [
    { path: "store", provider: "provider-a", type: "Microsoft.Storage/storageAccounts@2023-05-01", parameters: {} },
    { path: "bucket", provider: "provider-b", type: "storage.v1.bucket", parameters: {} },
  ];
  const begun = await ada.api.liveSystems.create({ name: "both", environmentId, components });
  const { livesystemId: id } = await waitForMutation(ada.api, begun, { intervalMs: 50 });
  const { page, wrong } = await openConsole(context, server.url, { username: "ada", password });
  const main = page.getByRole("main");
  for (const path of ["store", "bucket"]) {
    await page.evaluate(`location.hash = ${JSON.stringify(`#/component/${id}/${path}`)}`);
    await main.getByRole("heading", { name: path, exact: true }).waitFor();
    const remove = main.getByRole("button", { name: "Remove its tag" });
    await remove.waitFor();
    const hint = main.getByText("If a label can't contain your name");
    await expect.poll(() => hint.count()).toBe(path === "bucket" ? 1 : 0);
    await remove.click();
    await main.getByText("It's yours.").waitFor();
    const holding = main.getByRole("region", { name: "Override" });
    await expect
      .poll(() => holding.textContent())
      .toMatch(/Taken over for .+ by Ada Lovelace, since .*owner: Ada Lovelace/);
  }
  const { override } = await ada.api.liveSystems.components.get({ id, componentId: `${id}/bucket` });
  expect(override).toMatchObject({ said: { owner: ada.id } });
  await page.evaluate(`location.hash = "#/overrides?q=lovelace"`);
  await expect.poll(() => main.getByRole("article").count()).toBe(2);
  expect(await main.locator(".card .person").allInnerTexts()).toEqual(["AL\nAda Lovelace", "AL\nAda Lovelace"]);
  const typed = await typedLine("overrides", {
    folder: server.dataDir,
    environment: { LIVEPLANE_URL: server.url, LIVEPLANE_TOKEN: ada.token },
  });
  expect(typed.out.match(/Ada Lovelace/g)).toHaveLength(2);
  expect(wrong).toEqual([]);
}, 60_000);
