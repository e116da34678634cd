import type { Mutant } from "./mutant.ts";

/** Mistakes in exact adoptions, which only worlds with existing resources find. */
export const adoptionMutants: readonly Mutant[] = [
  {
    name: "forgets that it saw the tag of an adoption",
    adopts: true,
    seed: 13,
    file: "override/agent/after-write.ts",
    from: "return declared.adoptsExactly && !record.provisioned && record.intent !== null && resource !== null && managementTag;",
    to: "return false;",
  },
  {
    name: "adopts a resource whose tag has another value",
    adopts: true,
    seed: 5,
    file: "override/protocol/exact-adoption.ts",
    from: "const value = isGoverned ? tag.value : tagValue(resource.tags, tag.key, cloud.capabilities);",
    to: `const own = tagValue(resource.tags, tag.key, cloud.capabilities);
  const value = isGoverned || own === tag.value ? tag.value : undefined;`,
  },
  {
    name: "writes a property with the tag of an adoption",
    adopts: true,
    seed: 1,
    file: "override/agent/agent-write.ts",
    from: "return cloud.update(ref, { parameters: [], tags }, condition, call);",
    to: `return cloud.update(ref, { parameters: [{ pointer: "/size", value: 9 }], tags }, condition, call);`,
  },
  {
    name: "adopts without an intent",
    adopts: true,
    seed: 1,
    file: "override/agent/agent-decision.ts",
    from: `const isIntended = effect === "create" || effect === "adopt";`,
    to: `const isIntended = effect === "create";`,
  },
];
