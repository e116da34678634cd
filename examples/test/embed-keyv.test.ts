import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { emptyFolder, runExample } from "./run-example.ts";

test("embed-keyv finds its account again in the SQLite file behind Keyv", async () => {
  const folder = emptyFolder();
  const { exitCode, stdout, stderr } = await runExample("examples/embed-keyv/main.ts", {}, folder);
  expect({ exitCode, stdout, stderr }).toEqual({ exitCode: 0, stdout: "ada is still there.\n", stderr: "" });
  expect(existsSync(join(folder, ".liveplane/liveplane.db"))).toBe(true);
});
