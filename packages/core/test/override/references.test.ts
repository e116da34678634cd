import { expect, test } from "vitest";
import {
  findDependents,
  outputAt,
  referencesIn,
  resolveReferences,
  unknownValue,
} from "../../src/override/declarations/references.ts";

const outputs = {
  id: "/n",
  primaryEndpoints: { blob: "https://blob" },
  subnets: [
    { name: "db", id: "/n/db" },
    { name: "web", id: "/n/web" },
  ],
};
const lookup = (reference: { readonly kind: string; readonly output?: string }) => {
  const value = outputAt(outputs, reference.output ?? "");
  return value === undefined ? null : { value, secret: false };
};

test("an output is a name, or a pointer into what the resource shows, with items by their key", () => {
  const parameters = {
    id: { $output: "net#id" },
    blob: { $output: "net#/primaryEndpoints/blob" },
    subnet: { $output: "net#/subnets/name=WEB/id" },
  };
  const resolved = resolveReferences(parameters, lookup);
  expect(resolved.parameters).toEqual({ id: "/n", blob: "https://blob", subnet: "/n/web" });
  expect(resolved.unresolved).toEqual([]);
});

test("a pointer to nothing stands for nothing yet", () => {
  const { parameters, unresolved } = resolveReferences({ a: { $output: "net#/subnets/name=x/id" } }, lookup);
  expect(parameters.a).toBe(unknownValue);
  expect(unresolved).toHaveLength(1);
});

test("the drift can't be read by a pointer either", () => {
  expect(referencesIn({ a: { $output: "net#/drift/x" } })).toMatchObject([{ kind: "broken" }]);
});

test("a key of a map may be an output", () => {
  const parameters = { map: { "$output:net#id": { a: { $output: "net#id" } }, own: 1 } };
  expect(referencesIn(parameters).map(({ pointer }) => pointer)).toEqual([
    "/map/$output:net#id",
    "/map/$output:net#id/a",
  ]);
  expect(resolveReferences(parameters, lookup).parameters).toEqual({ map: { "/n": { a: "/n" }, own: 1 } });
});

test("a map with a key that isn't known yet is unknown as a whole, and so is one whose key would be secret", () => {
  const missing = { map: { "$output:net#gone": {} } };
  const known = resolveReferences(missing, lookup);
  expect(known.parameters.map).toBe(unknownValue);
  expect(known.unresolved).toHaveLength(1);
  const secret = resolveReferences({ map: { "$output:net#id": {} } }, () => ({ value: "s", secret: true }));
  expect(secret.parameters.map).toBe(unknownValue);
  expect(secret.unresolved).toHaveLength(1);
});

test("who reads an output by a pointer is told when the hidden value above it moves", () => {
  const others = [{ componentId: "b", created: true, parameters: { a: { $output: "net#/subnets/name=web/id" } } }];
  const now = { values: outputs, digests: { subnets: "2" } };
  const [reader] = findDependents("net", others, now, { values: outputs, digests: { subnets: "1" } });
  expect(reader).toMatchObject({ changed: true, valueNow: "/n/web", pointer: "/a" });
});

test("a reader says whether what it reads exists, shown or hidden, and whether it was created itself", () => {
  const parameters = { a: { $output: "net#id" }, b: { $output: "net#key" }, c: { $output: "net#gone" } };
  const now = { values: outputs, digests: { key: "1" } };
  const readers = findDependents("net", [{ componentId: "b", created: false, parameters }], now, null);
  expect(readers.map(({ output, exists, created }) => [output, exists, created])).toEqual([
    ["id", true, false],
    ["key", true, false],
    ["gone", false, false],
  ]);
});
