import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { waitForInitialization } from "@liveplane/core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { emptyFolder } from "../../adapters/test/empty-folder.ts";
import { type EndableServer, operatorPassword, type Person, request, startServer } from "./running-server.ts";
import { bareEnvironment } from "./server-process.ts";

let server: EndableServer;
let ada: Person;
let ownerId = "";
let group = "";
const home = emptyFolder(afterAll);
const program = fileURLToPath(new URL("../../client/src/cli/bin.ts", import.meta.url));
const quota = 20;
const environment = "Organizational/acme/production";

/** What other people made. One name and one tag try to break a declaration or a terminal. */
const made: Readonly<
  Record<string, { readonly tags?: Readonly<Record<string, string>>; readonly [name: string]: unknown }>
> = {
  "Microsoft.Web/serverfarms/plan": { sku: { name: "B1" } },
  "Microsoft.Web/sites/shop": { tags: { note: "a: b\n- c\u001b[2J # {" }, kind: "app" },
  "Microsoft.Storage/storageAccounts/files": { sku: { name: "Standard_LRS" } },
  "Microsoft.Compute/disks/theirs": { tags: { "managed-by": "terraform\u001b]0;x\u0007" } },
  "Microsoft.Compute/disks/other": { tags: { "aws:cloudformation:stack-name": "x" } },
};

beforeAll(async () => {
  const limits = {
    LIVEPLANE_RATE_LIMITS: JSON.stringify({ discovery: quota, reads: 10_000, writes: 10_000, signIn: 1000 }),
  };
  server = await startServer({ LIVEPLANE_CHECK_SECONDS: "0.1", ...limits });
  mkdirSync(join(home, "bin"));
  writeFileSync(
    join(home, "bin", "liveplane"),
    `#!/bin/sh\nexec '${process.execPath}' --conditions=@liveplane/source '${program}' "$@"\n`,
  );
  chmodSync(join(home, "bin", "liveplane"), 0o755);
  ada = await server.person("ada");
  ({ id: ownerId } = await ada.api.organizations.create({ name: "acme" }));
  await ada.api.environments.create(place(), {});
  await ada.api.environments.providerA.initialize(
    place(),
    { subscriptionId: "0b8a1a52-7a3e-4b7e-9a9e-0d6f6b1f0c01", region: "westeurope" },
    { providerAClientId: "9f5a8f6e-6a64-4f62-8a58-0d8a7f6b2c02", providerAClientSecret: "any" },
  );
  await waitForInitialization(ada.api, place(), "provider-a", { intervalMs: 100 });
  const { items } = await ada.api.environments.resources.list(place(), {});
  group = /^\/subscriptions\/[^/]+\/resourceGroups\/[^/]+/.exec(items[0]?.id ?? "")?.[0] ?? "";
  for (const [path, { tags = {}, ...parameters }] of Object.entries(made)) {
    const type = path.slice(0, path.lastIndexOf("/"));
    await inCloud("PUT", path, { type, tags, parameters: { location: "westeurope", ...parameters } });
  }
}, 60_000);
afterAll(() => server.end());

const place = () => ({ type: "Organizational", ownerId, shortName: "production" }) as const;

/** All of them as they are in the cloud. */
async function inClouds() {
  const found: Record<string, Awaited<ReturnType<typeof inCloud>>> = {};
  for (const path of Object.keys(made)) found[path] = await inCloud("GET", path);
  return found;
}

async function inCloud(method: string, path: string, json?: object) {
  const at = `${server.url}/simulator/provider-a/resources/${encodeURIComponent(`${group}/providers/${path}`)}`;
  const { accessToken: token } = await server.operator.sessions.create({
    username: "operator",
    password: operatorPassword,
  });
  const { status, json: body } = await request(at, { method, token, ...(json && { json }) });
  expect(status).toBe(200);
  return body as {
    readonly tags: Readonly<Record<string, string>>;
    readonly parameters: object;
    readonly etag: string;
  };
}

/** Runs lines in bash, as somebody types them. */
async function shell(lines: string, { token = ada.token, folder = home } = {}) {
  const env = {
    ...bareEnvironment,
    PATH: `${join(home, "bin")}:${process.env.PATH}`,
    XDG_CONFIG_HOME: folder,
    LIVEPLANE_URL: server.url,
    LIVEPLANE_TOKEN: token,
  };
  const child = spawn("bash", ["--norc", "-c", `set -euo pipefail; ${lines}`], { env, cwd: home });
  let [out, said] = ["", ""];
  child.stdout.on("data", (chunk: Buffer) => {
    out += chunk;
  });
  child.stderr.on("data", (chunk: Buffer) => {
    said += chunk;
  });
  const [code] = await once(child, "close");
  return { code, out, said };
}

const shown = { "Microsoft.Compute": 2, "Microsoft.KeyVault": 1, "Microsoft.Storage": 2, "Microsoft.Web": 2 };

test("a resource group is discovered, declared, planned and deployed as the guide says, with one tag each", {
  timeout: 120_000,
}, async () => {
  const before = await inClouds();
  const scope = group.split("/").at(-1);
  const found = await shell(`liveplane discover --environment ${environment} --scope ${scope}`);
  expect(found).toMatchObject({
    code: 0,
    said: `8 resources in ${scope}: 3 can be declared, 5 managed by something else.\n`,
  });
  for (const [namespace, count] of Object.entries(shown))
    expect(found.out.match(new RegExp(`^${namespace}/`, "gm")), namespace).toHaveLength(count);
  expect(found.out).toMatch(/^Microsoft.Compute\/disks .* terraform\\u001b\]0;x\\u0007 /m);
  expect(found.out).not.toMatch(/(?!\n)\p{Cc}/u);

  const declared = await shell(
    "liveplane declare --select 'Microsoft.Web/*,Microsoft.Storage/*' --name shop > shop.yaml",
  );
  expect(declared).toMatchObject({
    code: 0,
    said: `As in the last discover: ${environment}, Azure (provider-a), ${scope}.
4 resources in ${scope}: 3 can be declared, 1 managed by something else.
`,
  });
  const planned = await shell("liveplane plan shop.yaml");
  expect(planned).toMatchObject({ code: 0, said: "The live system is new.\n" });
  expect(planned.out).toMatch(/\n3 to adopt, 3 tags to add\.\n$/);
  expect(await inClouds()).toEqual(before);

  const deployed = await shell("liveplane deploy shop.yaml --wait");
  expect(deployed).toMatchObject({ code: 0, out: expect.stringMatching(/^shop: mutation \S+ Succeeded\n$/) });
  expect((await shell("liveplane plan shop.yaml")).out).toMatch(/\n3 unchanged\.\n$/);
  const managed = { "managed-by": "platform" };
  const isChosen = (path: string) => /Web|Storage/.test(path);
  // The etag counts the writes.
  expect(await inClouds()).toEqual(
    Object.fromEntries(
      Object.entries(before).map(([path, one]) => [
        path,
        isChosen(path) ? { ...one, tags: { ...one.tags, ...managed }, etag: one.etag.replace(/1$/, "2") } : one,
      ]),
    ),
  );
  const planFor = (path: string) => {
    const state = { id: `${group}/providers/${path}` };
    const changes = [{ address: "azurerm_x.y", change: { actions: ["delete"], before: state, after: null } }];
    writeFileSync(join(home, "plan.json"), JSON.stringify({ format_version: "1.2", resource_changes: changes }));
    return shell("liveplane guard plan.json");
  };
  expect(await planFor("Microsoft.Web/sites/shop")).toMatchObject({
    code: 3,
    out: expect.stringMatching(/\nshop\/\S+ +liveplane +delete +azurerm_x\.y\n$/),
    said: "The plan has 1 change, and touches 1 managed resource.\n",
  });
  expect(await planFor("Microsoft.Compute/disks/theirs")).toMatchObject({ code: 0, out: "" });

  const again = await shell(`liveplane discover --environment ${environment} --scope ${scope}`);
  expect(again.out.match(/ shop\/\S+ /g)).toHaveLength(3);
  expect(again.said).toMatch(/: 0 can be declared, 3 managed by components, 5 managed by something else\.\n$/);
});

test("who may not edit the environment is told what they lack, and a stranger learns nothing", {
  timeout: 60_000,
}, async () => {
  const eve = await server.person("eve");
  const discover = (owner: string) =>
    shell(`liveplane discover --provider provider-a --environment Organizational/${owner}/production`, eve);
  expect(await discover(ownerId)).toMatchObject({ code: 1, out: "", said: expect.stringMatching(/^NotFound: /) });
  expect(await discover("acme")).toMatchObject({ code: 2, said: "No organization is named acme.\n" });
  const view = { principalType: "Account", principalId: eve.id, permissionType: "View" } as const;
  await ada.api.organizations.permissions.grant({ organizationId: ownerId }, view);
  expect(await discover("acme")).toMatchObject({
    code: 1,
    said: expect.stringMatching(
      /^PermissionDenied: This needs the permission Edit on the environment\.\nrequest \S+\n$/,
    ),
  });
});

test("above the limit of an environment the command says how long it waits", { timeout: 60_000 }, async () => {
  const at = `${server.url}/environments/Organizational/${ownerId}/production/resources?provider=provider-a`;
  const statuses = new Set<number>();
  for (let count = 0; count <= quota; count++) statuses.add((await request(at, { token: ada.token })).status);
  expect([...statuses]).toEqual([200, 429]);
  const line = `liveplane discover --environment ${environment} --provider provider-a`;
  const { out } = await shell(`read -r said < <(exec ${line} 2>&1); kill $!; echo "$said"`);
  expect(out).toMatch(/^The service allows no more of these requests now\. Waiting \d+ s …\n$/);
});
