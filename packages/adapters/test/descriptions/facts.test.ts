import { readFileSync } from "node:fs";
import { join } from "node:path";
import { azureFacts, googleFacts } from "@liveplane/core/clouds";
import { expect, test } from "vitest";
import type { GoogleKind } from "../../src/google/google-kinds.ts";
import type { AzureKind } from "../../tables/azure-tables.ts";

const read = (name: string): unknown =>
  JSON.parse(readFileSync(join(import.meta.dirname, "../../tables", name), "utf8"));
const azure = Object.entries(read("azure.json") as Readonly<Record<string, AzureKind>>);
const compute = Object.entries(read("google.json") as Readonly<Record<string, GoogleKind>>).filter(
  // Two lie in another resource, whose name an id needs.
  ([kind]) => /^compute\.(?!wireGroup$|resizeRequest$)/.test(kind),
);
const target = { scope: "project-one", region: "europe-west1" };

test.each(compute.filter(([, { policy }]) => policy === undefined))(
  "an id of %s lies where Google has its collection, and is read back as it was made",
  (kind, { paths }) => {
    const type = kind.replace(".", ".v1.");
    const id = googleFacts.resourceIdFor(type, "first", target);
    const path = id
      .replace("project-one", "{}")
      .replace(/\/(regions|zones)\/[^/]+/, "/$1/{}")
      .replace(/first$/, "{}");
    expect(paths.map((own) => own.replace("/compute/compute/v1/", ""))).toContain(path);
    expect(googleFacts.parseResourceId(type, id, target)).toEqual({ id, name: "first" });
  },
);

test.each(compute)("%s is known to carry labels, or not to", (kind, { labels }) => {
  expect(googleFacts.resourceType(kind.replace(".", ".v1.")).taggable).toBe(labels !== "none");
});

test.each(azure)("%s is known to carry tags, or not to", (type, { tags }) => {
  expect(azureFacts.resourceType(type).taggable).toBe(tags);
});
