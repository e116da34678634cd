import { type OperationId, operationsById, parseInput, routes, toOpenApi } from "@liveplane/core/contract";
import { isLiveplaneError, LiveplaneError, type Violation } from "@liveplane/core/errors";
import { expect, test } from "vitest";
import { pathParameters } from "../../src/contract/path-parameters.ts";

/** Something that occurs nowhere else: whatever holds it was echoed. */
const marker = "zq7marker";
const ids = Object.keys(routes) as OperationId[];
const withBody = ids.filter((id) => operationsById[id].body !== undefined);
const withQuery = ids.filter((id) => operationsById[id].query !== undefined);

interface Described {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly anyOf?: readonly Described[];
  readonly properties?: Readonly<Record<string, Described>>;
  readonly items?: Described;
  readonly enum?: readonly unknown[];
  readonly maxLength?: number;
  readonly maxItems?: number;
}

const { schemas } = toOpenApi().components as { schemas: Record<string, Described> };

/** Follows references, and looks past "or null". */
function resolve(schema: Described): Described {
  if (schema.$ref !== undefined) return resolve(schemas[schema.$ref.split("/").at(-1) as string] as Described);
  const choice = schema.anyOf?.find(({ type }) => type !== "null");
  return choice === undefined ? schema : resolve(choice);
}

/** The JSON Schema of an operation's body; of a bulk body, of its items. */
function bodyOf(id: OperationId): { shape: Described; at: string; wrap: (member: unknown) => unknown } {
  const path = Object.values(toOpenApiPaths()).find((candidate) => candidate.operationId === id);
  const shape = resolve(path?.requestBody?.content["application/json"].schema as Described);
  if (shape.items === undefined) return { shape, at: "#", wrap: (member) => member };
  return { shape: resolve(shape.items), at: "#/0", wrap: (member) => [member] };
}

interface Operation {
  readonly operationId: string;
  readonly requestBody?: { readonly content: { readonly "application/json": { readonly schema: Described } } };
}

let operations: readonly Operation[] | undefined;
function toOpenApiPaths(): readonly Operation[] {
  operations ??= Object.values(toOpenApi().paths).flatMap((path) => Object.values(path) as Operation[]);
  return operations;
}

function refusal(work: () => unknown): LiveplaneError {
  try {
    work();
  } catch (error) {
    if (isLiveplaneError(error)) return error;
    throw error;
  }
  throw new LiveplaneError("InternalError", "It was accepted.");
}

/** What is refused, with all that the refusal says searched for what was sent. */
function violations(id: OperationId, value: unknown, place: "body" | "query" = "body"): readonly Violation[] {
  const schema = operationsById[id][place];
  if (schema === undefined) return [];
  const error = refusal(() => parseInput(schema, value, place));
  expect([400, "ValidationFailed"]).toEqual([error.status, error.code]);
  const said = `${error.message} ${(error.details.errors ?? []).map(({ detail }) => detail).join(" ")} ${error.stack ?? ""}`;
  expect(said).not.toContain(marker);
  expect(error.cause).toBeUndefined();
  return error.details.errors ?? [];
}

test.each(withBody)("%s refuses a body that is none, naming its root", (id) => {
  const { shape } = bodyOf(id);
  const kinds =
    shape.properties === undefined || bodyOf(id).at === "#/0"
      ? [null, 5, marker, true]
      : [null, 5, marker, true, [marker]];
  for (const value of kinds)
    expect(violations(id, value)).toEqual([{ pointer: "#", code: "Type", detail: expect.any(String) }]);
  expect(violations(id, undefined)).toEqual([{ pointer: "#", code: "Required", detail: expect.any(String) }]);
});

/** Requests of RFC 6749 and RFC 7009, which may carry parameters that only others know. */
const lenient = (id: string) => /^tokens\.(create|revoke)$/.test(id);

test.each(withBody.filter(lenient))("%s ignores members it doesn't know", (id) => {
  const { wrap } = bodyOf(id);
  expect(violations(id, wrap({ "a/b~": marker })).filter(({ code }) => code === "Unknown")).toEqual([]);
});

const strict = withBody.filter((id) => !lenient(id));
test.each(strict)("%s refuses members it doesn't know, whose names are cut in the pointer", (id) => {
  const { at, wrap } = bodyOf(id);
  const long = `${"x".repeat(70)}${marker}`;
  const found = violations(id, wrap({ "a/b~": marker, [long]: marker }));
  const unknown = found.filter(({ code }) => code === "Unknown").map(({ pointer }) => pointer);
  expect(unknown).toEqual([`${at}/a~1b~0`, `${at}/${"x".repeat(64)}`]);
});

const named = withBody.flatMap((id) => {
  const members = ["name", "displayName", "surname"].filter((name) => bodyOf(id).shape.properties?.[name]);
  return members.map((member) => [id, member] as const);
});

test.each(named)("%s refuses a %s that shows nothing, or turns or hides what is around it", (id, member) => {
  const { at, wrap } = bodyOf(id);
  for (const name of [" ", "Ada\u200B", "\u202EadA", "\u3164"])
    expect(violations(id, wrap({ [member]: name }))).toContainEqual({
      pointer: `${at}/${member}`,
      code: "Format",
      detail: expect.any(String),
    });
});

test.each(withBody)("%s refuses names that reach a prototype, at any depth", (id) => {
  const { at, wrap } = bodyOf(id);
  for (const name of ["__proto__", "constructor", "prototype"]) {
    const hostile = JSON.parse(`{"${name}": "${marker}"}`) as unknown;
    expect(violations(id, wrap(hostile))).toMatchObject([{ pointer: `${at}/${name}`, code: "Forbidden" }]);
    expect(violations(id, wrap({ parameters: [{ a: hostile }] }))).toMatchObject([
      { pointer: `${at}/parameters/0/a/${name}`, code: "Forbidden" },
    ]);
  }
});

test.each(withBody)("%s refuses members of the wrong type, each at its place", (id) => {
  const { shape, at, wrap } = bodyOf(id);
  for (const [name, described] of Object.entries(shape.properties ?? {})) {
    const { type, enum: words } = resolve(described);
    const wrong = [type].flat().includes("string") ? { [marker]: marker } : marker;
    const found = violations(id, wrap({ [name]: wrong })).filter(({ pointer }) => pointer === `${at}/${name}`);
    expect(found, name).toMatchObject([{ code: "Type" }]);
    if (words !== undefined) {
      const other = violations(id, wrap({ [name]: marker })).filter(({ pointer }) => pointer === `${at}/${name}`);
      expect(other, name).toMatchObject([{ code: "Enum" }]);
    }
  }
});

test.each(withBody)("%s refuses text that is too long or holds NUL, each at its place", (id) => {
  const { shape, at, wrap } = bodyOf(id);
  for (const [name, described] of Object.entries(shape.properties ?? {})) {
    const { type, maxLength, enum: words } = resolve(described);
    if (![type].flat().includes("string") || words !== undefined) continue;
    const codes = (value: string) =>
      violations(id, wrap({ [name]: value }))
        .filter(({ pointer }) => pointer === `${at}/${name}`)
        .map(({ code }) => code);
    if (maxLength !== undefined) expect(codes(`${marker}${"x".repeat(maxLength)}`), name).toContain("TooLong");
    expect(codes(`${marker}\u0000`), name).toContain("Format");
    expect(codes(`${marker}\ud800`), name).toContain("Format");
  }
});

test.each(withBody)("%s refuses lists that are too long", (id) => {
  const { shape, at, wrap } = bodyOf(id);
  for (const [name, described] of Object.entries(shape.properties ?? {})) {
    const { maxItems } = resolve(described);
    if (maxItems === undefined) continue;
    const found = violations(id, wrap({ [name]: Array.from({ length: maxItems + 1 }, (_, n) => `${marker}${n}`) }));
    expect(found.filter(({ pointer }) => pointer === `${at}/${name}`).map(({ code }) => code)).toContain("TooBig");
  }
});

test.each(withQuery)("%s refuses query parameters it doesn't know, and a limit that is none", (id) => {
  const query = JSON.parse(`{"__proto__": "${marker}", "surplus": "${marker}"}`) as unknown;
  const found = violations(id, query, "query").filter(({ code }) => code === "Unknown");
  expect(found.map(({ parameter }) => parameter).sort()).toEqual(["__proto__", "surplus"]);
  const limited = violations(id, { limit: marker, surplus: "" }, "query").filter(
    ({ parameter }) => parameter === "limit",
  );
  expect(limited).toHaveLength(1);
});

test("a nesting of 20 is taken and one of 21 refused, however deep it goes", () => {
  const nested = (levels: number): unknown => (levels === 1 ? {} : { a: nested(levels - 1) });
  const { body } = operationsById["environments.create"];
  expect(() => parseInput(body as never, { parameters: nested(20) }, "body")).not.toThrow();
  expect(violations("environments.create", { parameters: nested(21) })).toMatchObject([{ code: "TooDeep" }]);
  let deep: unknown = marker;
  for (let level = 0; level < 100_000; level += 1) deep = [deep];
  expect(violations("environments.create", { parameters: { deep } })).toMatchObject([{ code: "TooDeep" }]);
  expect(violations("environments.create", { name: deep })).toMatchObject([{ code: "TooDeep" }]);
});

test("parameters are judged in every leaf, and as a whole by their bytes", () => {
  const found = violations("environments.create", { parameters: { a: [{ b: `${marker}\u0000` }], "c\u0000": 1 } });
  expect(found.map(({ pointer, code }) => [pointer, code])).toEqual([
    ["#/parameters/c%00", "Format"],
    ["#/parameters/a/0/b", "Format"],
  ]);
  const large = { parameters: { text: "ä".repeat(128 * 1024) } };
  expect(violations("environments.create", large)).toMatchObject([{ pointer: "#/parameters", code: "TooBig" }]);
  for (const value of [Number.NaN, 1n, () => marker, new Date(0), Symbol("s")]) {
    expect(violations("environments.create", { parameters: { value } })).toMatchObject([
      { pointer: "#/parameters/value", code: "Type" },
    ]);
  }
});

test("a resource group that occurs twice is refused where it occurs again, whatever its case", () => {
  const owner = "3f0c4d1e-8a57-4b62-9d1f-6c2e5a7b9041";
  const resourceGroups = [`Personal/${owner}/main`, `Personal/${owner}/other`, `Personal/${owner.toUpperCase()}/MAIN`];
  expect(violations("environments.update", { resourceGroups })).toMatchObject([
    { pointer: "#/resourceGroups/2", code: "Duplicate" },
  ]);
});

test("a short name of 30 characters is taken, one of 31 refused on a write and found nowhere on a read", () => {
  const params = (length: number) => ({
    type: "Personal",
    ownerId: "3F0C4D1E-8A57-4B62-9D1F-6C2E5A7B9041",
    shortName: "a".repeat(length),
  });
  expect(pathParameters("environments.create", params(30)).ownerId).toBe("3f0c4d1e-8a57-4b62-9d1f-6c2e5a7b9041");
  const write = refusal(() => pathParameters("environments.create", params(31)));
  expect(write.details.errors?.[0]).toMatchObject({ parameter: "shortName", code: "TooLong" });
  expect(refusal(() => pathParameters("environments.get", params(31))).code).toBe("NotFound");
  expect(refusal(() => pathParameters("environments.delete", params(31))).code).toBe("NotFound");
});

test("control characters are refused in names; descriptions may have lines and tabs", () => {
  const group = (member: Record<string, string>) =>
    violations("accounts.resourceGroups.upsert", member).map(({ code }) => code);
  for (const control of ["\u0000", "\u0007", "\u001f", "\u007f", "\u0085", "\u009f", "\n", "\t"]) {
    expect(group({ displayName: `${marker}${control}` })).toEqual(["Format"]);
  }
  expect(group({ description: "a\rb" })).toEqual(["Format"]);
  const { body } = operationsById["accounts.resourceGroups.upsert"];
  expect(parseInput(body as never, { description: "a\n\tb" }, "body")).toEqual({ description: "a\n\tb" });
});

test("limits on text count characters, limits on secrets bytes", () => {
  const { body } = operationsById["accounts.resourceGroups.upsert"];
  expect(() => parseInput(body as never, { displayName: "😀".repeat(128) }, "body")).not.toThrow();
  expect(violations("accounts.resourceGroups.upsert", { displayName: "😀".repeat(129) })).toMatchObject([
    { code: "TooLong" },
  ]);
  expect(violations("environments.secrets.create", { value: "ä".repeat(32 * 1024 + 1) })).toMatchObject([
    { pointer: "#/value", code: "TooLong" },
  ]);
});

test("uuids read in lower case and instants in UTC", () => {
  const { query } = operationsById["environments.list"];
  expect(parseInput(query as never, { ownerId: "3F0C4D1E-8A57-4B62-9D1F-6C2E5A7B9041" }, "query")).toEqual({
    ownerId: "3f0c4d1e-8a57-4b62-9d1f-6c2e5a7b9041",
  });
  const { body } = operationsById["liveSystems.components.annotateOverride"];
  expect(parseInput(body as never, { remindAt: "2027-01-31T10:30:00+01:00" }, "body")).toEqual({
    remindAt: "2027-01-31T09:30:00.000Z",
  });
  expect(violations("liveSystems.components.annotateOverride", { remindAt: "2027-02-30T10:30:00Z" })).toMatchObject([
    { code: "Format" },
  ]);
});

test("details that a plan needs have a code of their own where they are missing", () => {
  const { body } = operationsById["subscriptions.create"];
  const asked = { subscriptionType: "Enterprise", enterpriseSubscriptionDetails: { maxNumberOfAccounts: null } };
  const error = refusal(() => parseInput(body as never, asked, "body"));
  expect(error.code).toBe("SubscriptionDetailsMismatch");
  expect(error.details.errors?.map(({ pointer }) => pointer)).toEqual([
    "#/enterpriseSubscriptionDetails/maxNumberOfAccounts",
    "#/enterpriseSubscriptionDetails/maxNumberOfOrganizations",
    "#/enterpriseSubscriptionDetails/expirationDate",
  ]);
});
