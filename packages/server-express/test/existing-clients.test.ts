import { generateKeyPairSync } from "node:crypto";
import { describe, expect, test } from "vitest";
import { request, runServer } from "./running-server.ts";

/**
 * The calls of two clients that existed before this server, as those clients send them: the body that each builds, the statuses that each
 * accepts, the members that each reads. Only clouds are renamed, and the pair of a client's headers becomes a bearer token.
 */

const sshPrivateKeyData = generateKeyPairSync("ed25519").privateKey.export({ format: "pem", type: "pkcs8" });
const tenantId = "11111111-1111-4111-8111-111111111111";
const subscriptionId = "22222222-2222-4222-8222-222222222222";
const email = "agent@demo-project.iam.gserviceaccount.com";

const renamedHeaders = new Map([
  ["X-Azure-SP-Client-ID", "X-ProviderA-SP-Client-ID"],
  ["X-Azure-SP-Client-Secret", "X-ProviderA-SP-Client-Secret"],
  ["X-Azure-Client-Assertion", "X-ProviderA-SP-Client-Assertion"],
  ["X-GCP-Service-Account-Email", "X-ProviderB-Service-Account-Email"],
  ["X-GCP-Service-Account-Credentials", "X-ProviderB-Service-Account-Credentials"],
  ["X-GCP-Workload-Identity-Provider", "X-ProviderB-Workload-Identity-Provider"],
  ["X-GCP-Federated-Token", "X-ProviderB-Federated-Token"],
]);

interface Sent {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** The statuses that the client accepts; it throws at any other. */
  readonly accepts: readonly number[];
}

async function setUp() {
  const server = await runServer();
  const { id, token, api } = await server.person("ada");
  await api.accounts.resourceGroups.upsert({ shortName: "main" }, {});
  async function send(call: string, { body, headers = {}, accepts }: Sent) {
    const [method = "", path = ""] = call.split(" ");
    const renamed = path.replace("/initializer/azure/", "/initializer/provider-a/");
    const answer = await request(server.url + renamed.replace("/initializer/gcp/", "/initializer/provider-b/"), {
      method,
      token,
      json: body,
      headers: Object.entries(headers).map(([name, value]): [string, string] => [
        renamedHeaders.get(name) ?? name,
        value,
      ]),
    });
    expect(accepts, `${call} answered ${answer.status}: ${answer.text}`).toContain(answer.status);
    return answer;
  }
  const idOf = (shortName: string) => ({ type: "Personal", ownerId: id, shortName });
  const pathOf = (shortName: string) => `/environments/Personal/${id}/${shortName}`;
  return { id, api, send, idOf, pathOf, group: `Personal/${id}/main` };
}

type World = Awaited<ReturnType<typeof setUp>>;

interface Tree {
  readonly name?: string;
  readonly parameters?: object;
  readonly manager?: string;
  readonly profiles?: readonly object[];
  readonly secrets?: readonly object[];
}

/** What the TypeScript client does to deploy one environment. */
async function deploy({ send, idOf, pathOf, group }: World, shortName: string, tree: Tree): Promise<void> {
  const { name = "", parameters = {}, manager, profiles = [], secrets = [] } = tree;
  const path = pathOf(shortName);
  const managementEnvironmentId = manager === undefined ? null : idOf(manager);
  const definition = { managementEnvironmentId, name, resourceGroups: [group], parameters };
  const existing = await send(`GET ${path}`, { accepts: [200, 404] });
  if (existing.status === 404) await send(`POST ${path}`, { body: definition, accepts: [201] });
  else {
    expect(existing.json).toMatchObject({ id: idOf(shortName), resourceGroups: [group], status: expect.any(String) });
    const { defaultCiCdProfileShortName } = existing.json;
    await send(`PUT ${path}`, { body: { ...definition, defaultCiCdProfileShortName }, accepts: [200] });
  }
  if (secrets.length > 0) await send(`POST ${path}/secrets/bulk`, { body: secrets, accepts: [201, 404] });
  if (profiles.length === 0) return;
  await send(`POST ${path}/ci-cd-profiles/bulk`, { body: profiles, accepts: [201, 404] });
  await send(`PUT ${path}`, { body: { ...definition, defaultCiCdProfileShortName: "deploy" }, accepts: [200] });
}

/** What the TypeScript client does to initialize a cloud and wait for it. */
async function initialize(
  { send, pathOf }: World,
  shortName: string,
  cloud: "azure" | "gcp",
  sent: Omit<Sent, "accepts">,
) {
  const path = `${pathOf(shortName)}/initializer/${cloud}`;
  await send(`GET ${path}/status`, { accepts: [200, 404] });
  await send(`POST ${path}/initialize`, { ...sent, accepts: [202] });
  let run = { status: "InProgress", steps: [{}] };
  await expect
    .poll(
      async () => {
        run = (await send(`GET ${path}/status`, { accepts: [200, 404] })).json.initializationRun;
        return run.status;
      },
      { timeout: 10_000 },
    )
    .not.toBe("InProgress");
  return run;
}

const secret = { shortName: "db", displayName: "Database", description: "The shop's", value: "a value" };
const profile = { shortName: "deploy", displayName: "Deploy", sshPrivateKeyData };

describe("the TypeScript client", () => {
  test("deploys an environment, deploys it again, and changes it", async () => {
    const world = await setUp();
    await deploy(world, "dev", { name: "Dev" });
    await deploy(world, "dev", {
      name: "Development",
      parameters: { tags: { team: "shop" }, dnsZones: [{ name: "a.test" }] },
    });
    const { name, parameters } = (await world.send(`GET ${world.pathOf("dev")}`, { accepts: [200] })).json;
    expect({ name, parameters }).toEqual({
      name: "Development",
      parameters: { tags: { team: "shop" }, dnsZones: [{ name: "a.test" }] },
    });
  });

  test("sends secrets and CI/CD profiles in bulk, new ones and known ones", async () => {
    const world = await setUp();
    for (const more of [[], [{ ...profile, shortName: "second", description: "Another" }]])
      await deploy(world, "dev", { secrets: [secret], profiles: [profile, ...more] });
    const { json } = await world.send(`GET ${world.pathOf("dev")}`, { accepts: [200] });
    expect(json.defaultCiCdProfileShortName).toBe("deploy");
  });

  test("deploys an operational environment below its management environment", async () => {
    const world = await setUp();
    await deploy(world, "hub", {});
    for (const name of ["Production", "Live"]) await deploy(world, "prod", { name, manager: "hub", secrets: [secret] });
    const { json } = await world.send(`GET ${world.pathOf("prod")}`, { accepts: [200] });
    expect(json.managementEnvironmentId).toEqual(world.idOf("hub"));
  });

  test.each([
    ["a secret", { "X-Azure-SP-Client-Secret": "a secret" }],
    ["an assertion", { "X-Azure-Client-Assertion": "header.claims.signature" }],
  ])("initializes Azure with %s, in a management environment and below it", async (_, headers) => {
    const world = await setUp();
    await deploy(world, "hub", {});
    await deploy(world, "prod", { manager: "hub" });
    for (const shortName of ["hub", "prod"]) {
      // A management environment names itself here, although its definition names none.
      const body = {
        managementEnvironmentId: world.idOf("hub"),
        tenantId,
        subscriptionId,
        region: "westeurope",
        tags: {},
      };
      const run = await initialize(world, shortName, "azure", {
        body,
        headers: { "X-Azure-SP-Client-ID": tenantId, ...headers },
      });
      expect(run.status).toBe("Completed");
      for (const step of run.steps) {
        expect(step).toMatchObject({ order: expect.any(Number), status: "Completed" });
        expect(step).toHaveProperty("lastOperationStatusMessage");
      }
    }
    const hub = (await world.send(`GET ${world.pathOf("hub")}`, { accepts: [200] })).json;
    expect(hub.managementEnvironmentId).toBeNull();
  });

  test.each([
    ["a key", { "X-GCP-Service-Account-Credentials": JSON.stringify({ client_email: email }) }],
    [
      "a federated token",
      {
        "X-GCP-Workload-Identity-Provider": "projects/1/locations/global/workloadIdentityPools/pool/providers/pipeline",
        "X-GCP-Federated-Token": "header.claims.signature",
      },
    ],
  ])("initializes Google Cloud with %s", async (_, headers) => {
    const world = await setUp();
    await deploy(world, "dev", {});
    const run = await initialize(world, "dev", "gcp", {
      body: { organizationId: "123456", projectId: "demo-project", region: "europe-west1", tags: {} },
      headers: { "X-GCP-Service-Account-Email": email, ...headers },
    });
    expect(run.status).toBe("Completed");
  });

  test("shows which of its calls was refused by the reason's code", async () => {
    const world = await setUp();
    const body = {
      managementEnvironmentId: world.idOf("none"),
      name: "",
      resourceGroups: [world.group],
      parameters: {},
    };
    const { json } = await world.send(`POST ${world.pathOf("dev")}`, { body, accepts: [400] });
    expect(json).toMatchObject({ reasonCode: "ManagementEnvironmentNotFound", code: "ManagementEnvironmentNotFound" });
  });
});

describe("the Terraform provider", () => {
  const first = { displayName: "Shop", description: "" };
  const changed = { displayName: "Shop", description: "Everything that sells" };

  /** Apply, read, apply a change, read, destroy, and read what is gone. */
  async function manage({ send }: World, path: string, icon: object): Promise<unknown[]> {
    const shown: unknown[] = [];
    for (const body of [first, changed]) {
      await send(`POST ${path}`, { body: { ...body, ...icon }, accepts: [200, 202] });
      shown.push((await send(`GET ${path}`, { accepts: [200, 404] })).json);
    }
    await send(`DELETE ${path}`, { accepts: [200, 404] });
    await send(`GET ${path}`, { accepts: [404] });
    await send(`DELETE ${path}`, { accepts: [200, 404] });
    return shown;
  }

  test("creates, changes and destroys a personal resource group", async () => {
    const world = await setUp();
    const id = { resourceGroupType: "Personal", ownerId: world.id, shortName: "shop" };
    expect(await manage(world, "/accounts/me/resourcegroups/shop", { icon: "" })).toMatchObject([
      { id, ...first, status: "Active", livesystems: [], blueprints: [] },
      { id, ...changed },
    ]);
  });

  test("creates, changes and destroys a resource group of an organization", async () => {
    const world = await setUp();
    const organization = await world.api.organizations.create({ name: "Acme" });
    const id = { resourceGroupType: "Organizational", ownerId: organization.id, shortName: "shop" };
    const path = `/organizations/${organization.id}`;
    expect(await manage(world, `${path}/resourcegroups/shop`, { iconUrl: "" })).toMatchObject([
      { id, ...first, membersIds: [], teamsIds: [], managersIds: [world.id], createdBy: world.id },
      { id, ...changed, updatedBy: world.id },
    ]);
    const { json } = await world.send(`GET ${path}`, { accepts: [200, 404] });
    expect(json).toMatchObject({ id: organization.id, name: "Acme", admins: [world.id], socialLinks: [], tags: [] });
  });
});
