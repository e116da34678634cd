import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { withValuesAt } from "../../src/clouds/simulated/json-edits.ts";
import { type JsonObject, pointerTo, sameJson, valueAt } from "../../src/json-pointer.ts";
import { extraItemsMistake, heededOf, placeMistake } from "../../src/override/declarations/ignored.ts";
import { placeNamed } from "../../src/override/declarations/list-keys.ts";
import { shapeOf } from "../../src/override/declarations/shape.ts";
import { compare, correctionOf, type Expected } from "../../src/override/protocol/drift.ts";
import { itemsApplied } from "../../src/override/protocol/extra-items.ts";
import { keepPatch } from "../../src/override/protocol/keep-patch.ts";
import { plainType, type ResourceType } from "../../src/ports/resource-type.ts";
import type { Json } from "../../src/ports/store.ts";
import { applyPatch } from "../builders/json-patch.ts";

function expected(parameters: JsonObject, more: Partial<Expected> = {}): Expected {
  return {
    parameters,
    ignored: [],
    secrets: [],
    type: plainType,
    tagParameter: "tags",
    caselessTagKeys: true,
    unapplied: new Set(),
    scope: "own",
    settled: new Map(),
    extraItems: {},
    ...more,
  };
}

const sets: ResourceType = { ...plainType, sets: ["/nets"] };
const [web, db, gw] = [
  { name: "web", size: 1 },
  { name: "db", size: 2 },
  { name: "gw", size: 9 },
];

function differing(declared: readonly Json[], there: readonly Json[], more: Partial<Expected> = {}) {
  const found = compare(expected({ nets: declared }, more), { parameters: { nets: there }, tags: {} });
  const after = withValuesAt({ nets: there }, found.corrections);
  return { places: found.changes.map(({ pointer, declared: to, actual }) => [pointer, to, actual]), after: after.nets };
}

describe("lists whose items have keys", () => {
  test("differ at the items, which corrections name, and the neighbours stay as they are", () => {
    const there = [
      { ...db, state: "up" },
      { ...web, size: 7, state: "up" },
    ];
    expect(differing([web, db], there, { type: sets })).toEqual({
      places: [["/nets/name=web/size", 1, 7]],
      after: [
        { ...db, state: "up" },
        { ...web, state: "up" },
      ],
    });
  });

  test("are written with what their cloud never shows of the neighbours", () => {
    const type = { ...sets, writeOnly: ["/nets/*/secret", "/other/*/secret"] };
    const declared = [
      { ...web, secret: "first" },
      { ...db, secret: "second" },
    ];
    const wanted = expected({ nets: declared, other: [{ name: "one", secret: "third" }] }, { type });
    const there = { nets: [db, { ...web, size: 7 }], other: [{ name: "one" }] };
    const { corrections } = compare(wanted, { parameters: there, tags: {} });
    const { parameters } = correctionOf(corrections, wanted, there).change;
    expect(withValuesAt(there, parameters)).toEqual({ ...there, nets: declared.toReversed() });
    const kept = { ...wanted, ignored: ["/nets/name=db/secret"] };
    expect(withValuesAt(there, correctionOf(corrections, kept, there).change.parameters)).toEqual({
      ...there,
      nets: [db, declared[0]],
    });
  });

  test("name missing and extra items, which corrections add and remove", () => {
    expect(differing([web, db], [web])).toEqual({ places: [["/nets/name=db", db, null]], after: [web, db] });
    expect(differing([web], [web, gw])).toEqual({ places: [["/nets/name=gw", null, gw]], after: [web] });
    expect(differing([web], [gw, web], { type: sets }).places).toEqual([["/nets/name=gw", null, gw]]);
  });

  test("differ as a whole in another order, unless it means nothing", () => {
    expect(differing([web, db], [db, web])).toEqual({
      places: [["/nets", [web, db], [db, web]]],
      after: [web, db],
    });
    expect(differing([web, db], [db, web], { type: sets }).places).toEqual([]);
    expect(differing([web, db, gw], [web, gw]).places).toEqual([["/nets", [web, db, gw], [web, gw]]]);
  });

  test("differ as a whole where an item was renamed, and keep what isn't declared in the others", () => {
    const there = [
      { ...web, state: "up" },
      { ...db, name: "database" },
    ];
    expect(differing([web, db], there)).toEqual({
      places: [["/nets", [web, db], there]],
      after: [{ ...web, state: "up" }, db],
    });
  });

  test("are told apart without case, and by the member that the type names", () => {
    expect(differing([web], [{ name: "WEB", size: 3 }]).places).toEqual([
      ["/nets/name=web/name", "web", "WEB"],
      ["/nets/name=web/size", 1, 3],
    ]);
    const type = { ...plainType, keys: { "/nets": "place" } };
    const at = (place: string, size: number) => ({ name: place.slice(1), place, size });
    expect(differing([at("1a", 1), at("2a", 2)], [at("1a", 1), at("2a", 3)], { type }).places).toEqual([
      ["/nets/place=2a/size", 2, 3],
    ]);
  });

  test("are one place where the items have no keys, or share them", () => {
    expect(differing([{ size: 1 }], [{ size: 2, state: "up" }])).toEqual({
      places: [["/nets", [{ size: 1 }], [{ size: 2, state: "up" }]]],
      after: [{ size: 1, state: "up" }],
    });
    expect(differing([web], [gw, { ...gw, size: 1 }]).places).toHaveLength(1);
    expect(differing([web, db], [web, { ...db, size: 3 }, db]).places.map(([place]) => place)).toEqual(["/nets"]);
  });

  test("hide a secret of an item, wherever the item is", () => {
    const declared = {
      nets: [
        { name: "web", value: "hunter2hunter2" },
        { name: "db", value: "plain" },
      ],
    };
    const there = {
      nets: [
        { name: "db", value: "plain" },
        { name: "web", value: "other" },
      ],
    };
    const wanted = expected(declared, { secrets: ["/nets/0/value"], type: sets });
    const found = compare(wanted, { parameters: there, tags: {} });
    expect(found.changes.map(({ pointer }) => pointer)).toEqual(["/nets/name=web/value"]);
    expect(JSON.stringify([found.changes, found.drift])).not.toMatch(/hunter2|other/);
    expect(found.corrections.map(({ value }) => value)).toEqual(["hunter2hunter2"]);
  });
});

describe("lists that may hold items of the cloud's own", () => {
  const extraItems = { "/nets": [] };

  test("aren't in drift for these, and corrections keep them", () => {
    expect(differing([web], [gw, web], { extraItems }).places).toEqual([]);
    expect(differing([], [gw], { extraItems }).places).toEqual([]);
    expect(differing([web, db], [db, gw, web], { extraItems })).toEqual({
      places: [["/nets", [web, db], [db, web]]],
      after: [web, db, gw],
    });
    expect(differing([web, db], [web, gw], { extraItems }).after).toEqual([web, gw, db]);
  });

  test("keep them where items share a key, and what has the key of a declared one isn't theirs", () => {
    const twice = [
      { ...web, size: 7 },
      { ...web, size: 3 },
    ];
    const extraItems = { "/nets": ["name=web"] };
    expect(differing([web], [...twice, db, db], { extraItems })).toEqual({
      places: [["/nets", [web], twice]],
      after: [web, db, db],
    });
    const parameters = { nets: [web] };
    const applied = { parameters, type: plainType, extraItems: { "/nets": ["name=gw"] }, secrets: [] };
    const there = { nets: [...twice, gw, db, db] };
    expect(itemsApplied(applied, there, { isApplied: true })).toEqual({ "/nets": ["name=gw", "name=web"] });
  });

  test("lose those that were applied once and are no longer declared", () => {
    const once = { extraItems: { "/nets": ["name=gw", "name=web"] } };
    expect(differing([web], [web, gw, db], once)).toEqual({ places: [["/nets/name=gw", null, gw]], after: [web, db] });
    expect(differing([web], [gw, db, web], once).after).toEqual([web, db]);
    expect(differing([], [gw, db], once).after).toEqual([db]);
  });

  test("may hold plain values", () => {
    expect(differing(["a"], ["a", "b"], { extraItems }).places).toEqual([]);
    expect(differing(["a", "c"], ["a", "b"], { extraItems }).after).toEqual(["a", "c", "b"]);
    expect(differing(["a"], ["a", "b", "c"], { extraItems: { "/nets": ['"b"'] } }).after).toEqual(["a", "c"]);
    expect(differing(["a", "b"], ["b", "x", "a"], { extraItems, type: sets }).places).toEqual([]);
  });

  test("may hold objects without keys, each as often as it is declared", () => {
    const [port, shown] = [{ port: 80 }, { port: 80, state: "up" }];
    expect(differing([port], [{ port: 22 }, shown], { extraItems }).places).toEqual([]);
    expect(differing([port, port], [shown, { port: 22 }], { extraItems }).after).toEqual([shown, port, { port: 22 }]);
    expect(differing([port], [port, port], { extraItems }).places).toEqual([]);
  });

  test("remember what was applied from its first write on, until it is gone", () => {
    const names = (declared: Json[], there: Json[], before: string[], isApplied: boolean) =>
      itemsApplied(expected({ nets: declared }, { extraItems: { "/nets": before } }), { nets: there }, { isApplied });
    expect(names([web], [], [], true)).toEqual({ "/nets": ["name=web"] });
    expect(names([web], [gw], [], false)).toEqual({ "/nets": [] });
    expect(names([web], [web, db], ["name=db", "name=old"], false)).toEqual({ "/nets": ["name=db"] });
    const secret = expected({ nets: ["hunter2"] }, { extraItems: { "/nets": [] }, secrets: ["/nets/0"] });
    expect(itemsApplied(secret, {}, { isApplied: true })).toEqual({ "/nets": [] });
    expect(names(["plain"], [], [], true)).toEqual({ "/nets": ['"plain"'] });
    const keyed = expected({ nets: [web] }, { extraItems: { "/nets": [] }, secrets: ["/nets/0/size"] });
    expect(itemsApplied(keyed, {}, { isApplied: true })).toEqual({ "/nets": ["name=web"] });
  });
});

test("what is ignored in an item, or as an item, is left to the cloud", () => {
  const ignored = ["/nets/name=web/size", "/nets/name=gw"];
  expect(heededOf({ nets: [web, gw, db] }, ignored)).toEqual({ nets: [{ name: "web" }, db] });
  const more = { ignored, type: sets };
  expect(differing([web, db], [gw, db, { ...web, size: 5 }], more).places).toEqual([]);
  expect(differing([web, db], [gw, { ...web, size: 5 }], more).after).toEqual([gw, { ...web, size: 5 }, db]);
  // Written as a whole, too.
  expect(differing([web, db], [{ ...db, name: "old" }, gw, { ...web, size: 5 }], more).after).toEqual([
    { ...web, size: 5 },
    db,
    gw,
  ]);
});

test("what is ignored as an item is left to the cloud even where items share a key, or it is there twice", () => {
  const ignored = ["/nets/name=db"];
  const [theirs, other] = [
    { name: "db", size: 5 },
    { name: "db", size: 6 },
  ];
  const twice = [{ ...web, size: 7 }, theirs, gw, gw];
  expect(differing([web, db], twice, { ignored, extraItems: { "/nets": [] } }).after).toEqual([web, theirs, gw, gw]);
  expect(differing([web, db], [{ ...web, size: 7 }, theirs, other], { ignored })).toMatchObject({
    places: [["/nets/name=web/size", 1, 7]],
    after: [web, theirs, other],
  });
});

test("a place in a list is named by its item's key", () => {
  const parameters = { nets: [web, db], sizes: [{ size: 1 }], of: { $output: "a#b" } };
  for (const pointer of ["/nets", "/nets/name=web", "/nets/name=new/size", "/sizes"])
    expect(placeMistake(pointer, parameters, undefined), pointer).toBeNull();
  expect(placeMistake("/nets/0/size", parameters, undefined)).toContain("name=");
  expect(placeMistake("/nets/id=web", parameters, undefined)).toContain("name=");
  expect(placeMistake("/sizes/0", parameters, undefined)).toContain("no key");
  expect(extraItemsMistake("/nets", parameters, undefined)).toBeNull();
  expect(extraItemsMistake("/of", parameters, undefined)).toBeNull();
  expect(extraItemsMistake("/nets/name=web", parameters, undefined)).toContain("list");
  expect(extraItemsMistake("/none", parameters, undefined)).toContain("list");
});

const item = fc.record({ name: fc.constantFrom("a", "b", "c", "d"), size: fc.nat(2) });
const list = fc.uniqueArray(item, { selector: ({ name }) => name, maxLength: 4 });
const lists = fc.record({ nets: list, inner: fc.record({ nets: list }) });
const pointers = ["/nets", "/inner/nets"] as const;
const types: readonly ResourceType[] = [plainType, sets];
const case_ = fc.record({
  declared: lists,
  there: lists,
  type: fc.constantFrom(...types),
  allowed: fc.subarray([...pointers]),
  once: fc.subarray(["name=a", "name=b", "name=c"]),
  ignored: fc.subarray(["/nets/name=a", "/nets/name=b/size", "/inner/nets/name=c/size"]),
});

test("corrections leave nothing that differs, keep the cloud's own items and touch nothing that is ignored", () => {
  fc.assert(
    fc.property(case_, ({ declared, there, type, allowed, once, ignored }) => {
      const extraItems = Object.fromEntries(allowed.map((pointer) => [pointer, once]));
      const wanted = expected(declared, { type, extraItems, ignored });
      const { corrections } = compare(wanted, { parameters: there, tags: {} });
      const after = withValuesAt(there, corrections);
      expect(compare(wanted, { parameters: after, tags: {} }).changes).toEqual([]);
      for (const pointer of pointers) {
        const items = valueAt(there, pointer) as { name: string }[];
        const names = new Set((valueAt(declared, pointer) as { name: string }[]).map(({ name }) => name));
        for (const { name } of items) {
          const place = pointerTo(pointer, `name=${name}`);
          const isOwn = !names.has(name) && allowed.includes(pointer) && !once.includes(`name=${name}`);
          if (isOwn || ignored.includes(place)) expect(valueAt(after, place)).toEqual(valueAt(there, place));
        }
        for (const { name } of items) {
          const place = `${pointer}/name=${name}/size`;
          const isThere = names.has(name) && ignored.includes(place) && !ignored.includes(`${pointer}/name=${name}`);
          if (isThere) expect(valueAt(after, place)).toEqual(valueAt(there, place));
        }
      }
    }),
    { numRuns: 3000 },
  );
});

test("every change of a single item of what is in sync is drift at that item or its list", () => {
  fc.assert(
    fc.property(lists, fc.constantFrom(...types), (declared, type) => {
      for (const pointer of pointers) {
        const items = valueAt(declared, pointer) as { name: string; size: number }[];
        const edits: Json[] = [[...items, gw], ...items.flatMap((_, at) => [items.toSpliced(at, 1)])];
        for (const [at, one] of items.entries()) {
          edits.push(items.with(at, { ...one, size: one.size + 1 }), items.with(at, { ...one, name: "other" }));
        }
        if (items.length > 1 && !type.sets.includes(pointer)) edits.push(items.toReversed());
        for (const value of edits) {
          const there = withValuesAt(declared, [{ pointer, value }]);
          const { changes } = compare(expected(declared, { type }), { parameters: there, tags: {} });
          expect(changes.length).toBeGreaterThan(0);
          for (const change of changes) expect(change.pointer.startsWith(pointer)).toBe(true);
        }
      }
    }),
    { numRuns: 300 },
  );
});

test("the patch that keeps what is there names items by their positions, and leaves no difference", () => {
  fc.assert(
    fc.property(lists, lists, fc.constantFrom(...types), (declared, there, type) => {
      const component = { path: "a", provider: "p", type: "t", parameters: declared };
      const { changes } = compare(expected(declared, { type }), { parameters: there, tags: {} });
      const { patch, leftOut } = keepPatch([component], 0, changes, []);
      expect(leftOut).toEqual([]);
      expect(JSON.stringify(patch)).not.toContain("name=");
      const after = applyPatch({ components: [component] } as unknown as Json, patch) as unknown as {
        components: [{ parameters: JsonObject }];
      };
      const [{ parameters }] = after.components;
      expect(compare(expected(parameters, { type }), { parameters: there, tags: {} }).changes).toEqual([]);
    }),
    { numRuns: 1000 },
  );
});

test("a place keeps its name in another order", () => {
  fc.assert(
    fc.property(list, (items) => {
      for (const [at, one] of items.entries()) {
        const place = placeNamed({ nets: items }, `/nets/${at}/size`, shapeOf(plainType));
        expect(sameJson(valueAt({ nets: items.toReversed() }, place), one.size)).toBe(true);
      }
    }),
  );
});
