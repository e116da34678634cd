import { expect, test } from "vitest";
import { azureFacts } from "../../src/clouds/facts/azure-facts.ts";
import { googleFacts } from "../../src/clouds/facts/google-facts.ts";
import { type DeclarableClouds, parseDeclaration } from "../../src/override/declarations/declaration.ts";
import type { DeclaredComponent } from "../../src/override/declarations/definition.ts";

const clouds = new Map(
  [["provider-a", azureFacts] as const, ["provider-b", googleFacts] as const].map(
    ([provider, { tagParameter, tagRules, caselessTagKeys, deviceAuthorization, resourceType }]) => [
      provider,
      {
        resourceType,
        capabilities: {
          tagParameter,
          tagRules,
          caselessTagKeys,
          deviceAuthorization,
          conditionalWrites: true,
          bulkReadSize: 500,
        },
      },
    ],
  ),
) as DeclarableClouds;

const store = { provider: "provider-a", type: "Microsoft.Storage/storageAccounts@2024-01-01", parameters: {} };
const subnet = { provider: "provider-a", type: "Microsoft.Network/virtualNetworks/subnets@2024-05-01", parameters: {} };

function parse(...components: (Partial<DeclaredComponent> & { path: string })[]) {
  const environmentId = {
    type: "Personal",
    ownerId: "3f2504e0-4f89-41d3-9a0c-0305e82c3301",
    shortName: "dev",
  } as const;
  return parseDeclaration(
    { name: "n", environmentId, components: components.map((one) => ({ ...store, ...one })) },
    clouds,
  );
}

function places(...components: Parameters<typeof parse>) {
  const { errors } = parse(...components);
  for (const { code, detail } of errors) {
    expect(code).toBe(/^A path('s segments)? must/.test(detail) ? "Format" : "InvalidDeclaration");
  }
  return errors.map(({ pointer }) => pointer);
}

test("finds the dependencies that are declared and those that references imply, sorted", () => {
  const { components, errors } = parse(
    { path: "a" },
    { path: "B/c" },
    { path: "d", dependsOn: ["b/C"], parameters: { list: [{ of: { $output: "a#id" } }], secret: { $secret: "db" } } },
  );
  expect(errors).toEqual([]);
  expect(components[2]?.dependsOn).toEqual(["B/c", "a"]);
  expect(components[2]?.references.map(({ pointer }) => pointer)).toEqual(["/list/0/of", "/secret"]);
});

test("a dependency that is declared counts always, though an ignored reference implies it, too", () => {
  const app = { path: "app", parameters: { at: { $output: "base#id" } }, ignoreChanges: ["/at"] };
  const { components } = parse({ path: "base" }, app, { ...app, path: "own", dependsOn: ["base"] });
  expect(components.map(({ dependsOn, onlyForCreation }) => [dependsOn, onlyForCreation])).toEqual([
    [[], []],
    [["base"], ["base"]],
    [["base"], []],
  ]);
});

test("refuses paths that aren't ones, that occur twice without case, and that read like an operation", () => {
  expect(places({ path: "a" }, { path: "A" })).toEqual(["#/components/1/path"]);
  for (const path of [
    "",
    "/",
    "a/",
    "a//b",
    "a b",
    "-a",
    "a-",
    "a/-b",
    "ä",
    "x".repeat(65),
    Array.from({ length: 11 }, () => "a").join("/"),
  ]) {
    expect(places({ path }), path).toContain("#/components/0/path");
  }
  for (const segment of ["check", "adoption-plan", "overrides", "Override-Note", "settled", "dependents"]) {
    expect(places({ path: `net/${segment}` })).toEqual(["#/components/0/path"]);
    expect(places({ path: segment })).toEqual(["#/components/0/path"]);
  }
  expect(places({ path: Array.from({ length: 10 }, () => "a").join("/") })).toEqual([]);
});

test("refuses unknown clouds, and the same resource twice", () => {
  expect(places({ path: "a", provider: "provider-c" })).toEqual(["#/components/0/provider"]);
  expect(places({ path: "a", resourceId: "/x/Y" }, { path: "b", resourceId: "/X/y" })).toEqual([
    "#/components/1/resourceId",
  ]);
});

test("wants what can't carry tags declared with one that can", () => {
  expect(places({ path: "a", ...subnet })).toEqual(["#/components/0/type"]);
  expect(places({ path: "a", ...subnet, overrideWith: "nobody" })).toEqual(["#/components/0/overrideWith"]);
  expect(places({ path: "a", ...subnet, overrideWith: "a" })).toEqual(["#/components/0/overrideWith"]);
  expect(
    places({ path: "a", ...subnet, overrideWith: "b" }, { path: "b", ...subnet, overrideWith: "c" }, { path: "c" }),
  ).toEqual(["#/components/0/overrideWith"]);
  const { errors, components } = parse({ path: "a", ...subnet, overrideWith: "NET" }, { path: "net" });
  expect(errors).toEqual([]);
  expect(components[0]?.overrideWith).toBe("net");
  expect(places({ path: "f", provider: "provider-b", type: "compute.v1.firewall" })).toEqual(["#/components/0/type"]);
});

test.each([
  ["ID", { path: "a", resourceId: "/x/vnets/hub" }, { path: "b", resourceId: "/x/vnets/HUB/subnets/web" }],
  ["name", { path: "a", resourceName: "hub" }, { path: "b", resourceName: "hub/web" }],
  ["path", { path: "a" }, { path: "a/web" }],
])("names the component that contains what can't carry tags, by its %s", (_, owner, part) => {
  const { errors } = parse({ path: "other", resourceName: "hu" }, owner, { ...subnet, ...part });
  expect(errors).toMatchObject([
    { pointer: "#/components/2/type", detail: expect.stringContaining('Set overrideWith to "a"') },
  ]);
  expect(parse(owner, { ...subnet, ...part, overrideWith: "a" }).errors).toEqual([]);
});

test("of several components that contain it, names the nearest", () => {
  const [outer, inner] = [{ path: "a" }, { path: "a/b" }];
  for (const around of [
    [outer, inner],
    [inner, outer],
  ])
    expect(parse(...around, { ...subnet, path: "a/b/c" }).errors).toMatchObject([
      { detail: expect.stringContaining('Set overrideWith to "a/b"') },
    ]);
});

test("refuses tag owners that name each other or themselves", () => {
  const details = (...components: Parameters<typeof parse>) =>
    parse(...components).errors.map(({ pointer, detail }) => [pointer, detail]);
  const held = "That component can't be overridden itself. Name one that has tags and no overrideWith.";
  expect(details({ path: "a", overrideWith: "b" }, { path: "b", overrideWith: "a" })).toEqual([
    ["#/components/0/overrideWith", held],
    ["#/components/1/overrideWith", held],
  ]);
  expect(details({ path: "a", overrideWith: "A" })).toEqual([
    ["#/components/0/overrideWith", "overrideWith must name another component."],
  ]);
});

test("names no component that can't carry tags itself, is held with another or in another cloud, or contains nothing", () => {
  const detail = "Resources of this type can't have tags. Set overrideWith to a component that can.";
  const part = { ...subnet, path: "a/b/c" };
  expect(parse({ path: "z" }, part).errors).toMatchObject([{ detail }]);
  expect(parse({ path: "z" }, { path: "a", overrideWith: "z" }, part).errors).toMatchObject([{ detail }]);
  const bucket = { provider: "provider-b", type: "storage.v1.bucket" };
  expect(parse({ path: "a", ...bucket }, part).errors).toMatchObject([{ detail }]);
});

test("refuses the protocol's own tags, as the cloud compares keys", () => {
  expect(places({ path: "a", parameters: { tags: { "Managed-By": "x", Platform: "y", own: "z" } } })).toEqual([
    "#/components/0/parameters/tags/Managed-By",
    "#/components/0/parameters/tags/Platform",
  ]);
  const bucket = { provider: "provider-b", type: "storage.v1.bucket" };
  expect(places({ path: "a", ...bucket, parameters: { labels: { "managed-by": "x" } } })).toEqual([
    "#/components/0/parameters/labels/managed-by",
  ]);
  expect(places({ path: "a", parameters: { tags: { own: 1 } } })).toEqual(["#/components/0/parameters/tags/own"]);
  expect(places({ path: "a", parameters: { tags: ["x"] } })).toEqual(["#/components/0/parameters/tags"]);
});

test("refuses tags on what can't carry them, and takes an empty object there", () => {
  const part = { ...subnet, path: "net/a", overrideWith: "net" };
  const tagged = (tags: object) => parse({ path: "net" }, { ...part, parameters: { tags } as never }).errors;
  expect(tagged({ own: "x" })).toMatchObject([
    { pointer: "#/components/1/parameters/tags", detail: "Resources of this type can't have tags." },
  ]);
  expect(tagged({})).toEqual([]);
});

test("refuses a move from the component's own path, and two from one path", () => {
  const details = (...components: Parameters<typeof parse>) =>
    parse(...components).errors.map(({ pointer, detail }) => [pointer, detail]);
  expect(details({ path: "a/b", movedFrom: "A/b" })).toEqual([
    ["#/components/0/movedFrom", "movedFrom must differ from the component's own path."],
  ]);
  expect(details({ path: "a", movedFrom: "old" }, { path: "b", movedFrom: "OLD" })).toEqual([
    ["#/components/1/movedFrom", "Another component moves from this path."],
  ]);
});

test("refuses references to what isn't there, to the drift, and what only looks like one", () => {
  expect(places({ path: "a", parameters: { x: { $output: "b#id" } } })).toEqual(["#/components/0/parameters/x"]);
  expect(places({ path: "a" }, { path: "b", parameters: { x: [{ $output: "a#drift" }] } })).toEqual([
    "#/components/1/parameters/x/0",
  ]);
  for (const broken of [
    { $output: "a" },
    { $output: 1 },
    { $output: "#x" },
    { $output: "a#" },
    { $secret: "" },
    { $secret: "x", more: 1 },
  ]) {
    expect(places({ path: "a" }, { path: "b", parameters: { x: broken } as never })).toEqual([
      "#/components/1/parameters/x",
    ]);
  }
  expect(places({ path: "a", dependsOn: ["nobody"] })).toEqual(["#/components/0/dependsOn/0"]);
});

test("names the path that no component has, if it could be one", () => {
  const details = (component: object) => parse({ path: "a", ...component }).errors.map(({ detail }) => detail);
  const refused = ['No component has the path "plann/x".'];
  expect(details({ parameters: { x: { $output: "plann/x#id" } } })).toEqual(refused);
  expect(details({ dependsOn: ["plann/x"] })).toEqual(refused);
  expect(details({ overrideWith: "plann/x" })).toEqual(refused);
  // What isn't a path may be anything, such as a secret.
  const kept = ["There is no component with this path."];
  expect(details({ parameters: { x: { $output: "plann x#id" } } })).toEqual(kept);
  expect(details({ dependsOn: ["a".repeat(65)] })).toEqual(kept);
});

test("names a circle by the paths of its components", () => {
  const { errors } = parse(
    { path: "a", dependsOn: ["c"] },
    { path: "b", dependsOn: ["a"] },
    { path: "c", parameters: { x: { $output: "b#id" } } },
  );
  expect(errors.map(({ pointer, detail }) => [pointer, detail])).toEqual([
    ["#/components/0/dependsOn", "These components depend on each other in a circle: a → c → b → a."],
  ]);
  expect(places({ path: "a", dependsOn: ["a"] })).toEqual(["#/components/0/dependsOn"]);
});

test("finds a circle at the end of the longest chain", () => {
  const chain = Array.from({ length: 500 }, (_, at) => ({ path: `c${at}`, dependsOn: [`c${(at + 1) % 500}`] }));
  expect(places(...chain)).toEqual(["#/components/0/dependsOn"]);
  expect(parse(...chain).errors[0]?.detail).toMatch(/: c0 → c1 → [^…]* → c9 → … → c0\.$/);
  expect(places(...chain.slice(0, -1), { path: "c499" })).toEqual([]);
});

test("names the clouds there are where a component names another", () => {
  const { errors } = parse({ path: "a", provider: "azure" });
  expect(errors.map(({ detail }) => detail)).toEqual([
    "There is no cloud with this name. Choose provider-a or provider-b.",
  ]);
});

test("names every place that is wrong, at once", () => {
  expect(
    places({ path: "check", provider: "x" }, { path: "a", dependsOn: ["b"], parameters: { y: { $output: "z#id" } } }),
  ).toEqual([
    "#/components/0/path",
    "#/components/0/provider",
    "#/components/1/parameters/y",
    "#/components/1/dependsOn/0",
  ]);
});

test("judges declared tags by their vendor's rules, key and value, each at its place", () => {
  const tagged = (tags: Record<string, unknown>) => places({ path: "a", parameters: { tags } as never });
  const at = (key: string) => `#/components/0/parameters/tags/${key}`;
  for (const key of ["a<b", "a>b", "a%b", "a&b", "a\\b", "a?b"]) {
    expect(tagged({ [key]: "x" }), key).toEqual([at(encodeURIComponent(key))]);
  }
  expect(tagged({ "a/b": "x" })).toEqual([at("a~1b")]);
  expect(tagged({ ["k".repeat(513)]: "x" })).toHaveLength(1);
  expect(tagged({ ["k".repeat(512)]: "v".repeat(256) })).toEqual([]);
  expect(tagged({ key: "v".repeat(257) })).toEqual([at("key")]);
  expect(tagged({ Team: "a", team: "b" })).toEqual([at("team")]);
  expect(tagged({ Team: "a", team: null })).toEqual([at("team")]);
  expect(tagged(Object.fromEntries(Array.from({ length: 49 }, (_, n) => [`k${n}`, "x"])))).toHaveLength(1);
  expect(tagged(Object.fromEntries(Array.from({ length: 49 }, (_, n) => [`k${n}`, n === 0 ? null : "x"])))).toEqual([]);
});

test("judges declared labels by Google's rules; of a reference only the key can be judged", () => {
  const bucket = { provider: "provider-b", type: "storage.v1.bucket" };
  const labelled = (labels: Record<string, unknown>) =>
    places({ path: "a", ...bucket, parameters: { labels } as never });
  const at = (key: string) => `#/components/0/parameters/labels/${key}`;
  expect(labelled({ Team: "a" })).toEqual([at("Team")]);
  expect(labelled({ team: "A" })).toEqual([at("team")]);
  expect(labelled({ team: "v".repeat(64) })).toEqual([at("team")]);
  expect(labelled({ team: "v".repeat(63), [`k${"k".repeat(62)}`]: "" })).toEqual([]);
  expect(labelled({ team: { $secret: "db" }, Team: { $secret: "db" } })).toEqual([at("Team")]);
  expect(labelled({ Gone: null })).toEqual([]);
});
