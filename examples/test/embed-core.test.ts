import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { emptyFolder, runExample } from "./run-example.ts";

test("embed-core makes an account, an environment and a secret, and shows the environment", async () => {
  const { exitCode, stdout, stderr } = await runExample("examples/embed-core/main.ts");
  expect(stderr).toBe("");
  expect(exitCode).toBe(0);
  expect(stdout).toContain("name: 'Production'");
  expect(stdout).toContain("status: 'Registered'");
  expect(stdout).not.toContain("s3cret");
});

test("neither the secret nor the password can be read in the data folder", async () => {
  const folder = emptyFolder();
  await runExample("examples/embed-core/main.ts", {}, folder);
  const files = readdirSync(join(folder, ".liveplane")).map((name) => join(folder, ".liveplane", name));
  const kept = Buffer.concat(files.map((file) => readFileSync(file)));
  expect(kept.includes("Production")).toBe(true);
  expect(kept.includes("s3cret")).toBe(false);
  expect(kept.includes("correct horse battery")).toBe(false);
});

test("the traced one prints a span for the request and one for its commit", async () => {
  const { exitCode, stdout, stderr } = await runExample("examples/embed-core/traced.ts");
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  expect(stdout).toContain("name: 'accounts.createWithCredentials'");
  expect(stdout).toContain("name: 'store.commit'");
});
