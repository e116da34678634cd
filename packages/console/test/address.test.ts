import { expect, test } from "vitest";
import { linkTo, parsePlace } from "../src/app/address.ts";

test("a link leads to where it was made for, whatever stands in a component's path", () => {
  const path = ["5f7c", 'web/<img src="x" onerror="alert(1)">?#%', "ä b"];
  const place = { page: "component", segments: path, query: { q: "a&b=c #1" } };
  expect(parsePlace(linkTo("component", path, { q: "a&b=c #1", lane: "" }))).toEqual(place);
});

test.each([
  ["", ""],
  ["#", ""],
  ["#/", ""],
  ["#/%E0%A4%A", ""],
  ["#/access", "access"],
])("%j is the page %j", (hash, page) => {
  expect(parsePlace(hash).page).toBe(page);
});
