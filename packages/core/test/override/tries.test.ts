import { expect, test } from "vitest";
import { hasMoved } from "../../src/override/protocol/tries.ts";

const at = (pointer: string, declared: unknown, actual: unknown) => ({ pointer, declared, actual }) as never;
const item = "/rules/name=web";

test.each([
  ["the same is seen again", [at("/a", 1, 2)], [at("/a", 1, 2)], false],
  ["a difference is gone", [at("/a", 1, 2), at("/b", 1, 2)], [at("/b", 1, 2)], false],
  ["another value is there", [at("/a", 1, 2)], [at("/a", 1, 3)], true],
  ["another place differs, too", [at("/a", 1, 2)], [at("/a", 1, 2), at("/b", 1, 2)], true],
  ["a declared item differs otherwise", [at(item, 1, 2)], [at(item, 1, 3)], true],
  ["the cloud has added another item", [at(item, null, 1)], [at("/rules/name=api", null, 1)], false],
  ["a list that is too long has another item", [at("/a", [1], [1, 2])], [at("/a", [1], [1, 3])], false],
  ["a list that is too short has another item", [at("/a", [1, 2], [1])], [at("/a", [1, 2], [3])], true],
])("whether something has moved since the last try: %s", (_, before, now, moved) => {
  expect(hasMoved(before, now)).toBe(moved);
});
