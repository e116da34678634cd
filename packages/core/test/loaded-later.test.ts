import type { Rolldown } from "vite";
import { beforeAll, expect, test } from "vitest";
import { bundled } from "../../../quality/bundled.ts";
import type { Handlers } from "../src/contract/handler.ts";
import { handlersLater } from "../src/contract/handlers-later.ts";

let chunks: readonly Rolldown.OutputChunk[];
beforeAll(async () => {
  chunks = await bundled({ entry: "packages/core/src/index.ts" });
});

/** The files of the core that load with it: those of a chunk, and of all that it imports. */
function loadedWith(chunk: Rolldown.OutputChunk): string[] {
  const imported = chunk.imports.flatMap((name) => chunks.filter(({ fileName }) => fileName === name));
  return [...chunk.moduleIds.map((id) => id.split("/core/src/")[1] ?? id), ...imported.flatMap(loadedWith)];
}

test("what webhooks, the OpenAPI document and common passwords are made of doesn't load with the core", () => {
  const loaded = chunks.filter(({ isEntry }) => isEntry).flatMap(loadedWith);
  expect(loaded).toContain("webhooks/create-webhooks.ts");
  const later = /^webhooks\/(webhooks|webhook-access|redelivery|delivering|sending|message)\.ts|\/openapi\/|word-list/;
  expect(loaded.filter((file) => later.test(file))).toEqual([]);
  expect(chunks.flatMap(loadedWith).filter((file) => later.test(file))).not.toEqual([]);
});

test("handlers load with the first call, once; where they can't be loaded, the next call tries again", async () => {
  const tries: string[] = [];
  const { "permissions.explain": explain } = handlersLater<Handlers<"permissions">>(["permissions"], async () => {
    tries.push(tries.length === 0 ? "fails" : "loads");
    if (tries.length === 1) throw new TypeError("The chunk is gone.");
    return { "permissions.explain": async () => ({ value: "explained" }) } as never;
  });
  expect(tries).toEqual([]);
  await expect(explain({} as never)).rejects.toMatchObject({ code: "Unavailable", retryable: true });
  expect(await explain({} as never)).toEqual({ value: "explained" });
  expect(await explain({} as never)).toEqual({ value: "explained" });
  expect(tries).toEqual(["fails", "loads"]);
});
