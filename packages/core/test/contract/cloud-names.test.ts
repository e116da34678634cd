import { expect, test } from "vitest";
import { operationsById } from "../../src/contract/index.ts";
import { cloudName } from "../../src/routes.ts";

test.each([
  ["provider-a", "Azure (provider-a)"],
  ["provider-b", "Google Cloud (provider-b)"],
  ["aws", "aws"],
  ["constructor", "constructor"],
])("%s is called %s", (provider, name) => expect(cloudName(provider)).toBe(name));

test("the help of operations calls clouds by the names that people know", () => {
  const summaries = Object.values(operationsById).map(({ summary }) => summary);
  expect(summaries.filter((text) => /provider A|provider B/i.test(text))).toEqual([]);
  expect(summaries).toContain("Initializes the environment in Azure.");
});
