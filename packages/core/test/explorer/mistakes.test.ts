import { expect, test } from "vitest";
import { mutants } from "../simulator/mutants.ts";
import { hunt } from "./mistakes.ts";

test("the explorer finds a mistake by itself; `pnpm explore --mistakes` tries all", { timeout: 120_000 }, async () => {
  const mutant = mutants.find(({ name }) => name === "keeps a stray reconcile tag");
  expect(mutant).toBeDefined();
  if (mutant === undefined) return;
  const { caught } = await hunt(mutant, 30);
  expect(caught).toBe("at-rest-as-declared by one; 0 set the reconcile tag of a/net");
});
