import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { emptyFolder, startExample } from "./run-example.ts";

type File = { tags: Record<string, string>; parameters: Record<string, unknown> };

test("custom-adapter: a file is taken over by an edit of its tags, left alone, and given back", async () => {
  const folder = emptyFolder();
  const child = startExample("examples/custom-adapter/main.ts", {}, folder);
  const exited = new Promise((resolve) => child.once("exit", resolve));
  let said = "";
  child.stdout?.on("data", (chunk) => {
    said += chunk;
  });
  const tells = (what: string) => expect.poll(() => said, { timeout: 20_000 }).toContain(what);
  const path = join(folder, ".liveplane/resources/home/note.json");
  const read = () => JSON.parse(readFileSync(path, "utf8")) as File;
  const edit = (change: (file: File) => Partial<File>) => {
    const file = read();
    writeFileSync(path, JSON.stringify({ ...file, ...change(file) }));
  };
  await tells(`deployed: ${path}`);
  expect(read()).toMatchObject({ parameters: { size: 1 }, tags: { "managed-by": "platform" } });

  edit(() => ({ parameters: { size: 2 }, tags: {} }));
  await tells("component.override.started: Active → ManualOverride");
  expect(read()).toMatchObject({ parameters: { size: 2 }, tags: {} });

  edit(() => ({ tags: { "managed-by": "platform", platform: "reconcile" } }));
  await tells("component.reconcile.requested: ManualOverride → ReconcileRequested");
  await tells("component.reconcile.completed: ReconcileRequested → Active");
  expect(read()).toMatchObject({ parameters: { size: 1 } });
  expect(read().tags).toEqual({ "managed-by": "platform" });

  child.kill("SIGINT");
  expect(await exited).toBe(0);
}, 60_000);
