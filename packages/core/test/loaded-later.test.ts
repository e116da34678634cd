import type { Rolldown } from "vite";
import { beforeAll, expect, test } from "vitest";
import { bundled } from "../../../quality/bundled.ts";
import type { Handlers } from "../src/contract/handler.ts";
import { handlersLater } from "../src/contract/handlers-later.ts";

const main = "packages/core/src/index.ts";
const http = "packages/core/src/transport/http/index.ts";
const bundles = new Map<string, readonly Rolldown.OutputChunk[]>();
beforeAll(async () => {
  for (const entry of [main, http]) bundles.set(entry, await bundled({ entry }));
});

/** The files of the core that load with a chunk: its own, and those of all that it imports. */
function loadedWith(chunk: Rolldown.OutputChunk, chunks: readonly Rolldown.OutputChunk[]): string[] {
  const imported = chunk.imports.flatMap((name) => chunks.filter(({ fileName }) => fileName === name));
  const own = chunk.moduleIds.map((id) => id.split("/core/src/")[1] ?? id);
  return [...own, ...imported.flatMap((one) => loadedWith(one, chunks))];
}

test.each([
  ["webhooks", main, /^webhooks\/(webhooks|webhook-access|redelivery|delivering|courier|sending|message)\.ts$/],
  ["operations on organizations", main, /^(organization-handlers|tenancy\/(organizations|members|teams|explain))\.ts$/],
  [
    "operations on live systems",
    main,
    /^override\/operations\/(live-system-handlers|deploys|deploy-plan|components)\.ts$/,
  ],
  ["common passwords", main, /\/common-password-list\.ts$/],
  ["the OpenAPI document", http, /^contract\/openapi\//],
])("what %s are made of doesn't load at first", (_what, entry, later) => {
  const chunks = bundles.get(entry) ?? [];
  const loaded = chunks.filter(({ isEntry }) => isEntry).flatMap((chunk) => loadedWith(chunk, chunks));
  expect(loaded).toContain(entry.split("/core/src/")[1]);
  expect(loaded.filter((file) => later.test(file))).toEqual([]);
  expect(chunks.flatMap((chunk) => loadedWith(chunk, chunks)).filter((file) => later.test(file))).not.toEqual([]);
});

test("all that the core loads later is loaded before virtual time begins", async () => {
  const laterOf = (chunks: readonly Rolldown.OutputChunk[]) =>
    chunks.flatMap(({ isDynamicEntry, facadeModuleId }) => (isDynamicEntry ? [facadeModuleId] : [])).toSorted();
  const before = await bundled({ entry: "packages/core/src/testing/loaded-before.ts" });
  expect(laterOf(before)).toEqual(laterOf(bundles.get(main) ?? []));
  expect(laterOf(before)).not.toEqual([]);
});

test("what loads together is named by areas or operations, and by those that don't", () => {
  const areas = { under: ["organizations.teams", "permissions.explain"], but: ["organizations.teams.permissions"] };
  expect(Object.keys(handlersLater(areas, Promise.reject)).toSorted()).toEqual([
    ...["delete", "get", "list", "upsert"].map((name) => `organizations.teams.${name}`),
    "permissions.explain",
  ]);
});

test("handlers load with the first call, once; where they can't be loaded, the next call tries again", async () => {
  const tries: string[] = [];
  const { "permissions.explain": explain } = handlersLater<Handlers<"permissions">>(
    { under: ["permissions"] },
    async () => {
      tries.push(tries.length === 0 ? "fails" : "loads");
      if (tries.length === 1) throw new TypeError("The chunk is gone.");
      return { "permissions.explain": async () => ({ value: "explained" }) } as never;
    },
  );
  expect(tries).toEqual([]);
  await expect(explain({} as never)).rejects.toMatchObject({ code: "Unavailable", retryable: true });
  expect(await explain({} as never)).toEqual({ value: "explained" });
  expect(await explain({} as never)).toEqual({ value: "explained" });
  expect(tries).toEqual(["fails", "loads"]);
});
