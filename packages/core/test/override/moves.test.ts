import fc from "fast-check";
import { expect, test } from "vitest";
import type { Definition } from "../../src/override/declarations/definition.ts";
import { afterMoves, movesOf } from "../../src/override/declarations/moves.ts";

type Named = { path: string; movedFrom?: string; type?: string; resourceId?: string };

const target = { scope: "s", region: "r" };
const cloud = {
  resourceType: () => ({}) as never,
  resourceIdFor: (_type: string, name: string) => `/ids/${name}`,
  parseResourceId: (_type: string, id: string) => ({ id, name: id }),
};
const clouds = new Map([["a", cloud]]);

function defined(...components: Named[]): Definition {
  const whole = components.map((one) => ({ provider: "a", type: "t", parameters: {}, ...one }));
  return { name: "n", environmentId: { type: "Personal", ownerId: "o", shortName: "dev" }, components: whole };
}

function there(...paths: string[]) {
  const records = paths.map((path) => {
    const resource = { id: `/ids/${path}`, name: path, given: false, target };
    return [path.toLowerCase(), { path, provider: "a", type: "t", resource }] as const;
  });
  return new Map(records);
}

function moved(definition: Definition, existing: ReturnType<typeof there>, before: Definition | null = null) {
  const { moves, errors } = movesOf(definition, { existing, before, clouds });
  const after = afterMoves(existing, moves);
  const became = [...after].map(([key, { resource }]) => [key, resource.name]);
  return { became: Object.fromEntries(became) as Record<string, string>, errors: errors.map(({ pointer }) => pointer) };
}

test("a component moves, two swap, and several follow each other", () => {
  expect(moved(defined({ path: "b", movedFrom: "a" }), there("a"))).toEqual({ became: { b: "a" }, errors: [] });
  const swap = defined({ path: "a", movedFrom: "b" }, { path: "b", movedFrom: "a" });
  expect(moved(swap, there("a", "b"))).toEqual({ became: { a: "b", b: "a" }, errors: [] });
  const chain = defined({ path: "c", movedFrom: "b" }, { path: "b", movedFrom: "a" }, { path: "a" });
  expect(moved(chain, there("a", "b"))).toEqual({ became: { b: "a", c: "b" }, errors: [] });
});

test("a definition that is deployed again moves nothing again", () => {
  const swap = defined({ path: "a", movedFrom: "b" }, { path: "b", movedFrom: "a" });
  expect(moved(swap, there("a", "b"), swap).became).toEqual({ a: "a", b: "b" });
  expect(moved(defined({ path: "b", movedFrom: "a" }), there("b")).became).toEqual({ b: "b" });
});

test("refuses a move onto a component that stays, and one into another type", () => {
  const taken = defined({ path: "b", movedFrom: "a" });
  expect(moved(taken, there("a", "b")).errors).toEqual(["#/components/0/movedFrom"]);
  const other = defined({ path: "b", movedFrom: "a", type: "u" });
  expect(moved(other, there("a")).errors).toEqual(["#/components/0/movedFrom"]);
});

test("a path that is spelled otherwise is the same component's, and so is one that names its resource", () => {
  expect(movesOf(defined({ path: "Net" }), { existing: there("net"), before: null, clouds }).moves).toEqual([
    { from: "net", to: "Net" },
  ]);
  expect(moved(defined({ path: "b", resourceId: "/ids/a" }), there("a")).became).toEqual({ b: "a" });
  expect(moved(defined({ path: "a" }, { path: "b", resourceId: "/ids/a" }), there("a")).became).toEqual({ a: "a" });
});

test("whatever is moved, no component is lost or doubled", () => {
  const paths = ["a", "b", "c", "d", "e"];
  const declared = fc.uniqueArray(
    fc.record({ path: fc.constantFrom(...paths), movedFrom: fc.option(fc.constantFrom(...paths), { nil: undefined }) }),
    { selector: ({ path }) => path },
  );
  fc.assert(
    fc.property(declared, fc.subarray(paths), (components, existing) => {
      const sources = components.flatMap(({ movedFrom }) => movedFrom ?? []);
      fc.pre(new Set(sources).size === sources.length);
      fc.pre(components.every(({ path, movedFrom }) => path !== movedFrom));
      const definition = defined(
        ...components.map(({ path, movedFrom }) => ({ path, ...(movedFrom && { movedFrom }) })),
      );
      const { became, errors } = moved(definition, there(...existing));
      if (errors.length > 0) return;
      expect(Object.values(became).sort()).toEqual([...existing].sort());
    }),
  );
});
