import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { toOpenApi } from "@liveplane/core/contract";
import { expect, test } from "vitest";
import { type ApiDocument, breakingChanges, releasedDocument } from "./api-changes.ts";

const root = join(import.meta.dirname, "..");
const now = toOpenApi() as unknown as ApiDocument;

test("breaks nothing of the last release, unless a changeset says major", () => {
  const released = JSON.parse(readFileSync(releasedDocument, "utf8")) as ApiDocument;
  const changesets = globSync(".changeset/*.md", { cwd: root }).map((file) => readFileSync(join(root, file), "utf8"));
  if (changesets.some((text) => /^"@liveplane\/core": major$/m.test(text))) return;
  expect(breakingChanges(released, now)).toEqual([]);
});

test("finds no change where there is none", () => expect(breakingChanges(now, now)).toEqual([]));

interface Draft {
  readonly paths: Record<string, Partial<Record<"get" | "post", { responses: Record<string, unknown> }>>>;
  readonly components: {
    readonly schemas: Record<string, { properties: Record<string, { enum?: unknown[] }>; required?: string[] }>;
  };
}

/** What would break if a change of the document were released. */
function brokenBy(change: (document: Draft) => unknown): string[] {
  const document = structuredClone(now) as unknown as Draft;
  change(document);
  expect(document).not.toEqual(now);
  return breakingChanges(now, document as unknown as ApiDocument);
}

const at = "/environments/{type}/{ownerId}/{shortName}";

test.each<[string, (document: Draft, schemas: Draft["components"]["schemas"]) => unknown, string | RegExp]>([
  ["an operation that is gone", ({ paths }) => delete paths[at]?.post, `POST ${at} is gone.`],
  [
    "a member of a body that is gone",
    (_, all) => delete all.EnvironmentDefinition?.properties.name,
    "body: name is gone.",
  ],
  [
    "a member that is required",
    (_, { EnvironmentDefinition: of }) => of && Object.assign(of, { required: ["name"] }),
    "body: name is now required.",
  ],
  ["a member of an answer that is gone", (_, all) => delete all.Environment?.properties.name, /20[01]: name is gone\./],
  [
    "a member of an answer that may be absent",
    (_, all) => all.Environment?.required?.splice(0),
    "name may now be absent.",
  ],
  [
    "a status that isn't answered",
    ({ paths }) => delete paths["/environments"]?.get?.responses["200"],
    "no longer answers 200.",
  ],
  [
    "a value that isn't accepted",
    (_, all) => all.SubscriptionInput?.properties.subscriptionType?.enum?.splice(1),
    /no longer accepts/,
  ],
  [
    "a type that is answered newly",
    (_, all) => Object.assign(all.GrantedPermission?.properties.permissionType ?? {}, { type: ["string", "null"] }),
    "permissionType: may now be null.",
  ],
])("finds %s", (_what, change, found) => {
  const broken = brokenBy((document) => change(document, document.components.schemas)).join("\n");
  if (typeof found === "string") expect(broken).toContain(found);
  else expect(broken).toMatch(found);
});

test("accepts what is added", () => {
  const added = (document: Draft) => {
    document.paths["/more"] = { get: { responses: {} } };
    Object.assign(document.components.schemas.Environment?.properties ?? {}, { more: { type: "string" } });
    document.components.schemas.GrantedPermission?.properties.permissionType?.enum?.push("Own");
  };
  expect(brokenBy(added)).toEqual([]);
});
