import { expect, test } from "vitest";
import { judgeRequest, judgeResponse } from "./judge.ts";
import { mutated, mutations } from "./mutations.ts";
import { rightRequests } from "./right-requests.ts";

test.each(Object.entries(rightRequests))("a right request is accepted: %s", (_, request) => {
  expect(judgeRequest(request)).toMatchObject({ problems: [], operation: { method: request.method } });
});

test("forty mutations and more are tried", () => {
  expect(mutations.length).toBeGreaterThanOrEqual(40);
});

test.each(mutations)("a request is refused for %s (%s)", (...mutation) => {
  const [, , , where] = mutation;
  const { problems } = judgeRequest(mutated(mutation));
  expect(problems.map((problem) => problem.where)).toContain(where === "" ? "body" : where);
});

const answer = (status: number, of: unknown, own = {}) => ({ status, body: of, headers: own });

test("an answer as it is described is accepted", () => {
  const network = { id: "/n", name: "net", type: "t", etag: "e", properties: { provisioningState: "Updating" } };
  expect(judgeResponse(rightRequests.network, answer(201, network)).problems).toEqual([]);
  expect(judgeResponse(rightRequests.vault, answer(200, null)).problems).toEqual([]);
  expect(judgeResponse(rightRequests.disk, answer(200, { name: "operation-1", status: "RUNNING" })).problems).toEqual(
    [],
  );
  const refusal = { error: { code: "ResourceNotFound", message: "It is not there." } };
  expect(judgeResponse(rightRequests.site, answer(404, refusal)).problems).toEqual([]);
});

test.each([
  ["a member that isn't there", "site", answer(200, { id: "/s", etag: "e" }), "/etag"],
  ["a secret that is shown", "redis", answer(200, { properties: { accessKeys: 1 } }), "/properties/accessKeys"],
  ["a member of the wrong type", "disk", answer(200, { status: 1 }), "/status"],
  ["a status that isn't described", "site", answer(204, null), "status 204"],
  ["a body where there is none", "vault", answer(200, { id: "/v" }), "body of 200"],
  ["what is begun without an address", "account", answer(202, null), "header location"],
  ["an error that isn't told as errors are", "account", answer(409, { code: "Conflict" }), "error"],
] as const)("an answer is refused for %s", (_, of, response, where) => {
  expect(judgeResponse(rightRequests[of], response).problems.map((problem) => problem.where)).toContain(where);
});
