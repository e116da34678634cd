import { expect, test } from "vitest";
import type { JsonObject } from "../../src/json-pointer.ts";
import { shapeOf } from "../../src/override/declarations/shape.ts";
import { compare, correctionOf, type Expected } from "../../src/override/protocol/drift.ts";
import { comparisonBy, matches } from "../../src/override/protocol/likeness.ts";
import { scrub } from "../../src/override/protocol/redaction.ts";
import { hiding } from "../../src/override/protocol/secret-places.ts";
import { plainType, type ResourceType } from "../../src/ports/resource-type.ts";
import type { Json } from "../../src/ports/store.ts";
import { fakeRuntime } from "../../src/testing/fake-runtime.ts";
import { environmentId, overrideWorld } from "../builders/override.ts";

/** The bound of one comparison. */
const mostSteps = 500_000;
const many = 60_000;
const numbers = Array.from({ length: many }, (_, at) => at);
const texts = numbers.map((at) => `10.${at}`);
const keyed = numbers.slice(0, 20_000).map((at) => ({ name: `n${at}`, size: at }));
const unkeyed = numbers.slice(0, 20_000).map((at) => ({ parts: [at] }));
const alike = numbers.slice(0, 3_000).map((at) => ({ kind: "tcp", parts: [at] }));
const withDefaults = (items: readonly JsonObject[]) => items.map((item) => ({ ...item, mode: "default" }));
const setType: ResourceType = { ...plainType, sets: ["/list"] };

function expected(parameters: JsonObject, type: ResourceType = plainType): Expected {
  const rest = {
    ignored: [],
    secrets: [],
    unapplied: new Set<string>(),
    scope: "here",
    settled: new Map(),
    extraItems: {},
  };
  return { parameters, type, tagParameter: "tags", caselessTagKeys: false, ...rest };
}

/** How many steps it takes to compare two lists whose order means nothing, and what comes of it. */
function compared(declared: readonly Json[], actual: readonly Json[]) {
  const type = setType;
  const by = comparisonBy({
    type,
    unapplied: new Set(),
    scope: "here",
    settled: new Map(),
    ignored: [],
    extraItems: {},
  });
  const same = matches(declared, actual, shapeOf(type).children.get("list"), by);
  return { same, steps: by.work.steps };
}

test.each<[string, readonly Json[], readonly Json[], boolean]>([
  ["numbers", numbers, numbers.toReversed(), true],
  ["texts", texts, texts.toReversed(), true],
  ["other texts", texts, texts.map((text) => `${text}!`), false],
  ["one text, again and again", texts.map(() => "x"), texts.map(() => "x"), true],
  ["two texts, counted differently", ["x", ...texts.map(() => "y")], ["y", ...texts.map(() => "x")], false],
  ["objects with names", keyed, withDefaults(keyed).toReversed(), true],
  ["objects without names", unkeyed, unkeyed.toReversed(), true],
  ["objects that are alike but for a list", alike, alike.toReversed(), true],
  ["lists", unkeyed.map(({ parts }) => parts), unkeyed.map(({ parts }) => parts).toReversed(), true],
])("a set of %s is compared in steps that grow with its length alone", (_, declared, actual, same) => {
  const found = compared(declared, actual);
  expect(found.same).toBe(same);
  expect(found.steps).toBeLessThan(10 * declared.length);
});

test("where nothing tells the items of a long list apart, it counts as one difference after a fixed number of steps", () => {
  for (const length of [900, 20_000]) {
    const declared = unkeyed.slice(0, length);
    const found = compared(declared, withDefaults(declared).toReversed());
    expect(found.steps).toBeLessThan(mostSteps + 20 * length);
  }
  const long = compared(unkeyed, withDefaults(unkeyed).toReversed());
  expect(long.same).toBe(false);
  expect(compared(unkeyed, withDefaults(unkeyed).toReversed())).toEqual(long);
  const short = unkeyed.slice(0, 100);
  expect(compared(short, withDefaults(short).toReversed()).same).toBe(true);
});

test("names that are links are looked up, not searched", () => {
  let asked = 0;
  const linkOf = (text: string) => {
    asked += 1;
    return text.toLowerCase();
  };
  const users = Object.fromEntries(numbers.slice(0, 5_000).map((at) => [`/a/${at}`, {}]));
  const there = Object.fromEntries(numbers.slice(0, 5_000).map((at) => [`/A/${at}`, {}]));
  const found = compare(expected({ users }, { ...plainType, linkOf }), { parameters: { users: there }, tags: {} });
  expect(found.changes).toEqual([]);
  expect(asked).toBeLessThan(20_000);
});

test.each<[string, JsonObject, JsonObject]>([
  ["an ordered list reversed", { list: numbers }, { list: numbers.toReversed() }],
  ["a list of objects reversed", { list: keyed }, { list: keyed.toReversed() }],
  ["an object of many members", { map: { ...texts } }, { map: { ...texts.toReversed() } }],
])("more than a hundred differences in %s are told as one", (_, declared, there) => {
  const found = compare(expected(declared), { parameters: there, tags: {} });
  const [name = ""] = Object.keys(declared);
  expect(found.changes.map(({ pointer }) => pointer)).toEqual([`/${name}`]);
  expect(found.corrections).toEqual([{ parameter: name, pointer: `/${name}`, value: declared[name] }]);
});

test("differences are told at the nearest place above that has no more than a hundred below it", () => {
  const inner = (value: string) => ({ big: Object.fromEntries(texts.slice(0, 200).map((text) => [text, value])) });
  const found = compare(expected({ a: { b: inner("x"), c: 1 } }), {
    parameters: { a: { b: { ...inner("y"), other: 1 }, c: 2 } },
    tags: {},
  });
  expect(found.changes.map(({ pointer }) => pointer)).toEqual(["/a/b/big", "/a/c"]);
});

test("a difference told as one is corrected without what isn't declared there being lost", () => {
  const declared = { items: keyed.slice(0, 200), note: "x" };
  const there = { items: keyed.slice(0, 200).map((item) => ({ ...item, size: -1, id: item.name })), note: "x", own: 1 };
  const { corrections } = compare(expected({ a: declared }), { parameters: { a: there }, tags: {} });
  expect(corrections).toEqual([
    {
      parameter: "a",
      pointer: "/a/items",
      value: keyed.slice(0, 200).map((item) => ({ ...item, id: item.name })),
    },
  ]);
});

test("many parameters that differ are each told as one, and each is written", () => {
  const of = (value: string) => Object.fromEntries(texts.slice(0, 90).map((text) => [text, { a: value, b: value }]));
  const wanted = expected(of("x"));
  const there = of("y");
  const found = compare(wanted, { parameters: there, tags: {} });
  expect(found.changes.map(({ pointer }) => pointer)).toEqual(texts.slice(0, 90).map((text) => `/${text}`));
  expect(correctionOf(found.corrections, wanted, there).change.parameters).toHaveLength(90);
});

test("secrets are found as whole texts and as parts, and where they overlap", () => {
  const secrets = ["abcd", "bcdef", "xyz", 7];
  expect(scrub(["abcd", "1abcdef2", "abcdabcd", "-xyz-", "xyz", 7, "7", true], secrets)).toEqual([
    "[redacted]",
    "1[redacted]2",
    "[redacted][redacted]",
    "-xyz-",
    "[redacted]",
    "[redacted]",
    "7",
    true,
  ]);
});

test("a text that takes too many comparisons is hidden whole", () => {
  const secrets = texts.map((text) => `aaaa${text}`);
  expect(scrub({ text: "a".repeat(2_000), other: "bbbb" }, secrets)).toEqual({ text: "[redacted]", other: "bbbb" });
});

test("many secrets in a list from outside are hidden in one walk", () => {
  let asked = 0;
  const item = () =>
    new Proxy<JsonObject>(
      { value: "x", other: "y" },
      {
        ownKeys: (target) => {
          asked += 1;
          return Reflect.ownKeys(target);
        },
      },
    );
  const list = numbers.slice(0, 2_000).map(item);
  const hide = hiding(
    list.map((_, at) => `/list/${at}/value`),
    plainType,
    "foreign",
  );
  expect((hide(list, "/list") as Json[])[1_999]).toEqual({ value: "[redacted]", other: "y" });
  expect(asked).toBe(2_000);
});

test("a component of sixty thousand values is deployed, read, planned and handed back in seconds", async () => {
  const world = overrideWorld();
  const parameters = { list: texts.slice(0, 25_000), map: { ...keyed.slice(0, 1_000) } };
  const component = { path: "app", provider: "provider-b", type: "run.v1.service", parameters };
  const declared = { name: "x", environmentId, components: [component] };
  const began = process.cpuUsage();
  const { livesystemId: id, components } = await world.create(declared as never);
  const [app] = components;
  const { "provider-b": console } = world.consoles;
  await console.putTags(app?.resourceId ?? "", {});
  await console.patchParameters(app?.resourceId ?? "", { list: parameters.list.toReversed() });
  await world.check(app?.id ?? "");
  const at = { params: { id, componentId: app?.id ?? "" } };
  const plan = (await world.call("liveSystems.components.adoptionPlan", at)) as { changes: readonly unknown[] };
  expect(plan.changes).toHaveLength(1);
  await world.call("liveSystems.components.get", at);
  await world.plan(id, declared);
  const { user } = process.cpuUsage(began);
  expect(user / 1e6).toBeLessThan(20);
});

test("thousands of references to one long value are refused before they are put together", async () => {
  const world = overrideWorld();
  world.secrets.set("long", "x".repeat(64 * 1024));
  const referring = (times: number) => {
    const list = numbers.slice(0, times).map(() => ({ $secret: "long" }));
    const component = { path: "app", provider: "provider-b", type: "run.v1.service", parameters: { list } };
    return { name: "x", environmentId, components: [component] };
  };
  expect(await world.create(referring(15) as never)).toMatchObject({ status: "Succeeded" });
  const refused = await world.create(referring(10_000) as never);
  expect(refused).toMatchObject({ status: "Failed", error: { detail: expect.stringContaining("1 MiB") } });
});

test("a plan of many components lets others run between them", async () => {
  let yields = 0;
  const runtime = fakeRuntime();
  const counting = {
    ...runtime,
    yield: () => {
      yields += 1;
      return runtime.yield();
    },
  };
  const world = overrideWorld({ runtime: counting });
  const components = numbers.slice(0, 20).map((at) => {
    return { path: `c${at}`, provider: "provider-b", type: "run.v1.service", parameters: { at } };
  });
  const declared = { name: "x", environmentId, components };
  const { livesystemId: id, components: made } = await world.create(declared as never);
  yields = 0;
  await world.plan(id, declared);
  expect(yields).toBeGreaterThanOrEqual(20);
  yields = 0;
  await world.call("liveSystems.components.adoptionPlan", { params: { id, componentId: made[0]?.id ?? "" } });
  expect(yields).toBeGreaterThanOrEqual(1);
});
