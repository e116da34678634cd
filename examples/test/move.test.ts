import { memoryStore } from "@liveplane/core/testing";
import { expect, test } from "vitest";
import { mapStore } from "../custom-adapter/map-store.ts";
import { move } from "../custom-adapter/move.ts";

test("moves everything from any store to any other", async () => {
  const [source, target] = [memoryStore(), mapStore()];
  await source.commit({ sets: [{ key: ["a"], value: 1 }] });
  expect(await move(source, target)).toBe(1);
  expect(await target.get([["a"]])).toMatchObject([{ value: 1 }]);
});
