import { type OperationId, operationsById, parseInput, routes } from "@liveplane/core/contract";
import { isLiveplaneError, type LiveplaneError, type Violation } from "@liveplane/core/errors";
import fc from "fast-check";
import { expect, test } from "vitest";

const withBody = (Object.keys(routes) as OperationId[]).filter((id) => operationsById[id].body !== undefined);

/** A body that is right but for a part or two. */
function nearlyRight(id: OperationId): fc.Arbitrary<unknown> {
  const row = operationsById[id] as { example?: { body?: unknown } };
  const right = row.example?.body;
  if (typeof right !== "object" || right === null) return fc.jsonValue();
  const members = Object.keys(right);
  const wrong = fc.dictionary(fc.constantFrom(...members, "other", "o/ther"), fc.jsonValue({ maxDepth: 2 }));
  return fc.oneof(
    wrong.map((parts) => ({ ...right, ...parts })),
    fc.array(wrong, { maxLength: 3 }),
    fc.jsonValue(),
  );
}

const placeOf = ({ pointer, parameter, header }: Violation) => JSON.stringify([pointer, parameter, header]);

function expectOnce({ details }: LiveplaneError): void {
  const places = (details.errors ?? []).map(placeOf);
  expect(places).toHaveLength(new Set(places).size);
}

test.each(withBody)("a refusal of a body of %s tells one mistake once", (id) => {
  fc.assert(
    fc.property(nearlyRight(id), (value) => {
      try {
        parseInput(operationsById[id].body as never, value, "body");
      } catch (error) {
        if (!isLiveplaneError(error)) throw error;
        expectOnce(error);
      }
    }),
    { numRuns: 100 },
  );
});
