import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import openapiTypes, { astToString } from "openapi-typescript";
import ts from "typescript";
import { expect, onTestFinished, test } from "vitest";
import { send } from "./raw-http.ts";
import { runServer } from "./running-server.ts";

/** What somebody writes who has nothing of liveplane but its document. Each expected error shows that the types say something. */
const program = `
import createClient from "openapi-fetch";
import type { components, paths } from "./schema.ts";

const baseUrl = process.env.BASE_URL ?? "";
const anonymous = createClient<paths>({ baseUrl });
const username = "third-party";
const password = "correct horse battery";

function got<T>({ data, error }: { data?: T; error?: unknown }): T {
  if (data === undefined) throw new TypeError(JSON.stringify(error));
  return data;
}

const account = got(await anonymous.POST("/accounts/credentials", { body: { username, password } }));
const { accessToken } = got(await anonymous.POST("/auth/sessions", { body: { username, password } }));
const client = createClient<paths>({ baseUrl, headers: { authorization: \`Bearer \${accessToken}\` } });

const path = { type: "Personal", ownerId: account.id, shortName: "web" } as const;
const environment = "/environments/{type}/{ownerId}/{shortName}" as const;
const made = await client.POST(environment, { params: { path }, body: { name: "Web", parameters: { tier: 1 } } });
const version: string = got(made).version;
// @ts-expect-error: no such member
got(made).nothing;
// @ts-expect-error: a member of the wrong kind
await client.POST(environment, { params: { path }, body: { name: 7 } });
// @ts-expect-error: no such path
await client.GET("/environment").catch(() => {});

const header = { "If-Match": \`"\${version}"\` };
const updated = got(await client.PUT(environment, { params: { path, header }, body: { name: "The web" } }));
const stale = await client.PUT(environment, { params: { path, header }, body: { name: "Late" } });
const secret = got(await client.POST(\`\${environment}/secrets\`, { params: { path }, body: { shortName: "db", value: "a secret" } }));
const bulk = got(
  await client.POST(\`\${environment}/secrets/bulk\`, { params: { path }, body: [{ shortName: "db", value: "b" }, { shortName: "c", value: "d" }] }),
);
const page = got(await client.GET(\`\${environment}/secrets\`, { params: { path, query: { limit: 1 } } }));
const next = got(await client.GET(\`\${environment}/secrets\`, { params: { path, query: { limit: 1, cursor: page.nextCursor ?? "" } } }));
const organization = got(await client.POST("/organizations", { body: { name: "Others" } }));
const granted: boolean = got(
  await client.POST("/organizations/{organizationId}/permissions/grant", {
    params: { path: { organizationId: organization.id } },
    body: { principalType: "Account", principalId: account.id, permissionType: "View" },
  }),
);
const group = await client.PUT("/accounts/me/resourcegroups/{shortName}", { params: { path: { shortName: "mine" } }, body: {} });
const systems = got(await client.GET("/livesystems", {}));
const deleted = got(await client.DELETE(\`\${environment}/secrets/{secretShortName}\`, { params: { path: { ...path, secretShortName: "c" } } }));
const missing = await client.GET("/organizations/{organizationId}", { params: { path: { organizationId: account.id } } });
const problem: components["schemas"]["Problem"] | undefined = missing.error;

console.log(
  JSON.stringify({
    updated: updated.name,
    stale: [stale.response.status, stale.error?.code],
    secret: secret.currentVersion,
    bulk: bulk.map(({ shortName, currentVersion }) => [shortName, currentVersion]),
    pages: [page.items.length, next.items.map(({ shortName }) => shortName), next.nextCursor],
    granted,
    group: group.response.status,
    systems: systems.items,
    deleted: deleted.shortName,
    missing: [missing.response.status, problem?.code],
  }),
);
`;

const options: ts.CompilerOptions = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noEmit: true,
  skipLibCheck: true,
  allowImportingTsExtensions: true,
  target: ts.ScriptTarget.ES2023,
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  types: ["node"],
};

test("a client that somebody else's generator makes of the document compiles strictly and works", {
  timeout: 120_000,
}, async () => {
  const server = await runServer();
  const { text } = await send(server.url, { path: "/openapi.json" });
  const folder = mkdtempSync(join(fileURLToPath(new URL("..", import.meta.url)), "node_modules", ".third-party-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, "package.json"), '{"type":"module"}');
  writeFileSync(join(folder, "schema.ts"), astToString(await openapiTypes(text)));
  const file = join(folder, "program.ts");
  writeFileSync(file, program);

  const compiled = ts.createProgram([file], options);
  const complaints = ts.getPreEmitDiagnostics(compiled).map(({ messageText, start, file: source }) => {
    const line = source === undefined || start === undefined ? 0 : source.getLineAndCharacterOfPosition(start).line + 1;
    return `${source?.fileName.slice(folder.length)}:${line} ${ts.flattenDiagnosticMessageText(messageText, "\\n")}`;
  });
  expect(complaints).toEqual([]);

  // Node strips no types below node_modules, where the program has to be to find its package.
  const script = join(folder, "program.js");
  writeFileSync(
    script,
    ts.transpileModule(program, { compilerOptions: { ...options, module: ts.ModuleKind.ESNext } }).outputText,
  );
  const env = { PATH: process.env.PATH, BASE_URL: server.url };
  const { stdout } = await promisify(execFile)(process.execPath, [script], { env });
  expect(JSON.parse(stdout)).toEqual({
    updated: "The web",
    stale: [412, "PreconditionFailed"],
    secret: 1,
    bulk: [
      ["db", 2],
      ["c", 1],
    ],
    pages: [1, ["db"], null],
    granted: true,
    group: 200,
    systems: [],
    deleted: "c",
    missing: [404, "NotFound"],
  });
});
