import { expect, test } from "vitest";
import { runExample } from "./run-example.ts";

test("embed-core makes an account, an environment and a secret, and shows the environment without the secret", async () => {
  const { exitCode, stdout, stderr } = await runExample("examples/embed-core/main.ts");
  expect(stderr).toBe("");
  expect(exitCode).toBe(0);
  expect(stdout).toContain("name: 'Production'");
  expect(stdout).toContain("status: 'Registered'");
  expect(stdout).not.toContain("s3cret");
});
