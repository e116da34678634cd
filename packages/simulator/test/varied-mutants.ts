import type { Mutant } from "./mutant.ts";

/** Mistakes that only show with certain declarations, clouds or deeds. */
export const variedMutants: readonly Mutant[] = [
  {
    name: "plans a move with outputs that are sealed for the former path",
    seed: 49,
    varied: true,
    file: "override/operations/deploys.ts",
    from: "after: await afterRehearsal(redeclaration, deps.sealer)",
    to: "after: redeclaration.after",
  },
  {
    name: "forgets that a place held a secret while it still differs",
    seed: 6,
    varied: true,
    file: "override/protocol/drift.ts",
    from: "...changes.map(({ parameter }) => parameter),\n  ]);",
    to: "...changes.flatMap(({ parameter, pointer }) => (secrets.includes(pointer) ? [parameter] : [])),\n  ]);",
  },
  {
    name: "shows a secret that has gone",
    seed: 1,
    varied: true,
    file: "override/declarations/references.ts",
    from: `if (found?.secret || reference.kind === "secret") secrets.push(pointer);`,
    to: "if (found?.secret) secrets.push(pointer);",
  },
  {
    name: "repeats a former secret in the words of a cloud",
    seed: 1,
    varied: true,
    file: "override/protocol/observation.ts",
    from: "secretsSent.every((sent) => sent === expectation.secretsHash)",
    to: "secretsSent.length < 2",
  },
  {
    name: "goes on with the live systems of an owner who is gone",
    seed: 14,
    varied: true,
    file: "override/operations/release.ts",
    from: '{ ...system, status: "Releasing", updatedAt: at, updatedBy: by }',
    to: "{ ...system, updatedAt: at, updatedBy: by }",
  },
];
