import { planOf, simulate } from "../../src/testing/index.ts";

/** Looks for the first of so many seeds that breaks something, and prints it as JSON; `null`: none does. */
const seeds = Number(process.argv[2]);
let caught: object | null = null;
for (let seed = 1; seed <= seeds && caught === null; seed++) {
  const { broken } = await simulate(planOf(seed));
  if (broken !== null) caught = { seed, ...broken };
}
console.log(JSON.stringify(caught));
