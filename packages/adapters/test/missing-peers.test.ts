import { registerHooks } from "node:module";
import { webRuntime } from "@liveplane/core";
import { afterAll, expect, test, vi } from "vitest";

const connectionString = "postgres://localhost/none";
const loaded: string[] = [];
const missing = ["better-sqlite3", "pg", "pg-boss", "@azure/identity", "google-auth-library", "@opentelemetry/api"];
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
    async () => (await import("@liveplane/adapters/sqlite-store")).sqliteStore({ file: "/nowhere/none.db" }),
  ],
  [
    "Postgres",
    "pg@8",
    async () => (await import("@liveplane/adapters/postgres-store")).postgresStore({ connectionString }),
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
    "an identity for Google Cloud",
    "google-auth-library@11",
    async () => (await import("@liveplane/adapters/google-cloud")).googleCredential(),
  ],
  [
    "tracing",
    "@opentelemetry/api@1",
    async () => (await import("@liveplane/adapters/open-telemetry")).openTelemetryTracer(),
  ],
];

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
