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
