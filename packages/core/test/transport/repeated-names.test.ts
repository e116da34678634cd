import { expect, test } from "vitest";
import { operationsById } from "../../src/contract/operations/operations.ts";
import { parseInput } from "../../src/contract/parse-input.ts";
import { readBody } from "../../src/transport/http/body.ts";
import { FetchRequest } from "../../src/transport/http/fetch-request.ts";
import { queryOf } from "../../src/transport/http/negotiation.ts";

const repeated = (name: string, times: number) => Array.from({ length: times }, () => `${name}=Active`).join("&");

test("a query keeps no more values of a name than refuse it", () => {
  expect(queryOf(repeated("status", 3)).status).toEqual(["Active", "Active", "Active"]);
  const query = queryOf(repeated("status", 8_000));
  expect(query.status).toHaveLength(101);
  const { query: schema } = operationsById["liveSystems.components.list"];
  if (schema === undefined) throw new RangeError("The list takes a query.");
  expect(() => parseInput(schema, query, "query")).toThrow(
    expect.objectContaining({
      code: "ValidationFailed",
      details: { errors: [expect.objectContaining({ parameter: "status", code: "TooBig" })] },
    }),
  );
  expect(() => parseInput(schema, queryOf(repeated("limit", 8_000)), "query")).toThrow(
    expect.objectContaining({ details: { errors: [expect.objectContaining({ parameter: "limit" })] } }),
  );
});

test("a form that repeats a name is refused at the second one", async () => {
  const row = operationsById["tokens.create"];
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  for (const times of [2, 8_000]) {
    const body = Array.from({ length: times }, () => "a").join("&");
    const sent = new Request("http://here/", { method: "POST", headers, body });
    const request = new FetchRequest({ request: sent, target: "/", base: "", address: null });
    await expect(Promise.resolve(readBody(request, row))).rejects.toMatchObject({
      code: "ValidationFailed",
      details: { errors: [{ pointer: "#/a", code: "Duplicate" }] },
    });
  }
});
