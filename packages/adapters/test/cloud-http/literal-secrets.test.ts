import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject } from "@liveplane/core/clouds";
import { expect, test } from "vitest";
import { azureResourceType } from "../../src/azure/azure-kinds.ts";
import { googleType } from "../../src/google/google-types.ts";
import type { AzureTables } from "../../tables/azure-tables.ts";
import type { DescribedApi } from "../../tables/described-api.ts";
import type { GoogleTables } from "../../tables/google-tables.ts";
import { wantedPointers } from "../../tables/marked-pointers.ts";
import { Canaries, watchedPlane } from "../canary-world.ts";
import { entriesOf, until } from "../rotation-world.ts";

const read = (name: string): unknown =>
  JSON.parse(readFileSync(join(import.meta.dirname, "../../tables", name), "utf8"));
const azure = read("azure.json") as AzureTables["kinds"];
const google = read("google.json") as GoogleTables["kinds"];
const apis = { azure: read("azure-api.json") as DescribedApi, google: read("google-api.json") as DescribedApi };

const named = /(password|secret|token|connectionString|privateKey|accessKey|rawKey|rsaEncryptedKey)$/i;

/** Pointers of the texts of a body that are named like a secret. */
function namedLikeSecrets({ schemas }: DescribedApi, body: string | null): string[] {
  return wantedPointers(schemas, body, ({ name, type }) => type === "string" && named.test(name));
}

interface Kind {
  readonly provider: "provider-a" | "provider-b";
  readonly type: string;
  readonly secrets: readonly string[];
}

const kinds: readonly Kind[] = [
  ...Object.entries(azure).map(([type, { path, hidden, version }]): Kind => {
    const at = path.toLowerCase().replaceAll(/\{[^}]*\}/g, "{}");
    const put = apis.azure.operations.find((one) => one.method === "PUT" && one.path.toLowerCase() === at);
    const secrets = [...new Set([...hidden, ...namedLikeSecrets(apis.azure, put?.body ?? null)])];
    return { provider: "provider-a", type: `${type}@${version}`, secrets };
  }),
  ...Object.entries(google).map(([kind, { paths, hidden, version }]): Kind => {
    const get = apis.google.operations.find((one) => one.method === "GET" && paths.includes(one.path));
    const secrets = [...new Set([...hidden, ...namedLikeSecrets(apis.google, get?.answers["200"] ?? null)])];
    return { provider: "provider-b", type: kind.replace(".", `.${version}.`), secrets };
  }),
];

/** Parameters with a text at each of the pointers; `*` is the only item of a list. */
function parametersOf(pointers: readonly string[], textAt: (pointer: string) => string): JsonObject {
  type Member = string | Member[] | { [name: string]: Member };
  const put = (at: Member | undefined, [step = "", ...rest]: readonly string[], text: string): Member => {
    if (step === "*") return [rest.length === 0 ? text : put(Array.isArray(at) ? at[0] : undefined, rest, text)];
    const object = typeof at === "object" && !Array.isArray(at) ? at : {};
    return { ...object, [step]: rest.length === 0 ? text : put(object[step], rest, text) };
  };
  let parameters: Member = {};
  for (const pointer of pointers) parameters = put(parameters, pointer.split("/").slice(1), textAt(pointer));
  return parameters as JsonObject;
}

const subscriptionId = "3f2504e0-4f89-41d3-9a0c-0305e82c3301";

test("a literal secret of any type, at any depth and in lists, is in no answer, event, log, span or metric", async () => {
  const canaries = new Canaries();
  const plane = await watchedPlane((cloud) => ({
    ...cloud,
    resourceType: (type) => (cloud.provider === "provider-a" ? azureResourceType(type) : googleType(type)),
  }));
  const { as, shown, liveplane } = plane;
  await as().accounts.createWithEmail({ email: "ada@example.com" });
  const password = "correct horse battery staple";
  await as(await plane.mailed("ada@example.com")).accounts.activate({ password });
  const { accessToken } = await as().sessions.create({ username: "ada@example.com", password });
  const { accounts, environments, liveSystems, overrides } = as(accessToken);
  const { id: ownerId } = await accounts.me();
  const dev = { type: "Personal", ownerId, shortName: "dev" } as const;
  await environments.create(dev, {});
  await liveplane.start();
  const credentialsB = {
    providerBServiceAccountEmail: "agent@project.example",
    providerBServiceAccountCredentials: JSON.stringify({ project_id: "project", private_key: "key" }),
  };
  const credentialsA = { providerAClientId: "client", providerAClientSecret: "the secret of the agent" };
  await environments.providerA.initialize(dev, { subscriptionId }, credentialsA);
  await environments.providerB.initialize(dev, { projectId: "project" }, credentialsB);
  for (const cloud of ["providerA", "providerB"] as const)
    await until(
      () => environments[cloud].status(dev),
      ({ initializationRun }) => initializationRun.status === "Completed",
    );

  let made = 0;
  const canary = (pointer: string) => canaries.make(`${pointer.split("/").at(-1)}-${made++}`);
  const own = kinds.filter(({ secrets }) => secrets.length > 0);
  expect(own.length).toBeGreaterThan(30);
  const anchors = {
    "provider-a": "Microsoft.Storage/storageAccounts@2024-01-01",
    "provider-b": "storage.v1.bucket",
  } as const;
  const components = own.map(({ provider, type, secrets }, at) => {
    const facts = provider === "provider-a" ? azureResourceType(type) : googleType(type);
    const governed = facts.taggable ? {} : { overrideWith: provider };
    return { path: `c${at}`, provider, type, parameters: { ...parametersOf(secrets, canary), plain: 1 }, ...governed };
  });
  const all = [
    ...Object.entries(anchors).map(([provider, type]) => ({
      path: provider,
      provider,
      type,
      parameters: { plain: 1 },
    })),
    ...components,
  ];
  const definition = { name: "shop", environmentId: dev, components: all };
  const { id: mutationId, livesystemId: id } = await shown(liveSystems.create(definition));
  const ended = (which: string) =>
    until(
      () => liveSystems.mutations.get({ id, mutationId: which }),
      ({ status }) => status === "Succeeded" || status === "Failed",
    );
  expect(await shown(ended(mutationId))).toMatchObject({ status: "Succeeded" });

  const checked = (componentId: string) =>
    until(
      () => liveSystems.components.check({ id, componentId }).catch(() => null),
      (answer) => answer !== null,
    );
  for (const provider of ["provider-a", "provider-b"] as const) {
    const anchor = { id, componentId: `${id}/${provider}` };
    const console = provider === "provider-a" ? plane.console : plane.consoleB;
    await console.putTags((await liveSystems.components.get(anchor)).resourceId ?? "", {});
    await checked(anchor.componentId);
  }
  const { items } = await shown(liveSystems.components.list({ id }, { limit: 200 }));
  expect(items).toHaveLength(all.length);
  for (const { id: componentId, provider, resourceId, parameters } of items) {
    const console = provider === "provider-a" ? plane.console : plane.consoleB;
    await console.putTags(resourceId ?? "", {}).catch(() => {});
    const kind = own[Number(/\/c(\d+)$/.exec(componentId)?.[1] ?? -1)];
    const drifted = parametersOf(kind?.secrets ?? [], canary);
    await console.patchParameters(resourceId ?? "", { ...drifted, plain: 2 });
    expect(JSON.stringify(parameters).includes("[redacted]")).toBe(kind !== undefined);
  }
  for (const { id: componentId } of items) {
    const at = { id, componentId };
    const answer = await shown(checked(componentId));
    expect(answer?.component.outputFields).toMatchObject({ drift: { plain: { declared: 1, actual: 2 } } });
    await shown(liveSystems.components.adoptionPlan(at));
    await shown(liveSystems.components.overrides(at));
    await shown(liveSystems.components.get(at));
  }
  await shown(overrides.list());
  await shown(overrides.digest());
  await shown(liveSystems.mutations.get({ id, mutationId }));
  const { definition: answered } = await shown(liveSystems.get({ id }));
  await shown(liveSystems.list());
  const plan = await shown(liveSystems.planDeploy({ id }, answered));
  const warned = plan.warnings.filter(({ detail }) => detail.includes("$secret"));
  expect(warned).toHaveLength(components.length);

  // What was answered is deployed again: the secrets that the answer hid are still declared.
  const inForce = async () => {
    const records = (await entriesOf(plane.store)).filter(({ key }) => key[0] === "record" && key[1] === "live-system");
    return records.map(({ value }) => (value as { readonly inForce: string }).inForce);
  };
  const before = await inForce();
  const again = await shown(liveSystems.deploy({ id }, answered));
  await ended(again.id);
  expect(await inForce()).toEqual(before);
  const { lines, answers, errors, events, spans } = await plane.everything();
  for (const [where, seen] of Object.entries({ lines, answers, errors, events, spans }))
    expect({ where, shows: canaries.foundIn(seen ?? "") }).toEqual({ where, shows: [] });
});
