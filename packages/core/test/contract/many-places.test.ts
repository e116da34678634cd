import { bodyLimitKiB, operationsById, parseInput, type Schema, toOpenApi } from "@liveplane/core/contract";
import { isLiveplaneError, type LiveplaneError, toProblem, type Violation } from "@liveplane/core/errors";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { invalid } from "../../src/contract/invalid.ts";
import { parseItems } from "../../src/contract/parse-input.ts";

type Bodied = "sessions.create" | "liveSystems.create" | "environments.create" | "organizations.create";

function refusalOf(work: () => unknown): LiveplaneError {
  try {
    work();
  } catch (error) {
    if (isLiveplaneError(error)) return error;
    throw error;
  }
  throw new RangeError("It was taken.");
}

const judged = (id: Bodied, body: unknown) =>
  refusalOf(() => parseInput(operationsById[id].body as Schema<unknown>, body, "body"));
const members = (count: number, value: unknown = 1) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, value]));

describe("a refusal names at most a hundred places", () => {
  test.each<[string, Bodied, unknown, number]>([
    ["unknown members", "sessions.create", { username: "ada", password: "x", ...members(700) }, 700],
    ["unknown members of every part", "liveSystems.create", { components: Array(400).fill(members(400)) }, 160_000],
    ["names that can't be", "environments.create", { name: "x", ...members(900, "\0") }, 900],
  ])("%s: and says how many there are", (_what, id, body, least) => {
    const { details, message } = judged(id, body);
    expect(details.errors).toHaveLength(100);
    expect(Number(/\(and (\d+) more\)$/.exec(message)?.[1])).toBeGreaterThanOrEqual(least - 1);
  });

  test("more members than any record has are one place, which isn't looked into", () => {
    const { details, message } = judged("sessions.create", members(100_000));
    expect(details.errors).toEqual([{ pointer: "#", code: "TooBig", detail: "This must have at most 1000 members." }]);
    expect(message).not.toContain("more)");
  });

  test("free-form parameters may have more members than that, and a hundred of their faults are named", () => {
    const body = (value: unknown) => ({ components: [{ parameters: members(5_000, value) }] });
    const places = (value: unknown) =>
      judged("liveSystems.create", body(value)).details.errors?.filter(({ pointer }) =>
        /parameters/.test(pointer ?? ""),
      );
    expect(places(1)).toEqual([]);
    expect(places("\0")?.length).toBeLessThanOrEqual(100);
    expect(places("\0")?.length).toBeGreaterThan(80);
  });

  test("each place stands there once, whoever names them, in their order", () => {
    const place = fc.record({
      pointer: fc.integer({ min: 0, max: 150 }).map((at) => `#/${at}`),
      code: fc.constantFrom("Format" as const, "Type" as const, "WeakPassword" as const),
      detail: fc.constantFrom("a", "b"),
    });
    fc.assert(
      fc.property(fc.array(place, { minLength: 1, maxLength: 400 }), (list) => {
        const [first, ...rest] = list as [Violation, ...Violation[]];
        const { errors = [] } = invalid([first, ...rest]).details;
        const distinct = [...new Set(list.map(({ pointer }) => pointer))];
        expect(errors.map(({ pointer }) => pointer)).toEqual(distinct.slice(0, 100));
        expect(errors[0]).toEqual(first);
      }),
    );
  });

  test("the document says so", () => {
    const { Problem } = toOpenApi().components.schemas as Record<string, Record<string, Record<string, object>>>;
    expect(Problem?.properties?.errors).toMatchObject({ maxItems: 100 });
  });
});

describe("a refusal says what is asked for, and nothing of what was sent", () => {
  test.each<[string, Bodied, unknown, Partial<Violation>]>([
    ["a string", "environments.create", { name: 5 }, { pointer: "#/name", detail: "This must be a string." }],
    ["an object", "environments.create", [], { pointer: "#", detail: "This must be an object." }],
    ["a list", "liveSystems.create", { components: "x" }, { pointer: "#/components", detail: "This must be a list." }],
    [
      "a word of several",
      "liveSystems.create",
      { environmentId: { type: "personal" } },
      {
        pointer: "#/environmentId/type",
        code: "Enum",
        detail: 'This must be one of "Personal", "Organizational".',
      },
    ],
    ["a UUID", "liveSystems.create", { environmentId: { ownerId: "x" } }, { detail: "This must be a UUID." }],
    [
      "a pattern",
      "liveSystems.create",
      { environmentId: { shortName: "Ünknown!" } },
      {
        pointer: "#/environmentId/shortName",
        code: "Format",
        detail:
          "This must have only lower-case letters, digits and hyphens, and no hyphen at either end, such as staging.",
      },
    ],
    ["another member", "environments.create", { nam: "x" }, { pointer: "#/nam", detail: "This member is unknown." }],
  ])("%s", (_what, id, body, said) => {
    const { errors } = judged(id, body).details;
    expect(errors).toContainEqual(expect.objectContaining(said));
    expect(JSON.stringify(errors)).not.toMatch(/personal|Ünknown/);
  });

  test("a parameter of the query that isn't there is no member", () => {
    const { query } = operationsById["liveSystems.list"];
    expect(refusalOf(() => parseInput(query as never, { limt: 1 }, "query")).message).toBe(
      "limt: This parameter is unknown.",
    );
  });
});

test.each([
  [
    "organizations.create",
    { name: "Acme\n" },
    "#/name: This must be valid Unicode text without line breaks and invisible characters.",
  ],
  [
    "sessions.create",
    { username: "a".repeat(2_000), password: "x" },
    "#/username: This must have at most 1024 characters.",
  ],
] as const)("%s says in plain words what is wrong with a text", (id, body, sentence) => {
  expect(judged(id, body).message).toBe(sentence);
});

test("a list that is too long is told in entries, not as a number", () => {
  const query = operationsById["names.find"].query as never;
  const id = Array.from({ length: 101 }, () => "3f0c4d1e-8a57-4b62-9d1f-6c2e5a7b9041");
  expect(refusalOf(() => parseInput(query, { id }, "query")).message).toBe("id: This must have at most 100 entries.");
});

test("the items of a list are told apart by all their faults, also by those that aren't named", () => {
  const { body } = operationsById["environments.secrets.upsertMany"];
  const good = { shortName: "a", value: "b" };
  const sent = [{ ...good, ...members(300) }, good, { shortName: 1 }];
  const { items, unread } = parseItems(body as Parameters<typeof parseItems>[0], sent);
  expect(items).toHaveLength(1);
  expect(unread?.places).toEqual([1]);
  expect(unread?.violations).toHaveLength(100);
});

/** The least of several times that something took, in milliseconds: what others did on the machine falls out. */
function cost(work: () => void): number {
  const times = Array.from({ length: 7 }, () => {
    const startedAt = performance.now();
    work();
    return performance.now() - startedAt;
  });
  return Math.min(...times);
}

test("refusing a mebibyte of unknown members costs no more than reading a plain one that is right, twice over", () => {
  const wrong = JSON.stringify(members(80_000));
  const right = JSON.stringify({
    name: "shop",
    environmentId: { type: "Personal", ownerId: "3f0c4d1e-8a57-4b62-9d1f-6c2e5a7b9041", shortName: "dev" },
    components: Array.from({ length: 100 }, (_, at) => ({
      path: `c${at}`,
      type: "Microsoft.Web/sites",
      provider: "provider-a",
      parameters: members(800),
    })),
  });
  const take = (id: Bodied, text: string) => parseInput(operationsById[id].body as never, JSON.parse(text), "body");
  const refuse = () =>
    JSON.stringify(
      toProblem(
        refusalOf(() => take("sessions.create", wrong)),
        "r",
      ),
    );
  expect(refuse().length).toBeLessThan(32 * 1024);
  expect(cost(refuse)).toBeLessThan(2 * cost(() => take("liveSystems.create", right)));
});

describe("how long a body may be", () => {
  test("16 KiB where anybody may call or a challenge does, 1 MiB elsewhere, more where the row says so", () => {
    expect(bodyLimitKiB(operationsById["sessions.create"])).toBe(16);
    expect(bodyLimitKiB(operationsById["accounts.activate"])).toBe(16);
    expect(bodyLimitKiB(operationsById["environments.create"])).toBe(1024);
    expect(bodyLimitKiB(operationsById["environments.secrets.upsertMany"])).toBe(4096);
    for (const row of Object.values(operationsById))
      if ("who" in row.access && ["anyone", "challenge"].includes(row.access.who)) expect(bodyLimitKiB(row)).toBe(16);
  });

  test("the document says so at every body", () => {
    for (const operation of Object.values(toOpenApi().paths).flatMap((item) => Object.values(item)) as Operation[]) {
      const row = Object.values(operationsById).find(({ id }) => operation.operationId?.startsWith(id));
      if (operation.requestBody === undefined || row === undefined) continue;
      expect(operation.requestBody.description).toMatch(/^At most \d+ (KiB|MiB)\.$/);
    }
  });
});

interface Operation {
  readonly operationId?: string;
  readonly requestBody?: { readonly description?: string };
}
