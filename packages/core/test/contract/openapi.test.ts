import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient } from "@hey-api/openapi-ts";
import { type OperationId, operationsById, parseRoute, routes, toOpenApi } from "@liveplane/core/contract";
import { Validator } from "@seriousme/openapi-schema-validator";
import ts from "typescript";
import { expect, test } from "vitest";

/** The little of Redocly's linter that is used here. Its own types are 65,000 lines, a sixth of the time that checking ours takes. */
interface Redocly {
  createConfig(settings: { readonly extends: readonly string[] }): Promise<object>;
  lintFromString(what: { readonly source: string; readonly config: object }): Promise<readonly Problem[]>;
}

interface Problem {
  readonly ruleId: string;
  readonly message: string;
}

/** As little of Spectral, for the same reason. */
interface Spectral {
  setRuleset(rules: { readonly extends: readonly unknown[]; readonly rules: object }): void;
  run(document: object): Promise<readonly { readonly code: string; readonly path: readonly unknown[] }[]>;
}

const load = createRequire(import.meta.url);
const redocly = load("@redocly/openapi-core") as Redocly;
const { Spectral } = load("@stoplight/spectral-core") as { readonly Spectral: new () => Spectral };
const { oas } = load("@stoplight/spectral-rulesets") as { readonly oas: unknown };

interface Described {
  readonly operationId: string;
  readonly deprecated?: boolean;
  readonly parameters: readonly { readonly name?: string; readonly $ref?: string; readonly required?: boolean }[];
  readonly responses: Readonly<Record<string, unknown>>;
  readonly security: readonly Readonly<Record<string, unknown>>[];
}

const document = toOpenApi();
const operations = Object.values(document.paths).flatMap((path) => Object.values(path) as Described[]);
const find = (operationId: string) =>
  operations.find((operation) => operation.operationId === operationId) as Described;

/** What the specification's own paths make ambiguous; the router answers the literal one. */
const ambiguous = [["/accounts/resourcegroups/{shortName}", "/accounts/{accountId}/activate"]];

test("an independent validator accepts the document", async () => {
  const { valid, errors } = await new Validator().validate(structuredClone(document) as never);
  expect(errors ?? []).toEqual([]);
  expect(valid).toBe(true);
});

test("a linter with its strictest rules finds nothing but the ambiguous paths of the specification", async () => {
  const config = await redocly.createConfig({ extends: ["recommended-strict"] });
  const problems = await redocly.lintFromString({ source: JSON.stringify(document), config });
  const found = problems.map(({ ruleId, message }) => ({
    ruleId,
    paths: [...message.matchAll(/`([^`]+)`/g)].map(([, path]) => path).sort(),
  }));
  expect(found).toEqual(ambiguous.map((paths) => ({ ruleId: "no-ambiguous-paths", paths })));
});

test("a second linter finds nothing by its recommended rules, and every parameter is described", async () => {
  const linter = new Spectral();
  linter.setRuleset({ extends: [[oas, "recommended"]], rules: { "oas3-parameter-description": "error" } });
  const found = await linter.run(structuredClone(document));
  expect(found.map(({ code, path }) => `${code} at ${path.join(".")}`)).toEqual([]);
});

test("a client generated from the document compiles under strict rules", { timeout: 120_000 }, async () => {
  const folder = await mkdtemp(join(tmpdir(), "liveplane-openapi-"));
  try {
    const input = join(folder, "openapi.json");
    await writeFile(input, JSON.stringify(document));
    const output = { path: join(folder, "client"), postProcess: [] } as const;
    await createClient({ input, output: output as never, logs: { level: "silent" } });
    const use = join(folder, "use.ts");
    await writeFile(use, useOfTheClient);
    expect(compile(use)).toEqual([]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test("every operation is in the document once per method", () => {
  const ids = Object.keys(routes) as OperationId[];
  const expected = ids.flatMap((id) => parseRoute(id).methods.map((_, at) => (at === 0 ? id : `${id}ByPost`)));
  expect(operations.map(({ operationId }) => operationId).sort()).toEqual(expected.sort());
});

test("every operation says how it refuses, for each reason that its row implies", () => {
  for (const operation of operations) {
    const statuses = Object.keys(operation.responses);
    expect(statuses, operation.operationId).toEqual(expect.arrayContaining(["400", "429", "500", "503"]));
    const row = operationsById[operation.operationId.replace(/ByPost$/, "") as OperationId];
    expect(operation.deprecated === true, operation.operationId).toBe(row.deprecated !== undefined);
    const open = "who" in row.access && row.access.who === "anyone";
    if (!open) expect(statuses, operation.operationId).toContain("401");
    if ("on" in row.access) expect(statuses, operation.operationId).toEqual(expect.arrayContaining(["403", "404"]));
    if (row.body !== undefined) expect(statuses, operation.operationId).toEqual(expect.arrayContaining(["413", "415"]));
    expect(operation.security.length, operation.operationId).toBe(open ? 0 : 1);
  }
});

test("requests are closed and answers are open", () => {
  const { schemas } = document.components;
  const closed = Object.entries(schemas).filter(([, schema]) =>
    JSON.stringify(schema).includes('"additionalProperties":false'),
  );
  const bodies = Object.values(operationsById).flatMap(({ id, body }) => (body === undefined ? [] : [id]));
  expect(closed.length).toBeGreaterThan(0);
  expect(bodies.length).toBeGreaterThan(0);
  for (const name of [
    "Environment",
    "Account",
    "Organization",
    "Team",
    "Component",
    "Mutation",
    "LiveSystem",
    "LiveplaneEvent",
  ]) {
    expect(closed.map(([closedName]) => closedName)).not.toContain(name);
  }
});

test("headers stand on the operations that read them", () => {
  const refs = (id: string) =>
    find(id).parameters.flatMap(({ $ref }) => ($ref === undefined ? [] : [$ref.split("/").at(-1)]));
  expect(refs("environments.update")).toEqual(["RequestId", "IfMatch", "IfNoneMatch", "IdempotencyKey"]);
  expect(refs("environments.secrets.reveal")).toEqual(["RequestId"]);
  expect(refs("environments.providerA.initialize")).toEqual([
    "RequestId",
    "IdempotencyKey",
    "providerAClientId",
    "providerAClientSecret",
    "providerAClientAssertion",
  ]);
  expect(refs("environments.providerB.initialize")).toEqual([
    "RequestId",
    "IdempotencyKey",
    "providerBServiceAccountEmail",
    "providerBServiceAccountCredentials",
    "providerBFederatedToken",
    "providerBWorkloadIdentityProvider",
  ]);
  expect(refs("events.follow")).toEqual(["RequestId", "LastEventId"]);
});

test("the server's address is the caller's choice", () => {
  expect(toOpenApi({ serverUrl: "https://control.example.org/plane" }).servers).toEqual([
    { url: "https://control.example.org/plane" },
  ]);
});

const useOfTheClient = `import { environmentsGet, environmentsList, environmentsSecretsCreate, type Environment } from "./client/index.ts";
export async function use(): Promise<Environment | undefined> {
  const path = { type: "Personal", ownerId: "3f0c4d1e-8a57-4b62-9d1f-6c2e5a7b9041", shortName: "dev" } as const;
  await environmentsSecretsCreate({ path, body: { shortName: "db", value: "s" } });
  const query = { type: "Personal", ownerId: path.ownerId, resourceGroup: "g", cursor: "c", limit: 1 } as const;
  const { data: page } = await environmentsList({ query });
  const { data } = await environmentsGet({ path });
  return page?.nextCursor === null ? page.items[0] : data;
}
`;

function compile(file: string): string[] {
  const program = ts.createProgram([file], {
    strict: true,
    noEmit: true,
    noUncheckedIndexedAccess: true,
    target: ts.ScriptTarget.ES2023,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    allowImportingTsExtensions: true,
    lib: ["lib.es2024.d.ts", "lib.dom.d.ts", "lib.dom.iterable.d.ts", "lib.dom.asynciterable.d.ts"],
    types: [],
    skipLibCheck: true,
  });
  return ts
    .getPreEmitDiagnostics(program)
    .map(({ messageText, file: where }) => `${where?.fileName}: ${ts.flattenDiagnosticMessageText(messageText, "\n")}`);
}
