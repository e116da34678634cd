import { expect, test } from "vitest";
import { faultOfSubject, fitsSubject } from "../../src/sessions/federated-subjects.ts";

const main = "repo:acme/shop:ref:refs/heads/main";

test.each([
  [main, main, true],
  ["repo:acme/shop:ref:refs/heads/*", main, true],
  ["repo:acme/*:ref:refs/heads/main", main, true],
  ["repo:acme/shop:*", "repo:acme/shop:pull_request", true],
  ["repo:acme/shop:*", main, false],
  ["repo:acme/shop:ref:refs/heads/*", "repo:acme/shop:ref:refs/heads/feature/one", false],
  ["repo:acme/shop:ref:refs/heads/*", "repo:acme/shop:ref:refs/heads/", false],
  ["repo:acme/shop:ref:refs/heads/main", `${main}2`, false],
  ["repo:acme/shop:ref:refs/heads/main", `${main}/`, false],
  ["repo:acme/shop", "repo:acme:shop", false],
  ["repo:acme/shop", "repo:Acme/shop", false],
  ["repo:acme/sho", "repo:acme/shop", false],
  ["repo:acme/*", "repo:acme/shop/../other", false],
  ["0b8a1a52-7a3e", "0b8a1a52-7a3e", true],
])("the pattern %s and the subject %s: %s", (pattern, subject, fits) => {
  expect(fitsSubject(pattern, subject)).toBe(fits);
});

test.each([
  [main, null],
  ["repo:acme/*", null],
  ["project_path:group/*:ref_type:branch:ref:main", null],
  ["one-pipeline", null],
  ["repo:acme/shop:ref:refs/heads/ma*n", "whole segment"],
  ["repo:acme/shop**", "whole segment"],
  ["*", "first two"],
  ["repo:*/shop:ref:refs/heads/main", "first two"],
  ["*:acme/shop", "first two"],
])("the pattern %s is wrong by: %s", (pattern, fault) => {
  if (fault === null) expect(faultOfSubject(pattern)).toBeNull();
  else expect(faultOfSubject(pattern)).toContain(fault);
});
