import {
  checkPreconditions,
  type OperationId,
  operationsById,
  parseEntityTags,
  parseInput,
  routes,
} from "@liveplane/core/contract";
import { isLiveplaneError } from "@liveplane/core/errors";
import fc from "fast-check";
import { expect, test } from "vitest";
import { scanJson } from "../../src/contract/scan-json.ts";
import { fragmentOf } from "../../src/json-pointer.ts";

const withBody = (Object.keys(routes) as OperationId[]).filter((id) => operationsById[id].body !== undefined);
const members = [
  "name",
  "shortName",
  "displayName",
  "description",
  "value",
  "parameters",
  "tags",
  "resourceGroups",
  "components",
  "email",
];
const near = fc.dictionary(fc.constantFrom(...members), fc.jsonValue());

test("whatever is sent, a body is taken or refused with a place, and nothing else happens", () => {
  fc.assert(
    fc.property(fc.constantFrom(...withBody), fc.oneof(fc.jsonValue(), near, fc.array(near)), (id, value) => {
      try {
        parseInput(operationsById[id].body as never, value, "body");
      } catch (error) {
        if (!isLiveplaneError(error)) throw error;
        const places = (error.details.errors ?? []).map(({ pointer }) => pointer ?? "");
        expect(places.length).toBeGreaterThan(0);
        for (const place of places) expect(place).toMatch(/^#(\/[^\s"<>\\^`{|}]*)*$/);
      }
    }),
    { numRuns: 2000 },
  );
});

test("what was read once reads the same again", () => {
  const text = fc.string({ maxLength: 20 });
  const definition = fc.record(
    { name: fc.option(text), parameters: fc.option(fc.dictionary(text, fc.jsonValue({ maxDepth: 3 }))) },
    { requiredKeys: [] },
  );
  const { body } = operationsById["environments.create"];
  fc.assert(
    fc.property(definition, (sent) => {
      const read = taken(() => parseInput(body as never, sent, "body"));
      if (read !== undefined) expect(parseInput(body as never, read, "body")).toEqual(read);
    }),
  );
});

test("a pointer names its place: decoded, it is the path again, cut to 64 characters a part", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: "grapheme", maxLength: 80 }), { maxLength: 5 }), (path) => {
      const parts = fragmentOf(path).slice(1).split("/").slice(1);
      const decoded = parts.map((part) => decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~"));
      expect(decoded).toEqual(path.map((part) => [...part].slice(0, 64).join("").toWellFormed()));
    }),
  );
});

test("the scan finds a hostile name wherever it is, and nothing where there is none", () => {
  const hostile = fc.constantFrom("__proto__", "constructor", "prototype");
  const way = fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 15 });
  fc.assert(
    fc.property(way, hostile, (path, name) => {
      const wrapped = path.reduceRight((inner, part) => `{"${part}": [1, ${inner}]}`, `{"x": 1, "${name}": {}}`);
      expect(scanJson(JSON.parse(wrapped))).toMatchObject(
        path.length * 2 > 24 ? { code: "TooDeep" } : { code: "Forbidden" },
      );
      const clean = path.slice(0, 10).reduceRight((inner, part) => `{"${part}": [1, ${inner}]}`, '{"x": 1}');
      expect(scanJson(JSON.parse(clean))).toBeNull();
    }),
  );
});

test("tags that were written are read back, weak ones left out", () => {
  const tag = fc.stringMatching(/^[\x21\x23-\x7e]{0,12}$/);
  fc.assert(
    fc.property(fc.array(fc.record({ tag, weak: fc.boolean() }), { minLength: 1, maxLength: 5 }), (sent) => {
      const header = sent.map((entry) => `${entry.weak ? "W/" : ""}"${entry.tag}"`).join(", ");
      expect(parseEntityTags(header)).toEqual(sent.filter(({ weak }) => !weak).map((entry) => entry.tag));
    }),
  );
  expect(parseEntityTags(" * ")).toBe("*");
  for (const malformed of ["abc", '"a" b', "'a'", '"a']) expect(parseEntityTags(malformed)).toBeUndefined();
});

test("preconditions hold a write to the versions that they name", () => {
  const outcome = (...args: Parameters<typeof checkPreconditions>) => {
    try {
      checkPreconditions(...args);
      return "goes on";
    } catch (error) {
      return isLiveplaneError(error) ? error.code : error;
    }
  };
  const stored = { version: "7" };
  expect(outcome({}, stored)).toBe("goes on");
  expect(outcome({ ifMatch: ["6", "7"] }, stored)).toBe("goes on");
  expect(outcome({ ifMatch: "*" }, stored)).toBe("goes on");
  expect(outcome({ ifMatch: ["6"] }, stored)).toBe("PreconditionFailed");
  expect(outcome({ ifMatch: [] }, stored)).toBe("PreconditionFailed");
  expect(outcome({ ifMatch: "*" }, null)).toBe("NotFound");
  expect(outcome({ ifMatch: ["7"] }, null, { creates: true })).toBe("PreconditionFailed");
  expect(outcome({ ifNoneMatch: "*" }, null)).toBe("goes on");
  expect(outcome({ ifNoneMatch: "*" }, stored)).toBe("PreconditionFailed");
  expect(outcome({ ifNoneMatch: ["7"] }, stored)).toBe("PreconditionFailed");
  expect(outcome({ ifNoneMatch: ["6"] }, stored)).toBe("goes on");
});

function taken<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (isLiveplaneError(error)) return undefined;
    throw error;
  }
}
