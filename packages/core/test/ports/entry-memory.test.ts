import fc from "fast-check";
import { expect, test } from "vitest";
import { EntryMemory } from "../../src/ports/entry-memory.ts";
import type { Entry } from "../../src/ports/store.ts";

const place = fc.integer({ min: 0, max: 12 });
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("keep" as const), place, letters: fc.nat({ max: 1500 }) }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("get" as const), place }) },
  fc.record({ kind: fc.constant("forget" as const), place }),
  fc.record({ kind: fc.constant("clear" as const) }),
);

test("what is remembered is what was kept last, and never takes more than its bound", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), fc.integer({ min: 0, max: 200_000 }), (steps, mostBytes) => {
      const memory = new EntryMemory<number>(mostBytes);
      const kept = new Map<number, Entry>();
      for (const one of steps) {
        if (one.kind === "clear") kept.clear();
        if (one.kind === "forget") kept.delete(one.place);
        if (one.kind === "clear") memory.clear();
        else if (one.kind === "forget") memory.forget(one.place);
        else if (one.kind === "keep") {
          const entry = { key: [String(one.place)], value: null, version: 1 };
          kept.set(one.place, entry);
          memory.keep(one.place, entry, one.letters);
        } else {
          const found = memory.get(one.place);
          if (found !== undefined) expect(found).toBe(kept.get(one.place));
        }
        expect(memory.bytes).toBeGreaterThanOrEqual(0);
        expect(memory.bytes).toBeLessThanOrEqual(mostBytes);
      }
    }),
  );
});

test("what is used stays while others come and go", () => {
  const memory = new EntryMemory<string>(64 * 1024);
  const entry = { key: ["used"], value: null, version: 1 };
  memory.keep("used", entry, 100);
  for (let at = 0; at < 1000; at++) {
    memory.keep(`other ${at}`, { ...entry, key: [String(at)] }, 100);
    expect(memory.get("used")).toBe(entry);
  }
  expect(memory.get("other 0")).toBeUndefined();
  expect(memory.get("other 999")).toBeDefined();
});
