import { registerHooks } from "node:module";
import { webRuntime } from "@liveplane/core";
import { afterAll, expect, test, vi } from "vitest";

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

test("says which package SQLite needs when it is not installed", async () => {
  const { sqliteStore } = await import("@liveplane/adapters/sqlite-store");
  await expect(sqliteStore({ file: "/nowhere/none.db" })).rejects.toMatchObject({
    code: "ConfigurationInvalid",
    message: expect.stringContaining("npm install better-sqlite3@13"),
  });
});

test("says which package Postgres needs when it is not installed", async () => {
  const { postgresStore } = await import("@liveplane/adapters/postgres-store");
  await expect(postgresStore({ connectionString: "postgres://localhost/none" })).rejects.toMatchObject({
    code: "ConfigurationInvalid",
    message: expect.stringContaining("npm install pg@8"),
  });
});

test("says which packages the scheduler on pg-boss needs when they are not installed", async () => {
  const { pgBossScheduler } = await import("@liveplane/adapters/pg-boss-scheduler");
  const options = { connectionString: "postgres://localhost/none", runtime: webRuntime() };
  await expect(pgBossScheduler(options)).rejects.toMatchObject({
    code: "ConfigurationInvalid",
    message: expect.stringContaining("npm install pg-boss@12"),
  });
});

test("says which package an identity for Azure needs when it is not installed", async () => {
  const { azureCredential } = await import("@liveplane/adapters/azure-credentials");
  await expect(azureCredential("default")).rejects.toMatchObject({
    code: "ConfigurationInvalid",
    message: expect.stringContaining("npm install @azure/identity@4"),
  });
});

test("says which package an identity for Google Cloud needs when it is not installed", async () => {
  const { googleCredential } = await import("@liveplane/adapters/google-cloud");
  await expect(googleCredential()).rejects.toMatchObject({
    code: "ConfigurationInvalid",
    message: expect.stringContaining("npm install google-auth-library@11"),
  });
});

test("says which package tracing needs when it is not installed", async () => {
  const { openTelemetryTracer } = await import("@liveplane/adapters/open-telemetry");
  await expect(openTelemetryTracer()).rejects.toMatchObject({
    code: "ConfigurationInvalid",
    message: expect.stringContaining("npm install @opentelemetry/api@1"),
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
