import { expect, test } from "vitest";
import { runExample } from "./run-example.ts";

test("the test of an app's own code passes with Node's own runner", { timeout: 60_000 }, async () => {
  const { exitCode, stdout, stderr } = await runExample("examples/test-your-code/may-release.test.ts");
  expect(stderr).toBe("");
  expect(stdout).toMatch(/pass 1\n/);
  expect(exitCode).toBe(0);
});
