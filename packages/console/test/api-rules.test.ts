import { expect, test } from "vitest";
import { validatedDocument } from "../../server-express/test/every-operation/open-api-judge.ts";
import { fittingOperations, readDocument } from "../src/api/described.ts";
import { exampleOf } from "../src/api/examples.ts";
import { curlLine, requestOf } from "../src/api/request.ts";

const { document, ajv } = validatedDocument();
const { operations, schemas } = readDocument(document);

test("every body that a form is filled with has the shape that its schema asks for", () => {
  const judged = operations.filter(({ operationId, requestBody }) => {
    const media = requestBody?.content["application/json"];
    if (media?.schema.$ref === undefined) return false;
    const isValid = ajv.getSchema(`document${media.schema.$ref}`);
    isValid?.(media.example ?? exampleOf(media.schema, schemas, "required"));
    expect([operationId, isValid?.errors]).toEqual([operationId, null]);
    return true;
  });
  expect(judged.length).toBeGreaterThan(30);
});

test("an operation is found by words of its id, method, path and summary, in any order", () => {
  const found = (text: string) => fittingOperations(operations, text).map(({ operationId }) => operationId);
  expect(found("")).toHaveLength(operations.length);
  expect(found("creates environments.create an environment")).toEqual(["environments.create"]);
  expect(found("POST /accounts/me/password")).toEqual(["accounts.changePassword"]);
  expect(found("rotate nothing")).toEqual([]);
});

const path = "/teams/{id}/of/{name}";

test("fields go to their places, encoded; empty ones are left out", () => {
  const wanted = requestOf("PUT", path, [
    { name: "path:id", value: "a/b c" },
    { name: "path:name", value: "main" },
    { name: "query:status", value: "Active, Done", isList: true },
    { name: "query:limit", value: "" },
    { name: "header:If-Match", value: '"1"' },
    { name: "body", value: "{}" },
  ]);
  expect(wanted).toEqual({
    method: "PUT",
    path: "teams/a%2Fb%20c/of/main?status=Active&status=Done",
    headers: { "If-Match": '"1"', "Content-Type": "application/json" },
    secrets: [],
    body: "{}",
  });
});

test("a mailed challenge is sent in place of the session's token", () => {
  const { headers } = requestOf("PUT", path, [{ name: "challenge", value: "handle.secret" }]);
  expect(headers).toEqual({ Authorization: "Bearer handle.secret" });
});

test("the line for curl holds no credential, and a quote can't end it", () => {
  const wanted = requestOf("PUT", path, [
    { name: "challenge", value: "a-token" },
    { name: "header:X-Provider-Secret", value: "hidden", isSecret: true },
    { name: "body", value: `{"name":"it's"}` },
  ]);
  const line = curlLine(wanted, "http://127.0.0.1/cp/");
  expect(line).not.toMatch(/a-token|hidden/);
  expect(line).toContain("curl -i -X PUT 'http://127.0.0.1/cp/teams/");
  expect(line).toContain('-H "Authorization: Bearer $TOKEN"');
  expect(line).toContain('-H "X-Provider-Secret: $X_PROVIDER_SECRET"');
  expect(line).toContain(`--data-raw '{"name":"it'\\''s"}'`);
});
