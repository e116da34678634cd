import fc from "fast-check";
import { expect, test } from "vitest";
import { pathParameter, pathParameters } from "../../src/contract/path-parameters.ts";
import { type OperationId, parseRoute, routes } from "../../src/contract/routes.ts";
import { isLiveplaneError } from "../../src/errors.ts";

const ids = (Object.keys(routes) as OperationId[]).filter((id) => parseRoute(id).params.length > 0);

/** What is a name, an id or a type, and what is nearly one. */
const value = fc.oneof(
  fc.uuid(),
  fc.uuid().map((id) => id.toUpperCase()),
  fc.constantFrom("Personal", "Organizational", "Unknown", "personal", "", "bench", "a", "A-b", "-a", "a-", "a\n", "ä"),
  fc.stringMatching(/^[a-z0-9-]{1,32}$/),
  fc.stringMatching(/^[A-Za-z0-9-]{60,66}$/),
  fc.string(),
);
const call = fc
  .constantFrom(...ids)
  .chain((id) =>
    fc.record({ id: fc.constant(id), values: fc.array(value, { minLength: 6, maxLength: 6 }), more: fc.boolean() }),
  );

test("parameters that skip the schema are those that it would give back as they are", () => {
  fc.assert(
    fc.property(call, ({ id, values, more }) => {
      const { params } = parseRoute(id);
      const sent = Object.fromEntries([
        ...params.map((name, at) => [name, values[at] ?? ""]),
        ...(more ? [["more", "x"]] : []),
      ]);
      const parsed = params.map((name) => [name, pathParameter(id, name).safeParse(sent[name])] as const);
      const expected =
        more || parsed.some(([, { success }]) => !success)
          ? null
          : Object.fromEntries(parsed.map(([name, { data }]) => [name, data]));
      let came: Record<string, string> | null = null;
      try {
        came = pathParameters(id, sent);
      } catch (refusal) {
        if (!isLiveplaneError(refusal)) throw refusal;
      }
      expect(came).toEqual(expected);
    }),
    { numRuns: 3000 },
  );
});
