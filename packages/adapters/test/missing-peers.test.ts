import { readFileSync, writeFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { join } from "node:path";
import { webRuntime } from "@liveplane/core";
import { afterAll, expect, onTestFinished, test, vi } from "vitest";
import { emptyFolder } from "./empty-folder.ts";

const connectionString = "postgres://localhost/none";
const loaded: string[] = [];
const missing = [
  "better-sqlite3",
  "pg",
  "pg-boss",
  "@electric-sql/pglite",
  "@azure/identity",
  "aws4fetch",
  "@aws-sdk/credential-providers",
  "google-auth-library",
  "@opentelemetry/api",
  "@simplewebauthn/server",
];
const hooks = registerHooks({
  resolve(specifier, context, next) {
    if (!missing.includes(specifier)) return next(specifier, context);
    loaded.push(specifier);
    throw new TypeError(`Cannot find package '${specifier}'`);
  },
});
afterAll(() => hooks.deregister());

const needing: readonly (readonly [what: string, install: string, use: () => Promise<unknown>])[] = [
  [
    "SQLite",
    "better-sqlite3@13",
    async () =>
      (await import("@liveplane/adapters/sqlite-store")).sqliteStore({ file: "/none.db", driver: "better-sqlite3" }),
  ],
  [
    "Postgres",
    "pg@8",
    async () => (await import("@liveplane/adapters/postgres-store")).postgresStore({ connectionString }),
  ],
  [
    "PGlite",
    "@electric-sql/pglite@0.5",
    async () => (await import("@liveplane/adapters/pglite-store")).pgliteStore({ folder: "/none" }),
  ],
  [
    "the scheduler on pg-boss",
    "pg-boss@12",
    async () =>
      (await import("@liveplane/adapters/pg-boss-scheduler")).pgBossScheduler({
        connectionString,
        runtime: webRuntime(),
      }),
  ],
  [
    "an identity for Azure",
    "@azure/identity@4",
    async () => (await import("@liveplane/adapters/azure-credentials")).azureCredential("default"),
  ],
  [
    "AWS",
    "aws4fetch@1",
    async () => {
      const { awsCloud } = await import("@liveplane/adapters/aws-cloud");
      const credentials = async () => ({ accessKeyId: "AKIA", secretAccessKey: "secret" });
      const workload = { credentials: { kind: "workload", name: null, secret: null } } as const;
      return awsCloud({ credentials }).locations("111122223333", null, workload);
    },
  ],
  [
    "an identity for AWS",
    "@aws-sdk/credential-providers@3",
    async () => (await import("@liveplane/adapters/aws-cloud")).awsCredential(() => null),
  ],
  [
    "an identity for Google Cloud",
    "google-auth-library@11",
    async () => (await import("@liveplane/adapters/google-cloud")).googleCredential(),
  ],
  [
    "passkeys",
    "@simplewebauthn/server@14",
    async () => (await import("@liveplane/adapters/passkey-verifier")).passkeyVerifier(),
  ],
  [
    "tracing",
    "@opentelemetry/api@1",
    async () => (await import("@liveplane/adapters/open-telemetry")).openTelemetryTracer(),
  ],
];

test("without better-sqlite3, SQLite runs on Node's own, with backups, and names damage", async () => {
  const { backUpSqlite, restoreSqlite, sqliteStore } = await import("@liveplane/adapters/sqlite-store");
  const at = emptyFolder();
  const file = join(at, "live.db");
  const store = await sqliteStore({ file });
  onTestFinished(() => store.close());
  await expect(sqliteStore({ file })).rejects.toMatchObject({ code: "StoreFailed" });
  await store.commit({ sets: Array.from({ length: 500 }, (_, at) => ({ key: ["k", `${at}`], value: `value ${at}` })) });
  await backUpSqlite({ file, to: join(at, "copy.db") });
  await restoreSqlite({ from: join(at, "copy.db"), file: join(at, "restored.db") });
  const restored = await sqliteStore({ file: join(at, "restored.db"), readOnly: true });
  expect(await restored.list({ prefix: ["k"], limit: 1000 })).toHaveLength(500);
  await restored.close();
  writeFileSync(join(at, "spoilt.db"), readFileSync(join(at, "copy.db")).fill(0xa5, 8192, 12_288));
  await expect(sqliteStore({ file: join(at, "spoilt.db") })).rejects.toMatchObject({
    code: "StoreFailed",
    message: expect.stringMatching(/damaged|SQLITE_CORRUPT/),
  });
  writeFileSync(join(at, "letter.db"), "a letter to a friend, which is longer than the header of a database");
  await expect(sqliteStore({ file: join(at, "letter.db") })).rejects.toMatchObject({
    message: expect.stringContaining("SQLITE_NOTADB"),
  });
});

test.each(needing)("%s without its package says to install %s", async (_what, install, use) => {
  await expect(use()).rejects.toMatchObject({
    code: "ConfigurationInvalid",
    message: expect.stringContaining(`npm install ${install}`),
  });
});

test("looks at Node's version before it loads the driver, which an old one would not survive", async () => {
  const { sqliteStore } = await import("@liveplane/adapters/sqlite-store");
  const before = loaded.length;
  const versions = vi.spyOn(process, "versions", "get").mockReturnValue({ ...process.versions, node: "20.19.0" });
  await expect(sqliteStore({ file: "/nowhere/none.db" })).rejects.toMatchObject({ code: "UnsupportedRuntime" });
  versions.mockRestore();
  expect(loaded).toHaveLength(before);
});
