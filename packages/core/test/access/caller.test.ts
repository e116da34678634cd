import { expect, test } from "vitest";
import { takeCaller } from "../../src/access/caller.ts";

const kinds = "kind must be one of anonymous, bearer, challenge, system, account, serviceAccount.";
const thrower = {
  get kind() {
    throw new Error("hunter2");
  },
};

test.each([
  ["nothing", undefined, kinds],
  ["text", "account", kinds],
  ["no kind", {}, kinds],
  ["a kind that there isn't", { kind: "token", token: "x" }, kinds],
  ["what throws when it's read", thrower, kinds],
  ["an account without its id", { kind: "account" }, "accountId is missing or wrong."],
  ["a bearer whose token is a number", { kind: "bearer", token: 5 }, "token is missing or wrong."],
  [
    "half an environment",
    { kind: "serviceAccount", principalId: "p", environment: { type: "Personal" } },
    "environment.ownerId is missing or wrong.",
  ],
])("says what is wrong with a caller: %s", (_, caller, why) => {
  expect(() => takeCaller(caller)).toThrow(
    expect.objectContaining({ code: "ValidationFailed", message: `The caller is invalid: ${why}` }),
  );
});
