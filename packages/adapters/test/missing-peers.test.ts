import { expect, test, vi } from "vitest";

const loaded: string[] = [];
const missing = (name: string) => () => {
  loaded.push(name);
  throw new TypeError(`Cannot find package '${name}'`);
};
vi.doMock("better-sqlite3", missing("better-sqlite3"));
vi.doMock("pg", missing("pg"));

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

test("looks at Node's version before it loads the driver, which an old one would not survive", async () => {
  const { sqliteStore } = await import("@liveplane/adapters/sqlite-store");
  const before = loaded.length;
  const versions = vi.spyOn(process, "versions", "get").mockReturnValue({ ...process.versions, node: "20.19.0" });
  await expect(sqliteStore({ file: "/nowhere/none.db" })).rejects.toMatchObject({ code: "UnsupportedRuntime" });
  versions.mockRestore();
  expect(loaded).toHaveLength(before);
});
