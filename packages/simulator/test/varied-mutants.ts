import type { Mutant } from "./mutant.ts";

/** Mistakes that only show with certain declarations, clouds or deeds. */
export const variedMutants: readonly Mutant[] = [
  {
    name: "plans a move with outputs that are sealed for the former path",
    seed: 30,
    varied: true,
    file: "override/operations/deploys.ts",
    from: "const after = await afterRehearsal(redeclaration, deps.sealer);",
    to: "const { after } = redeclaration;",
  },
  {
    name: "forgets that a place held a secret while it still differs",
    seed: 6,
    varied: true,
    file: "override/protocol/drift.ts",
    from: "...changes.map(({ parameter }) => parameter),\n  ]);",
    to: "...changes.flatMap(({ parameter, pointer }) => (secrets.includes(pointer) ? [parameter] : [])),\n  ]);",
  },
];
