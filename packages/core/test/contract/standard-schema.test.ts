import { operations, operationsById, type Schema, type StandardResult } from "@liveplane/core/contract";
import { expect, expectTypeOf, test } from "vitest";

test("every schema of the contract is a Standard Schema", () => {
  const schemas = Object.values(operationsById).flatMap((row): Schema<unknown>[] => [
    ...("body" in row ? [row.body] : []),
    ...("query" in row ? [row.query] : []),
    row.result,
  ]);
  const standards = schemas.map((schema) => schema["~standard"]);
  expect(standards.filter(({ version, validate }) => version !== 1 || typeof validate !== "function")).toEqual([]);
});

test("a form library learns what is wrong, and where", async () => {
  const { validate } = operations.sessions.create.body["~standard"];
  const right = { username: "ada", password: "a long passphrase" };
  const result = await validate(right);
  expect(result).toEqual({ value: right });
  expectTypeOf(result).toEqualTypeOf<StandardResult<typeof right>>();
  expect(await validate({ ...right, username: 1 })).toMatchObject({
    issues: [{ message: expect.any(String), path: ["username"] }],
  });
});
