import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { valueAt } from "../../src/json-pointer.ts";
import { placeNamed, pointerOfPlace } from "../../src/override/declarations/list-keys.ts";
import { inForceAmong, learned, type SettledForms, type WriteEvidence } from "../../src/override/protocol/settled.ts";
import { isSpellingOf } from "../../src/override/protocol/spelling.ts";
import type { Json } from "../../src/ports/store.ts";

describe("another spelling of the value that was sent", () => {
  test.each<[Json, Json | undefined]>([
    ["6", "6.0"],
    ["12", "12.4"],
    ["1.29", "1.29.4"],
    ["PerGB2018", "pergb2018"],
    [
      "/providers/Microsoft.Authorization/roleDefinitions/b1",
      "/subscriptions/s/providers/Microsoft.Authorization/roleDefinitions/b1",
    ],
    ["default", "https://www.googleapis.com/compute/v1/projects/p/global/networks/default"],
    ["80", "80-80"],
    ["1", "1000m"],
    ["0.5", "500m"],
    ["1Gi", "1024Mi"],
    ["300s", "PT5M"],
    ["5m", "300s"],
    ["5M", "5000k"],
    ["TCP", "tcp"],
    ["2026-01-01T00:00:00Z", "2026-01-01T00:00:00.000Z"],
    [
      "projects/debian-cloud/global/images/family/debian-12",
      "https://x/projects/debian-cloud/global/images/debian-12-bookworm-v20260101",
    ],
    [10, "10"],
    [true, "True"],
    [[], undefined],
    [false, undefined],
    [{}, { filled: "in" }],
    [{ a: { b: [] } }, null],
    [
      ["B", "a"],
      ["a", "b"],
    ],
    [
      { cpu: "1", extra: false },
      { cpu: "1000m", id: "x" },
    ],
    ["203.0.113.7", "203.0.113.7/32"],
    ["203.0.113.7/32", "203.0.113.7"],
    ["2001:db8::1", "2001:DB8::1/128"],
  ])("%j is shown as %j", (sent, shown) => expect(isSpellingOf(sent, shown)).toBe(true));

  test.each<[Json, Json | undefined]>([
    ["6", "7.0"],
    ["6", "60.1"],
    [6, 6.5],
    ["Standard", "Basic"],
    ["b", "a/ab"],
    ["80", "80-90"],
    ["1", "100m"],
    [true, undefined],
    ["x", undefined],
    [["a"], ["a", "b"]],
    [
      ["a", "a"],
      ["a", "b"],
    ],
    [{ a: 1 }, { b: 1 }],
    ["projects/p/global/images/family/debian-12", "projects/p/global/images/ubuntu-24"],
    ["", "x"],
    [0, 1],
    ["203.0.113.7", "203.0.113.7/24"],
    ["203.0.113.0/24", "203.0.113.0"],
    ["2001:db8::1", "2001:db8::1/32"],
    ["7", "7/32"],
    ["web-1", "api-1"],
    ["1", "1k"],
    ["1k", "1000"],
    ["5", "5s"],
  ])("%j is not shown as %j", (sent, shown) => expect(isSpellingOf(sent, shown)).toBe(false));
});

const at = "2026-01-01T00:00:00.000Z";
const facts = { type: "T@1", at };
const evidence = (over: Partial<WriteEvidence>): WriteEvidence => ({
  place: "/a",
  digest: "d1",
  form: "A",
  moved: false,
  spelled: false,
  ...over,
});

describe("learning from a write", () => {
  test("a place that the write moved gets a witness", () => {
    expect(learned({}, [evidence({ moved: true })], facts)).toEqual({
      "/a": { digest: "d1", form: "A", type: "T@1", by: "write", at },
    });
  });

  test("a place that stayed where it was proves nothing, and ends the witness of another value", () => {
    const settled = learned({}, [evidence({ moved: true })], facts);
    expect(learned(settled, [evidence({ digest: "d2" })], facts)).toEqual({});
  });

  test("a place that shows its settled form again keeps its witness", () => {
    const settled = learned({}, [evidence({ moved: true })], facts);
    expect(learned(settled, [evidence({})], facts)).toEqual(settled);
  });

  test("of a form that must not be stored, only a digest is kept", () => {
    const shown = { form: null, formDigest: "f1" };
    const settled = learned({}, [evidence({ ...shown, moved: true })], facts);
    expect(settled).toEqual({ "/a": { digest: "d1", ...shown, type: "T@1", by: "write", at } });
    expect(inForceAmong(settled, new Map([["/a", "d1"]]), "T@1")).toEqual({
      settled: new Map(),
      hidden: new Map([["/a", "f1"]]),
    });
    expect(learned(settled, [evidence(shown)], facts)).toEqual(settled);
    expect(learned(settled, [evidence({ form: null, formDigest: "f2" })], facts)).toEqual({});
  });

  test("nothing is learned of a place that wasn't sent", () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ place: fc.constantFrom("/a", "/b"), moved: fc.boolean(), spelled: fc.boolean() })),
        (sent) => {
          const settled = learned({}, sent.map(evidence), facts);
          for (const place of Object.keys(settled))
            expect(sent.some((one) => one.place === place && (one.moved || one.spelled))).toBe(true);
        },
      ),
    );
  });

  test("a witness counts for the value and the type that it was made for", () => {
    const settled = learned({}, [evidence({ moved: true })], facts);
    expect(inForceAmong(settled, new Map([["/a", "d1"]]), "T@1").settled).toEqual(new Map([["/a", "A"]]));
    expect(inForceAmong(settled, new Map([["/a", "d2"]]), "T@1").settled.size).toBe(0);
    expect(inForceAmong(settled, new Map([["/a", "d1"]]), "T@2").settled.size).toBe(0);
  });
});

describe("names of places", () => {
  const pools = [
    { name: "a", size: 1 },
    { name: "b/c", size: 2 },
  ];

  test("an item is named by its key, and found again in another order", () => {
    expect(placeNamed({ pools }, "/pools/1/size", undefined)).toBe("/pools/name=b~1c/size");
    expect(pointerOfPlace({ pools: pools.toReversed() }, "/pools/name=b~1c/size")).toBe("/pools/0/size");
    expect(pointerOfPlace({ pools: [pools[0] ?? null] }, "/pools/name=b~1c/size")).toBeNull();
  });

  test("each place leads back to what it names", () => {
    const value = fc.object({ maxDepth: 3, values: [fc.integer(), fc.string()] });
    fc.assert(
      fc.property(value, (parameters) => {
        const json = JSON.parse(JSON.stringify(parameters));
        const pointers: string[] = [];
        const walk = (node: Json, pointer: string): void => {
          pointers.push(pointer);
          if (typeof node !== "object" || node === null) return;
          for (const [name, below] of Object.entries(node))
            walk(below, `${pointer}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`);
        };
        walk(json, "");
        for (const pointer of pointers)
          expect(valueAt(json, pointerOfPlace(json, placeNamed(json, pointer, undefined)) ?? "?")).toEqual(
            valueAt(json, pointer),
          );
      }),
    );
  });
});

test("an unknown place has no witness in force", () => {
  const settled: SettledForms = {};
  expect(inForceAmong(settled, new Map([["/x", "d"]]), "T@1").settled.size).toBe(0);
});
